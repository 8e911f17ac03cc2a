//! What is claimed: under which condition on tmin and tmax a requirement holds, and that it fails wherever the
//! condition is false. A claim comes with everything that a solver is to be asked, and with no verdict.

use super::{HeartbeatForm, HeartbeatQuestion, invariants, system, witnesses};
use watchkeeper_prove::{Claim, ParametricWitness, System, SystemInstance};

/// So many points show which way a bound leans.
const ENOUGH: usize = 8;

/// A requirement that holds for all tmin and tmax of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeartbeatTheorem {
    /// The protocol and the requirement, with the case of the parameters if there are several.
    pub name: String,
    /// The form of the protocol.
    pub form: HeartbeatForm,
    /// The question.
    pub question: HeartbeatQuestion,
    /// What must be true of tmin and tmax, as text; `true` if nothing.
    pub condition: &'static str,
    /// The system, with the condition among its assumptions; in integers. The same is claimed of it in dense time.
    pub system: System,
    /// What is claimed of every state.
    pub property: Claim,
    /// An invariant that a person wrote: it is inductive with the property. A search for one needs none of it.
    pub written: Vec<Claim>,
}

impl HeartbeatTheorem {
    /// The tmin and tmax that fulfil the condition, with tmax up to `largest`, and further if these are few: points at
    /// which the states of the system can be sampled.
    pub fn points(&self, largest: i64) -> Vec<Vec<i64>> {
        let mut points: Vec<Vec<i64>> = Vec::new();
        for tmax in 1..=2 * largest {
            if tmax <= largest || points.len() < ENOUGH {
                let row = (1..=tmax).map(|tmin| vec![tmin, tmax]);
                points.extend(row.filter(|point| SystemInstance::new(&self.system, point).is_ok()));
            }
        }
        points
    }
}

/// A requirement that fails for all tmin and tmax of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeartbeatRefutation {
    /// The protocol and the requirement.
    pub name: String,
    /// The form of the protocol.
    pub form: HeartbeatForm,
    /// The question.
    pub question: HeartbeatQuestion,
    /// For which tmin and tmax it fails.
    pub condition: &'static str,
    /// The system, with the condition among its assumptions; in integers, so that its runs are dense runs too.
    pub system: System,
    /// What is claimed to fail.
    pub property: Claim,
    /// The runs that break it. Their own conditions must together cover the condition.
    pub witnesses: Vec<ParametricWitness>,
}

/// A condition on the parameters, and what is claimed there.
struct Case {
    condition: &'static str,
    property: &'static str,
}

const WRONG: &str = "not wrong";

/// The cases in which a requirement holds.
fn cases(form: HeartbeatForm, question: HeartbeatQuestion) -> Vec<Case> {
    let case = |condition, property| vec![Case { condition, property }];
    match (question, form.corrected, form.variant.expects_joins()) {
        (HeartbeatQuestion::Slots, _, _) => case("true", "not crowded"),
        (HeartbeatQuestion::R1, false, _) => case("2*tmin > tmax", "silence <= 2*tmax"),
        // The bound that the corrected p0 promises depends on the parameters.
        (HeartbeatQuestion::R1, true, _) => vec![
            Case { condition: "2*tmin > tmax", property: "silence <= 2*tmax" },
            Case { condition: "2*tmin <= tmax", property: "silence <= 3*tmax - tmin" },
        ],
        (HeartbeatQuestion::R2, false, false) | (HeartbeatQuestion::R3, false, _) => {
            case("tmin < tmax", WRONG)
        }
        (HeartbeatQuestion::R2, false, true) => case("2*tmin < tmax", WRONG),
        (HeartbeatQuestion::R2 | HeartbeatQuestion::R3, true, _) => case("true", WRONG),
    }
}

/// Where a requirement fails; `None` if nowhere.
fn failing(form: HeartbeatForm, question: HeartbeatQuestion) -> Option<Case> {
    let case = |condition, property| Some(Case { condition, property });
    match (question, form.corrected, form.variant.expects_joins()) {
        (HeartbeatQuestion::Slots, _, _) | (_, true, _) => None,
        (HeartbeatQuestion::R1, false, _) => case("2*tmin <= tmax", "silence <= 2*tmax"),
        (HeartbeatQuestion::R2, false, false) | (HeartbeatQuestion::R3, false, _) => {
            case("tmin >= tmax", WRONG)
        }
        (HeartbeatQuestion::R2, false, true) => case("2*tmin >= tmax", WRONG),
    }
}

/// The system under a condition, and the property.
fn posed(form: HeartbeatForm, question: HeartbeatQuestion, case: &Case) -> (System, Claim) {
    let system = system(form, question);
    let condition = system.formula(case.condition).expect("a condition on tmin and tmax");
    let property = system.formula(case.property).expect("a property of its system");
    (system.under(condition), Claim::new(question.name(), property))
}

/// What holds, for a form of a protocol.
pub fn theorems(form: HeartbeatForm, question: HeartbeatQuestion) -> Vec<HeartbeatTheorem> {
    let cases = cases(form, question);
    let several = cases.len() > 1;
    let theorem = |case: &Case| {
        let (system, property) = posed(form, question, case);
        let name = if several {
            format!("{form}: {question} where {}", case.condition)
        } else {
            format!("{form}: {question}")
        };
        let written = invariants::written(form, question, case.condition)
            .into_iter()
            .map(|(name, text)| Claim::new(name, system.formula(&text).expect("a formula of the system")))
            .collect();
        HeartbeatTheorem { name, form, question, condition: case.condition, system, property, written }
    };
    cases.iter().map(theorem).collect()
}

/// What fails, for a form of a protocol.
pub fn refutations(form: HeartbeatForm, question: HeartbeatQuestion) -> Vec<HeartbeatRefutation> {
    let Some(case) = failing(form, question) else { return Vec::new() };
    let (system, property) = posed(form, question, &case);
    let witnesses = witnesses::witnesses(form, question);
    if witnesses.is_empty() {
        return Vec::new();
    }
    let name = format!("{form}: {question}");
    vec![HeartbeatRefutation { name, form, question, condition: case.condition, system, property, witnesses }]
}
