//! What is claimed of the models: Table 4 of the paper, the tightest timeout, how long a detection takes, and what
//! ties these to the properties that speak of infinite runs. A claim comes with all that a solver is to be asked,
//! and with no verdict.

use super::{
    DetectorModel, FirstTimeout, GhostVariables, ModelFault, PaperMachine, invariants, rounds, witnesses,
};
use watchkeeper_prove::{Claim, ParametricWitness, System, SystemInstance};

/// What holds in all states, for all parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DetectorTheorem {
    /// Its name on the command line.
    pub id: &'static str,
    /// The statement, and the machine.
    pub name: String,
    /// The line of Table 4 that it is, if it is one.
    pub row: Option<u8>,
    /// The model.
    pub model: DetectorModel,
    /// What is assumed of the parameters beside what the model says, as text; `true` if nothing.
    pub condition: &'static str,
    /// The system, with the condition among its assumptions.
    pub system: System,
    /// What is claimed of every state.
    pub property: Claim,
    /// An invariant that a person wrote: it is inductive with the property. A search for one needs none of it.
    pub written: Vec<Claim>,
}

impl DetectorTheorem {
    /// Small parameters of the theorem, at which the states of the system can be sampled.
    pub fn points(&self) -> Vec<Vec<i64>> {
        let mut points = Vec::new();
        // Where the first timeout is any, and the sender may crash or silence is counted, instances are much larger.
        let counted = self.model.crash || self.model.observer == GhostVariables::Mistakes;
        let many = counted && self.model.first == FirstTimeout::Any;
        let (deltas, phis): (&[i64], [i64; 3]) =
            if many { (&[0, 1, 3], [1, 2, 3]) } else { (&[0, 1, 2, 4, 7], [1, 2, 4]) };
        for (delta, phi) in deltas.iter().flat_map(|&delta| phis.map(|phi| (delta, phi))) {
            let sufficient = 6 * phi + delta;
            let first: &[i64] = match self.model.first {
                FirstTimeout::Sufficient => &[],
                FirstTimeout::AtLeastSufficient => &[sufficient, sufficient + 1],
                FirstTimeout::Any if many => &[0, 4],
                FirstTimeout::Any => &[0, 4, sufficient],
            };
            let thirds: &[i64] = if self.model.thirds { &[delta / 3, delta % 3] } else { &[] };
            let choices =
                if first.is_empty() { vec![vec![]] } else { first.iter().map(|&to| vec![to]).collect() };
            points.extend(choices.into_iter().map(|first| [&[delta, phi][..], &first, thirds].concat()));
        }
        points.retain(|point| SystemInstance::new(&self.system, point).is_ok());
        points
    }

    /// The invariant that a person wrote, with the property.
    pub fn invariant(&self) -> Vec<Claim> {
        self.written.iter().cloned().chain([self.property.clone()]).collect()
    }
}

/// What fails for all parameters of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DetectorRefutation {
    /// What is refuted of which machine.
    pub name: String,
    /// The model.
    pub model: DetectorModel,
    /// The parameters for which it fails, as text.
    pub condition: String,
    /// The system, with the condition among its assumptions.
    pub system: System,
    /// What is claimed to fail.
    pub property: Claim,
    /// The runs that break it, none of which leaves a message behind in a reception, so that they are runs of the
    /// exact buffer too. Their own conditions together cover all parameters of the condition.
    pub witnesses: Vec<ParametricWitness>,
}

/// What is asked for a theorem.
struct Asked<'a> {
    id: &'static str,
    name: &'a str,
    row: Option<u8>,
    model: DetectorModel,
    condition: &'static str,
    property: (&'a str, &'a str),
    written: Vec<String>,
}

impl Asked<'_> {
    /// Strong accuracy of a model, for all parameters.
    fn of(model: DetectorModel) -> Self {
        Asked {
            id: "",
            name: "",
            row: None,
            model,
            condition: "true",
            property: ACCURATE,
            written: Vec::new(),
        }
    }
}

