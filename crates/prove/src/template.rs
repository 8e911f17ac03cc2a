//! Candidates for an invariant: "where these literals hold, this sum of variables is at most that sum of
//! parameters". The bounds are read off the reachable states of small instances, so every candidate is true of all
//! these states and tight in many. Induction decides whether it is true of all others.

use crate::obligation::Claim;
use crate::{State, System, SystemInstance, Term, TermSort};
use std::collections::BTreeSet;
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

/// A literal over one variable.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Literal {
    variable: usize,
    test: Test,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    Is(i64),
    Below(Threshold),
    AtLeast(Threshold),
}

/// A number, plus a parameter or another variable if one is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Threshold {
    of: Option<ThresholdBase>,
    number: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ThresholdBase {
    Parameter(usize),
    Variable(usize),
}

impl ThresholdBase {
    fn at(self, state: &[i64], parameters: &[i64]) -> i64 {
        match self {
            ThresholdBase::Parameter(i) => parameters[i],
            ThresholdBase::Variable(i) => state[i],
        }
    }
}

impl Threshold {
    fn at(self, state: &[i64], parameters: &[i64]) -> i64 {
        self.of.map_or(0, |of| of.at(state, parameters)) + self.number
    }

    fn term(self, system: &System) -> Term {
        let name = self.of.map(|of| match of {
            ThresholdBase::Parameter(i) => Term::name(&system.parameters[i].name),
            ThresholdBase::Variable(i) => Term::name(&system.variables[i].name),
        });
        Term::sum(name.into_iter().chain([Term::Number(self.number)]))
    }
}

impl Literal {
    fn holds(&self, state: &[i64], parameters: &[i64]) -> bool {
        let value = state[self.variable];
        match self.test {
            Test::Is(wanted) => value == wanted,
            Test::Below(limit) => value < limit.at(state, parameters),
            Test::AtLeast(limit) => value >= limit.at(state, parameters),
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
            (TermSort::Bool, Test::Is(0)) => name.negated(),
            (TermSort::Bool, _) => name,
            (_, Test::Is(value)) => name.equals(Term::Number(value)),
            (_, Test::Below(limit)) => name.lt(limit.term(system)),
            (_, Test::AtLeast(limit)) => limit.term(system).le(name),
        }
    }
}

