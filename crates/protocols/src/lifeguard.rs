//! Lifeguard: SWIM whose members are more patient while they are slow themselves.
//!
//! A. Dadgar, J. Phillips and J. Currey, "Lifeguard: Local Health Awareness for More Accurate Failure Detection", DSN-W 2018
//! (arXiv 1707.00788). It is a policy of [`Swim`](crate::swim::Swim) with three parts:
//!
//! - Local health aware probe: a score of 0 to `most - 1` says how much a process doubts itself, and stretches its period and
//!   its timeout by 1 + score. An answered probe lowers it. A failed probe raises it for each helper that did not say
//!   that it was there (a *nack*), or by 1 if there was nobody to ask; and so does a suspicion that it has to refute.
//! - Local health aware suspicion: a member has at first `stretch` times as long to refute as in SWIM, and that shrinks with the
//!   logarithm of the number of further members that suspect it independently, down to the time that SWIM gives.
//! - Buddy system: who probes a member that it suspects tells it so at once.
//!
//! # Where the sources leave a choice
//! In the paper every failed probe raises the score. In memberlist, which runs it, one in which all helpers were heard does
//! not: then the target is to blame. This follows memberlist, also in that nobody waits for confirmations in groups
//! that are too small for them. The timeout of a direct probe is stretched as in the paper; memberlist stretches the period alone.

use crate::swim::{SwimPolicy, log10_thousandths};

/// The policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Lifeguard {
    /// One more than the highest score.
    most: u8,
    /// How many times the shortest time for a refutation the longest is.
    stretch: u32,
    /// How many further suspicions make it the shortest.
    confirmations: u32,
}

impl Lifeguard {
    /// With scores below `most`, and times for a refutation of up to `stretch` times the shortest, which it is after this
    /// many confirmations.
    pub const fn new(most: u8, stretch: u32, confirmations: u32) -> Lifeguard {
        Lifeguard { most, stretch, confirmations }
    }

    fn raise(self, score: &mut u8, by: u8) {
        *score = score.saturating_add(by).min(self.most.saturating_sub(1));
    }
}

impl SwimPolicy for Lifeguard {
    /// The score.
    type Memory = u8;

    fn stretched(&self, score: &u8, duration: u32) -> u32 {
        duration.saturating_mul(1 + u32::from(*score))
    }

    fn answered(&self, score: &mut u8) {
        *score = score.saturating_sub(1);
    }

    fn failed(&self, score: &mut u8, asked: u8, silent: u8) {
        self.raise(score, if asked == 0 { 1 } else { silent });
    }

    fn refuted(&self, score: &mut u8) {
        self.raise(score, 1);
    }

    fn refuses(&self) -> bool {
        true
    }

    fn confirmations(&self, up: usize) -> Option<u32> {
        let possible = up.saturating_sub(2) >= self.confirmations as usize;
        Some(if possible { self.confirmations } else { 0 })
    }

    fn patience(&self, shortest: u64, further: u32, up: usize) -> u64 {
        let needed = self.confirmations(up).unwrap_or(0);
        if further >= needed {
            return shortest;
        }
        let longest = shortest.saturating_mul(u64::from(self.stretch.max(1)));
        let share = |of: u64| {
            let [done, all] = [further, needed].map(|count| u64::from(log10_thousandths(count + 1)));
            of.saturating_mul(done) / all.max(1)
        };
        longest - share(longest - shortest)
    }

    fn tells_suspects(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_for_a_refutation_shrinks_with_the_logarithm_of_the_confirmations() {
        let policy = Lifeguard::new(8, 6, 3);
        let times = [0, 1, 2, 3, 4].map(|further| policy.patience(1000, further, 128));
        assert_eq!(times, [6000, 3500, 2039, 1000, 1000]);
        assert_eq!(policy.patience(1000, 0, 4), 1000, "nobody is left to confirm it");
    }

    #[test]
    fn the_score_doubts_the_process_and_not_its_target() {
        let (policy, mut score) = (Lifeguard::new(8, 6, 3), 0);
        policy.failed(&mut score, 3, 0);
        assert_eq!(score, 0, "all helpers were heard");
        policy.failed(&mut score, 3, 2);
        policy.failed(&mut score, 0, 0);
        policy.refuted(&mut score);
        assert_eq!((score, policy.stretched(&score, 10)), (4, 50));
        policy.failed(&mut score, 200, 200);
        assert_eq!(score, 7);
        (0..9).for_each(|_| policy.answered(&mut score));
        assert_eq!(score, 0);
    }
}
