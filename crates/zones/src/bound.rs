//! One bound on the difference of two clocks. It is a single word whose order is the order of strength,
//! because comparing and adding bounds is all that the algebra of zones ever does. It must never wrap
//! around: what is out of range stays at the end of the range.

use std::fmt;
use std::ops::Add;

/// A bound `<= v` or `< v` on a difference; the smaller, the stronger.
///
/// The word is `2 v + 1`, or `2 v` if the bound is strict, so that `< v` is just below `<= v`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DbmBound(i32);

impl DbmBound {
    /// No bound at all; adding anything to it changes nothing.
    pub const NONE: DbmBound = DbmBound(i32::MAX);

    /// The bound `<= 0`: that of every clock to itself.
    pub const ZERO: DbmBound = DbmBound(1);

    /// The largest constant, up or down, of which sums along a dozen clocks are still exact.
    pub const LARGEST: i32 = 1 << 26;

    /// The bound `<= v`.
    pub const fn at_most(v: i32) -> DbmBound {
        DbmBound(v.saturating_mul(2) | 1)
    }

    /// The bound `< v`.
    pub const fn below(v: i32) -> DbmBound {
        DbmBound(v.saturating_mul(2) & !1)
    }

    /// The constant of the bound; without meaning for [`DbmBound::NONE`].
    pub const fn value(self) -> i32 {
        self.0 >> 1
    }

    /// Whether the difference must stay away from the constant itself.
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether there is no bound.
    pub const fn is_none(self) -> bool {
        self.0 == i32::MAX
    }

    /// The bound on the opposite difference that is met just where this one is not: `x - y <= 3` is broken
    /// where `y - x < -3`. There is none for [`DbmBound::NONE`], which cannot be broken.
    pub const fn complement(self) -> Option<DbmBound> {
        if self.is_none() { None } else { Some(DbmBound(1i32.saturating_sub(self.0))) }
    }

    /// The bound after a constant was added to the difference.
    #[inline]
    pub const fn shifted(self, by: i32) -> DbmBound {
        if self.is_none() {
            return self;
        }
        let even = (self.0 & !1).saturating_add(by.saturating_mul(2) & !1);
        DbmBound(even | (self.0 & 1))
    }

    /// The largest multiple of one over the denominator that is within the bound, as a numerator; without
    /// meaning for [`DbmBound::NONE`].
    pub(crate) const fn on_grid(self, denominator: i64) -> i64 {
        self.value() as i64 * denominator - self.is_strict() as i64
    }

    /// The word, for storage.
    #[inline]
    pub(crate) const fn word(self) -> i32 {
        self.0
    }

    /// The bound of a word from storage.
    #[inline]
    pub(crate) const fn of_word(word: i32) -> DbmBound {
        DbmBound(word)
    }
}

impl Add for DbmBound {
    type Output = DbmBound;

    /// The bound on `x - z` that follows from this one on `x - y` and the other on `y - z`.
    #[inline]
    fn add(self, other: DbmBound) -> DbmBound {
        if self.is_none() || other.is_none() {
            return DbmBound::NONE;
        }
        let even = (self.0 & !1).saturating_add(other.0 & !1);
        DbmBound(even | (self.0 & other.0 & 1))
    }
}

impl fmt::Display for DbmBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_none(), self.is_strict()) {
            (true, _) => f.write_str("< inf"),
            (false, true) => write!(f, "< {}", self.value()),
            (false, false) => write!(f, "<= {}", self.value()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_order_of_strength() {
        let ladder = [
            DbmBound::below(-1),
            DbmBound::at_most(-1),
            DbmBound::below(0),
            DbmBound::ZERO,
            DbmBound::below(1),
        ];
        assert!(ladder.is_sorted_by(|a, b| a < b));
        assert!(DbmBound::at_most(DbmBound::LARGEST) < DbmBound::NONE);
        assert_eq!(DbmBound::at_most(0), DbmBound::ZERO);
    }

    #[test]
    fn a_bound_reads_back() {
        for v in [-DbmBound::LARGEST, -7, -1, 0, 1, 7, DbmBound::LARGEST] {
            let (at_most, below) = (DbmBound::at_most(v), DbmBound::below(v));
            assert_eq!((at_most.value(), at_most.is_strict()), (v, false));
            assert_eq!((below.value(), below.is_strict()), (v, true));
            assert_eq!(DbmBound::of_word(below.word()), below);
        }
        let shown =
            [DbmBound::at_most(-3), DbmBound::below(4), DbmBound::NONE].map(|bound| bound.to_string());
        assert_eq!(shown, ["<= -3", "< 4", "< inf"]);
    }

    #[test]
    fn a_sum_is_strict_if_a_part_is() {
        assert_eq!(DbmBound::at_most(2) + DbmBound::at_most(-5), DbmBound::at_most(-3));
        assert_eq!(DbmBound::at_most(2) + DbmBound::below(-5), DbmBound::below(-3));
        assert_eq!(DbmBound::below(2) + DbmBound::below(-5), DbmBound::below(-3));
        assert_eq!(DbmBound::below(2).shifted(-5), DbmBound::below(-3));
        assert_eq!(DbmBound::at_most(-2).shifted(5), DbmBound::at_most(3));
    }

    #[test]
    fn nothing_wraps() {
        for bound in [DbmBound::at_most(i32::MAX), DbmBound::below(i32::MIN), DbmBound::ZERO, DbmBound::NONE]
        {
            assert_eq!(bound + DbmBound::NONE, DbmBound::NONE);
            assert_eq!(DbmBound::NONE + bound, DbmBound::NONE);
        }
        assert_eq!(DbmBound::NONE.shifted(i32::MIN), DbmBound::NONE);
        let (high, low) = (DbmBound::at_most(1 << 29), DbmBound::below(-(1 << 29)));
        assert_eq!(high + high, DbmBound::NONE);
        assert!(low + low + low <= low + low && low + low < low);
        assert_eq!(high.shifted(1 << 29), DbmBound::NONE);
        assert!(low.shifted(i32::MIN) < low);
    }

    #[test]
    fn a_complement_is_the_other_side() {
        assert_eq!(DbmBound::at_most(3).complement(), Some(DbmBound::below(-3)));
        assert_eq!(DbmBound::below(3).complement(), Some(DbmBound::at_most(-3)));
        assert_eq!(DbmBound::NONE.complement(), None);
    }
}