fn theorem(asked: Asked<'_>) -> DetectorTheorem {
    let Asked { id, name, row, model, condition, property, written } = asked;
    let system = rounds(model);
    let formula = |text: &str| system.formula(text).expect("a formula of the model");
    let property = Claim::new(property.0, formula(property.1));
    let written = written.iter().enumerate();
    let written = written.map(|(i, text)| Claim::new(&format!("w{}", i + 1), formula(text))).collect();
    let narrowed = if condition == "true" { system.clone() } else { system.under(formula(condition)) };
    let name = format!("{name}, {} machine", model.machine);
    DetectorTheorem { id, name, row, model, condition, system: narrowed, property, written }
}

const ACCURATE: (&str, &str) = ("strong accuracy", "not suspected");

/// The five lines of Table 4.
pub fn table(machine: PaperMachine) -> Vec<DetectorTheorem> {
    let model = DetectorModel::new(machine);
    let bound =
        format!("crashed and not suspected => steps <= Delta + timeout + {}", invariants::spare(machine));
    let eventual = ("eventual strong accuracy", "6*Phi + Delta <= timeout => not suspected");
    let complete = |row: u8, id, name: &str, first: FirstTimeout| {
        theorem(Asked {
            id,
            name,
            row: Some(row),
            property: ("strong completeness", &bound),
            written: invariants::steps(machine),
            ..Asked::of(model.with_crash().with_first(first).with_observer(GhostVariables::Steps).ending())
        })
    };
    vec![
        theorem(Asked {
            id: "accuracy",
            name: "strong accuracy, first timeout 6*Phi + Delta",
            row: Some(1),
            written: invariants::accuracy(),
            ..Asked::of(model.with_first(FirstTimeout::Sufficient))
        }),
        theorem(Asked {
            id: "eventual-accuracy",
            name: "eventual strong accuracy, any first timeout",
            row: Some(2),
            property: eventual,
            written: invariants::eventual_accuracy(machine),
            ..Asked::of(model)
        }),
        complete(
            3,
            "completeness",
            "strong completeness, first timeout 6*Phi + Delta",
            FirstTimeout::Sufficient,
        ),
        complete(
            4,
            "completeness-at-least",
            "strong completeness, first timeout at least 6*Phi + Delta",
            FirstTimeout::AtLeastSufficient,
        ),
        complete(5, "completeness-any", "strong completeness, any first timeout", FirstTimeout::Any),
    ]
}

/// The tightest timeouts: the condition on the parameters and the least timeout under it.
fn tightest(machine: PaperMachine) -> Vec<(&'static str, &'static str)> {
    match machine {
        PaperMachine::Tlc => {
            vec![("2 <= Phi", "3*Phi + 3*thirds + (if rest = 0 then 0 else 1)"), ("Phi = 1", "3 + 3*thirds")]
        }
        PaperMachine::Ivy => vec![("true", "3*Phi + 3*thirds + (if rest = 0 then 0 else rest + 1)")],
    }
}

/// Accuracy with the tightest timeout.
fn tight(machine: PaperMachine) -> Vec<DetectorTheorem> {
    let model = DetectorModel::new(machine).with_observer(GhostVariables::Cycles).in_thirds();
    let theorems = tightest(machine).into_iter().flat_map(|(condition, least)| {
        let written = match condition {
            "Phi = 1" => invariants::lockstep_accuracy(),
            _ => invariants::tight_accuracy(machine),
        };
        let case = if condition == "true" { String::new() } else { format!(" where {condition}") };
        let ids = match condition {
            "Phi = 1" => ["tight-accuracy-phi-1", "tight-eventual-accuracy-phi-1"],
            _ => ["tight-accuracy", "tight-eventual-accuracy"],
        };
        let first = format!("{least} <= TO0 => not suspected");
        let kept = [written.clone(), vec!["TO0 <= timeout".to_string()]].concat();
        let later = format!("{least} <= timeout => not suspected");
        [
            theorem(Asked {
                id: ids[0],
                name: &format!("strong accuracy, tightest first timeout{case}"),
                condition,
                property: ("strong accuracy with the tightest timeout", &first),
                written: [kept, vec![later.clone()]].concat(),
                ..Asked::of(model)
            }),
            theorem(Asked {
                id: ids[1],
                name: &format!("eventual strong accuracy, tightest timeout{case}"),
                condition,
                property: ("eventual strong accuracy with the tightest timeout", &later),
                written,
                ..Asked::of(model)
            }),
        ]
    });
    theorems.collect()
}

