//! A system with fixed parameters, interpreted statement by statement. The interpreter is plain and slow, and
//! shares no code with the symbolic paths, so that a search and its replay are independent.

use crate::code::{LARGEST, PlaceTable};
use crate::system::{Block, Statement};
use crate::{System, SystemError, Term, TermSort};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use watchkeeper_logic::quoted;

/// The values of the variables in their order: numbers; 0 or 1; or the bits of a set.
pub type State = Vec<i64>;

/// A system with a value for each parameter.
#[derive(Clone, Debug)]
pub struct SystemInstance {
    system: System,
    values: Vec<i64>,
}

/// One step that can be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstanceTransition {
    /// Which alternative was taken wherever there was a choice: the step first.
    pub ways: Vec<usize>,
    /// The numbers that were chosen, in order.
    pub picks: Vec<(String, i64)>,
    /// The state after.
    pub after: State,
}

impl SystemInstance {
    /// A system with these values for its parameters, in their order.
    pub fn new(system: &System, values: &[i64]) -> Result<SystemInstance, InstanceError> {
        if values.len() != system.parameters.len() {
            let names = system.parameters.iter().map(|parameter| parameter.name.clone()).collect();
            return Err(InstanceError::Count { given: values.len(), names });
        }
        let instance = SystemInstance { system: system.clone(), values: values.to_vec() };
        let known = instance.parameter_names();
        for assumption in &system.assumptions {
            if evaluated(assumption, &known)? == 0 {
                return Err(InstanceError::Assumption(assumption.to_string()));
            }
        }
        Ok(instance)
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The values of the parameters.
    pub fn parameters(&self) -> &[i64] {
        &self.values
    }

    /// The value of a term in a state.
    pub fn value(&self, term: &Term, state: &[i64]) -> Result<i64, InstanceError> {
        evaluated(term, &self.names(state))
    }

    /// Whether a formula is true in a state.
    pub fn holds(&self, formula: &Term, state: &[i64]) -> Result<bool, InstanceError> {
        Ok(self.value(formula, state)? != 0)
    }

    /// The first state in which a formula is false.
    pub(crate) fn first_false<'s>(
        &self,
        formula: &Term,
        states: &'s [State],
    ) -> Result<Option<&'s State>, InstanceError> {
        let mut places = PlaceTable::default();
        let parameters = self.system.parameters.iter().map(|parameter| &parameter.name);
        for name in parameters.chain(self.system.variables.iter().map(|variable| &variable.name)) {
            places.add(name);
        }
        let code = places.code(formula);
        let mut values: Vec<i64> = Vec::with_capacity(places.len());
        for state in states {
            values.clear();
            values.extend(self.values.iter().chain(state));
            values.resize(places.len(), 0);
            let holds = code.is_true(&mut values);
            if !holds.ok_or_else(|| InstanceError::TooLarge(formula.to_string()))? {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    /// The ways to begin.
    pub fn beginnings(&self) -> Result<Vec<InstanceTransition>, InstanceError> {
        self.ran(&self.system.initial, self.parameter_names(), Vec::new())
    }

    /// The steps that leave a state.
    pub fn turns(&self, state: &[i64]) -> Result<Vec<InstanceTransition>, InstanceError> {
        let mut all = Vec::new();
        for (i, step) in self.system.steps.iter().enumerate() {
            all.extend(self.ran(&step.block, self.names(state), vec![i])?);
        }
        Ok(all)
    }

    /// The states that can be reached, in the order in which they are found, breadth first; `None` if there are
    /// more than `most`.
    pub fn reachable(&self, most: usize) -> Result<Option<Vec<State>>, InstanceError> {
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::new();
        let mut found = Vec::new();
        let first = self.beginnings()?.into_iter().map(|turn| turn.after);
        let mut next: Vec<State> = first.collect();
        loop {
            for state in next.drain(..) {
                if seen.insert(state.clone()) {
                    found.push(state.clone());
                    open.push_back(state);
                }
            }
            if found.len() > most {
                return Ok(None);
            }
            let Some(state) = open.pop_front() else { return Ok(Some(found)) };
            next.extend(self.turns(&state)?.into_iter().map(|turn| turn.after));
        }
    }

    /// A state with its names, in the words of the model.
    pub fn told(&self, state: &[i64]) -> Vec<(String, String)> {
        let variables = self.system.variables.iter().zip(state);
        variables.map(|(variable, value)| (variable.name.clone(), variable.told(*value))).collect()
    }

    /// The parameters with their values.
    pub(crate) fn parameter_names(&self) -> BTreeMap<String, i64> {
        let parameters = self.system.parameters.iter().zip(&self.values);
        parameters.map(|(parameter, value)| (parameter.name.clone(), *value)).collect()
    }

    fn names(&self, state: &[i64]) -> BTreeMap<String, i64> {
        self.system.with_state(&self.parameter_names(), state)
    }

    fn ran(
        &self,
        block: &Block,
        names: BTreeMap<String, i64>,
        ways: Vec<usize>,
    ) -> Result<Vec<InstanceTransition>, InstanceError> {
        let mut done = Vec::new();
        let statements: Vec<&Statement> = block.iter().collect();
        run(&statements, Execution { names, ways, picks: Vec::new() }, &mut done)?;
        let after = |names: &BTreeMap<String, i64>| {
            let variables = self.system.variables.iter();
            variables.map(|variable| names.get(&variable.name).copied().unwrap_or(0)).collect()
        };
        let turn = |run: Execution| InstanceTransition {
            ways: run.ways,
            picks: run.picks,
            after: after(&run.names),
        };
        Ok(done.into_iter().map(turn).collect())
    }
}

impl System {
    /// These names, and the variables with their values.
    pub(crate) fn with_state(&self, names: &BTreeMap<String, i64>, state: &[i64]) -> BTreeMap<String, i64> {
        let mut names = names.clone();
        names.extend(
            self.variables.iter().zip(state).map(|(variable, value)| (variable.name.clone(), *value)),
        );
        names
    }
}

impl crate::Variable {
    /// A value as a person reads it.
    pub fn told(&self, value: i64) -> String {
        match self.sort {
            TermSort::Bool => (value != 0).to_string(),
            TermSort::Set => {
                let elements = (0..=LARGEST).filter(|element| value >> element & 1 == 1);
                let elements: Vec<String> = elements.map(|element| element.to_string()).collect();
                format!("{{{}}}", elements.join(", "))
            }
            TermSort::Number => {
                let point = usize::try_from(value).ok().and_then(|value| self.points.get(value));
                point.cloned().unwrap_or_else(|| value.to_string())
            }
        }
    }
}

/// What has happened so far in one step.
#[derive(Clone)]
struct Execution {
    names: BTreeMap<String, i64>,
    ways: Vec<usize>,
    picks: Vec<(String, i64)>,
}

/// The value of a term under these names.
pub(crate) fn evaluated(term: &Term, names: &BTreeMap<String, i64>) -> Result<i64, InstanceError> {
    let mut places = PlaceTable::default();
    let mut values: Vec<i64> = Vec::new();
    for (name, value) in names {
        places.add(name);
        values.push(*value);
    }
    let code = places.code(term);
    values.resize(places.len(), 0);
    code.eval(&mut values).ok_or_else(|| InstanceError::TooLarge(term.to_string()))
}

fn run(
    rest: &[&Statement],
    mut run_so_far: Execution,
    done: &mut Vec<Execution>,
) -> Result<(), InstanceError> {
    let Some((statement, rest)) = rest.split_first() else {
        done.push(run_so_far);
        return Ok(());
    };
    match statement {
        Statement::Assume(condition) => {
            if evaluated(condition, &run_so_far.names)? != 0 {
                run(rest, run_so_far, done)?;
            }
        }
        Statement::Assign(variable, term) => {
            let value = evaluated(term, &run_so_far.names)?;
            run_so_far.names.insert(variable.clone(), value);
            run(rest, run_so_far, done)?;
        }
        Statement::Choose { name, low, high } => {
            let (low, high) = (evaluated(low, &run_so_far.names)?, evaluated(high, &run_so_far.names)?);
            for chosen in low..=high {
                let mut next = run_so_far.clone();
                next.names.insert(name.clone(), chosen);
                next.picks.push((name.clone(), chosen));
                run(rest, next, done)?;
            }
        }
        Statement::Either(alternatives) => {
            for (way, alternative) in alternatives.iter().enumerate() {
                let mut next = run_so_far.clone();
                next.ways.push(way);
                let rest: Vec<&Statement> = alternative.block.iter().chain(rest.iter().copied()).collect();
                run(&rest, next, done)?;
            }
        }
        Statement::Redraw { set, low, high, element, given } => {
            let (low, high) = (evaluated(low, &run_so_far.names)?, evaluated(high, &run_so_far.names)?);
            let mut sets = vec![0i64];
            for number in elements(low, high)? {
                let mut names = run_so_far.names.clone();
                names.insert(element.clone(), number);
                let mut allowed = |inside: bool| {
                    names.insert(format!("{set}'"), i64::from(inside) << number);
                    evaluated(given, &names).map(|truth| truth != 0)
                };
                let (without, with) = (allowed(false)?, allowed(true)?);
                let out = sets.iter().filter(|_| without).copied();
                let inn = sets.iter().filter(|_| with).map(|set| set | 1 << number);
                sets = out.chain(inn).collect();
            }
            for drawn in sets {
                let mut next = run_so_far.clone();
                next.names.insert(set.clone(), drawn);
                next.picks.push((format!("{set}'"), drawn));
                run(rest, next, done)?;
            }
        }
    }
    Ok(())
}

/// The numbers that a set may be drawn from; refuses those that no set can hold here.
pub(crate) fn elements(low: i64, high: i64) -> Result<std::ops::RangeInclusive<i64>, InstanceError> {
    if low <= high && !(low >= 0 && high <= LARGEST) {
        return Err(InstanceError::Elements { low, high });
    }
    Ok(low..=high)
}

/// Why parameters cannot have these values, or a state no value of a term.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// Too many or too few.
    #[error("{given} values for the parameters {}", .names.join(", "))]
    Count {
        /// How many values there are.
        given: usize,
        /// The names of the parameters.
        names: Vec<String>,
    },
    /// An assumption is broken.
    #[error("these parameters break {}", quoted(.0))]
    Assumption(String),
    /// A number in this term is too large to be worked out.
    #[error("a number in {} is too large here: take smaller parameters or factors", quoted(.0))]
    TooLarge(String),
    /// A set is drawn from numbers that it cannot hold.
    #[error(
        "a set is drawn from {low} to {high}, and here it can hold 0 to {LARGEST}: take smaller parameters"
    )]
    Elements {
        /// The least of them.
        low: i64,
        /// The largest of them.
        high: i64,
    },
    /// Something in the system has no meaning.
    #[error(transparent)]
    System(#[from] SystemError),
}
