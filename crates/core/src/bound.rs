//! Bounds on the future. A message in flight and an armed timer are the same thing, an obligation that
//! happens within a closed integer interval; the environment decides when.

use std::fmt;

/// Not before `lo` units of time from now, and not after `hi`, if there is a `hi`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bound {
    lo: u32,
    hi: Option<u32>,
}

impl Bound {
    /// Between `lo` and `hi`, both included; `None` if `lo` is above `hi`.
    pub const fn new(lo: u32, hi: u32) -> Option<Bound> {
        if lo <= hi { Some(Bound { lo, hi: Some(hi) }) } else { None }
    }

    /// Exactly after `t`.
    pub const fn exactly(t: u32) -> Bound {
        Bound { lo: t, hi: Some(t) }
    }

    /// At any time up to `hi`.
    pub const fn within(hi: u32) -> Bound {
        Bound { lo: 0, hi: Some(hi) }
    }

    /// At any time from `lo` on, perhaps never.
    pub const fn at_least(lo: u32) -> Bound {
        Bound { lo, hi: None }
    }

    /// The earliest time.
    pub const fn lo(self) -> u32 {
        self.lo
    }

    /// The latest time; `None` if there is none.
    pub const fn hi(self) -> Option<u32> {
        self.hi
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hi {
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
        assert_eq!(Bound::new(3, 2), None);
        assert_eq!(Bound::new(2, 3).map(|b| b.to_string()).as_deref(), Some("[2, 3]"));
        assert_eq!(Bound::at_least(1).to_string(), "[1, inf)");
    }
}
