//! What the forms of the detector differ in: how they begin, which intervals they keep, and after which silence phi reaches
//! the threshold. Everything is in whole numbers; only the last step rounds, up to the next unit of time.

use super::quantile::{self, FRACTION};

/// The bits behind the point of means and deviations.
const FINE: u32 = 20;

/// The weight of chitchat's prior, in intervals.
const PRIOR_WEIGHT: u128 = 5;

/// A form of the detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PhiForm {
    /// That of the paper: intervals have the normal distribution.
    Normal,
    /// That of Akka and Pekko: a logistic approximation, a floor of the deviation, and a pause that is acceptable.
    Akka,
    /// That of Cassandra: intervals have the exponential distribution.
    Cassandra,
    /// That of chitchat: silence over the mean interval, with a prior.
    Chitchat,
}

impl PhiForm {
    /// All forms.
    pub const ALL: [PhiForm; 4] = [PhiForm::Normal, PhiForm::Akka, PhiForm::Cassandra, PhiForm::Chitchat];

    /// The deviations at which phi is at the threshold, for the forms that count in deviations.
    pub(super) fn quantile(self, thousandths: u32) -> i128 {
        match self {
            PhiForm::Normal => quantile::normal(thousandths),
            PhiForm::Akka => quantile::logistic(thousandths),
            PhiForm::Cassandra | PhiForm::Chitchat => 0,
        }
    }

    /// The intervals that a process begins with for each peer, where the first is expected to be so long.
    pub(super) fn opening(self, first: u32) -> Vec<u32> {
        match self {
            PhiForm::Normal | PhiForm::Cassandra => vec![first],
            PhiForm::Akka => vec![first - first / 4, first.saturating_add(first / 4)],
            PhiForm::Chitchat => Vec::new(),
        }
    }

    /// The interval to be kept, if the last silence is.
    pub(super) fn kept(self, silence: u32, longest: u32, suspected: bool) -> Option<u32> {
        match self {
            PhiForm::Normal => Some(silence.min(longest)),
            PhiForm::Akka => (!suspected).then_some(silence.min(longest)),
            PhiForm::Cassandra | PhiForm::Chitchat => (silence <= longest).then_some(silence),
        }
    }

    /// Whether a suspicion makes the process forget the intervals of the peer.
    pub(super) fn forgets(self) -> bool {
        self == PhiForm::Chitchat
    }

    /// Whether the length of the silence of a suspect matters to what is kept later.
    pub(super) fn counts_suspects(self) -> bool {
        self != PhiForm::Akka
    }
}

/// What decides how long a silence may be.
pub(super) struct PhiPatience {
    pub form: PhiForm,
    /// The deviations at which phi is at the threshold.
    pub quantile: i128,
    /// The threshold, in thousandths.
    pub threshold: u32,
    /// The units of time in which intervals are counted.
    pub grain: u32,
    /// The prior of chitchat, in grains.
    pub first: u32,
    /// Units of time.
    pub pause: u32,
    /// Units of time.
    pub deviation: u32,
}

impl PhiPatience {
    /// The least number of units, from 1 on, after which a silence is a suspicion, by these intervals.
    pub(super) fn silence(&self, intervals: impl Iterator<Item = u32>) -> u32 {
        let (mut count, mut sum, mut squares) = (0u128, 0u128, 0u128);
        for interval in intervals.map(u128::from) {
            count += 1;
            sum += interval;
            squares += interval * interval;
        }
        let grain = u128::from(self.grain);
        let threshold = u128::from(self.threshold);
        let units = match self.form {
            // phi >= threshold
            PhiForm::Normal | PhiForm::Akka => {
                let count = count.max(1);
                let mean = ((sum * grain) << FINE) / count;
                let spread = (count * squares).saturating_sub(sum * sum);
                let measured = (spread << (2 * FINE)).isqrt() * grain / count;
                let deviation = measured.max(u128::from(self.deviation) << FINE);
                let beyond = (deviation * self.quantile.unsigned_abs()) >> FRACTION;
                (mean + (u128::from(self.pause) << FINE) + beyond).div_ceil(1 << FINE)
            }
            // phi > threshold
            PhiForm::Cassandra => {
                let nats = quantile::nats(self.threshold).unsigned_abs();
                ((sum * grain * nats / count.max(1)) >> FRACTION) + 1
            }
            PhiForm::Chitchat => {
                let sum = sum + PRIOR_WEIGHT * u128::from(self.first);
                sum * grain * threshold / (1000 * (count + PRIOR_WEIGHT)) + 1
            }
        };
        u32::try_from(units.max(1)).unwrap_or(u32::MAX)
    }
}
