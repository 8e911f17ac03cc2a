//! What is left of a condition, read as bounds on something that is not known: on a number, or on the length of a list.

use super::store::{ValueHead, ValueId, ValueStore};
use crate::typing::{Operation, SortId};

/// The values that something may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: Option<i128>,
    pub(super) high: Option<i128>,
    /// The only values, if they are known one by one.
    pub(super) listed: Option<Vec<ValueId>>,
}

/// `scale * x + offset`.
#[derive(Clone, Copy)]
struct Linear {
    scale: i128,
    offset: i128,
}

impl Range {
    fn nothing() -> Self {
        Self { low: None, high: None, listed: Some(Vec::new()) }
    }

    /// The least value of a sort of numbers within.
    pub(super) fn least(&self, sort: SortId) -> Option<i128> {
        let least = match sort {
            SortId::POS => Some(1),
            SortId::NAT => Some(0),
            _ => None,
        };
        match (least, self.low) {
            (Some(least), Some(low)) => Some(least.max(low)),
            (least, low) => least.or(low),
        }
    }

    /// What is in both.
    fn and(self, other: Self) -> Self {
        let most = |a: Option<i128>, b: Option<i128>, of: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(of(a, b)),
            (a, b) => a.or(b),
        };
        let listed = match (self.listed, other.listed) {
            (Some(a), Some(b)) => Some(a.into_iter().filter(|value| b.contains(value)).collect()),
            (a, b) => a.or(b),
        };
        Self {
            low: most(self.low, other.low, i128::max),
            high: most(self.high, other.high, i128::min),
            listed,
        }
    }

    /// What is in either, and perhaps more between them.
    fn or(self, other: Self) -> Self {
        let is_nothing = |range: &Self| range.listed.as_ref().is_some_and(Vec::is_empty);
        if is_nothing(&self) {
            return other;
        }
        if is_nothing(&other) {
            return self;
        }
        let (a, b) = (self.as_interval(), other.as_interval());
        let listed = match (self.listed, other.listed) {
            (Some(mut a), Some(b)) => {
                a.extend(b);
                a.sort();
                a.dedup();
                Some(a)
            }
            _ => None,
        };
        let low = a.0.zip(b.0).map(|(a, b)| a.min(b));
        let high = a.1.zip(b.1).map(|(a, b)| a.max(b));
        Self { low, high, listed }
    }

    fn as_interval(&self) -> (Option<i128>, Option<i128>) {
        let integers = self.listed.as_ref().map(|listed| {
            listed.iter().map(|value| value.as_integer().map(i128::from)).collect::<Option<Vec<_>>>()
        });
        match integers {
            Some(Some(integers)) => (integers.iter().min().copied(), integers.iter().max().copied()),
            _ => (self.low, self.high),
        }
    }
}

impl ValueStore {
    /// The values that something must have for what is left of a condition to be true, or false.
    pub(super) fn range(&self, condition: ValueId, wanted: bool, unknown: ValueId) -> Range {
        if let Some(truth) = condition.as_truth() {
            return if truth == wanted { Range::default() } else { Range::nothing() };
        }
        let Some(ValueHead::Operation(operation)) = self.head(condition) else { return Range::default() };
        let part = |place| self.part(condition, place);
        let of = |place, wanted| self.range(part(place), wanted, unknown);
        match operation {
            Operation::Not => of(0, !wanted),
            Operation::And if wanted => of(0, true).and(of(1, true)),
            Operation::And => of(0, false).or(of(1, false)),
            Operation::Or if wanted => of(0, true).or(of(1, true)),
            Operation::Or => of(0, false).and(of(1, false)),
            Operation::If => {
                let then = of(0, true).and(of(1, wanted));
                let otherwise = of(0, false).and(of(2, wanted));
                then.or(otherwise)
            }
            Operation::Equal if wanted => self.equal_to(part(0), part(1), unknown),
            Operation::Unequal if !wanted => self.equal_to(part(0), part(1), unknown),
            Operation::Less if wanted => self.below(part(0), part(1), 1, unknown),
            Operation::Less => self.below(part(1), part(0), 0, unknown),
            Operation::AtMost if wanted => self.below(part(0), part(1), 0, unknown),
            Operation::AtMost => self.below(part(1), part(0), 1, unknown),
            Operation::InList if wanted && part(0) == unknown => {
                let (elements, rest) = self.list_elements(part(1));
                let known = rest.is_none() && elements.iter().all(|element| self.is_plain(*element));
                if known { self.listed(elements) } else { Range::default() }
            }
            Operation::InSet if wanted && part(0) == unknown => {
                let known = self.head(part(1)) == Some(ValueHead::FiniteSet) && self.is_plain(part(1));
                if known { self.listed(self.parts(part(1)).to_vec()) } else { Range::default() }
            }
            _ => Range::default(),
        }
    }

