//! The published models for all parameters at once: as parametric transition systems, with what is claimed of
//! them. A claim is never taken from the publication; it is proven again, or refuted.

pub mod chandra_toueg;
pub mod deployed;
#[cfg(test)]
mod deployed_tests;
pub mod heartbeats;
pub mod ring;
#[cfg(test)]
mod ring_tests;

use chandra_toueg::{ModelFault, PaperMachine};
use heartbeats::{HeartbeatForm, HeartbeatQuestion};
use watchkeeper_prove::{ProofGoal, Refutation, Theorem};

/// The largest tmax of the small instances that filter candidates for an invariant.
const LARGEST_TMAX: i64 = 4;

/// A model, and what is claimed of it for all parameters.
#[derive(Clone, Debug)]
pub struct ProofSubject {
    /// Its name on the command line.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// What is claimed.
    pub cases: Vec<ProofGoal>,
    /// Claims about broken forms of the model: each fails, and shows why the guard that was changed is there.
    pub broken: Vec<ProofGoal>,
    /// What a machine checked and what is a theorem of the publication, a sentence each: from two processes to all.
    pub notes: Vec<String>,
}

/// All subjects.
pub fn subjects() -> Vec<ProofSubject> {
    let machines = PaperMachine::ALL.into_iter().map(detector);
    machines
        .chain([stabilising(), deployed(), ring_detector()])
        .chain(HeartbeatForm::all().map(heartbeat))
        .collect()
}

/// The detector that runs.
fn deployed() -> ProofSubject {
    let about = "the detector of Chandra and Toueg as it is deployed, for all periods, delays and timeouts"
        .to_string();
    let notes = vec![
        "for any number of processes: nobody judges a peer by what it thinks of another, so every pair is as this one"
            .to_string(),
    ];
    ProofSubject {
        name: "chandra-toueg-live".to_string(),
        about,
        cases: deployed::cases(),
        broken: Vec::new(),
        notes,
    }
}

/// The detector of Chandra and Toueg where the bounds hold only from some moment on.
fn stabilising() -> ProofSubject {
    let notes = [
        "eventual strong accuracy follows for every GST: after it a message is heard within 6*Phi + Delta rounds, again and \
         again, so every mistake ends, and only so many do",
        "strong completeness follows for every GST: the receiver acts at least once in Phi rounds, and `permanence` of \
         chandra-toueg says that nothing changes any more when nothing is under way",
        "checked by machine, in the tests: at small Delta, Phi and GST every step of a model with the whole buffer, whose \
         rounds after GST are the sub-rounds of the casebook, is a step of the system",
        "a theorem of the publication, not checked here: one sender and one receiver stand for any number of processes",
    ];
    ProofSubject {
        name: "chandra-toueg-gst".to_string(),
        about: "the detector of Chandra and Toueg whose bounds hold only from an unknown moment on, for all Delta and Phi, TLC \
                machine"
            .to_string(),
        cases: chandra_toueg::stabilisation::cases(),
        broken: Vec::new(),
        notes: notes.map(String::from).to_vec(),
    }
}

/// The ring detector with channels of any capacity.
fn ring_detector() -> ProofSubject {
    ProofSubject {
        name: "ring".to_string(),
        about: "the ring detector of three processes without time, for all capacities of its channels".to_string(),
        cases: ring::cases(),
        broken: Vec::new(),
        notes: vec![
            "the deadlock is one of FIFO channels and of rings in which processes may crash too: the run delivers from no \
             channel with two messages, and nobody crashes in it"
                .to_string(),
            "that nobody deadlocks where channels drop says little: who never waits can always end its round".to_string(),
        ],
    }
}

