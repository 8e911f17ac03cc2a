//! Invariants that a person wrote, as text over the names of a model. They are what a proof falls back on, and what
//! a search for an invariant is measured by; whether they are inductive is for solvers to say.

use super::PaperMachine;

/// Texts from borrowed ones.
fn texts<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.map(String::from).to_vec()
}

/// How long the receiver can have waited. Nothing under way: not longer than since the last message was sent. Else the
/// oldest message was sent at most 3Φ rounds after the last reception, and is old Δ rounds later.
fn waiting() -> Vec<String> {
    texts([
        "0 <= sTimer",
        "age < 0 => wt <= sTimer",
        "age < Delta => wt <= 3*Phi + age",
        "rPC = 1 => wt <= 3*Phi + Delta - 1",
    ])
}

/// Strong accuracy with a first timeout of 6Φ+Δ.
pub(super) fn accuracy() -> Vec<String> {
    let mut all = waiting();
    all.push("6*Phi + Delta <= timeout".to_string());
    all
}

/// The longest timeout with which a suspicion can begin, without regard to residues.
pub(super) fn too_short(machine: PaperMachine) -> &'static str {
    match machine {
        PaperMachine::Tlc => "3*Phi + Delta - 1",
        PaperMachine::Ivy => "3*Phi + Delta",
    }
}

/// Eventual strong accuracy with any first timeout.
pub(super) fn eventual_accuracy(machine: PaperMachine) -> Vec<String> {
    let mut all = waiting();
    all.push(format!("suspected => timeout <= {}", too_short(machine)));
    all
}

/// How many rounds there can be without a reception.
pub(super) fn reception() -> Vec<String> {
    texts([
        "0 <= sTimer and sTimer <= 3*Phi - 1",
        "0 <= rTimer and rTimer <= Phi - 1",
        "0 <= rPC and rPC <= 2",
        "age < 0 => silence <= sTimer",
        "age < Delta => silence <= 3*Phi + age",
        "Delta <= age and rPC = 1 => silence <= 3*Phi + Delta - 1 + rTimer",
        "rPC = 2 => silence <= 4*Phi + Delta - 1 + rTimer",
        "rPC = 0 => silence <= 5*Phi + Delta - 1 + rTimer",
    ])
}

/// The receiver's steps since the last reception, or since the beginning: three in a cycle, of which the last one
/// is in part. Unlike `wt` it is not cut off, so it is known modulo 3.
fn own_steps(machine: PaperMachine) -> String {
    let before = match machine {
        PaperMachine::Tlc => 2,
        PaperMachine::Ivy => 1,
    };
    format!(
        "3*cycles + (if heard then 0 else {before}) + (if rPC = 1 then 0 else if rPC = 2 then -2 else -1)"
    )
}

/// Accuracy with the tightest timeout.
pub(super) fn tight_accuracy(machine: PaperMachine) -> Vec<String> {
    let own = own_steps(machine);
    let mut all = texts(["0 <= sTimer and sTimer <= 3*Phi - 1"]);
    all.extend([
        format!("wt <= {own}"),
        format!("age < 0 => {own} <= sTimer"),
        format!("age < Delta => {own} <= 3*Phi + age"),
        format!("rPC = 1 => {own} <= 3*Phi + Delta - 1"),
    ]);
    all
}

/// Accuracy with the tightest timeout of the machine of TLC where Φ is 1: sender and receiver move in step.
pub(super) fn lockstep_accuracy() -> Vec<String> {
    let own = own_steps(PaperMachine::Tlc);
    let mut all = texts([
        "0 <= rTimer and 0 <= cycles and -1 <= age",
        "sTimer = (if rPC = 1 then 2 else if rPC = 2 then 0 else 1)",
    ]);
    all.extend([
        format!("wt <= {own}"),
        format!("age < Delta and heard => {own} <= age + 1"),
        format!("age < Delta and not heard => {own} <= age + 3"),
        format!("rPC = 1 and heard => {own} <= Delta"),
        format!("rPC = 1 and not heard => {own} <= Delta + 2"),
    ]);
    all
}

/// By how much the receiver's own steps since a crash can exceed Δ plus its timeout before it suspects.
pub(super) fn spare(machine: PaperMachine) -> i64 {
    match machine {
        PaperMachine::Tlc => 5,
        PaperMachine::Ivy => 4,
    }
}

/// Completeness in the receiver's own steps.
pub(super) fn steps(machine: PaperMachine) -> Vec<String> {
    let most = spare(machine);
    let counted = match machine {
        PaperMachine::Tlc => "wt < timeout => ",
        PaperMachine::Ivy => "",
    };
    let mut all = texts([
        "0 <= timeout",
        "age <= Delta",
        "not crashed => steps <= 0",
        "fresh < Delta => steps <= fresh",
        "0 <= age and age < Delta => steps <= age",
        "0 <= age => steps <= age + 2",
        "0 <= age and rPC = 1 => steps <= age",
        "0 <= age and rPC = 2 => steps <= age + 1",
    ]);
    all.extend([
        format!("{counted}steps <= Delta + wt + 3"),
        format!("not suspected => steps <= Delta + timeout + {most}"),
        format!("not suspected and rPC = 0 => steps <= Delta + timeout + {}", most - 1),
        format!("not suspected and rPC = 2 => steps <= Delta + timeout + {}", most - 2),
    ]);
    all
}

/// That Φ·`spans` + `part` is at most Φ·`whole` + `rTimer`, without a product.
fn at_most(condition: &str, whole: &str) -> [String; 2] {
    [
        format!("{condition} => spans <= {whole}"),
        format!("{condition} and {whole} <= spans => part <= rTimer"),
    ]
}

/// Completeness in spans of Φ rounds.
pub(super) fn spans(machine: PaperMachine) -> Vec<String> {
    let mut all = texts([
        "0 <= rTimer and rTimer <= Phi - 1",
        "0 <= rPC and rPC <= 2",
        "0 <= wt and 0 <= timeout",
        "0 <= fresh and fresh <= Delta",
        "not crashed => hLFSC <= -1",
        "fresh < Delta => hLFSC <= fresh - 1",
        "0 <= age => fresh <= age",
        "hLFSC <= Delta - 2 or not crashed => spans <= 0 and part <= 0",
    ]);
    all.extend(at_most("0 <= age and rPC = 1", "0"));
    all.extend(at_most("0 <= age and rPC = 2", "1"));
    all.extend(at_most("0 <= age and rPC = 0", "2"));
    match machine {
        PaperMachine::Tlc => {
            all.push("wt <= timeout".to_string());
            all.extend(at_most("age < 0 and not suspected and wt < timeout", "wt + 3"));
            all.extend(at_most("age < 0 and not suspected and rPC = 2", "wt + 3"));
            all.extend(at_most("age < 0 and not suspected and rPC = 0", "wt + 4"));
            all.extend(at_most("age < 0 and not suspected and rPC = 1", "wt + 5"));
        }
        PaperMachine::Ivy => {
            all.extend(at_most("age < 0", "wt + 3"));
            all.extend(texts([
                "not suspected and rPC = 2 => wt <= timeout - 1",
                "not suspected and rPC = 0 => wt <= timeout",
                "not suspected and rPC = 1 => wt <= timeout + 1",
            ]));
        }
    }
    all
}