    fn listed(&self, values: Vec<ValueId>) -> Range {
        Range { listed: Some(self.sorted(values)), ..Range::default() }
    }

    fn equal_to(&self, a: ValueId, b: ValueId, unknown: ValueId) -> Range {
        for (a, b) in [(a, b), (b, a)] {
            if a == unknown && self.is_plain(b) {
                return self.listed(vec![b]);
            }
        }
        self.below(a, b, 0, unknown).and(self.below(b, a, 0, unknown))
    }

    /// What `a + gap <= b` says.
    fn below(&self, a: ValueId, b: ValueId, gap: i128, unknown: ValueId) -> Range {
        let constant = |value: ValueId| value.as_integer().map(i128::from);
        if let (Some(linear), Some(limit)) = (self.linear(a, unknown), constant(b)) {
            return linear.at_most(limit - gap);
        }
        if let (Some(limit), Some(linear)) = (constant(a), self.linear(b, unknown)) {
            return linear.at_least(limit + gap);
        }
        Range::default()
    }

    /// An expression as a line through what is not known, or through the length of that.
    fn linear(&self, value: ValueId, unknown: ValueId) -> Option<Linear> {
        if value == unknown {
            return Some(Linear { scale: 1, offset: 0 });
        }
        let Some(ValueHead::Operation(operation)) = self.head(value) else { return None };
        let part = |place| self.part(value, place);
        let constant = |place| part(place).as_integer().map(i128::from);
        let line = |place| self.linear(part(place), unknown);
        match operation {
            Operation::ListSize => (part(0) == unknown).then_some(Linear { scale: 1, offset: 0 }),
            Operation::Plus => match (line(0), constant(1)) {
                (Some(line), Some(number)) => Some(Linear { offset: line.offset + number, ..line }),
                _ => {
                    let (number, line) = (constant(0)?, line(1)?);
                    Some(Linear { offset: line.offset + number, ..line })
                }
            },
            Operation::Minus => match (line(0), constant(1)) {
                (Some(line), Some(number)) => Some(Linear { offset: line.offset - number, ..line }),
                _ => {
                    let (number, line) = (constant(0)?, line(1)?);
                    Some(Linear { scale: -line.scale, offset: number - line.offset })
                }
            },
            Operation::Times => {
                let (line, number) = match (line(0), constant(1)) {
                    (Some(line), Some(number)) => (line, number),
                    _ => (line(1)?, constant(0)?),
                };
                Some(Linear { scale: line.scale * number, offset: line.offset * number })
            }
            Operation::Negate => line(0).map(|line| Linear { scale: -line.scale, offset: -line.offset }),
            Operation::Succ => line(0).map(|line| Linear { offset: line.offset + 1, ..line }),
            Operation::Pred => line(0).map(|line| Linear { offset: line.offset - 1, ..line }),
            Operation::ToPos | Operation::ToNat | Operation::ToInt => line(0),
            _ => None,
        }
    }
}

impl Linear {
    /// What is known of `x` if the line is at most a limit.
    fn at_most(self, limit: i128) -> Range {
        let room = limit - self.offset;
        match self.scale {
            0 if room >= 0 => Range::default(),
            0 => Range::nothing(),
            scale if scale > 0 => Range { high: Some(room.div_euclid(scale)), ..Range::default() },
            scale => Range { low: Some(-(room.div_euclid(-scale))), ..Range::default() },
        }
    }

    fn at_least(self, limit: i128) -> Range {
        Linear { scale: -self.scale, offset: -self.offset }.at_most(-limit)
    }
}
