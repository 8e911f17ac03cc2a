//! The ring detector of three processes without time, for all capacities of its channels: whether it deadlocks. It is
//! `watchkeeper_protocols::ring` in a world in which a timer may fire at any moment, and a test holds the states
//! of the two against each other.
//!
//! Of a channel only the number of its messages of each kind is known. In what order they are delivered does not
//! matter to what fails here: the run delivers from a channel only while it holds a single message, so it is a run
//! of FIFO channels too.
//!
//! A process that waits for room in a channel takes no input. Any other process can end its round, so a state is
//! without steps exactly if everyone waits for a channel that is full.

use watchkeeper_prove::{
    Auxiliary, Claim, ParametricWitness, ParsedStatement, ProofGoal, Refutation, System, Term, Theorem,
    WitnessPhase, WitnessStep, assign, assume, either, term,
};
use watchkeeper_world::WhenFull;

/// Whom a process watches: the next in the ring, the last one before it, or nobody but itself.
const TARGETS: [&str; 3] = ["Next", "Last", "Self"];

/// What a process waits to send: nothing, a question to its target, an answer to the next or to the last one.
const MODES: [&str; 4] = ["Free", "Asks", "AnswersNext", "AnswersLast"];

/// One process, and how texts about it are written: `{me}`, `{next}` and `{last}` stand for numbers.
#[derive(Clone, Copy)]
struct RingMember(usize);

impl RingMember {
    const ALL: [RingMember; 3] = [RingMember(0), RingMember(1), RingMember(2)];

    fn put(self, text: &str) -> String {
        let (next, last) = ((self.0 + 1) % 3, (self.0 + 2) % 3);
        let numbered = text.replace("{me}", &self.0.to_string());
        numbered.replace("{next}", &next.to_string()).replace("{last}", &last.to_string())
    }

    fn assume(self, text: &str) -> ParsedStatement {
        assume(&self.put(text))
    }

    fn assign(self, variable: &str, text: &str) -> ParsedStatement {
        assign(&self.put(variable), &self.put(text))
    }

    /// A message into a channel, where there is room.
    fn send(self, kind: &str, to: &str) -> Vec<ParsedStatement> {
        vec![
            self.assume(&room(to)),
            self.assign(&format!("{kind}{{me}}{to}"), &format!("{kind}{{me}}{to} + 1")),
        ]
    }

    /// A message that finds its channel full: its sender waits, or it is lost.
    fn refuse(self, to: &str, mode: usize, full: WhenFull) -> Vec<ParsedStatement> {
        let mut block = vec![self.assume(&format!("not ({})", room(to)))];
        if full == WhenFull::Block {
            block.push(self.assign("mode{me}", &mode.to_string()));
        }
        block
    }
}

/// That there is room in the channel from a process to another.
fn room(to: &str) -> String {
    format!("ask{{me}}{to} + answer{{me}}{to} < K")
}

fn joined(first: Vec<ParsedStatement>, then: Vec<ParsedStatement>) -> Vec<ParsedStatement> {
    first.into_iter().chain(then).collect()
}

/// The system, with channels that do this when they are full: they block, or drop.
///
/// # Panics
///
/// Never: tests build both.
pub fn system(full: WhenFull) -> System {
    let manner = if full == WhenFull::Block { "block" } else { "drop" };
    let mut system = System::new(&format!("ring of three, channels that {manner}"))
        .parameter("K", "how many messages a channel holds")
        .assuming("1 <= K");
    let mut begin = Vec::new();
    for it in RingMember::ALL {
        system = system
            .control(&it.put("target{me}"), &TARGETS, &it.put("whom p{me} watches"))
            .flag(&it.put("received{me}"), &it.put("whether p{me} has its answer in this round"))
            .control(&it.put("mode{me}"), &MODES, &it.put("what p{me} waits to send"));
        begin.extend([
            it.assign("target{me}", "0"),
            it.assign("received{me}", "false"),
            it.assign("mode{me}", "0"),
        ]);
        for to in ["{next}", "{last}"] {
            for (kind, what) in [("ask", "questions"), ("answer", "answers")] {
                let name = it.put(&format!("{kind}{{me}}{to}"));
                let meaning = it.put(&format!("{what} on their way from p{{me}} to p{to}"));
                system = system.number(&name, 0, &meaning);
                let is_first = kind == "ask" && to == "{next}";
                begin.push(assign(&name, if is_first { "1" } else { "0" }));
            }
        }
    }
    system = system.initially(begin);
    for it in RingMember::ALL {
        system = system
            .step(&it.put("the round of p{me} ends"), [it.assume("mode{me} = 0"), round(it, full)])
            .step(&it.put("p{me} is asked by p{next}"), asked(it, true, full))
            .step(&it.put("p{me} is asked by p{last}"), asked(it, false, full))
            .step(&it.put("p{me} is answered by p{next}"), answered(it, true))
            .step(&it.put("p{me} is answered by p{last}"), answered(it, false));
        if full == WhenFull::Block {
            system = system.step(&it.put("p{me} sends on"), [waited(it)]);
        }
    }
    system
        .resting_on("three processes, none of which crashes, with one channel for each ordered pair")
        .resting_on("there is no time: a timer may fire and a message may arrive at any moment, or never; nothing is lost or sent twice by the network")
        .resting_on(match full {
            WhenFull::Block => "who sends into a full channel waits, and takes no input while it waits",
            _ => "a message that finds its channel full is gone, and its sender does not notice",
        })
        .finished()
        .expect("a system that is well formed")
}

