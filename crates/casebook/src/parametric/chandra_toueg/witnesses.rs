//! Runs that break strong accuracy with a timeout that is one too short, for all bounds at once. In each round the
//! receiver acts; three rounds are one turn through its tasks. No reception leaves a message behind.

use super::PaperMachine;
use watchkeeper_prove::{ParametricWitness, Term, WitnessPhase, WitnessStep, term};

/// The runs for a machine; their conditions cover all parameters.
pub(super) fn too_short(machine: PaperMachine) -> Vec<ParametricWitness> {
    match machine {
        PaperMachine::Tlc => vec![
            run(
                "rest = 0 or Phi = 1",
                [
                    rounds(["rest, wait", "rest, miss"]),
                    turns("Phi - 1", TURN, [("sTimer", "3*i + 2"), ("wt", "3*i + 2")]),
                    turns(
                        "thirds",
                        ["send, bide", "rest, wait", "rest, miss"],
                        [
                            ("sTimer", "if i = 0 then 3*Phi - 1 else 2"),
                            ("age", "3*i - 1"),
                            ("wt", "3*Phi - 1 + 3*i"),
                        ],
                    ),
                    rounds(["send, suspect"]),
                ],
            ),
            run(
                "2 <= Phi and 1 <= rest",
                [rounds(["rest, pause", "rest, wait", "send, hear all"]), after_reception()],
            ),
        ],
        PaperMachine::Ivy => vec![
            run(
                "rest != 1",
                [
                    rounds(["rest, miss"]),
                    turns("Phi - 1", TURN, [("sTimer", "3*i + 1"), ("wt", "3*i + 1")]),
                    turns(
                        "thirds + (if rest = 2 then 1 else 0)",
                        ["rest, bide", "send, wait", "rest, miss"],
                        [
                            ("sTimer", "if i = 0 then 3*Phi - 2 else 1"),
                            ("age", "if i = 0 then -1 else 3*i - 2"),
                            ("wt", "3*Phi - 2 + 3*i"),
                        ],
                    ),
                    rounds(["rest, suspect"]),
                ],
            ),
            run("rest = 1", [rounds(["send, hear all"]), after_reception()]),
        ],
    }
}

/// The receiver goes through its tasks while the sender rests.
const TURN: [&str; 3] = ["rest, bide", "rest, wait", "rest, miss"];

/// From a reception of a message just sent on: the next one is sent as late as can be, and received as late.
fn after_reception() -> Vec<WitnessPhase> {
    let late = ["rest, bide", "rest, wait", "send, miss"];
    let waiting = turns("Phi - 1", TURN, [("sTimer", "3*i"), ("wt", "3*i")]);
    let under_way = turns("thirds", late, [("age", "3*i"), ("wt", "3*Phi + 3*i")]);
    [waiting, rounds(late), under_way, rounds(["rest, suspect"])].concat()
}

fn run<const N: usize>(condition: &str, parts: [Vec<WitnessPhase>; N]) -> ParametricWitness {
    ParametricWitness {
        condition: vec![read(condition)],
        auxiliaries: Vec::new(),
        start: WitnessStep { path: "initially".to_string(), picks: Vec::new() },
        acts: parts.concat(),
    }
}

/// One round after the other, each by what the sender and the receiver do.
fn rounds<const N: usize>(names: [&str; N]) -> Vec<WitnessPhase> {
    names.map(|name| WitnessPhase::Step(round(name))).to_vec()
}

/// The same rounds again and again, with the state after `i` times.
fn turns<const N: usize>(count: &str, names: [&str; 3], state: [(&str, &str); N]) -> Vec<WitnessPhase> {
    vec![WitnessPhase::Repeat {
        count: read(count),
        counter: "i".to_string(),
        state: state.map(|(name, text)| (name.to_string(), read(text))).to_vec(),
        moves: names.map(round).to_vec(),
    }]
}

fn round(name: &str) -> WitnessStep {
    WitnessStep { path: format!("round: {name}"), picks: Vec::new() }
}

fn read(text: &str) -> Term {
    term(text).expect("a term of the witness")
}
