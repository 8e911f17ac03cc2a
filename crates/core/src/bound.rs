//! Bounds on the future. A message in flight and an armed timer are the same thing, an obligation that
//! happens within a closed interval; the environment decides when.

use crate::Time;
use std::fmt;

/// Not before `lo` from now, and not after `hi`, if there is a `hi`, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bound<T = u32> {
    lo: T,
    hi: Option<T>,
}

impl<T: Time> Bound<T> {
    /// Between `lo` and `hi`, both included; `None` if `lo` is above `hi`.
    pub fn new(lo: T, hi: T) -> Option<Bound<T>> {
        if lo.at_most(hi) { Some(Bound { lo, hi: Some(hi) }) } else { None }
    }

    /// At any time up to `hi`.
    pub fn within(hi: T) -> Bound<T> {
        Bound { lo: T::from(0), hi: Some(hi) }
    }
}

impl<T: Copy> Bound<T> {
    /// Exactly after `t`.
    pub const fn exactly(t: T) -> Bound<T> {
        Bound { lo: t, hi: Some(t) }
    }

    /// At any time from `lo` on, perhaps never.
    pub const fn at_least(lo: T) -> Bound<T> {
        Bound { lo, hi: None }
    }

    /// The earliest time.
    pub const fn lo(self) -> T {
        self.lo
    }

    /// The latest time; `None` if there is none.
    pub const fn hi(self) -> Option<T> {
        self.hi
    }
}

impl<T: fmt::Display> fmt::Display for Bound<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hi {
            Some(hi) => write!(f, "[{}, {hi}]", self.lo),
            None => write!(f, "[{}, inf)", self.lo),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_interval_is_refused() {
        assert_eq!(Bound::new(3u32, 2), None);
        assert_eq!(Bound::new(2u32, 3).map(|b| b.to_string()).as_deref(), Some("[2, 3]"));
        assert_eq!(Bound::at_least(1u32).to_string(), "[1, inf)");
    }
}