/// All other theorems: the tightest timeout, and what the reductions of section 8 of the paper rest on.
pub fn theorems(machine: PaperMachine) -> Vec<DetectorTheorem> {
    let model = DetectorModel::new(machine);
    let mut all = tight(machine);
    let observed = model.with_observer(GhostVariables::Mistakes);
    let few = format!(
        "timeout = TO0 + mistakes and (1 <= mistakes => timeout <= {} + 1)",
        invariants::too_short(machine)
    );
    all.push(theorem(Asked {
        id: "mistakes",
        name: "every mistake makes the timeout longer, and soon long enough",
        property: ("few mistakes", &few),
        written: invariants::eventual_accuracy(machine),
        ..Asked::of(observed)
    }));
    all.push(theorem(Asked {
        id: "reception",
        name: "a message is received in every 6*Phi + Delta - 1 rounds",
        property: ("reception", "silence <= 6*Phi + Delta - 2"),
        written: invariants::reception(),
        ..Asked::of(observed)
    }));
    let counted = model.with_crash().with_observer(GhostVariables::Spans).ending();
    let spare = invariants::spare(machine);
    all.push(theorem(Asked {
        id: "detection-time",
        name: &format!("detection within max(Delta, 1) + Phi*(timeout + {}) - 2 rounds", spare + 1),
        property: (
            "detection time",
            &format!("(crashed and not suspected => spans <= timeout + {spare}) and (3 <= spans => age < 0)"),
        ),
        written: invariants::spans(machine),
        ..Asked::of(counted)
    }));
    all.push(theorem(Asked {
        id: "permanence",
        name: "a suspicion of a crashed sender with nothing under way is for ever",
        property: ("permanence", "settled => crashed and suspected and age < 0"),
        ..Asked::of(model.with_crash().with_observer(GhostVariables::Settled))
    }));
    all
}

/// What fails: strong accuracy with a first timeout of one below the tightest.
pub fn refutations(machine: PaperMachine) -> Vec<DetectorRefutation> {
    let model = DetectorModel::new(machine).in_thirds();
    let least = match machine {
        PaperMachine::Tlc => "3*Phi + 3*thirds + (if rest = 0 or Phi = 1 then 0 else 1)",
        PaperMachine::Ivy => tightest(machine)[0].1,
    };
    let condition = format!("TO0 = {least} - 1");
    let system = rounds(model);
    let formula = |text: &str| system.formula(text).expect("a formula of the model");
    let property = Claim::new(ACCURATE.0, formula(ACCURATE.1));
    let system = system.under(formula(&condition));
    let witnesses = witnesses::too_short(machine);
    let name = format!("strong accuracy, one below the tightest first timeout, {machine} machine");
    vec![DetectorRefutation { name, model, condition, system, property, witnesses }]
}

/// Strong accuracy of a broken model, with the invariant of the whole one.
pub fn broken(machine: PaperMachine, fault: ModelFault) -> DetectorTheorem {
    let (id, name) = match fault {
        ModelFault::OldIsMissed => ("misses-old", "strong accuracy where an old message may be missed"),
        ModelFault::SenderIsSlow => {
            ("slow-sender", "strong accuracy where the sender may rest for 4*Phi rounds")
        }
    };
    let model = DetectorModel::new(machine).with_first(FirstTimeout::Sufficient).with_fault(fault);
    theorem(Asked { id, name, written: invariants::accuracy(), ..Asked::of(model) })
}
