//! Candidates for an invariant: "where these literals hold, this sum of variables is at most that sum of
//! parameters". The bounds are read off the reachable states of small instances, so every candidate is true of all
//! these states and tight in many. Induction decides whether it is true of all others.

mod literal;
mod maxima;
mod slopes;

#[cfg(test)]
mod naive;

use crate::obligation::Claim;
use crate::{State, System, SystemInstance, Term, TermSort};
use literal::{Literal, conditions, literals};
use maxima::{Direction, SampleColumns, StateGroups};
use slopes::{SlopeBounds, SlopeTable};
use std::collections::HashMap;
use std::time::Instant;

/// How rich the candidates are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grammar {
    /// The most literals in a condition.
    pub literals: usize,
    /// The most variables in a sum.
    pub variables: usize,
    /// The largest factor of a parameter.
    pub factor: i64,
    /// The largest constant.
    pub constant: i64,
    /// How many larger constants are tried beside the least.
    pub slack: i64,
    /// How many slopes are tried for each sum.
    pub slopes: usize,
}

impl Grammar {
    /// Grammars to be tried in turn, each richer than the one before.
    pub const LADDER: [Grammar; 4] = [
        Grammar { literals: 1, variables: 1, factor: 6, constant: 6, slack: 1, slopes: 4 },
        Grammar { literals: 1, variables: 2, factor: 6, constant: 6, slack: 2, slopes: 4 },
        Grammar { literals: 2, variables: 2, factor: 6, constant: 8, slack: 2, slopes: 4 },
        Grammar { literals: 2, variables: 3, factor: 6, constant: 8, slack: 2, slopes: 4 },
    ];
}

/// The reachable states of an instance.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The instance.
    pub instance: SystemInstance,
    /// Its states.
    pub states: Vec<State>,
}

/// All sequences of one to so many parts, the shorter ones first; `next` gives what may follow a sequence.
fn sequences<T: Clone>(most: usize, next: impl Fn(&[T]) -> Vec<T>) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = Vec::new();
    let mut last: Vec<Vec<T>> = vec![Vec::new()];
    for _ in 0..most {
        let longer = last
            .iter()
            .flat_map(|shorter| next(shorter).into_iter().map(move |part| [&shorter[..], &[part]].concat()));
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// All sums of at most so many variables, each added or taken away.
fn directions(system: &System, most: usize) -> Vec<Direction> {
    let is_counted = |i: &usize| {
        let variable = &system.variables[*i];
        variable.sort == TermSort::Number && variable.points.is_empty()
    };
    let numbers: Vec<usize> = (0..system.variables.len()).filter(is_counted).collect();
    sequences(most, |direction: &[(usize, i64)]| {
        let later = |number: &&usize| direction.last().is_none_or(|(last, _)| *number > last);
        numbers.iter().filter(later).flat_map(|&number| [(number, 1), (number, -1)]).collect()
    })
}

/// The largest number of a sample, and the largest factor and constant of a grammar, with which candidates are worked
/// out: so that no sum of products of them is too large.
pub(crate) const LARGEST: i64 = 1 << 40;
const LARGEST_FACTOR: i64 = 1 << 12;

/// Whether all numbers of a sample are small enough for candidates.
fn is_small(sample: &Sample) -> bool {
    let small = |n: &i64| (-LARGEST..=LARGEST).contains(n);
    sample.instance.parameters().iter().all(small) && sample.states.iter().flatten().all(small)
}

/// Whether the factors and constants of a grammar are small enough for candidates.
fn is_modest(grammar: &Grammar) -> bool {
    (0..=LARGEST_FACTOR).contains(&grammar.factor)
        && [grammar.constant, grammar.slack].iter().all(|n| (-LARGEST..=LARGEST).contains(n))
}

/// The candidates of a grammar that are true of all samples; `None` if `until` came first. Samples with numbers beyond
/// 2^40 have none. For several grammars a [`CandidateTable`] is faster.
pub fn candidates(
    system: &System,
    samples: &[Sample],
    grammar: &Grammar,
    until: Instant,
) -> Option<Vec<Claim>> {
    CandidateTable::new(system, samples).candidates(grammar, until)
}

/// What all grammars need to know of the samples: the literals, the groups of states in which the same literals are
/// true, and the largest values of sums in each group.
pub struct CandidateTable<'a> {
    system: &'a System,
    samples: &'a [Sample],
    literals: Vec<Literal>,
    groups: StateGroups,
}

