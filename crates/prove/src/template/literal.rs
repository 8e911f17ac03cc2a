//! Literals over one variable: whether a truth value is true, a control point is reached, a number is at one of its
//! limits. The limits are read off the states of samples.

use super::maxima::SampleColumns;
use super::sequences;
use crate::{System, Term, TermSort};

/// A literal over one variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Literal {
    pub(super) variable: usize,
    pub(super) test: Test,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    Is(i64),
    Below(Threshold),
    AtLeast(Threshold),
}

/// A number, plus a parameter or another variable if one is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Threshold {
    pub(super) of: Option<ThresholdBase>,
    pub(super) number: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThresholdBase {
    Parameter(usize),
    Variable(usize),
}

impl Threshold {
    fn term(self, system: &System) -> Term {
        let name = self.of.map(|of| match of {
            ThresholdBase::Parameter(i) => Term::name(&system.parameters[i].name),
            ThresholdBase::Variable(i) => Term::name(&system.variables[i].name),
        });
        Term::sum(name.into_iter().chain([Term::Number(self.number)]))
    }
}

impl Literal {
    /// Tells for each state of a sample whether the literal is true there.
    pub(super) fn judged(&self, sample: &SampleColumns, mut tell: impl FnMut(usize, bool)) {
        let values = &sample.columns[self.variable];
        let compared = |limit: Threshold, mut tell: Box<dyn FnMut(usize, i64, i64) + '_>| match limit.of {
            Some(ThresholdBase::Variable(other)) => {
                let others = sample.columns[other].iter();
                let pairs = values.iter().zip(others).enumerate();
                pairs.for_each(|(i, (value, other))| tell(i, *value, other + limit.number));
            }
            Some(ThresholdBase::Parameter(parameter)) => {
                let limit = sample.parameters[parameter] + limit.number;
                values.iter().enumerate().for_each(|(i, value)| tell(i, *value, limit));
            }
            None => values.iter().enumerate().for_each(|(i, value)| tell(i, *value, limit.number)),
        };
        match self.test {
            Test::Is(wanted) => values.iter().enumerate().for_each(|(i, value)| tell(i, *value == wanted)),
            Test::Below(limit) => compared(limit, Box::new(|i, value, limit| tell(i, value < limit))),
            Test::AtLeast(limit) => compared(limit, Box::new(|i, value, limit| tell(i, value >= limit))),
        }
    }

    /// Whether two literals may be in one condition: of one variable only a part between two limits.
    pub(super) fn goes_with(&self, other: &Literal) -> bool {
        self.variable != other.variable
            || matches!(
                (self.test, other.test),
                (Test::Below(one), Test::AtLeast(two)) | (Test::AtLeast(one), Test::Below(two)) if one != two
            )
    }

    pub(super) fn term(&self, system: &System) -> Term {
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
pub(super) fn literals(system: &System, samples: &[SampleColumns]) -> Vec<Literal> {
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
                    let over: Vec<i64> =
                        samples.iter().filter_map(|sample| sample.most_over(variable, of)).collect();
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

/// All conjunctions of at most so many literals over different variables; the empty one first.
pub(super) fn conditions(literals: &[Literal], most: usize) -> Vec<Vec<usize>> {
    let longer = sequences(most, |condition: &[usize]| {
        let from = condition.last().map_or(0, |last| last + 1);
        let fits =
            |literal: &usize| condition.iter().all(|&other| literals[other].goes_with(&literals[*literal]));
        (from..literals.len()).filter(fits).collect()
    });
    [vec![Vec::new()], longer].concat()
}
