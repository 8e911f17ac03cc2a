//! Candidates for an invariant: "where these literals hold, this sum of variables is at most that sum of
//! parameters". The bounds are read off the reachable states of small instances, so that every candidate is true
//! of all of them and tight in many; whether it is true of all others is for induction to say.

use crate::obligation::Claim;
use crate::{Instance, Sort, State, System, Term};
use std::collections::BTreeSet;

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
    /// How far a bound may be from what it bounds, beyond the least distance.
    pub slack: i64,
}

impl Grammar {
    /// Grammars to be tried in turn, each richer than the one before.
    pub const LADDER: [Grammar; 4] = [
        Grammar { literals: 1, variables: 1, factor: 6, constant: 6, slack: 1 },
        Grammar { literals: 1, variables: 2, factor: 6, constant: 6, slack: 2 },
        Grammar { literals: 2, variables: 2, factor: 6, constant: 8, slack: 2 },
        Grammar { literals: 2, variables: 3, factor: 6, constant: 8, slack: 2 },
    ];
}

/// The reachable states of an instance.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The instance.
    pub instance: Instance,
    /// Its states.
    pub states: Vec<State>,
}

/// A literal over one variable.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Literal {
    variable: usize,
    test: Test,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    Is(i64),
    Below(Limit),
    AtLeast(Limit),
}

/// A number, plus a parameter if one is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limit {
    parameter: Option<usize>,
    number: i64,
}

impl Limit {
    fn at(self, parameters: &[i64]) -> i64 {
        self.parameter.map_or(0, |parameter| parameters[parameter]) + self.number
    }

    fn term(self, system: &System) -> Term {
        let parameter = self.parameter.map(|parameter| Term::name(&system.parameters[parameter].name));
        Term::sum(parameter.into_iter().chain([Term::Number(self.number)]))
    }
}

impl Literal {
    fn holds(&self, state: &[i64], parameters: &[i64]) -> bool {
        let value = state[self.variable];
        match self.test {
            Test::Is(wanted) => value == wanted,
            Test::Below(limit) => value < limit.at(parameters),
            Test::AtLeast(limit) => value >= limit.at(parameters),
        }
    }

    /// Whether two literals may be in one condition: of one variable only a part between two limits.
    fn goes_with(&self, other: &Literal) -> bool {
        self.variable != other.variable
            || matches!(
                (self.test, other.test),
                (Test::Below(one), Test::AtLeast(two)) | (Test::AtLeast(one), Test::Below(two)) if one != two
            )
    }

    fn term(&self, system: &System) -> Term {
        let variable = &system.variables[self.variable];
        let name = Term::name(&variable.name);
        match (variable.sort, self.test) {
            (Sort::Bool, Test::Is(0)) => name.negated(),
            (Sort::Bool, _) => name,
            (_, Test::Is(value)) => name.equals(Term::Number(value)),
            (_, Test::Below(limit)) => name.lt(limit.term(system)),
            (_, Test::AtLeast(limit)) => limit.term(system).le(name),
        }
    }
}

/// The literals of a system: of truth values both, of control points each, and whether a number is the least that
/// its variable can be, or the largest, where that is a parameter.
fn literals(system: &System, samples: &[Sample]) -> Vec<Literal> {
    let mut all = Vec::new();
    for (variable, declared) in system.variables.iter().enumerate() {
        let mut add = |test| all.push(Literal { variable, test });
        match declared.sort {
            Sort::Bool => [0, 1].into_iter().for_each(|value| add(Test::Is(value))),
            Sort::Set => {}
            Sort::Number if !declared.points.is_empty() => {
                (0..declared.points.len()).for_each(|value| add(Test::Is(value as i64)));
            }
            Sort::Number => {
                let least = Limit { parameter: None, number: declared.least + 1 };
                let largest = (0..system.parameters.len()).filter_map(|parameter| {
                    let over = samples.iter().map(|sample| {
                        let most = sample.states.iter().map(|state| state[variable]).max();
                        most.map(|most| most - sample.instance.parameters()[parameter])
                    });
                    let over: Vec<i64> = over.flatten().collect();
                    let number = over.iter().copied().max()?;
                    // In most instances the largest value is reached.
                    let reached = over.iter().filter(|over| **over == number).count();
                    (number.abs() <= 1 && 2 * reached > over.len())
                        .then_some(Limit { parameter: Some(parameter), number })
                });
                for limit in [least].into_iter().chain(largest) {
                    add(Test::Below(limit));
                    add(Test::AtLeast(limit));
                }
            }
        }
    }
    all
}

