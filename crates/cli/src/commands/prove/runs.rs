//! Runs that break a property, for fixed parameters: found by the explicit engine, or the run of a witness. A run is
//! shown only after the interpreter of the system has gone through it again.

use super::words::told;
use crate::clock::{Clock, Showing};
use watchkeeper::Problem;
use watchkeeper_explore::{Search, check};
use watchkeeper_logic::{Invariant, Question};
use watchkeeper_prove::{Claim, Refutation, State, System, SystemInstance, SystemSpace};
use watchkeeper_report::ShownRun;

/// The largest value of a parameter that is tried where nobody gives any.
const LARGEST: i64 = 6;

/// The most states that are searched for a run that nobody asked for.
const MOST_STATES: u64 = 500_000;

/// The space of an instance with a property, and the question whether it holds.
pub(super) fn posed(instance: SystemInstance, property: &Claim) -> Result<(SystemSpace, Question), Problem> {
    let atoms = [(property.name.clone(), property.formula.clone())];
    let name = told(instance.system(), &property.formula);
    let space = SystemSpace::new(instance, &atoms).map_err(|error| Problem::Usage(error.to_string()))?;
    let invariant = Invariant { name, when: None, then: 0 };
    Ok((space, Question { invariants: vec![invariant], ..Question::default() }))
}

/// A shortest run that breaks a property at a point, by the explicit engine.
pub(super) fn shortest(
    system: &System,
    property: &Claim,
    values: &[i64],
) -> Result<Option<ShownRun>, Problem> {
    let Ok(instance) = SystemInstance::new(system, values) else { return Ok(None) };
    let parameters = parameters(system, values);
    let (space, question) = posed(instance, property)?;
    let clock = Clock::start(None, Showing::Nothing);
    let verdict =
        check(&space, &question, &Search { max_states: Some(MOST_STATES), ..Search::default() }, &clock)?;
    let Some(trace) = verdict.trace() else { return Ok(None) };
    let view = |view: &watchkeeper_space::View| {
        view.iter().map(|(name, value)| (name.clone(), value.to_string())).collect::<Vec<_>>()
    };
    let mut states = vec![("initially".to_string(), view(&trace.start))];
    states.extend(trace.steps.iter().map(|step| (step.action.clone(), view(&step.after))));
    Ok(Some(ShownRun {
        parameters,
        by: "the search of this one instance, none is shorter".to_string(),
        states,
    }))
}

/// The run of a witness at a point, if one of the witnesses is for it.
pub(super) fn witnessed(refutation: &Refutation, values: &[i64]) -> Option<ShownRun> {
    let system = &refutation.system;
    let instance = SystemInstance::new(system, values).ok()?;
    let states = refutation.witnesses.iter().find_map(|witness| witness.run(&instance).ok())?;
    let last: &State = &states.last()?.1;
    if instance.holds(&refutation.property.formula, last) != Ok(false) {
        return None;
    }
    let states = states.iter().map(|(path, state)| (path.clone(), instance.told(state))).collect();
    Some(ShownRun {
        parameters: parameters(system, values),
        by: "the witness of the theorem".to_string(),
        states,
    })
}

/// A point at which a witness has a run: one that the theorem names, or the smallest.
pub(super) fn witnessed_somewhere(refutation: &Refutation) -> Option<ShownRun> {
    let mut points = refutation.points.clone();
    points.extend(small_points(&refutation.system));
    points.iter().find_map(|point| witnessed(refutation, point))
}

/// Small values of the parameters that the assumptions allow, those with the smallest sum first.
pub(super) fn small_points(system: &System) -> Vec<Vec<i64>> {
    let mut points: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in &system.parameters {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (0..=LARGEST).map(move |value| point.iter().copied().chain([value]).collect::<Vec<i64>>())
        };
        points = points.iter().flat_map(longer).take(20_000).collect();
    }
    points.retain(|point| SystemInstance::new(system, point).is_ok());
    points.sort_by_key(|point| point.iter().sum::<i64>());
    points
}

/// The names of the parameters with their values.
pub(super) fn parameters(system: &System, values: &[i64]) -> Vec<(String, String)> {
    let named = system.parameters.iter().zip(values);
    named.map(|(parameter, value)| (parameter.name.clone(), value.to_string())).collect()
}
