//! Estimates with their intervals. The batches that they come from are independent and alike, so that Student's t does for
//! averages and ratios of many; of events that are few it is the exact interval of Garwood for Poisson counts, made wider
//! where the batches show that events come in clusters.

use statrs::distribution::{ContinuousCDF, Gamma, StudentsT};

/// Fewer events than this are counted as what they are, few.
pub(super) const FEW: f64 = 100.0;

/// A mean with an interval; an end of it is `None` where nothing is known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// The mean.
    pub mean: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// Whether the interval reaches at most so far from the mean, as a share of it.
    pub fn is_within(&self, precision: f64) -> bool {
        match (self.mean, self.low, self.high) {
            (Some(mean), Some(low), Some(high)) => (high - mean).max(mean - low) <= precision * mean.abs(),
            _ => false,
        }
    }

    /// The reciprocal.
    pub(super) fn inverse(self) -> Estimate {
        let over = |value: f64| (value > 0.0).then(|| 1.0 / value);
        Estimate {
            mean: self.mean.and_then(over),
            low: self.high.and_then(over),
            high: self.low.and_then(over),
        }
    }

    /// What is left of 1.
    pub(super) fn rest(self) -> Estimate {
        let rest = |value: f64| (1.0 - value).clamp(0.0, 1.0);
        Estimate { mean: self.mean.map(rest), low: self.high.map(rest), high: self.low.map(rest) }
    }

    /// The product with another, both of half the doubt.
    pub(super) fn times(self, other: Estimate) -> Estimate {
        let product = |a: Option<f64>, b: Option<f64>| Some(a? * b?);
        Estimate {
            mean: product(self.mean, other.mean),
            low: product(self.low, other.low),
            high: product(self.high, other.high),
        }
    }
}

