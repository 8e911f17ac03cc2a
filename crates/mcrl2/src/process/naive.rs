//! The steps of a specification straight from the rules of its operators: terms are taken apart as they stand, all subsets of
//! components are tried, and nothing is remembered. It is slow, and shares no code with the search but the values; so it can
//! tell whether a path of the search is one.

use super::composition::Communication;
use super::model::{BoundTerm, Operator, ProcKind, ResolvedModel, ResolvedProcess};
use super::model_error::ProcessError;
use super::values::{ProcessVariable, ValueId};
use crate::typing::{SortId, VariableId};
use std::collections::BTreeMap;

/// The values of the variables in scope.
type Environment = BTreeMap<VariableId, ValueId>;

/// An action that happens.
pub(crate) type TermAction = (String, Vec<ValueId>);

/// What is left to do of a component: this first, each part with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Todo<'a> {
    process: &'a ResolvedProcess,
    environment: Environment,
}

impl PartialEq for Todo<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.process, other.process) && self.environment == other.environment
    }
}

/// A term of processes.
#[derive(Clone, Debug)]
pub(crate) enum NaiveTerm<'a> {
    Sequential(Vec<Todo<'a>>),
    Parallel(Vec<NaiveTerm<'a>>),
    Operator(&'a Operator, Box<NaiveTerm<'a>>),
}

impl PartialEq for NaiveTerm<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (NaiveTerm::Sequential(left), NaiveTerm::Sequential(right)) => left == right,
            (NaiveTerm::Parallel(left), NaiveTerm::Parallel(right)) => left == right,
            (NaiveTerm::Operator(left, inner), NaiveTerm::Operator(right, other)) => {
                std::ptr::eq(*left, *right) && inner == other
            }
            _ => false,
        }
    }
}

/// What happens, by names with numbers of parameter sorts, and what is left.
type Moves<'a, T> = Vec<(Vec<(usize, Vec<ValueId>)>, T)>;

/// The rules, for values of infinite sorts from a list.
pub(crate) struct Rules<'a> {
    model: &'a ResolvedModel,
    /// What a variable of an infinite sort runs through, as far as it is of its sort.
    candidates: Vec<ValueId>,
}

/// What the operators above say of the actions of a step, before anything communicates.
#[derive(Clone, Copy)]
struct Limits<'r> {
    /// The most actions.
    most: usize,
    /// How many may be left of them when these rules have been applied, where nothing else comes in between.
    bags: Option<(usize, &'r [Communication])>,
}

/// The rules of a communication right above components that are sequential.
fn communication<'r>(term: &'r NaiveTerm<'_>) -> Option<&'r [Communication]> {
    let NaiveTerm::Operator(Operator::Communicate(rules), inner) = term else { return None };
    let NaiveTerm::Parallel(parts) = &**inner else { return None };
    parts.iter().all(|part| matches!(part, NaiveTerm::Sequential(_))).then_some(rules)
}

/// Whether actions with these names, perhaps with others, can become at most so many: each is left as it is, or a part of what
/// one rule puts together.
fn become_so_many(names: &[u32], len: usize, rules: &[Communication]) -> bool {
    let Some((first, others)) = names.split_first() else { return true };
    if len == 0 {
        return false;
    }
    let joined = rules.iter().filter(|rule| rule.parts.contains(first)).any(|rule| {
        let mut parts = rule.parts.clone();
        let mut left = names.to_vec();
        left.retain(|name| match parts.iter().position(|part| part == name) {
            Some(at) => {
                parts.remove(at);
                false
            }
            None => true,
        });
        become_so_many(&left, len - 1, rules)
    });
    joined || become_so_many(others, len - 1, rules)
}

impl<'a> Rules<'a> {
    pub(crate) fn new(model: &'a ResolvedModel, candidates: Vec<ValueId>) -> Rules<'a> {
        Rules { model, candidates }
    }

    /// The term that a specification begins with.
    pub(crate) fn start(&self) -> Result<NaiveTerm<'a>, ProcessError> {
        self.unfolded(&self.model.init, Environment::new(), 0)
    }