/// The end of a round and the beginning of the next: who has no answer suspects its target.
fn round(it: RingMember, full: WhenFull) -> ParsedStatement {
    let of = |target: usize, received: bool| {
        let received = if received { "received{me}" } else { "not received{me}" };
        vec![it.assume(&format!("target{{me}} = {target}")), it.assume(received)]
    };
    let asks = |to: &str| joined(it.send("ask", to), vec![it.assign("received{me}", "false")]);
    let waits = |to: &str| joined(it.refuse(to, 1, full), vec![it.assign("received{me}", "false")]);
    let suspects =
        |then: Vec<ParsedStatement>| joined(joined(of(0, false), then), vec![it.assign("target{me}", "1")]);
    either([
        ("alone", vec![it.assume("target{me} = 2")]),
        ("asks the next", joined(of(0, true), asks("{next}"))),
        ("no room to ask the next", joined(of(0, true), waits("{next}"))),
        ("asks the last", joined(of(1, true), asks("{last}"))),
        ("no room to ask the last", joined(of(1, true), waits("{last}"))),
        ("suspects the next, asks the last", suspects(asks("{last}"))),
        ("suspects the next, no room to ask the last", suspects(waits("{last}"))),
        (
            "suspects the last",
            joined(of(1, false), vec![it.assign("target{me}", "2"), it.assign("received{me}", "true")]),
        ),
    ])
}

/// What a message from the next or the last one changes in whom a process watches, by whom it suspects.
fn trusted(it: RingMember, next: bool) -> [ParsedStatement; 2] {
    if next {
        [it.assign("received{me}", "target{me} != 0 or received{me}"), it.assign("target{me}", "0")]
    } else {
        [
            it.assign("received{me}", "target{me} = 2 or received{me}"),
            it.assign("target{me}", "if target{me} = 2 then 1 else target{me}"),
        ]
    }
}

fn asked(it: RingMember, next: bool, full: WhenFull) -> Vec<ParsedStatement> {
    let (from, mode) = if next { ("{next}", 2) } else { ("{last}", 3) };
    let question = format!("ask{from}{{me}}");
    let mut block = vec![
        it.assume("mode{me} = 0"),
        it.assume(&format!("1 <= {question}")),
        it.assign(&question, &format!("{question} - 1")),
    ];
    block.extend(trusted(it, next));
    block.push(either([("answers", it.send("answer", from)), ("no room", it.refuse(from, mode, full))]));
    block
}

fn answered(it: RingMember, next: bool) -> Vec<ParsedStatement> {
    let from = if next { "{next}" } else { "{last}" };
    let answer = format!("answer{from}{{me}}");
    let mut block = vec![
        it.assume("mode{me} = 0"),
        it.assume(&format!("1 <= {answer}")),
        it.assign(&answer, &format!("{answer} - 1")),
    ];
    // An answer of the target counts, and so does one of a suspect, who is the target from now on.
    let counts = if next { "true" } else { "target{me} != 0 or received{me}" };
    block.extend([it.assign("received{me}", counts)]);
    let [_, target] = trusted(it, next);
    block.push(target);
    block
}

/// What a process waited to send goes through.
fn waited(it: RingMember) -> ParsedStatement {
    let goes = |when: &str, kind: &str, to: &str| {
        joined(joined(vec![it.assume(when)], it.send(kind, to)), vec![it.assign("mode{me}", "0")])
    };
    either([
        ("a question to the next", goes("mode{me} = 1 and target{me} = 0", "ask", "{next}")),
        ("a question to the last", goes("mode{me} = 1 and target{me} = 1", "ask", "{last}")),
        ("an answer to the next", goes("mode{me} = 2", "answer", "{next}")),
        ("an answer to the last", goes("mode{me} = 3", "answer", "{last}")),
    ])
}