/// All conjunctions of at most so many literals over different variables; the empty one first.
fn conditions(literals: &[Literal], most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..most {
        let mut longer = Vec::new();
        for condition in &last {
            let from = condition.last().map_or(0, |last| last + 1);
            for literal in from..literals.len() {
                if condition.iter().all(|&other| literals[other].goes_with(&literals[literal])) {
                    let mut next = condition.clone();
                    next.push(literal);
                    longer.push(next);
                }
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    all
}

/// All sums of at most so many variables, each added or taken away.
fn directions(system: &System, most: usize) -> Vec<Vec<(usize, i64)>> {
    let is_counted = |i: &usize| {
        let variable = &system.variables[*i];
        variable.sort == Sort::Number && variable.points.is_empty()
    };
    let numbers: Vec<usize> = (0..system.variables.len()).filter(is_counted).collect();
    let mut all: Vec<Vec<(usize, i64)>> = Vec::new();
    let mut last: Vec<Vec<(usize, i64)>> = vec![Vec::new()];
    for _ in 0..most {
        let mut longer = Vec::new();
        for direction in &last {
            for &number in numbers.iter().filter(|&&n| direction.last().is_none_or(|(last, _)| n > *last)) {
                for sign in [1, -1] {
                    let mut next = direction.clone();
                    next.push((number, sign));
                    longer.push(next);
                }
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    all
}

/// A bound on a direction: factors of the parameters, and a constant.
type Bound = (Vec<i64>, i64);

/// The bounds that hold at all points and are near what they bound at most of them: at half of the points or more,
/// and at so many that they determine the bound. In some small instances two processes move in step and reach less.
fn bounds(points: &[(&[i64], i64)], free: &[bool], grammar: &Grammar) -> Vec<Bound> {
    let whole = rank(&points.iter().map(|(point, _)| *point).collect::<Vec<_>>());
    let mut found: Vec<Bound> = Vec::new();
    // A parameter that the others determine gets no factor.
    let most: Vec<i64> = free.iter().map(|free| if *free { grammar.factor } else { 0 }).collect();
    let mut factors: Vec<i64> = most.iter().map(|most| -most).collect();
    loop {
        let rest = |(point, most): &(&[i64], i64)| {
            most - point.iter().zip(&factors).map(|(p, f)| p * f).sum::<i64>()
        };
        let constant = points.iter().map(rest).max().unwrap_or(0);
        if constant.abs() <= grammar.constant {
            let is_near = |point: &&(&[i64], i64)| constant - rest(point) <= grammar.slack;
            let near: Vec<&[i64]> = points.iter().filter(is_near).map(|(point, _)| *point).collect();
            if 2 * near.len() >= points.len() && rank(&near) == whole {
                found.extend((0..=grammar.slack).map(|more| (factors.clone(), constant + more)));
            }
        }
        let Some(next) = (0..factors.len()).find(|&i| factors[i] < most[i]) else { break };
        factors[next] += 1;
        (0..next).for_each(|i| factors[i] = -most[i]);
    }
    found
}

/// For each parameter whether it can vary while those before it stay as they are, or vary by as much: whether it
/// adds to the dimension of the points.
fn free(samples: &[Sample]) -> Vec<bool> {
    let points: Vec<&[i64]> = samples.iter().map(|sample| sample.instance.parameters()).collect();
    let Some(first) = points.first() else { return Vec::new() };
    let rank_of = |len: usize| rank(&points.iter().map(|point| &point[..len]).collect::<Vec<_>>());
    (0..first.len()).map(|i| rank_of(i + 1) > rank_of(i)).collect()
}

/// The dimension of the flat through some points.
fn rank(points: &[&[i64]]) -> usize {
    let Some((first, others)) = points.split_first() else { return 0 };
    let mut rows: Vec<Vec<i128>> = others
        .iter()
        .map(|point| point.iter().zip(*first).map(|(a, b)| i128::from(a - b)).collect())
        .collect();
    let mut rank = 0;
    for column in 0..first.len() {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let (head, tail) = rows.split_at_mut(rank + 1);
        let pivot = &head[rank];
        for row in tail.iter_mut().filter(|row| row[column] != 0) {
            let (a, b) = (pivot[column], row[column]);
            row.iter_mut().zip(pivot).for_each(|(x, p)| *x = *x * a - p * b);
        }
        rank += 1;
    }
    rank
}

/// The candidates of a grammar that are true of all samples.
pub fn candidates(system: &System, samples: &[Sample], grammar: &Grammar) -> Vec<Claim> {
    let literals = literals(system, samples);
    let conditions = conditions(&literals, grammar.literals);
    let directions = directions(system, grammar.variables);
    let free = free(samples);
    let mut found: Vec<Term> = Vec::new();
    // What holds under fewer literals is not said again under more.
    let mut known: BTreeSet<(Vec<usize>, usize, Bound)> = BTreeSet::new();
    let mut impossible: Vec<&Vec<usize>> = Vec::new();
    for condition in &conditions {
        if impossible.iter().any(|fewer| fewer.iter().all(|literal| condition.contains(literal))) {
            continue;
        }
        let formula = Term::and(condition.iter().map(|&literal| literals[literal].term(system)));
        let chosen: Vec<(&Sample, Vec<&State>)> = samples
            .iter()
            .map(|sample| {
                let parameters = sample.instance.parameters();
                let fits =
                    |state: &&State| condition.iter().all(|&literal| literals[literal].holds(state, parameters));
                (sample, sample.states.iter().filter(fits).collect())
            })
            .filter(|(_, states): &(&Sample, Vec<&State>)| !states.is_empty())
            .collect();
        if chosen.is_empty() {
            found.push(formula.negated());
            impossible.push(condition);
            continue;
        }
        for (place, direction) in directions.iter().enumerate() {
            // A condition that fixes a variable makes a bound on it useless.
            let points: Vec<(&[i64], i64)> = chosen
                .iter()
                .map(|(sample, states)| {
                    let sum = |state: &&State| direction.iter().map(|&(i, sign)| sign * state[i]).sum::<i64>();
                    (sample.instance.parameters(), states.iter().map(sum).max().unwrap_or(0))
                })
                .collect();
            for bound in bounds(&points, &free, grammar) {
                let is_known = (0..condition.len()).any(|without| {
                    let mut fewer = condition.clone();
                    fewer.remove(without);
                    known.contains(&(fewer, place, bound.clone()))
                });
                known.insert((condition.clone(), place, bound.clone()));
                if !is_known {
                    found.push(bounded(system, direction, &bound).given(formula.clone()));
                }
            }
        }
    }
    crate::obligation::numbered("c", found)
}

/// The sum of variables at most the bound, with nothing negative on either side.
fn bounded(system: &System, direction: &[(usize, i64)], (factors, constant): &Bound) -> Term {
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