    /// All steps of a term, each with its multi-action in order.
    pub(crate) fn steps(
        &self,
        term: &NaiveTerm<'a>,
    ) -> Result<Vec<(Vec<TermAction>, NaiveTerm<'a>)>, ProcessError> {
        let moves = self.moves(term, Limits { most: usize::MAX, bags: None })?;
        Ok(moves
            .into_iter()
            .map(|(actions, next)| {
                let mut named: Vec<TermAction> = (actions.into_iter())
                    .map(|(action, values)| (self.model.actions[action].name.clone(), values))
                    .collect();
                named.sort();
                (named, next)
            })
            .collect())
    }

    /// All values that actions of the components could have as arguments, whatever the operators say.
    pub(crate) fn offered(&self, term: &NaiveTerm<'a>, found: &mut Vec<ValueId>) -> Result<(), ProcessError> {
        match term {
            NaiveTerm::Sequential(todo) => {
                for (actions, _) in self.sequential(todo)? {
                    found.extend(actions.into_iter().flat_map(|(_, values)| values));
                }
                Ok(())
            }
            NaiveTerm::Parallel(parts) => parts.iter().try_for_each(|part| self.offered(part, found)),
            NaiveTerm::Operator(_, inner) => self.offered(inner, found),
        }
    }

    fn unfolded(
        &self,
        process: &'a ResolvedProcess,
        environment: Environment,
        depth: usize,
    ) -> Result<NaiveTerm<'a>, ProcessError> {
        match &process.kind {
            ProcKind::Parallel(parts) => Ok(NaiveTerm::Parallel(
                (parts.iter())
                    .map(|part| self.unfolded(part, environment.clone(), depth))
                    .collect::<Result<_, _>>()?,
            )),
            ProcKind::Operator(operator, inner) => {
                Ok(NaiveTerm::Operator(operator, Box::new(self.unfolded(inner, environment, depth)?)))
            }
            ProcKind::Call(called, arguments) if self.is_composed(*called, depth) => {
                let inner = self.called(*called, arguments, &environment)?;
                self.unfolded(&self.model.processes[*called].body, inner, depth + 1)
            }
            _ => Ok(NaiveTerm::Sequential(vec![Todo { process, environment }])),
        }
    }

    fn is_composed(&self, process: usize, depth: usize) -> bool {
        match &self.model.processes[process].body.kind {
            ProcKind::Parallel(_) | ProcKind::Operator(..) => true,
            ProcKind::Call(called, _) => {
                depth < self.model.processes.len() && self.is_composed(*called, depth + 1)
            }
            _ => false,
        }
    }

    fn called(
        &self,
        process: usize,
        arguments: &[BoundTerm],
        environment: &Environment,
    ) -> Result<Environment, ProcessError> {
        let parameters = &self.model.processes[process].parameters;
        let values = self.values(arguments, environment)?;
        Ok(parameters.iter().map(|parameter| parameter.id).zip(values).collect())
    }

    fn values(&self, terms: &[BoundTerm], environment: &Environment) -> Result<Vec<ValueId>, ProcessError> {
        let lookup = |variable: &ProcessVariable| environment.get(&variable.id).copied();
        terms.iter().map(|term| self.model.data.value_of(term, &lookup)).collect()
    }

    /// The steps whose actions are within some limits before anything communicates.
    fn moves(
        &self,
        term: &NaiveTerm<'a>,
        limits: Limits<'_>,
    ) -> Result<Moves<'a, NaiveTerm<'a>>, ProcessError> {
        match term {
            NaiveTerm::Sequential(todo) => Ok((self.sequential(todo)?.into_iter())
                .map(|(actions, next)| (actions, NaiveTerm::Sequential(next)))
                .collect()),
            NaiveTerm::Parallel(parts) => {
                // Each part takes part or waits; at least one takes part.
                let mut all: Moves<'a, Vec<NaiveTerm<'a>>> = vec![(Vec::new(), Vec::new())];
                let mut moved = vec![false];
                for part in parts {
                    let own = self.moves(part, limits)?;
                    let (mut joined, mut flags) = (Vec::new(), Vec::new());
                    for ((actions, before), moves) in all.iter().zip(&moved) {
                        joined.push((actions.clone(), [&before[..], std::slice::from_ref(part)].concat()));
                        flags.push(*moves);
                        for (more, after) in &own {
                            let together = [&actions[..], &more[..]].concat();
                            if !self.are_within(limits, &together) {
                                continue;
                            }
                            joined.push((together, [&before[..], std::slice::from_ref(after)].concat()));
                            flags.push(true);
                        }
                    }
                    (all, moved) = (joined, flags);
                }
                let taken = all.into_iter().zip(moved).filter(|(_, moves)| *moves);
                Ok(taken.map(|((actions, next), _)| (actions, NaiveTerm::Parallel(next))).collect())
            }
            NaiveTerm::Operator(operator, inner) => {
                let limits = match (operator, &**inner) {
                    (Operator::Allow(bags), below) => {
                        let most = bags.iter().map(|bag| self.widest(bag.len(), inner)).max().unwrap_or(0);
                        let len = bags.iter().map(|bag| bag.len()).max().unwrap_or(0);
                        Limits { most, bags: communication(below).map(|rules| (len, rules)) }
                    }
                    (Operator::Communicate(_), _) => limits,
                    _ => Limits { bags: None, ..limits },
                };
                let wrapped = |next| NaiveTerm::Operator(operator, Box::new(next));
                let moves = self.moves(inner, limits)?.into_iter();
                Ok(moves
                    .filter_map(|(actions, next)| Some((self.applied(operator, actions)?, wrapped(next))))
                    .collect())
            }
        }
    }

    /// Whether these actions, or more of them, can be part of a step.
    fn are_within(&self, limits: Limits<'_>, actions: &[(usize, Vec<ValueId>)]) -> bool {
        if actions.len() > limits.most {
            return false;
        }
        let Some((len, rules)) = limits.bags else { return true };
        let names: Vec<u32> = actions.iter().map(|action| self.model.actions[action.0].name_id).collect();
        become_so_many(&names, len, rules)
    }

    /// How many actions can become so many: communications below make fewer of them, and hiding none at all.
    fn widest(&self, len: usize, inner: &NaiveTerm<'_>) -> usize {
        match inner {
            NaiveTerm::Operator(Operator::Communicate(rules), inner) => {
                let parts = rules.iter().map(|rule| rule.parts.len()).max().unwrap_or(1);
                self.widest(len * parts.max(1), inner)
            }
            NaiveTerm::Operator(Operator::Rename(_) | Operator::Block(_), inner) => self.widest(len, inner),
            NaiveTerm::Operator(Operator::Hide(_), _) | NaiveTerm::Parallel(_)
                if matches!(inner, NaiveTerm::Operator(..)) =>
            {
                usize::MAX
            }
            NaiveTerm::Parallel(parts)
                if parts.iter().any(|part| !matches!(part, NaiveTerm::Sequential(_))) =>
            {
                usize::MAX
            }
            _ => len,
        }
    }

    fn applied(
        &self,
        operator: &Operator,
        mut actions: Vec<(usize, Vec<ValueId>)>,
    ) -> Option<Vec<(usize, Vec<ValueId>)>> {
        let name = |action: &(usize, Vec<ValueId>)| self.model.actions[action.0].name_id;
        match operator {
            Operator::Hide(names) => actions.retain(|action| !names.contains(&name(action))),
            Operator::Block(names) => {
                if actions.iter().any(|action| names.contains(&name(action))) {
                    return None;
                }
            }
            Operator::Allow(bags) => {
                let mut bag: Vec<_> = actions.iter().map(name).collect();
                bag.sort_unstable();
                if !bag.is_empty() && !bags.contains(&bag) {
                    return None;
                }
            }
            Operator::Rename(names) => {
                for action in &mut actions {
                    if let Some(&to) = names.get(&name(action)) {
                        action.0 = self.of_name(to, action.0)?;
                    }
                }
            }
            Operator::Communicate(rules) => {
                let mut results = Vec::new();
                for rule in rules {
                    // The rule is applied for each tuple of arguments as often as all of its parts are there with it.
                    let mut at = 0;
                    while at < actions.len() {
                        let (arguments, sorts) =
                            (actions[at].1.clone(), self.model.actions[actions[at].0].sorts_id);
                        let mut rest = actions.clone();
                        let complete = rule.parts.iter().all(|part| {
                            let found = rest.iter().position(|other| {
                                name(other) == *part
                                    && other.1 == arguments
                                    && self.model.actions[other.0].sorts_id == sorts
                            });
                            found.map(|i| rest.remove(i)).is_some()
                        });
                        if complete {
                            results.push((self.of_name(rule.result, actions[at].0)?, arguments));
                            actions = rest;
                            at = 0;
                        } else {
                            at += 1;
                        }
                    }
                }
                actions.extend(results);
            }
        }
        Some(actions)
    }

    /// The action of a name with the sorts of another action.
    fn of_name(&self, name: u32, like: usize) -> Option<usize> {
        let sorts = self.model.actions[like].sorts_id;
        self.model.actions.iter().position(|action| action.name_id == name && action.sorts_id == sorts)
    }

    fn sequential(&self, todo: &[Todo<'a>]) -> Result<Moves<'a, Vec<Todo<'a>>>, ProcessError> {
        let Some((first, rest)) = todo.split_first() else { return Ok(Vec::new()) };
        let mut moves = self.begin(first.process, &first.environment)?;
        for (_, next) in &mut moves {
            next.extend(rest.iter().cloned());
        }
        Ok(moves)
    }

    fn begin(
        &self,
        process: &'a ResolvedProcess,
        environment: &Environment,
    ) -> Result<Moves<'a, Vec<Todo<'a>>>, ProcessError> {
        match &process.kind {
            ProcKind::Delta => Ok(Vec::new()),
            ProcKind::Tau => Ok(vec![(Vec::new(), Vec::new())]),
            ProcKind::Actions(actions) => {
                let actions =
                    actions.iter().map(|(action, terms)| Ok((*action, self.values(terms, environment)?)));
                Ok(vec![(actions.collect::<Result<_, ProcessError>>()?, Vec::new())])
            }
            ProcKind::Call(called, arguments) => {
                let inner = self.called(*called, arguments, environment)?;
                self.begin(&self.model.processes[*called].body, &inner)
            }
            ProcKind::Choice(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    match self.begin(part, environment) {
                        // It reads a variable that has no value here; the others may not.
                        Err(ProcessError::Language(_)) => {}
                        moves => all.extend(moves?),
                    }
                }
                Ok(all)
            }
            ProcKind::Sequence(parts) => {
                let Some((first, rest)) = parts.split_first() else { return Ok(Vec::new()) };
                let mut moves = self.begin(first, environment)?;
                for (_, next) in &mut moves {
                    next.extend(
                        rest.iter().map(|process| Todo { process, environment: environment.clone() }),
                    );
                }
                Ok(moves)
            }
            ProcKind::If(condition, then, otherwise) => {
                let value = self.values(std::slice::from_ref(condition), environment)?;
                match (value[0].as_truth(), otherwise) {
                    (Some(true), _) => self.begin(then, environment),
                    (Some(false), Some(otherwise)) => self.begin(otherwise, environment),
                    (Some(false), None) => Ok(Vec::new()),
                    (None, _) => Err(ProcessError::Undecided { span: condition.span }),
                }
            }
            ProcKind::Sum(variables, inner) => {
                let mut environments = vec![environment.clone()];
                for variable in variables {
                    let values = self.values_of(variable.sort);
                    if values.is_empty() {
                        // Whoever reads it has no value then; who does not may go on.
                        continue;
                    }
                    environments = (environments.iter())
                        .flat_map(|environment| {
                            values.iter().map(|&value| {
                                let mut next = environment.clone();
                                next.insert(variable.id, value);
                                next
                            })
                        })
                        .collect();
                }
                let mut all = Vec::new();
                for environment in environments {
                    match self.begin(inner, &environment) {
                        Err(ProcessError::Language(_)) => {}
                        moves => all.extend(moves?),
                    }
                }
                Ok(all)
            }
            ProcKind::Refused(why) => Err(ProcessError::Refused { why: why.clone(), span: process.span }),
            ProcKind::Parallel(_) | ProcKind::Operator(..) => Err(ProcessError::Refused {
                why: "parallel composition inside of a sequence is not supported".to_string(),
                span: process.span,
            }),
        }
    }

    fn values_of(&self, sort: SortId) -> Vec<ValueId> {
        let of_sort = |value: &ValueId| self.model.data.contains(sort, *value);
        self.model
            .data
            .elements(sort)
            .unwrap_or_else(|| self.candidates.iter().copied().filter(of_sort).collect())
    }
}
