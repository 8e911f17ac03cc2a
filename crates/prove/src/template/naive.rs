//! The definition of candidates as it reads: every condition, every sum and every bound is looked at in every state.
//! Tests hold the table of groups against it.

use super::literal::{Literal, Test, Threshold, ThresholdBase, conditions};
use super::slopes::{free, slopes};
use super::{Grammar, Sample, bounded, directions, is_modest, is_small};
use crate::obligation::Claim;
use crate::{State, System, Term, TermSort};
use std::collections::BTreeSet;

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

/// A bound on a direction: factors of the parameters, and a constant.
type Bound = (Vec<i64>, i64);

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

/// The candidates of a grammar that are true of all samples.
fn candidates(system: &System, samples: &[Sample], grammar: &Grammar) -> Vec<Claim> {
    if !is_modest(grammar) || !samples.iter().all(is_small) {
        return Vec::new();
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
                    found.push(bounded(system, direction, &bound.0, bound.1).given(formula.clone()));
                }
            }
        }
    }
    crate::obligation::numbered("c", found)
}

mod tests {
    use super::*;
    use crate::template::CandidateTable;
    use crate::{SystemInstance, assign};
    use std::time::{Duration, Instant};

    /// Numbers that look random and are the same in every run.
    struct Draws(u64);

    impl Draws {
        fn below(&mut self, most: i64) -> i64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as i64) % most
        }
    }

    /// A system with variables of every kind; only its declarations matter here.
    fn system() -> System {
        System::new("declarations")
            .parameter("a", "one")
            .parameter("b", "two")
            .parameter("c", "as large as both")
            .number("x", 0, "a number")
            .flag("up", "a truth value")
            .number("y", -1, "a number that may be missing")
            .control("at", &["First", "Second", "Third"], "a control point")
            .number("z", 2, "a number that is never small")
            .initially(
                ["x", "up", "y", "at", "z"].map(|name| assign(name, if name == "up" { "true" } else { "2" })),
            )
            .finished()
            .expect("a system")
    }

    /// Samples whose numbers have much to do with the parameters, and something with each other.
    fn samples(system: &System, draws: &mut Draws) -> Vec<Sample> {
        let mut samples = Vec::new();
        for _ in 0..2 + draws.below(6) {
            let (a, b) = (draws.below(5), 1 + draws.below(3));
            let instance = SystemInstance::new(system, &[a, b, a + b]).expect("an instance");
            let mut states = Vec::new();
            for _ in 0..draws.below(40) {
                let x = draws.below(a + 2 * b + 1);
                let up = draws.below(2);
                let y = if up == 1 { -1 } else { x.min(a) };
                let at = if x > a { 2 } else { draws.below(2) };
                states.push(vec![x, up, y, at, 2 + (x + draws.below(b + 1)) * (1 - up)]);
            }
            samples.push(Sample { instance, states });
        }
        samples
    }

    #[test]
    fn the_table_of_groups_has_the_candidates_of_the_definition_in_their_order() {
        let system = system();
        let until = Instant::now() + Duration::from_secs(3600);
        let odd = [
            Grammar { literals: 0, variables: 3, factor: 2, constant: 3, slack: 0, slopes: 1 },
            Grammar { literals: 3, variables: 1, factor: 1, constant: 40, slack: 3, slopes: 9 },
            Grammar { literals: 1, variables: 1, factor: 0, constant: 2, slack: 1, slopes: 0 },
        ];
        let mut candidates_seen = 0;
        for seed in 0..8 {
            let samples = samples(&system, &mut Draws(seed));
            let mut table = CandidateTable::new(&system, &samples);
            // The last one asks for less than was asked before.
            let grammars = Grammar::LADDER.iter().chain(&odd).chain(&Grammar::LADDER[..1]);
            for grammar in grammars {
                let defined = candidates(&system, &samples, grammar);
                let found = table.candidates(grammar, until);
                assert_eq!(found.as_ref(), Some(&defined), "seed {seed}, {grammar:?}");
                candidates_seen += defined.len();
            }
        }
        assert!(candidates_seen > 10_000, "{candidates_seen} candidates");
    }

    #[test]
    fn a_table_that_ran_out_of_time_is_not_taken_for_a_finished_one() {
        let system = system();
        let samples = samples(&system, &mut Draws(3));
        let mut table = CandidateTable::new(&system, &samples);
        let grammar = &Grammar::LADDER[1];
        assert_eq!(table.candidates(grammar, Instant::now()), None);
        let until = Instant::now() + Duration::from_secs(3600);
        assert_eq!(table.candidates(grammar, until), Some(candidates(&system, &samples, grammar)));
    }
}
