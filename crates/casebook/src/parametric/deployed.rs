//! The detector of Chandra and Toueg as it is deployed, for all periods, delays and timeouts: one process that beats
//! and one that waits for it, with timers that measure time. Each process judges each peer alone, so any number of
//! processes is as many such pairs. It is `watchkeeper_protocols::chandra_toueg` in a world of bounded delays, and
//! a test holds every step of that world against a step of this system.
//!
//! Of the messages under way only the age of the oldest is known, or that there is none. When one arrives, the
//! oldest that stays may be any that is not younger than the beat that was sent last: more than the world can do,
//! never less.

use watchkeeper_prove::{
    Claim, ParametricWitness, ParsedStatement, ProofGoal, Refutation, System, Theorem, WitnessPhase,
    WitnessStep, assign, assume, choose, either,
};

/// The system; with `dead`, the time since the crash, only if it is asked for, since it grows for ever.
///
/// # Panics
///
/// Never: tests build both.
pub fn system(with_dead: bool) -> System {
    let mut system = System::new("Chandra-Toueg, deployed")
        .parameter("period", "the time between two beats")
        .parameter("delay", "the longest that a message is under way")
        .parameter("first", "how long a peer is waited for at first")
        .parameter("growth", "how much longer after a mistake")
        .assuming("1 <= period")
        .assuming("0 <= delay")
        .assuming("1 <= first")
        .assuming("1 <= growth")
        .number("beat", 0, "when the next beat is sent")
        .number("age", -1, "the age of the oldest message under way, -1 if there is none")
        .number("fresh", 0, "the time since the last beat, at most delay")
        .number("left", 0, "what is left of the patience of the one who waits")
        .number("timeout", 1, "how long it waits")
        .flag("suspected", "whether the one who beats is suspected")
        .flag("crashed", "whether it has crashed");
    let mut begin = vec![
        assign("beat", "period"),
        assign("age", "0"),
        assign("fresh", "0"),
        assign("left", "first"),
        assign("timeout", "first"),
        assign("suspected", "false"),
        assign("crashed", "false"),
    ];
    let mut pass = vec![
        choose("d", "0", "period + delay"),
        assume("crashed or d <= beat"),
        assume("age < 0 or d <= delay - age"),
        assume("suspected or d <= left"),
        assign("beat", "if crashed then 0 else beat - d"),
        assign("age", "if age < 0 then -1 else age + d"),
        assign("fresh", "min(fresh + d, delay)"),
        assign("left", "if suspected then 0 else left - d"),
    ];
    let mut crash = vec![assume("not crashed"), assign("crashed", "true"), assign("beat", "0")];
    if with_dead {
        system = system.number("dead", -1, "the time since the crash, -1 before").ghost();
        begin.push(assign("dead", "-1"));
        pass.push(assign("dead", "if crashed then dead + d else -1"));
        crash.push(assign("dead", "0"));
    }
    let beat = vec![
        assume("not crashed and beat = 0"),
        assign("beat", "period"),
        assign("age", "max(age, 0)"),
        assign("fresh", "0"),
    ];
    let heard: [ParsedStatement; 5] = [
        assume("0 <= age"),
        either([
            ("the last one", vec![assign("age", "-1")]),
            ("one of several", vec![choose("stays", "fresh", "age"), assign("age", "stays")]),
        ]),
        assign("timeout", "if suspected then timeout + growth else timeout"),
        assign("suspected", "false"),
        assign("left", "timeout"),
    ];
    system
        .initially(begin)
        .step("time passes", pass)
        .step("a beat is sent", beat)
        .step("a beat arrives", heard)
        .step("the patience ends", [assume("not suspected and left = 0"), assign("suspected", "true"), assign("left", "0")])
        .step("crash", crash)
        .resting_on("no message is lost, and none is under way for longer than delay; of what falls on one moment, anything may come first")
        .resting_on("both start at the same moment, nobody starts again, and timeouts have no cap")
        .resting_on("timers are exact; each pair of processes is as this one, since nobody judges a peer by another")
        .finished()
        .expect("a system that is well formed")
}

fn claim(system: &System, name: &str, text: &str) -> Claim {
    Claim::new(name, system.formula(text).expect("a formula of the system"))
}

