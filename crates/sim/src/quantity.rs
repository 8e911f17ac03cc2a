//! Spans of time and shares as a plan writes them: whole numbers with a unit, so that what is written is exactly what is
//! read.

use std::fmt;
use std::str::FromStr;

/// A span of time in nanoseconds. Written with the largest unit of which it is a whole number: `2ms`, `1500us`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Nanos(pub u64);

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, ns)| self.0 > 0 && self.0.is_multiple_of(*ns));
        let (name, ns) = unit.unwrap_or(&UNITS[3]);
        write!(f, "{}{name}", self.0 / ns)
    }
}

impl FromStr for Nanos {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Nanos, QuantityError> {
        let wrong = || QuantityError::Span(text.to_string());
        let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        let (_, ns) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        let number: u64 = number.parse().map_err(|_| wrong())?;
        // A century and more; sums of a few of these still fit.
        number.checked_mul(*ns).filter(|ns| *ns <= 1 << 62).map(Nanos).ok_or_else(wrong)
    }
}

/// A quantity that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// No span of time.
    #[error("`{0}` is not a span of time; write one like 500us, 20ms or 1s")]
    Span(String),
    /// No distribution.
    #[error(
        "`{0}` is not a distribution of delays; write constant:2ms, uniform:0ms..4ms, exponential:2ms, \
         lognormal:2ms/0.5 or pareto:2ms/1.5"
    )]
    Distribution(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_they_are_read() {
        for text in ["1s", "1500ms", "20ms", "7us", "1000001ns", "0ns"] {
            assert_eq!(text.parse::<Nanos>().map(|span| span.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "5", "ms", "-1ms", "1.5ms", "5 ms", "99999999999999999999s", "9999999999s", "1h"] {
            assert!(wrong.parse::<Nanos>().is_err(), "{wrong}");
        }
    }
}