/// The detector of Chandra and Toueg on one of the machines of its publication.
fn detector(machine: PaperMachine) -> ProofSubject {
    let holds = |theorem: chandra_toueg::DetectorTheorem| {
        let points = theorem.points();
        let chandra_toueg::DetectorTheorem { id, name: statement, system, property, written: lemmas, .. } =
            theorem;
        ProofGoal::Holds(Theorem { name: id.to_string(), statement, system, property, lemmas, points })
    };
    let fails = |refutation: chandra_toueg::DetectorRefutation| {
        let statement = format!("{}: refuted for all Delta and Phi", refutation.name);
        let chandra_toueg::DetectorRefutation { system, property, witnesses, .. } = refutation;
        let name = "tight-accuracy-fails".to_string();
        // Delta, Phi, one below the tightest timeout, and what Delta leaves when divided by 3.
        let points = match machine {
            PaperMachine::Tlc => vec![vec![4, 2, 9, 1, 1]],
            PaperMachine::Ivy => vec![vec![4, 2, 10, 1, 1]],
        };
        ProofGoal::Fails(Refutation { name, statement, system, property, witnesses, points })
    };
    let theorems = chandra_toueg::table(machine).into_iter().chain(chandra_toueg::theorems(machine));
    let mut cases: Vec<ProofGoal> = theorems.map(holds).collect();
    cases.extend(chandra_toueg::refutations(machine).into_iter().map(fails));
    // A slow sender breaks only the invariant that a person wrote: with 6*Phi + Delta the property still holds.
    let broken = vec![holds(chandra_toueg::broken(machine, ModelFault::OldIsMissed))];
    let name = match machine {
        PaperMachine::Tlc => "chandra-toueg",
        PaperMachine::Ivy => "chandra-toueg-ivy",
    };
    let about = format!(
        "the detector of Chandra and Toueg under partial synchrony, for all Delta and Phi, {machine} machine"
    );
    let notes = [
        "checked by machine, here: one sender and one receiver, for all Delta and Phi, a round as one step and of the \
         messages the oldest",
        "checked by machine, in the tests: that the oldest message stands for the whole buffer (a simulation, by both \
         solvers), and that the rounds reach the same states as the sub-rounds of the model, at small Delta and Phi",
        "a theorem of the publication (sections 4 to 6), not checked here: what holds of one and of two processes holds of \
         any number, since messages go from point to point and no process can tell others apart",
        "checked by machine for small numbers of processes: `watchkeeper cutoff chandra-toueg`",
    ];
    let notes = notes.map(String::from).to_vec();
    ProofSubject { name: name.to_string(), about, cases, broken, notes }
}

/// A heartbeat protocol, with what holds of it and what fails.
fn heartbeat(form: HeartbeatForm) -> ProofSubject {
    let name = if form.corrected { format!("{}-corrected", form.variant) } else { form.variant.to_string() };
    let mut cases = Vec::new();
    for question in HeartbeatQuestion::ALL {
        for theorem in heartbeats::theorems(form, question) {
            let points = theorem.points(LARGEST_TMAX);
            cases.push(ProofGoal::Holds(Theorem {
                name: named(question, theorem.condition, ""),
                statement: stated(question, theorem.condition, "holds"),
                system: theorem.system.dense(),
                property: theorem.property,
                lemmas: theorem.written,
                points,
            }));
        }
        for refutation in heartbeats::refutations(form, question) {
            cases.push(ProofGoal::Fails(Refutation {
                name: named(question, refutation.condition, "-fails"),
                statement: stated(question, refutation.condition, "fails"),
                points: Vec::new(),
                system: refutation.system,
                property: refutation.property,
                witnesses: refutation.witnesses,
            }));
        }
    }
    let about = format!("the accelerated heartbeat protocol, {form}, for all tmin and tmax, in dense time");
    ProofSubject { name, about, cases, broken: Vec::new(), notes: Vec::new() }
}

fn named(question: HeartbeatQuestion, condition: &str, suffix: &str) -> String {
    let case = match condition {
        "2*tmin <= tmax" if suffix.is_empty() => "-short",
        _ => "",
    };
    format!("{question}{case}{suffix}")
}

fn stated(question: HeartbeatQuestion, condition: &str, verdict: &str) -> String {
    let what = match question {
        HeartbeatQuestion::Slots => "there is room for every message",
        HeartbeatQuestion::R1 => "R1",
        HeartbeatQuestion::R2 => "R2",
        HeartbeatQuestion::R3 => "R3",
    };
    match condition {
        "true" => format!("{what} {verdict} for all tmin and tmax"),
        condition if verdict == "fails" => {
            format!("{what} fails for all whole tmin and tmax with {condition}")
        }
        condition => format!("{what} {verdict} for all tmin and tmax with {condition}"),
    }
}
