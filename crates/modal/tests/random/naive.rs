//! The answer straight from the definitions: the set of states of each formula as it is written, fixed points by iteration
//! from nothing or from everything, sequences of steps as relations. It shares nothing with the crate but the syntax.

use super::residues::Residues;
use std::collections::BTreeMap;
use watchkeeper_modal::{
    ActionPattern, FixedPointSign, FormulaTerm, FormulaVariable, LabelFormula, ModalFormula, RegularSteps,
};
use watchkeeper_space::{DataAction, DataLabel};

/// A set of at most 64 states.
type States = u64;

/// A small graph.
#[derive(Clone, Debug)]
pub struct SmallGraph {
    pub states: usize,
    pub steps: Vec<(u32, DataLabel, u32)>,
    pub atoms: Vec<Vec<bool>>,
    pub any_of_several: bool,
}

/// Values of variables.
type Values = BTreeMap<FormulaVariable, u32>;

pub struct Naive<'a> {
    graph: &'a SmallGraph,
    data: &'a Residues,
    /// The fixed points around, innermost last: for each list of parameters the states.
    scopes: Vec<(String, BTreeMap<Vec<u32>, States>)>,
}

impl<'a> Naive<'a> {
    pub fn new(graph: &'a SmallGraph, data: &'a Residues) -> Naive<'a> {
        Naive { graph, data, scopes: Vec::new() }
    }

    pub fn holds(&mut self, formula: &ModalFormula) -> bool {
        self.states(formula, &mut Values::new()) & 1 == 1
    }

    fn all(&self) -> States {
        (1 << self.graph.states) - 1
    }

    fn value(&self, term: FormulaTerm, values: &Values) -> u32 {
        self.data.value(term, &|variable| values[&variable])
    }

    fn states(&mut self, formula: &ModalFormula, values: &mut Values) -> States {
        let all = self.all();
        let of = |value: bool| if value { all } else { 0 };
        match formula {
            ModalFormula::Constant(value) => of(*value),
            ModalFormula::Atom(atom) => {
                let holds = &self.graph.atoms[*atom];
                holds.iter().enumerate().filter(|(_, holds)| **holds).map(|(state, _)| 1 << state).sum()
            }
            ModalFormula::Data(term) => of(self.value(*term, values) == 1),
            ModalFormula::Not(inner) => all & !self.states(inner, values),
            ModalFormula::And(left, right) => self.states(left, values) & self.states(right, values),
            ModalFormula::Or(left, right) => self.states(left, values) | self.states(right, values),
            ModalFormula::Implies(left, right) => {
                all & !self.states(left, values) | self.states(right, values)
            }
            ModalFormula::Forall(variables, inner) => {
                let tuples = self.tuples(variables.len());
                tuples.iter().fold(all, |found, tuple| found & self.bound(variables, tuple, inner, values))
            }
            ModalFormula::Exists(variables, inner) => {
                let tuples = self.tuples(variables.len());
                tuples.iter().fold(0, |found, tuple| found | self.bound(variables, tuple, inner, values))
            }
            ModalFormula::Must(steps, then) => {
                let (reached, then) = (self.relation(steps, values), self.states(then, values));
                self.where_states(|state| reached[state] & !then == 0)
            }
            ModalFormula::May(steps, then) => {
                let (reached, then) = (self.relation(steps, values), self.states(then, values));
                self.where_states(|state| reached[state] & then != 0)
            }
            ModalFormula::FixedPoint { sign, name, parameters, body, .. } => {
                let start = if *sign == FixedPointSign::Least { 0 } else { all };
                let tuples = self.tuples(parameters.len());
                let mut table: BTreeMap<Vec<u32>, States> =
                    tuples.iter().map(|tuple| (tuple.clone(), start)).collect();
                let variables: Vec<FormulaVariable> =
                    parameters.iter().map(|&(variable, _)| variable).collect();
                loop {
                    self.scopes.push((name.clone(), table.clone()));
                    let next: BTreeMap<Vec<u32>, States> = tuples
                        .iter()
                        .map(|tuple| (tuple.clone(), self.bound(&variables, tuple, body, values)))
                        .collect();
                    self.scopes.pop();
                    if next == table {
                        break;
                    }
                    table = next;
                }
                let first: Vec<u32> = parameters.iter().map(|&(_, term)| self.value(term, values)).collect();
                table[&first]
            }
            ModalFormula::Variable { name, arguments, .. } => {
                let arguments: Vec<u32> = arguments.iter().map(|&term| self.value(term, values)).collect();
                let scope = self.scopes.iter().rev().find(|(known, _)| known == name);
                scope.expect("the formula is closed").1[&arguments]
            }
        }
    }

    fn bound(
        &mut self,
        variables: &[FormulaVariable],
        tuple: &[u32],
        inner: &ModalFormula,
        values: &mut Values,
    ) -> States {
        let mut within = values.clone();
        within.extend(variables.iter().copied().zip(tuple.iter().copied()));
        self.states(inner, &mut within)
    }

    fn tuples(&self, length: usize) -> Vec<Vec<u32>> {
        (0..length).fold(vec![Vec::new()], |tuples, _| {
            let longer = |tuple: &Vec<u32>| {
                let tuple = tuple.clone();
                (0..self.data.bound).map(move |value| [tuple.clone(), vec![value]].concat())
            };
            tuples.iter().flat_map(longer).collect()
        })
    }

    fn where_states(&self, holds: impl Fn(usize) -> bool) -> States {
        (0..self.graph.states).filter(|&state| holds(state)).map(|state| 1 << state).sum()
    }

    /// For each state the states that sequences of these steps lead to.
    fn relation(&self, steps: &RegularSteps, values: &Values) -> Vec<States> {
        let states = self.graph.states;
        let identity = || (0..states).map(|state| 1 << state).collect::<Vec<States>>();
        match steps {
            RegularSteps::Nothing => identity(),
            RegularSteps::Step(formula) => {
                let mut relation = vec![0; states];
                for (from, label, to) in &self.graph.steps {
                    if self.means(formula, label, values) {
                        relation[*from as usize] |= 1 << to;
                    }
                }
                relation
            }
            RegularSteps::Then(first, second) => {
                composed(&self.relation(first, values), &self.relation(second, values))
            }
            RegularSteps::Either(left, right) => {
                let (left, right) = (self.relation(left, values), self.relation(right, values));
                left.iter().zip(right).map(|(left, right)| left | right).collect()
            }
            RegularSteps::Star(inner) => closure(identity(), &self.relation(inner, values)),
            RegularSteps::Plus(inner) => {
                let once = self.relation(inner, values);
                closure(once.clone(), &once)
            }
        }
    }

    fn means(&self, formula: &LabelFormula, label: &DataLabel, values: &Values) -> bool {
        match formula {
            LabelFormula::Constant(value) => *value,
            LabelFormula::Actions(patterns) => self.same(patterns, &label.actions, values),
            LabelFormula::Data(term) => self.value(*term, values) == 1,
            LabelFormula::Not(inner) => !self.means(inner, label, values),
            LabelFormula::And(left, right) => {
                self.means(left, label, values) && self.means(right, label, values)
            }
            LabelFormula::Or(left, right) => {
                self.means(left, label, values) || self.means(right, label, values)
            }
            LabelFormula::Implies(left, right) => {
                !self.means(left, label, values) || self.means(right, label, values)
            }
            LabelFormula::Forall(variables, inner) | LabelFormula::Exists(variables, inner) => {
                let tuples = self.tuples(variables.len());
                let mut truths = tuples.iter().map(|tuple| {
                    let mut within = values.clone();
                    within.extend(variables.iter().copied().zip(tuple.iter().copied()));
                    self.means(inner, label, &within)
                });
                if matches!(formula, LabelFormula::Forall(..)) {
                    truths.all(|truth| truth)
                } else {
                    truths.any(|truth| truth)
                }
            }
        }
    }

    /// Whether the actions are those of the patterns, as texts in any order.
    fn same(&self, patterns: &[ActionPattern], actions: &[DataAction], values: &Values) -> bool {
        let mut meant: Vec<String> = patterns
            .iter()
            .map(|pattern| {
                let arguments = pattern.arguments.iter().map(|&term| self.value(term, values).to_string());
                DataAction::new(pattern.name.clone(), arguments).to_string()
            })
            .collect();
        let mut given: Vec<String> = actions.iter().map(DataAction::to_string).collect();
        meant.sort();
        given.sort();
        if self.graph.any_of_several && !meant.is_empty() {
            // Each is struck out once.
            return meant.iter().all(|one| match given.iter().position(|other| other == one) {
                Some(place) => {
                    given.remove(place);
                    true
                }
                None => false,
            });
        }
        meant == given
    }
}

fn composed(first: &[States], second: &[States]) -> Vec<States> {
    let image = |set: States| {
        (0..second.len()).filter(|&state| set >> state & 1 == 1).fold(0, |image, state| image | second[state])
    };
    first.iter().map(|&set| image(set)).collect()
}

fn closure(mut relation: Vec<States>, step: &[States]) -> Vec<States> {
    loop {
        let more = composed(&relation, step);
        let next: Vec<States> = relation.iter().zip(more).map(|(known, more)| known | more).collect();
        if next == relation {
            return relation;
        }
        relation = next;
    }
}
