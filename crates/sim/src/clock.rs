//! The clock of a simulated machine: it may run fast or slow, and change its rate, but it never goes back.

/// Parts of a rate.
const MILLION: i128 = 1_000_000;

/// A clock that shows some time at some moment, and runs on at some rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DriftingClock {
    since: u64,
    shows: u64,
    ppm: i32,
}

impl DriftingClock {
    /// A clock that shows `shows` at the beginning of the run, and is right from then on.
    pub(crate) fn new(shows: u64) -> DriftingClock {
        DriftingClock { since: 0, shows, ppm: 0 }
    }

    /// What it shows at a moment.
    pub(crate) fn read(&self, now: u64) -> u64 {
        let passed = i128::from(now - self.since) * (MILLION + i128::from(self.ppm)) / MILLION;
        self.shows.saturating_add(u64::try_from(passed).unwrap_or(0))
    }

    /// The first moment from `now` on at which it shows so much.
    pub(crate) fn when(&self, shows: u64, now: u64) -> u64 {
        if shows <= self.read(now) {
            return now;
        }
        let left = i128::from(shows - self.shows) * MILLION;
        let rate = MILLION + i128::from(self.ppm);
        let passed = (left + rate - 1).div_euclid(rate);
        self.since.saturating_add(u64::try_from(passed).unwrap_or(u64::MAX)).max(now)
    }

    /// It runs at another rate from now on.
    pub(crate) fn set_rate(&mut self, now: u64, ppm: i32) {
        *self = DriftingClock { since: now, shows: self.read(now), ppm };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_comes_to_what_it_was_asked_for_at_the_moment_that_it_names() {
        for ppm in [-50_000, -7, 0, 3, 200_000] {
            let mut clock = DriftingClock::new(1_000);
            clock.set_rate(500, ppm);
            for target in [1_501, 2_000, 1_000_000, 999_999_999_999] {
                let when = clock.when(target, 700);
                assert!(clock.read(when) >= target, "{ppm} {target}");
                assert!(when == 700 || clock.read(when - 1) < target, "{ppm} {target}");
            }
        }
    }

    #[test]
    fn a_change_of_rate_moves_nothing_that_was_shown() {
        let mut clock = DriftingClock::new(0);
        clock.set_rate(1_000_000, 100_000);
        assert_eq!((clock.read(1_000_000), clock.read(2_000_000)), (1_000_000, 2_100_000));
        clock.set_rate(2_000_000, -100_000);
        assert_eq!((clock.read(2_000_000), clock.read(3_000_000)), (2_100_000, 3_000_000));
    }
}
