//! The figures of Chen, Toueg and Aguilera from the counts of batches: how soon crashes are detected, how often and for how
//! long a process is suspected wrongly, how often an answer is right; and what it costs.

use super::interval::{Estimate, FEW, never, rate, ratio};
use super::measuring::MeasurePlan;
use super::spread::DurationSpread;
use super::tally::{BatchTally, seconds};

/// The quality of service of a failure detector. Times are in seconds.
#[derive(Clone, Debug)]
pub struct QualityOfService {
    /// From a crash until it is suspected for good.
    pub detection: Estimate,
    /// How the times of detection are spread.
    pub detections: DurationSpread,
    /// From one mistake of a pair to its next.
    pub mistake_recurrence: Estimate,
    /// The median and the 99th percentile of it.
    pub recurrence_percentiles: [Option<f64>; 2],
    /// How long a mistake lasts.
    pub mistake_duration: Estimate,
    /// How mistakes are spread.
    pub durations: DurationSpread,
    /// The probability that an answer about a process that has not crashed is right.
    pub query_accuracy: Estimate,
    /// The crashes that were detected, and those that were not, once for each observer.
    pub crashes: (u64, u64),
    /// The mistakes that were seen.
    pub mistakes: u64,
    /// Mistakes a second in the whole cluster: those of members that are not slow and of those that are, each about members
    /// that are not slow and about those that are.
    pub mistakes_by_health: [[Estimate; 2]; 2],
    /// The messages that a member sends in a second, and their bytes.
    pub messages: f64,
    /// The bytes of their datagrams.
    pub bytes: f64,
    /// The batches, the time that was simulated in them and the events.
    pub batches: u64,
    /// The simulated time in which mistakes were counted, summed over batches.
    pub simulated: f64,
    /// The events of all batches.
    pub events: u64,
    /// What splitting did, if runs were split.
    pub splitting: Option<SplittingFigures>,
    /// Whether mistakes are rare, and there was no time to find any by splitting.
    pub unfinished: bool,
    precision: f64,
}

/// What splitting did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SplittingFigures {
    /// How many levels there were.
    pub levels: usize,
    /// The batches that were split; the others gave the detection times.
    pub batches: u64,
    /// Those of them in which there was a mistake.
    pub hits: usize,
    /// How many times more events plain runs would need for an interval as narrow, if their mistakes were independent.
    pub saving: Option<f64>,
}

/// The batches that were split.
pub(super) struct RareRuns {
    pub(super) batches: Vec<BatchTally>,
    pub(super) levels: usize,
    /// The events that it took to choose the levels.
    pub(super) events: u64,
}

impl RareRuns {
    /// How many of these batches have a mistake.
    pub(super) fn hits(batches: &[BatchTally]) -> usize {
        batches.iter().filter(|batch| batch.mistakes > 0.0).count()
    }
}

/// So many split batches with a mistake are enough for an interval.
const HITS: usize = 30;

/// Mistakes of fewer batches say nothing of how much the length of mistakes varies: a long one may be missing among them.
const TELLING: usize = 30;

/// How many mistakes can begin together: one of each pair.
fn pairs_of(plan: &MeasurePlan) -> f64 {
    (plan.subject.n * plan.subject.n.saturating_sub(1)) as f64
}