/// The literals of a system: of truth values both, of control points each, and whether a number is the least that
/// its variable can be, or the largest, where that is a parameter or another variable.
fn literals(system: &System, samples: &[Sample]) -> Vec<Literal> {
    let mut all = Vec::new();
    for (variable, declared) in system.variables.iter().enumerate() {
        let mut add = |test| all.push(Literal { variable, test });
        match declared.sort {
            TermSort::Bool => [0, 1].into_iter().for_each(|value| add(Test::Is(value))),
            TermSort::Set => {}
            TermSort::Number if !declared.points.is_empty() => {
                (0i64..).take(declared.points.len()).for_each(|value| add(Test::Is(value)));
            }
            TermSort::Number => {
                let least = declared.least.checked_add(1).map(|number| Threshold { of: None, number });
                let parameters = (0..system.parameters.len()).map(ThresholdBase::Parameter);
                let others = (0..system.variables.len()).filter(|&other| {
                    let declared = &system.variables[other];
                    other != variable && declared.sort == TermSort::Number && declared.points.is_empty()
                });
                let largest = parameters.chain(others.map(ThresholdBase::Variable)).filter_map(|of| {
                    let over = samples.iter().map(|sample| {
                        let parameters = sample.instance.parameters();
                        let over = |state: &State| state[variable] - of.at(state, parameters);
                        sample.states.iter().map(over).max()
                    });
                    let over: Vec<i64> = over.flatten().collect();
                    let number = over.iter().copied().max()?;
                    // In most instances the largest value is reached.
                    let reached = over.iter().filter(|over| **over == number).count();
                    let near = if matches!(of, ThresholdBase::Parameter(_)) {
                        number.abs() <= 1
                    } else {
                        number == 0
                    };
                    (near && 2 * reached > over.len()).then_some(Threshold { of: Some(of), number })
                });
                for limit in least.into_iter().chain(largest) {
                    add(Test::Below(limit));
                    add(Test::AtLeast(limit));
                }
            }
        }
    }
    all
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

/// All conjunctions of at most so many literals over different variables; the empty one first.
fn conditions(literals: &[Literal], most: usize) -> Vec<Vec<usize>> {
    let longer = sequences(most, |condition: &[usize]| {
        let from = condition.last().map_or(0, |last| last + 1);
        let fits =
            |literal: &usize| condition.iter().all(|&other| literals[other].goes_with(&literals[*literal]));
        (from..literals.len()).filter(fits).collect()
    });
    [vec![Vec::new()], longer].concat()
}

/// All sums of at most so many variables, each added or taken away.
fn directions(system: &System, most: usize) -> Vec<Vec<(usize, i64)>> {
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

/// A bound on a direction: factors of the parameters, and a constant.
type Bound = (Vec<i64>, i64);

/// The factors to be tried: of at most two parameters, none of a parameter that the others determine, and small ones
/// where there are many parameters.
fn slopes(free: &[bool], grammar: &Grammar) -> Vec<Vec<i64>> {
    let places: Vec<usize> = (0..free.len()).filter(|&i| free[i]).collect();
    let most = if places.len() > 2 { grammar.factor.min(3) } else { grammar.factor };
    let mut all = vec![vec![0; free.len()]];
    for (i, &one) in places.iter().enumerate() {
        for factor in (-most..=most).filter(|factor| *factor != 0) {
            let mut single = vec![0; free.len()];
            single[one] = factor;
            for &two in &places[i + 1..] {
                for factor in (-most..=most).filter(|factor| *factor != 0) {
                    let mut double = single.clone();
                    double[two] = factor;
                    all.push(double);
                }
            }
            all.push(single);
        }
    }
    all
}

/// The bounds that hold at all points and follow best what they bound: of all slopes the few that leave the least
/// between the two, summed over the points. In some small instances two processes move in step and reach less, so
/// a bound need not be tight everywhere.
fn bounds(points: &[(&[i64], i64)], slopes: &[Vec<i64>], grammar: &Grammar) -> Vec<Bound> {
    let mut best: Vec<(i64, i64, usize, i64)> = Vec::new();
    for (i, factors) in slopes.iter().enumerate() {
        let rest =
            |(point, most): &(&[i64], i64)| most - point.iter().zip(factors).map(|(p, f)| p * f).sum::<i64>();
        let (constant, sum) =
            points.iter().map(rest).fold((i64::MIN, 0), |(high, sum), rest| (high.max(rest), sum + rest));
        if constant.abs() > grammar.constant {
            continue;
        }
        let left = constant * points.len() as i64 - sum;
        let size: i64 = factors.iter().map(|factor| factor.abs()).sum();
        best.push((left, size, i, constant));
    }
    best.sort_unstable();
    best.truncate(grammar.slopes);
    let with_slack = |(_, _, i, constant): (i64, i64, usize, i64)| {
        (0..=grammar.slack).map(move |more| (slopes[i].clone(), constant + more))
    };
    best.into_iter().flat_map(with_slack).collect()
}

/// For each parameter whether it can vary while those before it stay as they are, or vary by as much: whether it
/// adds to the dimension of the points.
fn free(samples: &[Sample]) -> Vec<bool> {
    let points: Vec<&[i64]> = samples.iter().map(|sample| sample.instance.parameters()).collect();
    let Some(first) = points.first() else { return Vec::new() };
    let rank_of = |len: usize| rank(&points.iter().map(|point| &point[..len]).collect::<Vec<_>>());
    // Where the dimension is not known a slope more is tried.
    let adds = |i: usize| rank_of(i + 1).zip(rank_of(i)).is_none_or(|(with, without)| with > without);
    (0..first.len()).map(adds).collect()
}

/// The dimension of the flat through some points; none if a number on the way is too large.
fn rank(points: &[&[i64]]) -> Option<usize> {
    let Some((first, others)) = points.split_first() else { return Some(0) };
    let difference = |(a, b): (&i64, &i64)| i128::from(*a) - i128::from(*b);
    let mut rows: Vec<Vec<i128>> =
        others.iter().map(|point| point.iter().zip(*first).map(difference).collect()).collect();
    let mut rank = 0;
    for column in 0..first.len() {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let (head, tail) = rows.split_at_mut(rank + 1);
        let pivot = &head[rank];
        for row in tail.iter_mut().filter(|row| row[column] != 0) {
            let (a, b) = (pivot[column], row[column]);
            for (x, p) in row.iter_mut().zip(pivot) {
                *x = x.checked_mul(a)?.checked_sub(p.checked_mul(b)?)?;
            }
        }
        rank += 1;
    }
    Some(rank)
}

/// The largest number of a sample, and the largest factor and constant of a grammar, with which candidates are worked
/// out: so that no sum of products of them is too large.
pub(crate) const LARGEST: i64 = 1 << 40;
const LARGEST_FACTOR: i64 = 1 << 12;

/// Whether all numbers of a sample and a grammar are small enough for candidates.
fn is_small(samples: &[Sample], grammar: &Grammar) -> bool {
    let small = |n: &i64| (-LARGEST..=LARGEST).contains(n);
    let of_sample = |sample: &Sample| {
        sample.instance.parameters().iter().all(small) && sample.states.iter().flatten().all(small)
    };
    (0..=LARGEST_FACTOR).contains(&grammar.factor)
        && [grammar.constant, grammar.slack].iter().all(small)
        && samples.iter().all(of_sample)
}

/// The candidates of a grammar that are true of all samples; `None` if `until` came first. Samples with numbers beyond
/// 2^40 have none.
pub fn candidates(
    system: &System,
    samples: &[Sample],
    grammar: &Grammar,
    until: Instant,
) -> Option<Vec<Claim>> {
    if !is_small(samples, grammar) {
        return Some(Vec::new());
    }
    let literals = literals(system, samples);
    let conditions = conditions(&literals, grammar.literals);
    let directions = directions(system, grammar.variables);
    let slopes = slopes(&free(samples), grammar);
    let mut found: Vec<Term> = Vec::new();
    // What holds under fewer literals is not said again under more.
    let mut known: BTreeSet<(Vec<usize>, usize, Bound)> = BTreeSet::new();
    let mut impossible: Vec<&Vec<usize>> = Vec::new();
    for condition in &conditions {
        if Instant::now() >= until {
            return None;
        }
        if impossible.iter().any(|fewer| fewer.iter().all(|literal| condition.contains(literal))) {
            continue;
        }
        let formula = Term::and(condition.iter().map(|&literal| literals[literal].term(system)));
        let chosen: Vec<(&Sample, Vec<&State>)> = samples
            .iter()
            .map(|sample| {
                let parameters = sample.instance.parameters();
                let fits = |state: &&State| {
                    condition.iter().all(|&literal| literals[literal].holds(state, parameters))
                };
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
                    let sum =
                        |state: &&State| direction.iter().map(|&(i, sign)| sign * state[i]).sum::<i64>();
                    (sample.instance.parameters(), states.iter().map(sum).max().unwrap_or(0))
                })
                .collect();
            for bound in bounds(&points, &slopes, grammar) {
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
    Some(crate::obligation::numbered("c", found))
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