impl<'a> CandidateTable<'a> {
    /// A table of these samples.
    pub fn new(system: &'a System, samples: &'a [Sample]) -> CandidateTable<'a> {
        // Numbers that are too large are never worked with.
        let usable = if samples.iter().all(is_small) { samples } else { &[] };
        let columns: Vec<SampleColumns> = usable.iter().map(SampleColumns::new).collect();
        let literals = literals(system, &columns);
        let groups = StateGroups::new(&columns, &literals);
        CandidateTable { system, samples, literals, groups }
    }

    /// The candidates of a grammar that are true of all samples; `None` if `until` came first.
    pub fn candidates(&mut self, grammar: &Grammar, until: Instant) -> Option<Vec<Claim>> {
        if !is_modest(grammar) || !self.samples.iter().all(is_small) {
            return Some(Vec::new());
        }
        let conditions = conditions(&self.literals, grammar.literals);
        let directions = directions(self.system, grammar.variables);
        if !self.groups.measure(&directions, until) {
            return None;
        }
        let mut slopes = SlopeTable::new(self.samples, grammar);
        let mut found: Vec<Term> = Vec::new();
        // For each condition that is possible the bounds on each direction: what holds under fewer literals is not
        // said again under more.
        let mut known: HashMap<&[usize], Vec<SlopeBounds>> = HashMap::new();
        for condition in &conditions {
            if Instant::now() >= until {
                return None;
            }
            let fewer: Option<Vec<&Vec<SlopeBounds>>> =
                (0..condition.len()).map(|without| known.get(&left_out(condition, without)[..])).collect();
            // Under fewer literals it is impossible already.
            let Some(fewer) = fewer else { continue };
            let formula =
                Term::and(condition.iter().map(|&literal| self.literals[literal].term(self.system)));
            let most = self.groups.most(condition, directions.len());
            if most.is_empty() {
                found.push(formula.negated());
                continue;
            }
            slopes.choose(&most.iter().map(|(sample, _)| *sample).collect::<Vec<_>>());
            let mut bounds_of = Vec::with_capacity(directions.len());
            for (place, direction) in directions.iter().enumerate() {
                let points: Vec<i64> = most.iter().map(|(_, most)| most[place]).collect();
                let bounds = slopes.bounds(&points, grammar);
                for (slope, least) in bounds.iter().copied() {
                    for constant in least..=least + grammar.slack {
                        let says = |(other, from): &(usize, i64)| {
                            *other == slope && (*from..=from + grammar.slack).contains(&constant)
                        };
                        if !fewer.iter().any(|bounds| bounds[place].iter().any(says)) {
                            let bound = bounded(self.system, direction, &slopes.slopes[slope], constant);
                            found.push(bound.given(formula.clone()));
                        }
                    }
                }
                bounds_of.push(bounds);
            }
            known.insert(condition, bounds_of);
        }
        Some(crate::obligation::numbered("c", found))
    }
}

/// A condition without one of its literals.
fn left_out(condition: &[usize], without: usize) -> Vec<usize> {
    [&condition[..without], &condition[without + 1..]].concat()
}

/// The sum of variables at most the bound, with nothing negative on either side.
fn bounded(system: &System, direction: &[(usize, i64)], factors: &[i64], constant: i64) -> Term {
    let mut sides: [Vec<Term>; 2] = [Vec::new(), Vec::new()];
    let mut put = |term: Term, factor: i64| {
        if factor != 0 {
            sides[usize::from(factor < 0)].push(Term::Times(factor.abs(), Box::new(term)));
        }
    };
    for &(variable, sign) in direction {
        put(Term::name(&system.variables[variable].name), sign);
    }
    for (parameter, factor) in system.parameters.iter().zip(factors) {
        put(Term::name(&parameter.name), -factor);
    }
    put(Term::Number(1), -constant);
    let [left, right] = sides.map(Term::sum);
    left.le(right)
}
