//! The machine of TLC where the bounds hold only from a global stabilisation time (GST) on, which an adversary picks: the
//! case that the paper leaves open. Before it, messages take any time or are lost and processes pause as long as they
//! like; from then on a round is a round of the paper.
//!
//! # How stabilisation is read
//! - Bounds count from GST: a message under way at GST is one that is sent at that moment, or it is lost, and the
//!   pauses of both processes count anew, or go on as far as the bound allows.
//! - Before GST a pause is counted no further than the longest one after it: nothing tells longer ones apart.
//! - `TG`, the timeout at GST, is a parameter: every run has one, and what is proven is proven for all of them. It says
//!   nothing about when GST is, of which nothing is known.

use super::{DetectorModel, GhostVariables, PaperMachine, invariants, rounds};
use watchkeeper_prove::{
    Claim, ParsedStatement, ProofGoal, Statement, System, SystemInstance, Theorem, assign, assume, choose,
    either,
};

/// The system; with a sender that may crash, or one that does not and whose receptions and mistakes after GST are
/// observed.
///
/// # Panics
///
/// Never: tests build both.
pub fn stabilising(crash: bool) -> System {
    let model = DetectorModel::new(PaperMachine::Tlc);
    let model = if crash {
        model.with_crash().with_observer(GhostVariables::Steps).ending()
    } else {
        model.with_observer(GhostVariables::Mistakes)
    };
    let mut system = rounds(model)
        .parameter("TG", "the timeout at the global stabilisation time")
        .assuming("TO0 <= TG")
        .flag("stable", "whether the bounds hold");
    system.name = format!("{}, with a global stabilisation time", system.name);
    let mut begin = vec![assign("stable", "false")];
    let mut end = Vec::new();
    let mut stabilise = vec![
        assume("not stable and timeout = TG"),
        choose("s", "0", "sTimer"),
        choose("r", "0", "rTimer"),
        choose("kept", "-1", "min(age, 0)"),
        assign("sTimer", "s"),
        assign("rTimer", "r"),
        assign("age", "kept"),
        assign("stable", "true"),
    ];
    if crash {
        stabilise.push(assign("fresh", "0"));
    } else {
        system = system.flag("heard", "whether a message was received since then").ghost();
        begin.push(assign("heard", "false"));
        end.push(assign("heard", "heard or silence = 0"));
    }
    // The paper's own round and beginning, with what is known and observed here put around them.
    let paper = (system.steps.remove(0), std::mem::take(&mut system.initial));
    let mut around = System::new("").initially(begin).step("first", [assume("stable")]).step("last", end);
    system.initial = paper.1.into_iter().chain(std::mem::take(&mut around.initial)).collect();
    let [first, last] = [0, 1].map(|i| std::mem::take(&mut around.steps[i].block));
    let block: Vec<Statement> = first.into_iter().chain(paper.0.block).chain(last).collect();
    system = system.step(&paper.0.name, []);
    if let Some(round) = system.steps.last_mut() {
        round.block = block;
    }
    system
        .step("early round", [assume("not stable"), sender(crash), receiver()])
        .step("stabilise", stabilise)
        .resting_on("before GST, which an adversary picks, messages take any time or are lost and processes pause as long as they like")
        .resting_on("from GST on the bounds hold, and count from GST: what is under way then is lost or arrives as if it was sent at GST")
        .resting_on("TG is the timeout that the receiver has at GST, whatever it is")
        .finished()
        .expect("a system that is well formed")
}

/// What the sender does before GST.
fn sender(crash: bool) -> ParsedStatement {
    let older = |block: &mut Vec<ParsedStatement>| {
        block.push(assign("age", "if age < 0 then -1 else if age < Delta then age + 1 else age"));
        if crash {
            block.push(assign("fresh", "min(fresh + 1, Delta)"));
        }
    };
    let up = || if crash { vec![assume("not crashed")] } else { Vec::new() };
    let [mut send, mut rest] = [up(), up()];
    send.push(assign("sTimer", "0"));
    older(&mut send);
    send.push(assign("age", "max(age, 0)"));
    rest.push(assign("sTimer", "min(sTimer + 1, 3*Phi - 1)"));
    older(&mut rest);
    if !crash {
        return either([("send", send), ("rest", rest)]);
    }
    send.push(assign("fresh", "0"));
    let mut dies = vec![assume("not crashed"), assign("crashed", "true"), assign("sTimer", "0")];
    let mut dead = vec![assume("crashed")];
    older(&mut dies);
    older(&mut dead);
    either([("send", send), ("rest", rest), ("crash", dies), ("crashed", dead)])
}

