//! Durations as a type. A protocol that is generic over [`Time`] runs and is checked with whole units of time, and its
//! parameters can also stay unknown: then a duration is a linear expression over them.

use crate::Pack;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

/// A duration, never negative: `u32` where a protocol runs and is checked, a linear expression over parameters where
/// the parameters are unknown.
///
/// Equality is structural: `tmin` and `tmax` are different expressions, whatever their values. Compare with
/// [`less`](Time::less) and the methods made of it. Where the parameters leave a comparison undecided, the search takes
/// both ways, each with its half of the parameters.
///
/// ```
/// use watchkeeper_core::Time;
///
/// fn patience<T: Time>(tmin: T, tmax: T) -> T {
///     tmax.scaled(3, 1).minus(tmin)
/// }
///
/// assert_eq!(patience(4u32, 10), 26);
/// assert_eq!(7u32.halved(), 3);
/// assert_eq!(4u32.minus(10), 0);
/// ```
pub trait Time:
    Copy + Eq + Hash + Debug + Display + Pack + FromStr<Err: Display> + From<u32> + Send + Sync + 'static
{
    /// The sum.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The difference, or zero if `other` is longer.
    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// This duration times `numerator / denominator`. Whole units are rounded down; an expression is exact.
    #[must_use]
    fn scaled(self, numerator: u32, denominator: u32) -> Self;

    /// The product with a number that is itself a parameter. Of two unknown factors there is no linear expression, and a
    /// search over parameters refuses the protocol.
    #[must_use]
    fn times(self, factor: Self) -> Self;

    /// Whether this duration is shorter than the other.
    fn less(self, other: Self) -> bool;

    /// Whether so many times this duration can be counted. Only whole units have an end.
    fn fits(self, times: u32) -> bool;

    /// Half of it. Whole units are rounded down; an expression is exact.
    #[must_use]
    fn halved(self) -> Self {
        self.scaled(1, 2)
    }

    /// Whether this duration is no longer than the other.
    fn at_most(self, other: Self) -> bool {
        !other.less(self)
    }

    /// Whether it is zero.
    fn is_zero(self) -> bool {
        self.at_most(Self::from(0))
    }

    /// The shorter of the two.
    #[must_use]
    fn shorter(self, other: Self) -> Self {
        if other.less(self) { other } else { self }
    }

    /// The longer of the two.
    #[must_use]
    fn longer(self, other: Self) -> Self {
        if self.less(other) { other } else { self }
    }
}

impl Time for u32 {
    fn plus(self, other: u32) -> u32 {
        self.saturating_add(other)
    }

    fn minus(self, other: u32) -> u32 {
        self.saturating_sub(other)
    }

    fn scaled(self, numerator: u32, denominator: u32) -> u32 {
        let scaled = (u64::from(self) * u64::from(numerator)).checked_div(u64::from(denominator));
        scaled.and_then(|scaled| u32::try_from(scaled).ok()).unwrap_or(u32::MAX)
    }

    fn times(self, factor: u32) -> u32 {
        self.saturating_mul(factor)
    }

    fn less(self, other: u32) -> bool {
        self < other
    }

    fn fits(self, times: u32) -> bool {
        self.checked_mul(times).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_units_saturate_at_both_ends() {
        assert_eq!(u32::MAX.plus(1), u32::MAX);
        assert_eq!(3u32.minus(4), 0);
        assert_eq!((7u32.scaled(3, 2), 7u32.scaled(1, 0), u32::MAX.scaled(2, 1)), (10, u32::MAX, u32::MAX));
        assert!(u32::MAX.fits(1) && !u32::MAX.fits(2));
    }

    #[test]
    fn comparisons_are_made_of_less() {
        assert!(2u32.at_most(2) && !3u32.at_most(2) && 0u32.is_zero() && !1u32.is_zero());
        assert_eq!((2u32.shorter(3), 2u32.longer(3), 5u32.times(4)), (2, 3, 20));
    }
}