/// Small parameters.
fn points(system: &System) -> Vec<Vec<i64>> {
    let mut points = Vec::new();
    for (period, delay) in [1, 2, 4].into_iter().flat_map(|period| [0, 1, 4].map(|delay| (period, delay))) {
        for first in [1, 3, period + delay + 1, period + delay + 3] {
            for growth in [1, 2] {
                points.push(vec![period, delay, first, growth]);
            }
        }
    }
    points.retain(|point| watchkeeper_prove::SystemInstance::new(system, point).is_ok());
    points.dedup();
    points
}

/// What is claimed of the deployed detector.
pub fn cases() -> Vec<ProofGoal> {
    let holds = |name: &str, statement: &str, system: System, property: &str| {
        ProofGoal::Holds(Theorem {
            name: name.to_string(),
            statement: statement.to_string(),
            property: claim(&system, name, property),
            points: points(&system),
            lemmas: Vec::new(),
            system: system.dense(),
        })
    };
    let long = |system: System| {
        let enough = system.formula("period + delay < first").expect("a formula of the parameters");
        system.under(enough)
    };
    let ending = |system: System| {
        // Nothing but the time since the crash changes once it is known.
        let mut ended = system;
        let known = ended.formula("not (crashed and suspected and age < 0)").expect("a formula");
        for step in &mut ended.steps {
            step.block.insert(0, watchkeeper_prove::Statement::Assume(known.clone()));
        }
        ended.resting_on(
            "a run ends once the crash is known and nothing is under way: after that only time passes",
        )
    };
    vec![
        holds(
            "accuracy",
            "who has not crashed is never suspected, if the first timeout is longer than period + delay",
            long(system(false)),
            "suspected => crashed",
        ),
        ProofGoal::Fails(too_short()),
        holds(
            "eventual-accuracy",
            "once a timeout is longer than period + delay, there is no mistake",
            system(false),
            "suspected and not crashed => timeout <= period + delay",
        ),
        holds(
            "detection-time",
            "a crash is noticed after at most delay + timeout",
            ending(system(true)),
            "crashed and not suspected => dead <= delay + timeout",
        ),
    ]
}

/// With a first timeout of at most period + delay somebody is suspected who is up.
fn too_short() -> Refutation {
    let system = system(false);
    let formula = |text: &str| system.formula(text).expect("a formula of the system");
    let number = |text: &str| watchkeeper_prove::term(text).expect("a number");
    let short = formula("first <= period + delay");
    let step = |path: &str, picks: &[(&str, &str)]| WitnessStep {
        path: path.to_string(),
        picks: picks.iter().map(|(name, text)| (name.to_string(), number(text))).collect(),
    };
    let act = |path: &str, picks: &[(&str, &str)]| WitnessPhase::Step(step(path, picks));
    let start = || step("initially", &[]);
    let pass = "time passes";
    let heard = || act("a beat arrives: the last one", &[]);
    let soon = ParametricWitness {
        condition: vec![formula("first <= period")],
        auxiliaries: Vec::new(),
        start: start(),
        acts: vec![heard(), act(pass, &[("d", "first")]), act("the patience ends", &[])],
    };
    let late = ParametricWitness {
        condition: vec![formula("period < first")],
        auxiliaries: Vec::new(),
        start: start(),
        acts: vec![
            heard(),
            act(pass, &[("d", "period")]),
            act("a beat is sent", &[]),
            WitnessPhase::Until {
                done: formula("left <= beat"),
                invariant: formula(
                    "not crashed and not suspected and beat = period and 0 <= age and 0 <= left and age + left <= delay",
                ),
                rank: number("left"),
                moves: vec![step(pass, &[("d", "beat")]), step("a beat is sent", &[])],
            },
            act(pass, &[("d", "left")]),
            act("the patience ends", &[]),
        ],
    };
    Refutation {
        name: "accuracy-fails".to_string(),
        statement:
            "with whole numbers and a first timeout of at most period + delay, somebody is suspected who is up"
                .to_string(),
        property: claim(&system, "accuracy", "suspected => crashed"),
        system: system.under(short),
        witnesses: vec![soon, late],
        points: vec![vec![3, 4, 3, 1], vec![2, 5, 7, 1]],
    }
}