/// That some process can go on.
fn can_go_on() -> String {
    let one = |it: RingMember| {
        let (next, last) = (room("{next}"), room("{last}"));
        it.put(&format!(
            "mode{{me}} = 0 or mode{{me}} = 1 and target{{me}} = 0 and {next} or mode{{me}} = 1 and target{{me}} = 1 and {last} \
             or mode{{me}} = 2 and {next} or mode{{me}} = 3 and {last}"
        ))
    };
    RingMember::ALL.map(one).join(" or ")
}

/// The property that there is no deadlock.
///
/// # Panics
///
/// Never: it is a formula of both systems.
pub fn no_deadlock(system: &System) -> Claim {
    Claim::new("no deadlock", system.formula(&can_go_on()).expect("a formula of the system"))
}

/// What is claimed of the ring.
pub fn cases() -> Vec<ProofGoal> {
    let (blocking, dropping) = (system(WhenFull::Block), system(WhenFull::Drop));
    vec![
        ProofGoal::Fails(Refutation {
            name: "deadlock-freedom-fails".to_string(),
            statement:
                "three processes, no time, channels that block: there is a deadlock, whatever they hold"
                    .to_string(),
            property: no_deadlock(&blocking),
            witnesses: vec![run()],
            points: vec![vec![1]],
            system: blocking,
        }),
        ProofGoal::Holds(Theorem {
            name: "deadlock-freedom-dropping".to_string(),
            statement:
                "three processes, no time, channels that drop: nobody ever waits, so there is no deadlock"
                    .to_string(),
            property: no_deadlock(&dropping),
            lemmas: Vec::new(),
            points: Vec::new(),
            system: dropping,
        }),
    ]
}

/// The run into the deadlock. In a lap everyone suspects the next one early and asks the last one, is asked by the next
/// one, which it trusts again and answers, and then asks it once more: two messages in each channel to a next one, which
/// nobody takes. After half of K laps the channels are full, or room for one is left, which half a lap fills. Then all
/// wait: in the next lap to answer, or after half a lap to ask.
fn run() -> ParametricWitness {
    let read = |text: &str| term(text).expect("a term");
    let half = Auxiliary {
        name: "half".to_string(),
        low: read("0"),
        high: read("K"),
        given: read("2*half <= K - 1 and K - 1 <= 2*half + 1"),
    };
    let suspects = "the round of p{me} ends: suspects the next, asks the last";
    let steps = |name: &str| RingMember::ALL.map(|it| WitnessStep { path: it.put(name), picks: Vec::new() });
    let repeat = |count: &str, closed: &[(&str, &str)], moves: &[&str]| WitnessPhase::Repeat {
        count: read(count),
        counter: "done".to_string(),
        state: RingMember::ALL
            .iter()
            .flat_map(|it| closed.iter().map(|(name, text)| (it.put(name), read(&it.put(text)))))
            .collect::<Vec<(String, Term)>>(),
        moves: moves.iter().flat_map(|name| steps(name)).collect(),
    };
    let laps = repeat(
        "half",
        &[("ask{me}{next}", "1 + done"), ("answer{me}{next}", "done")],
        &[suspects, "p{me} is asked by p{next}: answers", "the round of p{me} ends: asks the next"],
    );
    let half_a_lap = repeat(
        "K - 1 - 2*half",
        &[("answer{me}{next}", "half + done"), ("received{me}", "1 <= done")],
        &[suspects, "p{me} is asked by p{next}: answers"],
    );
    let all_answer = repeat(
        "2*half + 2 - K",
        &[("received{me}", "K = 2*half + 2 or 1 <= done"), ("mode{me}", "if 1 <= done then 2 else 0")],
        &[suspects, "p{me} is asked by p{next}: no room"],
    );
    let all_ask = repeat(
        "K - 1 - 2*half",
        &[
            ("received{me}", "done <= 0"),
            ("mode{me}", "if 1 <= done then 1 else (if K = 2*half + 1 then 2 else 0)"),
        ],
        &["the round of p{me} ends: no room to ask the next"],
    );
    ParametricWitness {
        condition: Vec::new(),
        auxiliaries: vec![half],
        start: WitnessStep { path: "initially".to_string(), picks: Vec::new() },
        acts: vec![laps, half_a_lap, all_answer, all_ask],
    }
}
