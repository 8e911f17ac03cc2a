//! What is counted in a run in which nobody crashes, and after crashes: mistakes, how long they last, how soon crashes are
//! detected, and what it costs. Every count has a weight, so that runs that were split count as what they stand for.

use super::cluster::{SuspicionChange, VirtualCluster};
use super::spread::DurationSpread;
use std::collections::BTreeMap;

/// The counts of one batch. Times are in seconds.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchTally {
    /// The time that was looked at, once for each pair of processes.
    pub(super) observed: f64,
    /// The mistakes, and how many were seen to count as these.
    pub(super) mistakes: f64,
    pub(super) seen: u64,
    /// The mistakes by who made them and about whom: of a slow member or not, about a slow member or not.
    pub(super) by_health: [[f64; 2]; 2],
    /// The time in which a suspicion was wrong, summed over all pairs.
    pub(super) wrong: f64,
    /// The crashes that were detected, how long that took in all, and those that were not.
    pub(super) detected: f64,
    pub(super) detection: f64,
    pub(super) undetected: u64,
    /// The messages and their bytes, and the time of all members together in which they were sent.
    pub(super) messages: f64,
    pub(super) bytes: f64,
    pub(super) member_time: f64,
    /// The events that were simulated, and those of them in the run without crashes.
    pub(super) events: u64,
    pub(super) course: u64,
    pub(super) durations: DurationSpread,
    pub(super) recurrences: DurationSpread,
    pub(super) detections: DurationSpread,
    /// How long processes heard nothing of each other.
    pub(super) gaps: DurationSpread,
}

impl BatchTally {
    /// Gives the spreads of durations to a sum of all batches; the numbers stay.
    pub(super) fn give_spreads(&mut self, sum: &mut BatchTally) {
        let own = [&mut self.durations, &mut self.recurrences, &mut self.detections];
        for (own, all) in own.into_iter().zip([&mut sum.durations, &mut sum.recurrences, &mut sum.detections])
        {
            all.add(&std::mem::take(own));
        }
        self.gaps = DurationSpread::default();
    }
}

/// What has to be known of a run to count its mistakes.
#[derive(Clone, Debug)]
pub(super) struct AccuracyWatch {
    /// How many pairs are wrong, since when that is counted, and before when nothing is.
    wrong: usize,
    since: u64,
    from: u64,
    /// When each mistake that lasts began, and when each pair began its last one.
    open: BTreeMap<(u32, u32), u64>,
    last: BTreeMap<(u32, u32), u64>,
    /// The members below this number are slow.
    slow: u32,
}

impl AccuracyWatch {
    /// From this moment on, which is now or later.
    pub(super) fn new(cluster: &VirtualCluster, from: u64, slow: usize) -> AccuracyWatch {
        AccuracyWatch {
            wrong: cluster.suspicions(),
            since: from,
            from,
            open: BTreeMap::new(),
            last: BTreeMap::new(),
            slow: slow as u32,
        }
    }

    /// Counts what was wrong until now; to be called before the weight of a run changes, too.
    pub(super) fn settle(&mut self, now: u64, weight: f64, tally: &mut BatchTally) {
        tally.wrong += weight * self.wrong as f64 * seconds(now.saturating_sub(self.since));
        self.since = now.max(self.from);
    }

    /// Nobody has crashed, so every suspicion is a mistake.
    pub(super) fn changed(&mut self, change: SuspicionChange, now: u64, weight: f64, tally: &mut BatchTally) {
        self.settle(now, weight, tally);
        let pair = (change.observer, change.subject);
        if !change.suspects {
            self.wrong = self.wrong.saturating_sub(1);
            if let Some(begun) = self.open.remove(&pair) {
                tally.durations.ended(now - begun, weight);
            }
            return;
        }
        self.wrong += 1;
        if now < self.from {
            return;
        }
        self.open.insert(pair, now);
        tally.mistakes += weight;
        tally.seen += 1;
        let slow = |process: u32| usize::from(process < self.slow);
        tally.by_health[slow(pair.0)][slow(pair.1)] += weight;
        if let Some(before) = self.last.insert(pair, now) {
            tally.recurrences.ended(now - before, weight);
        }
    }

    /// It ends here, whatever lasts.
    pub(super) fn end(&mut self, now: u64, weight: f64, tally: &mut BatchTally) {
        self.settle(now, weight, tally);
        self.open.values().for_each(|begun| tally.durations.unseen(now - begun, weight));
        self.last.values().for_each(|begun| tally.recurrences.unseen(now - begun, weight));
    }
}

/// Nanoseconds in seconds.
pub(super) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}
