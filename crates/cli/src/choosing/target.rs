//! What parameters are chosen for: how soon a crash shall be found, and how rare mistakes shall be.

use std::fmt;
use std::str::FromStr;
use watchkeeper_sim::Nanos;

/// A target.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Target {
    /// Within how many nanoseconds a crash shall be detected, at the latest.
    pub(crate) detect: u64,
    /// How often there may be a mistake.
    pub(crate) mistakes: MistakeRate,
}

/// So many mistakes in so long, of each process about each other.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MistakeRate {
    text: String,
    /// The seconds from one mistake to the next.
    pub(crate) recurrence: f64,
}

/// The names of spans, in seconds. A month is a twelfth of a year of 365.25 days.
const SPANS: [(&str, f64); 14] = [
    ("s", 1.0),
    ("second", 1.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("h", 3600.0),
    ("hour", 3600.0),
    ("d", 86_400.0),
    ("day", 86_400.0),
    ("w", 604_800.0),
    ("week", 604_800.0),
    ("month", 2_629_800.0),
    ("quarter", 7_889_400.0),
    ("y", 31_557_600.0),
    ("year", 31_557_600.0),
];

impl FromStr for MistakeRate {
    type Err = String;

    fn from_str(text: &str) -> Result<MistakeRate, String> {
        let wrong = || {
            format!(
                "`{text}` is not a rate of mistakes; write a number per span, such as 1/month, 2/day or 1/90s \
                 (s, min, h, day, week, month, quarter, year)"
            )
        };
        let (count, span) = text.split_once('/').ok_or_else(wrong)?;
        let count: f64 = count.trim().parse().map_err(|_| wrong())?;
        let span = span.trim();
        let named = SPANS.iter().find(|(name, _)| *name == span).map(|(_, seconds)| *seconds);
        let seconds = named
            .or_else(|| span.parse::<Nanos>().ok().map(|Nanos(ns)| ns as f64 / 1e9))
            .ok_or_else(wrong)?;
        if count.is_nan() || count < 0.0 || count.is_infinite() {
            return Err(wrong());
        }
        if count == 0.0 {
            return Err("no detector makes no mistake on a network that may lose or delay every message; give a rate \
                        above 0, such as 1/year, or ask `check --property accuracy` with a bound on delays"
                .to_string());
        }
        if seconds == 0.0 {
            return Err(wrong());
        }
        Ok(MistakeRate { text: text.to_string(), recurrence: seconds / count })
    }
}

impl fmt::Display for MistakeRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_per_span() {
        let read = |text: &str| text.parse::<MistakeRate>().map(|rate| rate.recurrence);
        assert_eq!((read("1/month"), read("2/day")), (Ok(2_629_800.0), Ok(43_200.0)));
        assert_eq!((read("1/90s"), read("0.5/min")), (Ok(90.0), Ok(120.0)));
        for wrong in ["", "1", "1/", "-1/day", "x/day", "1/fortnight", "nan/day", "1/0s", "inf/s"] {
            assert!(read(wrong).is_err_and(|why| why.contains("write a number per span")), "{wrong}");
        }
        assert!(read("0/day").is_err_and(|why| why.contains("give a rate above 0")));
    }
}
