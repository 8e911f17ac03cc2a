//! Durations with exact halves, which count how often two of them are compared.

use std::cell::Cell;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;
use watchkeeper_core::{Pack, Time};

/// The fraction of a unit of time that is counted.
const PARTS: u64 = 1 << 10;

thread_local! {
    static COMPARED: Cell<usize> = const { Cell::new(0) };
}

/// A duration in parts of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Exact(u64);

impl Exact {
    /// So many halves of a unit.
    pub fn halves(n: u64) -> Exact {
        Exact(n * PARTS / 2)
    }

    /// How many comparisons there are while this is done, with what it comes to.
    pub fn compared<R>(what: impl FnOnce() -> R) -> (usize, R) {
        let before = COMPARED.get();
        let result = what();
        (COMPARED.get() - before, result)
    }
}

impl From<u32> for Exact {
    fn from(units: u32) -> Exact {
        Exact(u64::from(units) * PARTS)
    }
}

impl FromStr for Exact {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Exact, ParseIntError> {
        text.parse().map(|units: u32| Exact::from(units))
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 as f64 / PARTS as f64)
    }
}

impl Time for Exact {
    fn plus(self, other: Exact) -> Exact {
        Exact(self.0 + other.0)
    }

    fn minus(self, other: Exact) -> Exact {
        Exact(self.0.saturating_sub(other.0))
    }

    fn scaled(self, numerator: u32, denominator: u32) -> Exact {
        Exact(self.0 * u64::from(numerator) / u64::from(denominator))
    }

    fn times(self, factor: Exact) -> Exact {
        Exact(self.0 * factor.0 / PARTS)
    }

    fn less(self, other: Exact) -> bool {
        COMPARED.set(COMPARED.get() + 1);
        self.0 < other.0
    }

    fn fits(self, _: u32) -> bool {
        true
    }
}
