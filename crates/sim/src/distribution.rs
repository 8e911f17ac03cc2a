//! How long a message is on its way: a distribution, as data that can be written, read and drawn from. Durations are
//! whole nanoseconds; floating point numbers exist while one is drawn and not longer.

use crate::quantity::{Nanos, QuantityError};
use statrs::function::erf::{erfc, erfc_inv};
use std::f64::consts::SQRT_2;
use std::fmt;
use std::str::FromStr;

/// The longest that anything is ever drawn: an hour, so that no sum can overflow.
pub(crate) const LONGEST: u64 = 3_600_000_000_000;

/// A distribution of delays. Durations are in nanoseconds. Written `constant:2ms`, `uniform:0ms..4ms`, `exponential:2ms`
/// (its mean), `lognormal:2ms/0.5` (its median and sigma), `pareto:2ms/1.5` (its least value and alpha) or `weibull:2ms/0.8`
/// (its scale and shape). A comma may stand for `..` and `/`, and `exp` for `exponential`.
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
    /// Weibull: with a shape below 1 a tail heavier than the exponential one.
    Weibull {
        /// The scale: 1 in e of them is longer.
        scale: u64,
        /// The shape, in thousandths.
        shape: u32,
    },
}

impl DelayDistribution {
    /// The names of all distributions.
    pub const NAMES: [&str; 7] =
        ["constant", "uniform", "exp", "exponential", "lognormal", "pareto", "weibull"];

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
            DelayDistribution::Weibull { .. } => self.beyond(positive(random)),
        };
        drawn.min(LONGEST)
    }

    /// Draws one among those that are longer than this.
    pub fn draw_beyond(self, age: u64, random: &mut fastrand::Rng) -> u64 {
        self.beyond(positive(random) * self.survival(age)).max(age)
    }

    /// The probability of a delay longer than this.
    pub fn survival(self, delay: u64) -> f64 {
        let x = delay as f64;
        match self {
            DelayDistribution::Constant(always) => f64::from(u8::from(delay < always)),
            DelayDistribution::Uniform(least, most) => match most.saturating_sub(least) {
                0 => f64::from(u8::from(delay < least)),
                span => ((most as f64 - x) / span as f64).clamp(0.0, 1.0),
            },
            DelayDistribution::Exponential(0) => 0.0,
            DelayDistribution::Exponential(mean) => (-x / mean as f64).exp(),
            DelayDistribution::LogNormal { .. } if delay == 0 => 1.0,
            DelayDistribution::LogNormal { median, sigma } => {
                0.5 * erfc((x / median as f64).ln() / (f64::from(sigma) / 1e3 * SQRT_2))
            }
            DelayDistribution::Pareto { least, alpha } => {
                (least as f64 / x.max(least as f64).max(1.0)).powf(f64::from(alpha) / 1e3).min(1.0)
            }
            DelayDistribution::Weibull { scale: 0, .. } => 0.0,
            DelayDistribution::Weibull { scale, shape } => {
                (-(x / scale as f64).powf(f64::from(shape) / 1e3)).exp()
            }
        }
    }

    /// The delay that only this share of all delays exceeds.
    pub fn beyond(self, share: f64) -> u64 {
        let share = share.clamp(f64::MIN_POSITIVE, 1.0);
        let delay = match self {
            DelayDistribution::Constant(always) => always as f64,
            DelayDistribution::Uniform(least, most) => most as f64 - share * (most.max(least) - least) as f64,
            DelayDistribution::Exponential(mean) => -(mean as f64) * share.ln(),
            DelayDistribution::LogNormal { median, sigma } => {
                median as f64 * (f64::from(sigma) / 1e3 * SQRT_2 * erfc_inv(2.0 * share)).exp()
            }
            DelayDistribution::Pareto { least, alpha } => {
                least as f64 * share.powf(-1e3 / f64::from(alpha.max(1)))
            }
            DelayDistribution::Weibull { scale, shape } => {
                scale as f64 * (-share.ln()).powf(1e3 / f64::from(shape.max(1)))
            }
        };
        whole(delay).min(LONGEST)
    }

    /// The least that can be drawn.
    pub fn least(self) -> u64 {
        match self {
            DelayDistribution::Constant(least)
            | DelayDistribution::Uniform(least, _)
            | DelayDistribution::Pareto { least, .. } => least,
            _ => 0,
        }
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
            DelayDistribution::Weibull { scale, shape } => {
                write!(f, "weibull:{}/{}", Nanos(scale), thousandths(shape))
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
            let (span_text, shape) = rest.split_once(['/', ',']).ok_or_else(wrong)?;
            let span = span(span_text)?;
            let refused = || QuantityError::Shape(shape.to_string());
            let shape: f64 = shape.parse().map_err(|_| refused())?;
            if !(0.001..=1000.0).contains(&shape) {
                return Err(refused());
            }
            Ok((span, (shape * 1e3).round() as u32))
        };
        Ok(match name {
            "constant" => DelayDistribution::Constant(span(rest)?),
            "uniform" => {
                let (least, most) =
                    rest.split_once("..").or_else(|| rest.split_once(',')).ok_or_else(wrong)?;
                let (least, most) = (span(least)?, span(most)?);
                if least > most {
                    return Err(QuantityError::Backwards(text.to_string()));
                }
                DelayDistribution::Uniform(least, most)
            }
            "exp" | "exponential" => DelayDistribution::Exponential(span(rest)?),
            "lognormal" => {
                let (median, sigma) = shaped()?;
                DelayDistribution::LogNormal { median, sigma }
            }
            "pareto" => {
                let (least, alpha) = shaped()?;
                DelayDistribution::Pareto { least, alpha }
            }
            "weibull" => {
                let (scale, shape) = shaped()?;
                DelayDistribution::Weibull { scale, shape }
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
            "weibull:2ms/0.800",
        ] {
            let read: DelayDistribution = text.parse().expect(text);
            assert_eq!(read.to_string(), text);
        }
        for (short, long) in [
            ("exp:20ms", "exponential:20ms"),
            ("uniform:1ms,2ms", "uniform:1ms..2ms"),
            ("weibull:2ms,0.8", "weibull:2ms/0.800"),
        ] {
            assert_eq!(short.parse::<DelayDistribution>(), long.parse(), "{short}");
        }
        for wrong in
            ["", "2ms", "uniform:4ms..2ms", "normal:2ms", "pareto:2ms", "pareto:2ms/-1", "constant:2"]
        {
            assert!(wrong.parse::<DelayDistribution>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn tails_and_their_inverses_fit_each_other_and_what_is_drawn() {
        for text in ["uniform:1ms,4ms", "exp:2ms", "lognormal:2ms,0.7", "pareto:2ms,1.5", "weibull:2ms,0.8"] {
            let distribution: DelayDistribution = text.parse().expect(text);
            let all = drawn(distribution);
            for share in [0.9, 0.5, 0.1, 0.01] {
                let beyond = distribution.beyond(share);
                assert!((distribution.survival(beyond) - share).abs() < 1e-5, "{text} {share}");
                let longer = all.iter().filter(|delay| **delay > beyond).count() as f64 / all.len() as f64;
                assert!((longer - share).abs() < 0.01, "{text}: {longer} are longer, {share} expected");
            }
            // Among the longest tenth, one in ten is beyond the longest hundredth.
            let (age, most) = (distribution.beyond(0.1), distribution.beyond(0.01));
            let mut random = fastrand::Rng::with_seed(3);
            let old: Vec<u64> = (0..20_000).map(|_| distribution.draw_beyond(age, &mut random)).collect();
            let longer = old.iter().filter(|delay| **delay > most).count() as f64 / 2e4;
            assert!(old.iter().all(|delay| *delay >= age) && (longer - 0.1).abs() < 0.01, "{text}: {longer}");
        }
    }

    #[test]
    fn nothing_is_drawn_that_could_overflow() {
        let extreme = DelayDistribution::Pareto { least: LONGEST, alpha: 1 };
        assert_eq!(drawn(extreme)[20_000], LONGEST);
    }
}
