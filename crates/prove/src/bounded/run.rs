//! A run as values. It is read from a solver's model and then checked step by step against the paths of the system
//! by plain evaluation, so that no run is shown that the system does not have.

use super::unrolled::{BoundedError, Unrolled, copy, taken};
use crate::sexpr::symbol;
use crate::solver::{SmtValue, SolverSession};
use crate::{InstanceError, Path, State, SystemInstance, Term, Variable};

/// A run of a system for some parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedRun {
    /// The values of the parameters, as a person reads them.
    pub parameters: Vec<(String, String)>,
    /// The values of the parameters, if all are integers that a search can hold.
    pub values: Option<Vec<i64>>,
    /// The states in their order, and how each was reached.
    pub moments: Vec<BoundedState>,
    /// Whether each step was worked out again from the values. Of real numbers only the solver's word is there.
    pub checked: bool,
}

/// A state of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedState {
    /// The path that led here; none for the first state of steps that need not begin where the system does.
    pub path: Option<String>,
    /// Which alternative was taken on that path, wherever there was a choice.
    pub ways: Vec<usize>,
    /// The numbers that were chosen on that path.
    pub picks: Vec<(String, String)>,
    /// The variables, in the words of the model.
    pub told: Vec<(String, String)>,
    /// The variables, if all are values that a search can hold.
    pub state: Option<State>,
    chosen: Option<Vec<(String, i64)>>,
    way: Option<usize>,
}

impl BoundedRun {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.moments.len().saturating_sub(1)
    }

    /// How far a parameter is from 0.
    pub(super) fn size(&self, place: usize) -> Option<i64> {
        self.values.as_ref()?.get(place)?.checked_abs()
    }

    /// Works the run out again; says where the system has no such step.
    pub(super) fn check(
        &mut self,
        unrolled: &Unrolled<'_>,
        property: &Term,
        begun: bool,
    ) -> Result<(), BoundedError> {
        let states: Option<Vec<&State>> = self.moments.iter().map(|moment| moment.state.as_ref()).collect();
        let (Some(values), Some(states)) = (&self.values, states) else { return Ok(()) };
        let instance = match SystemInstance::new(unrolled.system, values) {
            Ok(instance) => instance,
            Err(InstanceError::TooLarge(_)) => return Ok(()),
            Err(_) => return Err(BoundedError::NotARun(0)),
        };
        for (k, moment) in self.moments.iter().enumerate() {
            let Some(path) = moment.way.and_then(|way| unrolled.ways(k).get(way)) else {
                if k == 0 && !begun { continue } else { return Err(BoundedError::NotARun(k)) }
            };
            let before = states[k.saturating_sub(1)];
            let chosen = moment.chosen.as_deref().unwrap_or_default();
            // What is too large to be worked out again stays the solver's word.
            let Ok(leads) = leads(unrolled, &instance, path, before, chosen, states[k]) else {
                return Ok(());
            };
            if !leads {
                return Err(BoundedError::NotARun(k));
            }
        }
        match states.last().map(|last| instance.holds(property, last)) {
            Some(Ok(false)) => self.checked = true,
            Some(Err(_)) => {}
            _ => return Err(BoundedError::NotARun(self.steps())),
        }
        Ok(())
    }
}

/// Whether a path leads from one state to another, with these choices.
fn leads(
    unrolled: &Unrolled<'_>,
    instance: &SystemInstance,
    path: &Path,
    before: &State,
    chosen: &[(String, i64)],
    after: &State,
) -> Result<bool, InstanceError> {
    let fixed = |term: &Term| {
        let of = |name: &str| chosen.iter().find(|(known, _)| known == name).map(|(_, n)| Term::Number(*n));
        term.replaced(&of)
    };
    for guard in &path.guard {
        if !instance.holds(&fixed(guard), before)? {
            return Ok(false);
        }
    }
    for (variable, value) in unrolled.system.variables.iter().zip(after) {
        if instance.value(&fixed(&path.after(&variable.name)), before)? != *value {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The run that a solver's model gives, up to state `last`.
pub(super) fn read(
    unrolled: &Unrolled<'_>,
    session: &mut SolverSession,
    last: usize,
    begun: bool,
) -> Result<BoundedRun, BoundedError> {
    let system = unrolled.system;
    let mut ask = |names: Vec<String>| -> Result<Vec<SmtValue>, BoundedError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let symbols: Vec<String> = names.iter().map(|name| symbol(name)).collect();
        let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
        Ok(session.values(&symbols)?.into_iter().map(|(_, value)| value).collect())
    };
    let given = ask(system.parameters.iter().map(|parameter| parameter.name.clone()).collect())?;
    let named = system.parameters.iter().zip(&given);
    let parameters = named.map(|(parameter, value)| (parameter.name.clone(), value.to_string())).collect();
    let mut moments = Vec::new();
    for k in 0..=last {
        let values = ask(system.variables.iter().map(|variable| copy(&variable.name, k)).collect())?;
        let mut moment = BoundedState {
            path: None,
            ways: Vec::new(),
            picks: Vec::new(),
            told: system
                .variables
                .iter()
                .zip(&values)
                .map(|(v, value)| (v.name.clone(), told(v, value)))
                .collect(),
            state: values.iter().map(whole).collect(),
            chosen: None,
            way: None,
        };
        if k > 0 || begun {
            let ways = unrolled.ways(k);
            let took = ask((0..ways.len()).map(|way| taken(way, k)).collect())?;
            moment.way = took.iter().position(|value| *value == SmtValue::Bool(true));
            if let Some(path) = moment.way.map(|way| &ways[way]) {
                moment.path = Some(path.name.clone());
                moment.ways.clone_from(&path.ways);
                let chosen = ask(path.choices.iter().map(|choice| copy(&choice.name, k)).collect())?;
                let named = || path.choices.iter().zip(&chosen);
                moment.picks =
                    named().map(|(choice, value)| (choice.name.clone(), value.to_string())).collect();
                moment.chosen =
                    named().map(|(choice, value)| Some((choice.name.clone(), whole(value)?))).collect();
            }
        }
        moments.push(moment);
    }
    Ok(BoundedRun { parameters, values: given.iter().map(whole).collect(), moments, checked: false })
}

fn whole(value: &SmtValue) -> Option<i64> {
    match value {
        SmtValue::Int(n) => i64::try_from(*n).ok(),
        SmtValue::Bool(value) => Some(i64::from(*value)),
        _ => None,
    }
}

fn told(variable: &Variable, value: &SmtValue) -> String {
    whole(value).map_or_else(|| value.to_string(), |number| variable.told(number))
}
