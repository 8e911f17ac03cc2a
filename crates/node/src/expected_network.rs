//! The network that parameters were chosen for, as a distribution and not as a bound, and a test of whether what a node
//! measures can still come from it.

use crate::assumptions::Measurement;
use std::time::Duration;

/// How many measurements are judged together.
const BATCH: u32 = 256;

/// How often a batch of the expected network may be taken for one of another.
const FALSE_ALARM: f64 = 1e-6;

/// The network that parameters were chosen for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpectedNetwork {
    /// How long a message there and one back are on their way together, but for a few.
    pub round_trip: Duration,
    /// How many of a million may take longer.
    pub slower: u32,
    /// How many of a million messages may be lost.
    pub loss: u32,
}

/// Counts, batch by batch, what is slower or lost, and tells of a batch that the expected network has once in a million.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NetworkMonitor {
    round_trip: u64,
    slow: BatchCount,
    lost: BatchCount,
}

impl NetworkMonitor {
    pub(crate) fn new(expected: &ExpectedNetwork) -> NetworkMonitor {
        NetworkMonitor {
            round_trip: expected.round_trip.as_nanos() as u64,
            slow: BatchCount::new(expected.slower),
            lost: BatchCount::new(expected.loss),
        }
    }

    /// A message there and one back were on their way for so long.
    pub(crate) fn round_trip(&mut self, took: u64) -> Option<Measurement> {
        let (of, expected) = (self.slow.count(took > self.round_trip)?, self.slow.expected());
        Some(Measurement::Slower {
            count: of,
            of: BATCH,
            expected,
            than: Duration::from_nanos(self.round_trip),
        })
    }

    /// A message arrived.
    pub(crate) fn arrived(&mut self) -> Option<Measurement> {
        self.judged(false)
    }

    /// So many messages are known to be lost.
    pub(crate) fn lost(&mut self, more: u64) -> Option<Measurement> {
        // More than a batch at once says no more than a batch.
        (0..more.min(u64::from(BATCH))).filter_map(|_| self.judged(true)).last()
    }

    fn judged(&mut self, lost: bool) -> Option<Measurement> {
        let count = self.lost.count(lost)?;
        Some(Measurement::LostOf { count, of: BATCH, expected: self.lost.expected() })
    }
}

/// How many of a batch were out of the ordinary.
#[derive(Clone, PartialEq, Eq, Debug)]
struct BatchCount {
    /// How many of a million are expected to be.
    share: u32,
    /// More than so many of a batch are no accident.
    most: u32,
    seen: u32,
    odd: u32,
}

impl BatchCount {
    fn new(share: u32) -> BatchCount {
        BatchCount { share, most: largest_accident(f64::from(share) / 1e6), seen: 0, odd: 0 }
    }

    /// How many of a batch are expected to be, rounded up.
    fn expected(&self) -> u32 {
        (u64::from(self.share) * u64::from(BATCH)).div_ceil(1_000_000) as u32
    }

    /// One more; at the end of a batch, how many were, if they are too many.
    fn count(&mut self, odd: bool) -> Option<u32> {
        self.seen += 1;
        self.odd += u32::from(odd);
        if self.seen < BATCH {
            return None;
        }
        let count = self.odd;
        (self.seen, self.odd) = (0, 0);
        (count > self.most).then_some(count)
    }
}

/// The least number that a batch exceeds only with the probability of a false alarm, if each is out of the ordinary with
/// this one.
fn largest_accident(share: f64) -> u32 {
    if share >= 1.0 {
        return BATCH;
    }
    // The terms of the binomial distribution, one from the other; their sum from the top would need all of them.
    let mut term = (f64::from(BATCH) * (-share).ln_1p()).exp();
    let mut below = term;
    for count in 0..BATCH {
        if 1.0 - below <= FALSE_ALARM {
            return count;
        }
        term *= f64::from(BATCH - count) / f64::from(count + 1) * share / (1.0 - share);
        below += term;
    }
    BATCH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor() -> NetworkMonitor {
        let round_trip = Duration::from_millis(80);
        NetworkMonitor::new(&ExpectedNetwork { round_trip, slower: 10_000, loss: 20_000 })
    }

    #[test]
    fn a_network_as_expected_is_nothing() {
        let mut monitor = monitor();
        for message in 0..100_000 {
            let took = if message % 100 == 0 { 81_000_000 } else { 20_000_000 };
            assert_eq!(monitor.round_trip(took), None);
            let news = if message % 50 == 0 { monitor.lost(1) } else { monitor.arrived() };
            assert_eq!(news, None);
        }
    }

    #[test]
    fn a_slower_network_is_found_within_a_batch_and_again_in_the_next() {
        let mut monitor = monitor();
        let news =
            (0..512).filter_map(|message| monitor.round_trip(if message % 4 == 0 { 90_000_000 } else { 0 }));
        let than = Duration::from_millis(80);
        let found = Measurement::Slower { count: 64, of: 256, expected: 3, than };
        assert_eq!(news.collect::<Vec<_>>(), [found, found]);
    }

    #[test]
    fn losses_are_found_whether_they_come_alone_or_together() {
        let mut monitor = monitor();
        assert_eq!(monitor.lost(1000), Some(Measurement::LostOf { count: 256, of: 256, expected: 6 }));
        let news =
            (0..256).filter_map(|message| if message % 4 == 0 { monitor.lost(1) } else { monitor.arrived() });
        assert_eq!(news.collect::<Vec<_>>(), [Measurement::LostOf { count: 64, of: 256, expected: 6 }]);
    }

    #[test]
    fn the_limit_is_the_quantile_of_the_binomial_distribution() {
        // Computed with another implementation: the least c with P(Bin(256, p) > c) <= 1e-6.
        let expected =
            [(0.0, 0), (0.000_001, 1), (0.001, 5), (0.01, 13), (0.02, 19), (0.1, 51), (0.5, 166), (1.0, 256)];
        for (share, limit) in expected {
            assert_eq!(largest_accident(share), limit, "{share}");
        }
    }
}
