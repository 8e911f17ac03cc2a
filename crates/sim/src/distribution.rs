//! How long a message is on its way: a distribution, as data that can be written, read and drawn from. Durations are
//! whole nanoseconds; floating point numbers exist while one is drawn and not longer.

use crate::quantity::{Nanos, QuantityError};
use std::fmt;
use std::str::FromStr;

/// The longest that anything is ever drawn: an hour, so that no sum can overflow.
const LONGEST: u64 = 3_600_000_000_000;

/// A distribution of delays. Durations are in nanoseconds. Written `constant:2ms`, `uniform:0ms..4ms`, `exponential:2ms`
/// (its mean), `lognormal:2ms/0.5` (its median and sigma) or `pareto:2ms/1.5` (its least value and alpha).
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum DelayDistribution {
    /// Always the same.
    Constant(u64),
    /// Each of these, both ends included, equally often.
    Uniform(u64, u64),
    /// Exponential, with this mean.
    Exponential(u64),
    /// Log-normal, with this median.
    LogNormal {
        /// The median.
        median: u64,
        /// The standard deviation of the logarithm, in thousandths.
        sigma: u32,
    },
    /// Pareto: heavy tails.
    Pareto {
        /// The least value.
        least: u64,
        /// The exponent of the tail, in thousandths.
        alpha: u32,
    },
}

impl DelayDistribution {
    /// Draws one.
    pub fn draw(self, random: &mut fastrand::Rng) -> u64 {
        let drawn = match self {
            DelayDistribution::Constant(always) => always,
            DelayDistribution::Uniform(least, most) => random.u64(least..=most.max(least)),
            DelayDistribution::Exponential(mean) => whole(-(mean as f64) * positive(random).ln()),
            DelayDistribution::LogNormal { median, sigma } => {
                // The method of Box and Muller.
                let radius = (-2.0 * positive(random).ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * random.f64()).cos();
                whole(median as f64 * (normal * f64::from(sigma) / 1e3).exp())
            }
            DelayDistribution::Pareto { least, alpha } => {
                whole(least as f64 * positive(random).powf(-1e3 / f64::from(alpha.max(1))))
            }
        };
        drawn.min(LONGEST)
    }

    /// The most that can be drawn, if there is a most.
    pub fn most(self) -> Option<u64> {
        match self {
            DelayDistribution::Constant(most) | DelayDistribution::Uniform(_, most) => Some(most),
            _ => None,
        }
    }
}

/// A number above 0 and up to 1.
fn positive(random: &mut fastrand::Rng) -> f64 {
    1.0 - random.f64()
}

/// A number of nanoseconds; what is not a number, or too large for one, is as long as can be.
fn whole(drawn: f64) -> u64 {
    if drawn.is_nan() { LONGEST } else { drawn.round() as u64 }
}

impl fmt::Display for DelayDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DelayDistribution::Constant(always) => write!(f, "constant:{}", Nanos(always)),
            DelayDistribution::Uniform(least, most) => write!(f, "uniform:{}..{}", Nanos(least), Nanos(most)),
            DelayDistribution::Exponential(mean) => write!(f, "exponential:{}", Nanos(mean)),
            DelayDistribution::LogNormal { median, sigma } => {
                write!(f, "lognormal:{}/{}", Nanos(median), thousandths(sigma))
            }
            DelayDistribution::Pareto { least, alpha } => {
                write!(f, "pareto:{}/{}", Nanos(least), thousandths(alpha))
            }
        }
    }
}

fn thousandths(value: u32) -> String {
    format!("{}.{:03}", value / 1000, value % 1000)
}

impl FromStr for DelayDistribution {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<DelayDistribution, QuantityError> {
        let wrong = || QuantityError::Distribution(text.to_string());
        let (name, rest) = text.split_once(':').ok_or_else(wrong)?;
        let span = |text: &str| text.parse::<Nanos>().map(|Nanos(ns)| ns.min(LONGEST));
        let shaped = || {
            let (span_text, shape) = rest.split_once('/').ok_or_else(wrong)?;
            let shape: f64 = shape.parse().map_err(|_| wrong())?;
            if !(0.001..=1000.0).contains(&shape) {
                return Err(wrong());
            }
            Ok((span(span_text)?, (shape * 1e3).round() as u32))
        };
        Ok(match name {
            "constant" => DelayDistribution::Constant(span(rest)?),
            "uniform" => {
                let (least, most) = rest.split_once("..").ok_or_else(wrong)?;
                let (least, most) = (span(least)?, span(most)?);
                if least > most {
                    return Err(wrong());
                }
                DelayDistribution::Uniform(least, most)
            }
            "exponential" => DelayDistribution::Exponential(span(rest)?),
            "lognormal" => {
                let (median, sigma) = shaped()?;
                DelayDistribution::LogNormal { median, sigma }
            }
            "pareto" => {
                let (least, alpha) = shaped()?;
                DelayDistribution::Pareto { least, alpha }
            }
            _ => return Err(wrong()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn drawn(distribution: DelayDistribution) -> Vec<u64> {
        let mut random = fastrand::Rng::with_seed(7);
        let mut all: Vec<u64> = (0..20_001).map(|_| distribution.draw(&mut random)).collect();
        all.sort_unstable();
        all
    }

    fn near(value: u64, expected: f64) {
        let ratio = value as f64 / expected;
        assert!((0.95..1.05).contains(&ratio), "{value} is not near {expected}");
    }

    #[test]
    fn medians_and_tails_are_those_of_the_distributions() {
        let median = |distribution| drawn(distribution)[10_000];
        assert_eq!(median(DelayDistribution::Constant(3 * MS)), 3 * MS);
        near(median(DelayDistribution::Uniform(2 * MS, 4 * MS)), 3e6);
        near(median(DelayDistribution::Exponential(2 * MS)), 2e6 * 2f64.ln());
        near(median(DelayDistribution::LogNormal { median: 2 * MS, sigma: 500 }), 2e6);
        near(median(DelayDistribution::Pareto { least: 2 * MS, alpha: 1500 }), 2e6 * 2f64.powf(1.0 / 1.5));
        let exponential = drawn(DelayDistribution::Exponential(2 * MS));
        near(exponential.iter().sum::<u64>() / 20_001, 2e6);
        // One in sixteen of a log-normal is beyond 1.534 sigma.
        let tail = drawn(DelayDistribution::LogNormal { median: 2 * MS, sigma: 500 })[18_750];
        near(tail, 2e6 * (1.534_f64 * 0.5).exp());
        let pareto = drawn(DelayDistribution::Pareto { least: 2 * MS, alpha: 1500 });
        assert!(pareto[0] >= 2 * MS);
        near(pareto[18_750], 2e6 * 16f64.powf(1.0 / 1.5));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "constant:2ms",
            "uniform:0ns..4ms",
            "exponential:1500us",
            "lognormal:2ms/0.500",
            "pareto:2ms/1.250",
        ] {
            let read: DelayDistribution = text.parse().expect(text);
            assert_eq!(read.to_string(), text);
        }
        for wrong in
            ["", "2ms", "uniform:4ms..2ms", "normal:2ms", "pareto:2ms", "pareto:2ms/-1", "constant:2"]
        {
            assert!(wrong.parse::<DelayDistribution>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_drawn_that_could_overflow() {
        let extreme = DelayDistribution::Pareto { least: LONGEST, alpha: 1 };
        assert_eq!(drawn(extreme)[20_000], LONGEST);
    }
}