impl QualityOfService {
    pub(super) fn of(
        plan: &MeasurePlan,
        plain: &[BatchTally],
        rare: Option<&RareRuns>,
        sum: &BatchTally,
    ) -> QualityOfService {
        let confidence = plan.confidence;
        let told = rare.map_or(plain, |rare| &rare.batches);
        let pairs = |of: &dyn Fn(&BatchTally) -> (f64, f64)| told.iter().map(of).collect::<Vec<_>>();
        let mistakes = pairs(&|batch| (batch.mistakes, batch.observed));
        // What was split has weights: it is no count, however many there are.
        let per_second = |confidence| {
            if rare.is_some() {
                ratio(&mistakes, confidence)
            } else {
                rate(&mistakes, pairs_of(plan), confidence)
            }
        };
        let lengths = pairs(&|batch| (batch.wrong, batch.mistakes));
        let duration = |confidence| {
            let estimate = ratio(&lengths, confidence);
            let telling = lengths.iter().filter(|batch| **batch != (0.0, 0.0)).count();
            if telling < TELLING { Estimate { mean: estimate.mean, ..Estimate::default() } } else { estimate }
        };
        let seen: u64 = told.iter().map(|batch| batch.seen).sum();
        let wrong = pairs(&|batch| (batch.wrong, batch.observed));
        let wrong = match (wrong.iter().all(|(wrong, _)| *wrong == 0.0), (seen as f64) < FEW) {
            (true, _) => never(told.len(), confidence),
            // Few are counted exactly; the doubt is shared with that of how long they last.
            (false, true) if seen > 0 && rare.is_none() => {
                let half = 1.0 - (1.0 - confidence) / 2.0;
                let mean = ratio(&wrong, confidence).mean;
                Estimate { mean, ..per_second(half).times(duration(half)) }
            }
            _ => ratio(&wrong, confidence),
        };
        let recurrence = per_second(confidence).inverse();
        let total = |of: &dyn Fn(&BatchTally) -> f64| plain.iter().map(of).sum::<f64>();
        let member_time = total(&|batch| batch.member_time).max(f64::MIN_POSITIVE);
        let cluster_time: f64 = seconds(plan.lasts) * told.len() as f64;
        let by_health = [0, 1].map(|observer| {
            [0, 1].map(|subject| {
                let counts = pairs(&|batch| (batch.by_health[observer][subject], seconds(plan.lasts)));
                if rare.is_some() { ratio(&counts, confidence) } else { rate(&counts, 1.0, confidence) }
            })
        });
        QualityOfService {
            detection: ratio(
                &plain.iter().map(|batch| (batch.detection, batch.detected)).collect::<Vec<_>>(),
                confidence,
            ),
            detections: sum.detections.clone(),
            recurrence_percentiles: match rare {
                None => [0.5, 0.99].map(|share| sum.recurrences.percentile_or_tail(share, recurrence.mean)),
                // Rare events that do not come in clusters are as far apart as those of a Poisson process.
                Some(_) => [0.5f64, 0.01].map(|left| recurrence.mean.map(|mean| -mean * left.ln())),
            },
            mistake_recurrence: recurrence,
            mistake_duration: if seen == 0 { Estimate::default() } else { duration(confidence) },
            durations: sum.durations.clone(),
            query_accuracy: wrong.rest(),
            crashes: (
                total(&|batch| batch.detected) as u64,
                plain.iter().map(|batch| batch.undetected).sum(),
            ),
            mistakes: seen,
            mistakes_by_health: by_health,
            messages: total(&|batch| batch.messages) / member_time,
            bytes: total(&|batch| batch.bytes) / member_time,
            batches: (plain.len() + rare.map_or(0, |rare| rare.batches.len())) as u64,
            simulated: cluster_time,
            events: plain
                .iter()
                .chain(rare.map_or(&[][..], |rare| &rare.batches))
                .map(|batch| batch.events)
                .sum::<u64>()
                + rare.map_or(0, |rare| rare.events),
            splitting: rare.map(|rare| SplittingFigures {
                levels: rare.levels,
                batches: rare.batches.len() as u64,
                hits: RareRuns::hits(&rare.batches),
                saving: saving(plan, plain, rare),
            }),
            unfinished: false,
            precision: plan.precision,
        }
    }

    /// The median and the 99th percentile of the detection time.
    pub fn detection_percentiles(&self) -> [Option<f64>; 2] {
        [0.5, 0.99].map(|share| self.detections.percentile(share))
    }

    /// The median and the 99th percentile of the length of a mistake.
    pub fn duration_percentiles(&self) -> [Option<f64>; 2] {
        [0.5, 0.99].map(|share| self.durations.percentile(share))
    }

    /// Whether all intervals are as narrow as was asked for; mistakes of which there was none are waited for.
    pub fn is_precise(&self) -> bool {
        let all = [self.mistake_recurrence, self.mistake_duration, self.query_accuracy];
        let hits = self.splitting.is_none_or(|splitting| splitting.hits >= HITS);
        let detects = self.crashes == (0, 0) || self.detection.is_within(self.precision);
        hits && detects && all.iter().all(|estimate| estimate.is_within(self.precision))
    }
}

/// How many times more events plain runs would need for the variance that split runs have reached.
fn saving(plan: &MeasurePlan, plain: &[BatchTally], rare: &RareRuns) -> Option<f64> {
    let (count, events) =
        (rare.batches.len() as f64, rare.batches.iter().map(|batch| batch.events).sum::<u64>());
    let mean = rare.batches.iter().map(|batch| batch.mistakes).sum::<f64>() / count;
    let squares: f64 = rare.batches.iter().map(|batch| (batch.mistakes - mean).powi(2)).sum();
    let variance = squares / (count - 1.0) / count / mean.powi(2);
    let needed = 1.0 / variance / mean;
    let course = plain.iter().map(|batch| batch.course as f64).sum::<f64>() / plain.len() as f64;
    let share = plan.lasts as f64 / (plan.lasts + plan.warm_up) as f64;
    let saving = needed * course * share / (events + rare.events) as f64;
    saving.is_finite().then_some(saving)
}