/// What the receiver does before GST: it may miss what is old, and of what it does not take anything may be lost.
fn receiver() -> ParsedStatement {
    let acts = |task: &str, next: &str, more: Vec<ParsedStatement>| {
        let first = vec![assume(&format!("rPC = {task}")), assign("rTimer", "0"), assign("rPC", next)];
        first.into_iter().chain(more).collect()
    };
    let longer = || assign("wt", "if wt < timeout then wt + 1 else wt");
    either([
        ("pause", vec![assign("rTimer", "min(rTimer + 1, Phi - 1)")]),
        ("wait", acts("2", "0", vec![longer()])),
        (
            "hear",
            acts(
                "0",
                "1",
                vec![
                    // The timeout at GST is TG, so it was never more.
                    assume("0 <= age and (suspected => timeout < TG)"),
                    choose("stays", "-1", "age"),
                    assign("age", "stays"),
                    assign("wt", "0"),
                    assign("timeout", "if suspected then timeout + 1 else timeout"),
                    assign("suspected", "false"),
                ],
            ),
        ),
        ("miss", acts("0", "1", vec![choose("stays", "-1", "age"), assign("age", "stays"), longer()])),
        ("bide", acts("1", "2", vec![assume("wt < timeout"), assign("wt", "wt + 1")])),
        ("suspect", acts("1", "2", vec![assume("timeout <= wt"), assign("suspected", "true")])),
    ])
}

/// Small parameters.
fn points(system: &System) -> Vec<Vec<i64>> {
    let mut points = Vec::new();
    for (delta, phi) in [0, 1, 3].into_iter().flat_map(|delta| [1, 2, 3].map(|phi| (delta, phi))) {
        for (first, later) in [(0, 0), (0, 2), (3, 4), (1, 3 * phi + delta)] {
            points.push(vec![delta, phi, first, later]);
        }
    }
    points.retain(|point| SystemInstance::new(system, point).is_ok());
    points.dedup();
    points
}

/// What is claimed of the detector after GST.
pub fn cases() -> Vec<ProofGoal> {
    let holds = |name: &str, statement: &str, system: System, property: &str, written: Vec<String>| {
        let formula = |text: &str| system.formula(text).expect("a formula of the system");
        let lemmas = written.iter().enumerate();
        ProofGoal::Holds(Theorem {
            name: name.to_string(),
            statement: statement.to_string(),
            property: Claim::new(name, formula(property)),
            lemmas: lemmas.map(|(i, text)| Claim::new(&format!("w{}", i + 1), formula(text))).collect(),
            points: points(&system),
            system,
        })
    };
    let machine = PaperMachine::Tlc;
    let (short, spare) = (invariants::too_short(machine), invariants::spare(machine));
    // The first three say what the variables can be, also before GST.
    let after_gst = |(i, text): (usize, String)| if i < 3 { text } else { format!("stable => ({text})") };
    let mut reception: Vec<String> = invariants::reception().into_iter().enumerate().map(after_gst).collect();
    reception.push("not stable => silence = 0".to_string());
    vec![
        holds(
            "accuracy",
            "whenever GST is: once a message was heard after it, nobody with a timeout of 3*Phi + Delta or more suspects",
            stabilising(false),
            &format!("heard and suspected => timeout <= {short}"),
            Vec::new(),
        ),
        holds(
            "mistakes",
            "whenever GST is: after it at most max(1, 3*Phi + Delta - TG) mistakes end, each with a longer timeout",
            stabilising(false),
            &format!("stable => timeout = TG + mistakes and mistakes <= max(1, {short} + 1 - TG)"),
            Vec::new(),
        ),
        holds(
            "reception",
            "whenever GST is: after it a message is received in every 6*Phi + Delta - 1 rounds",
            stabilising(false),
            "stable => silence <= 6*Phi + Delta - 2",
            reception,
        ),
        holds(
            "completeness",
            "whenever GST is: so many steps after it and after the crash, the crash is suspected",
            stabilising(true),
            &format!("stable and crashed and not suspected => steps <= Delta + timeout + {spare}"),
            Vec::new(),
        ),
    ]
}