/// A ratio of sums over batches of what is never negative, with an interval by the delta method on the logarithm, at this
/// confidence.
pub(super) fn ratio(batches: &[(f64, f64)], confidence: f64) -> Estimate {
    let (above, below) = batches.iter().fold((0.0, 0.0), |(a, b), (above, below)| (a + above, b + below));
    if below <= 0.0 {
        return Estimate::default();
    }
    // Batches in which there is nothing at all tell nothing of a ratio, and would make it look sure.
    let telling = || batches.iter().filter(|batch| **batch != (0.0, 0.0));
    let (ratio, count) = (above / below, telling().count() as f64);
    if count < 2.0 || ratio <= 0.0 {
        return Estimate { mean: Some(ratio), low: None, high: None };
    }
    let squares: f64 = telling().map(|(above, below)| (above - ratio * below).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt() / (below / count);
    let reach = (student(confidence, count - 1.0) * error / ratio).exp();
    let finite = |end: f64| end.is_finite().then_some(end);
    Estimate { mean: Some(ratio), low: finite(ratio / reach), high: finite(ratio * reach) }
}

/// The rate of events over batches, each with its number of events and the time that was looked at. Up to `together` events
/// may be one occasion: where none was seen nobody knows how many come together, so that the bound is of occasions.
pub(super) fn rate(batches: &[(f64, f64)], together: f64, confidence: f64) -> Estimate {
    let (events, time) = batches.iter().fold((0.0, 0.0), |(e, t), (events, time)| (e + events, t + time));
    if events >= FEW {
        return ratio(batches, confidence);
    }
    if time <= 0.0 {
        return Estimate::default();
    }
    let doubt = 1.0 - confidence;
    if events == 0.0 {
        // One end only: the interval may be wrong on one side.
        return Estimate { mean: None, low: Some(0.0), high: Some(-doubt.ln() * together / time) };
    }
    let clusters = clustering(batches, events / time);
    let groups = events / clusters;
    let low = clusters * gamma(doubt / 2.0, groups) / time;
    let high = clusters * gamma(1.0 - doubt / 2.0, groups + 1.0) / time;
    Estimate { mean: Some(events / time), low: Some(low), high: Some(high) }
}

/// How many events come together: the variance of counts over their mean, and at least 1.
fn clustering(batches: &[(f64, f64)], rate: f64) -> f64 {
    let expected = |time: f64| (rate * time).max(f64::MIN_POSITIVE);
    let squares = batches.iter().map(|(events, time)| (events - rate * time).powi(2) / expected(*time));
    let freedom = (batches.len() as f64 - 1.0).max(1.0);
    (squares.sum::<f64>() / freedom).max(1.0)
}

/// The share of a whole that was never once above zero in so many batches: what is at least known of it.
pub(super) fn never(batches: usize, confidence: f64) -> Estimate {
    let most = 1.0 - (1.0 - confidence).powf(1.0 / batches.max(1) as f64);
    Estimate { mean: Some(0.0), low: Some(0.0), high: Some(most) }
}

/// How many standard errors an interval reaches to either side.
pub(super) fn student(confidence: f64, freedom: f64) -> f64 {
    let spread = StudentsT::new(0.0, 1.0, freedom.max(1.0));
    spread.map_or(f64::INFINITY, |spread| spread.inverse_cdf(0.5 + confidence / 2.0))
}

fn gamma(share: f64, shape: f64) -> f64 {
    Gamma::new(shape, 1.0).map_or(f64::INFINITY, |spread| spread.inverse_cdf(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found / expected - 1.0).abs() < 2e-3, "{found}, {expected} expected");
    }

    /// Tables of the Poisson distribution and of Student's t.
    #[test]
    fn intervals_are_those_of_the_tables() {
        let events = |count: f64| rate(&[(count, 1.0)], 1.0, 0.95);
        near(events(10.0).low, 4.795);
        near(events(10.0).high, 18.391);
        near(events(1.0).low, 0.02532);
        near(events(1.0).high, 5.5716);
        near(rate(&[(0.0, 2.0)], 1.0, 0.99).high, 4.6052 / 2.0);
        near(rate(&[(0.0, 2.0)], 6.0, 0.99).high, 6.0 * 4.6052 / 2.0);
        assert_eq!(
            rate(&[(0.0, 2.0)], 1.0, 0.99).inverse(),
            Estimate { low: Some(2.0 / -(0.01f64.ln())), ..Estimate::default() }
        );
        assert!((student(0.99, 9.0) - 3.2498).abs() < 1e-3);
        assert!((student(0.95, 30.0) - 2.0423).abs() < 1e-3);
    }

    #[test]
    fn clusters_make_intervals_wider() {
        let even: Vec<(f64, f64)> = vec![(1.0, 1.0); 20];
        let clustered: Vec<(f64, f64)> =
            (0..20).map(|k| (if k % 10 == 0 { 10.0 } else { 0.0 }, 1.0)).collect();
        let width = |batches: &[(f64, f64)]| {
            let estimate = rate(batches, 1.0, 0.99);
            estimate.high.expect("an end") - estimate.low.expect("an end")
        };
        assert!(width(&clustered) > 2.0 * width(&even));
    }

    #[test]
    fn a_ratio_without_noise_is_exact() {
        let batches: Vec<(f64, f64)> = (1..=8).map(|k| (3.0 * f64::from(k), f64::from(k))).collect();
        let exact = ratio(&batches, 0.99);
        assert_eq!((exact.mean, exact.low, exact.high), (Some(3.0), Some(3.0), Some(3.0)));
        assert!(exact.is_within(0.0) && !ratio(&batches[..1], 0.99).is_within(1.0));
        // All that is known comes from one batch, and from two of which nobody knows how they vary.
        let single = ratio(&[(0.0, 0.0), (3.0, 1.0), (0.0, 0.0)], 0.99);
        assert_eq!(single, Estimate { mean: Some(3.0), ..Estimate::default() });
        let two = ratio(&[(0.0, 0.0), (3.0, 1.0), (900.0, 1.0)], 0.99999);
        assert!(two.high.is_none() && two.low.is_none_or(|low| low < 1e-9), "{two:?}");
    }
}
