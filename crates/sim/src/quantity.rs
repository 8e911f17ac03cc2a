//! Spans of time as a plan writes them: a number with a unit, so that what is written is exactly what is read.

use std::fmt;
use std::str::FromStr;

/// A span of time in nanoseconds. Written with the largest unit of which it is a whole number: `2ms`, `1500us`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Nanos(pub u64);

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// Units that are read and not written.
const LONG: [(&str, u64); 2] = [("min", 60_000_000_000), ("h", 3_600_000_000_000)];

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
        if text.starts_with('-') {
            return Err(QuantityError::Negative(text.to_string()));
        }
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        let (_, ns) = UNITS.iter().chain(&LONG).find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let part = |digits: &str| digits.parse::<u128>().map_err(|_| wrong());
        let scale = 10u128.checked_pow(fraction.len() as u32).ok_or_else(wrong)?;
        let scaled =
            part(whole)?.checked_mul(scale).and_then(|whole| whole.checked_add(part(fraction).ok()?));
        let scaled = scaled.and_then(|scaled| scaled.checked_mul(u128::from(*ns))).ok_or_else(wrong)?;
        // A century and more; sums of a few of these still fit. Less than a nanosecond is nothing that is kept.
        let nanos = scaled.is_multiple_of(scale).then_some(scaled / scale).filter(|ns| *ns <= 1 << 62);
        nanos.map(|ns| Nanos(ns as u64)).ok_or_else(wrong)
    }
}

/// A quantity that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// No span of time.
    #[error("`{0}` is not a span of time; write one like 500us, 20ms or 1s")]
    Span(String),
    /// Less than no time.
    #[error("`{0}` is negative, and no span of time is; write one like 500us, 20ms or 1s")]
    Negative(String),
    /// No distribution.
    #[error(
        "`{0}` is not a distribution of delays; write constant:2ms, uniform:0ms,4ms, exp:2ms (its mean), \
         lognormal:2ms,0.5 (median, sigma), pareto:2ms,1.5 (scale, shape) or weibull:2ms,0.8 (scale, shape)"
    )]
    Distribution(String),
    /// The ends of a uniform distribution are the wrong way round.
    #[error("`{0}` ends before it begins; write the least delay first, as in uniform:1ms,4ms")]
    Backwards(String),
    /// No sigma, or no shape.
    #[error("`{0}` does not do for a sigma or a shape, which are numbers from 0.001 to 1000")]
    Shape(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_they_are_read() {
        for text in ["1s", "1500ms", "20ms", "7us", "1000001ns", "0ns"] {
            assert_eq!(text.parse::<Nanos>().map(|span| span.to_string()).as_deref(), Ok(text));
        }
        for (text, ns) in [("1.5ms", 1_500_000), ("0.000000001s", 1), ("2min", 120_000_000_000)] {
            assert_eq!(text.parse::<Nanos>(), Ok(Nanos(ns)));
        }
        assert_eq!("-1ms".parse::<Nanos>(), Err(QuantityError::Negative("-1ms".to_string())));
        for wrong in
            ["", "5", "ms", ".ms", "1.ms", "1.2.3ms", "0.5ns", "5 ms", "99999999999999999999s", "9999999999s"]
        {
            assert!(wrong.parse::<Nanos>().is_err(), "{wrong}");
        }
    }
}
