//! How durations are spread: a histogram in classes of a fixed relative width, with weights, and with durations of which only
//! the beginning was seen. Adding up histograms in any order gives the same one for whole weights.

use std::collections::BTreeMap;

/// Each octave has so many classes, so that a class is at most 0.8 % wide.
const CLASSES: u64 = 128;

/// A histogram of durations in nanoseconds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DurationSpread {
    /// By class: the weight of those that ended in it, and of those that were last seen in it.
    classes: BTreeMap<u16, (f64, f64)>,
}

impl DurationSpread {
    /// One that lasted so long.
    pub(super) fn ended(&mut self, lasted: u64, weight: f64) {
        self.classes.entry(class(lasted)).or_default().0 += weight;
    }

    /// One that lasted longer than this.
    pub(super) fn unseen(&mut self, longer: u64, weight: f64) {
        self.classes.entry(class(longer)).or_default().1 += weight;
    }

    pub(super) fn add(&mut self, other: &DurationSpread) {
        for (class, (ended, unseen)) in &other.classes {
            let here = self.classes.entry(*class).or_default();
            here.0 += ended;
            here.1 += unseen;
        }
    }

    /// The weight of all of which the end was seen.
    pub fn weight(&self) -> f64 {
        self.classes.values().map(|(ended, _)| ended).sum()
    }

    /// The duration in seconds that this share of all durations does not exceed, by the estimate of Kaplan and Meier; `None`
    /// if it is longer than what was seen.
    pub fn percentile(&self, share: f64) -> Option<f64> {
        self.first_below(1.0 - share).map(|nanos| nanos / 1e9)
    }

    /// The same; what is longer than what was seen goes on as if nothing were remembered, with this mean.
    pub(super) fn percentile_or_tail(&self, share: f64, mean: Option<f64>) -> Option<f64> {
        self.percentile(share).or_else(|| {
            let (end, left) = self
                .survivals()
                .last()
                .map_or((0.0, 1.0), |(number, left)| (limits(number).1 as f64 / 1e9, left));
            mean.map(|mean| end + mean * (left / (1.0 - share)).ln().max(0.0))
        })
    }

    /// The end of the first class that at most this share exceeds and some do, and the share that does; if too few were
    /// seen for that, of the last class that some exceed.
    pub(super) fn cut(&self, share: f64) -> Option<(u64, f64)> {
        let mut last = None;
        for (number, left) in self.survivals().take_while(|(_, left)| *left > 0.0) {
            last = Some((limits(number).1, left));
            if left <= share {
                break;
            }
        }
        last
    }

    /// The least duration that at most this share exceeds, in nanoseconds.
    fn first_below(&self, share: f64) -> Option<f64> {
        let mut survival = 1.0;
        for (number, after) in self.survivals() {
            if after <= share {
                let (low, high) = limits(number);
                let part = if survival > after { (survival - share) / (survival - after) } else { 0.0 };
                return Some(low as f64 + part.clamp(0.0, 1.0) * (high - low) as f64);
            }
            survival = after;
        }
        None
    }

    /// The share of durations that exceed this one, which is the end of a class.
    pub(super) fn survival(&self, duration: u64) -> f64 {
        let passed = self.survivals().take_while(|(number, _)| limits(*number).1 <= duration);
        passed.last().map_or(1.0, |(_, after)| after)
    }

    /// For each class the share of durations that exceed it.
    fn survivals(&self) -> impl Iterator<Item = (u16, f64)> + '_ {
        let mut left: f64 = self.classes.values().map(|(ended, unseen)| ended + unseen).sum();
        let mut survival = 1.0;
        self.classes.iter().map(move |(number, (ended, unseen))| {
            if left > 0.0 {
                survival *= (1.0 - ended / left).max(0.0);
            }
            left -= ended + unseen;
            (*number, survival)
        })
    }

    /// The classes with their limits in seconds and the weight that ended in each.
    pub fn classes(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        self.classes.iter().filter(|(_, (ended, _))| *ended > 0.0).map(|(number, (ended, _))| {
            let (low, high) = limits(*number);
            (low as f64 / 1e9, high as f64 / 1e9, *ended)
        })
    }
}

/// The class of a duration: below 128 the duration itself, above its octave and its place there.
fn class(duration: u64) -> u16 {
    if duration < CLASSES {
        return duration as u16;
    }
    let octave = u64::from(63 - duration.leading_zeros() - CLASSES.trailing_zeros());
    ((octave + 1) * CLASSES + (duration >> octave) - CLASSES) as u16
}

/// The durations of a class: from the first, below the second.
fn limits(class: u16) -> (u64, u64) {
    let class = u64::from(class);
    if class < CLASSES {
        return (class, class + 1);
    }
    let octave = class / CLASSES - 1;
    let low = (CLASSES + class % CLASSES) << octave;
    (low, low + (1 << octave))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_is_within_the_limits_of_its_class_which_are_narrow() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..100_000 {
            let duration = random.u64(..) >> random.u32(2..64);
            let (low, high) = limits(class(duration));
            assert!((low..high).contains(&duration), "{duration}");
            assert!(high - low == 1 || (high - low) as f64 / (low as f64) < 0.0079, "{duration}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_durations() {
        let mut spread = DurationSpread::default();
        (1..=1000).for_each(|millis| spread.ended(millis * 1_000_000, 1.0));
        for (share, expected) in [(0.5, 0.5), (0.99, 0.99), (0.1, 0.1)] {
            let found = spread.percentile(share).expect("it was seen");
            assert!((found / expected - 1.0).abs() < 0.01, "{share}: {found}");
        }
        let (end, left) = spread.cut(0.7).expect("some are longer");
        assert!((left - 0.7).abs() < 0.01 && (end as f64 / 3e8 - 1.0).abs() < 0.01, "{end} {left}");
        assert_eq!(spread.survival(end), left);
        assert_eq!(DurationSpread::default().percentile(0.5), None);
    }

    /// Exponential durations of mean 1 s that are watched for 1 s only.
    #[test]
    fn what_was_not_seen_to_its_end_does_not_shorten_the_rest() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut spread = DurationSpread::default();
        for _ in 0..50_000 {
            let lasts = (-(1.0 - random.f64()).ln() * 1e9) as u64;
            let seen = random.u64(0..1_500_000_000);
            if lasts <= seen { spread.ended(lasts, 1.0) } else { spread.unseen(seen, 1.0) }
        }
        let median = spread.percentile(0.5).expect("it was seen");
        assert!((median / 2f64.ln() - 1.0).abs() < 0.03, "{median}");
        assert_eq!(spread.percentile(0.99), None, "nobody looked on for so long");
        let tail = spread.percentile_or_tail(0.99, Some(1.0)).expect("by its mean");
        assert!((tail / 100f64.ln() - 1.0).abs() < 0.1, "{tail}");
    }
}
