//! Since when the bounds on messages hold: from the start, or only from a moment on that the adversary picks,
//! the global stabilisation time. Plain data and what follows from it for bounds; what a state makes of the
//! moment itself is in `stability`. Bounds on timers hold from the start in either case.

use crate::{Delay, Scenario, Timing};
use std::ops::RangeInclusive;
use watchkeeper_core::{Bound, Time};

/// Since when the bounds on messages hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Synchrony {
    /// From the start.
    #[default]
    Always,
    /// From a moment on that the adversary picks; until then the network is as bad as this.
    Eventual(BeforeStable),
}

/// What the network does until it has stabilised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeforeStable {
    /// How long a message that is sent until then is on its way. Whatever is still on its way when the network
    /// stabilises arrives no later than a message that is sent at that moment.
    pub delay: Bound,
    /// Whether any number of messages may be lost until then. What is lost then does not count as one of
    /// [`Network::losses`](crate::Network::losses).
    pub losses: bool,
}

/// Messages are as slow as the adversary likes, and none is lost.
impl Default for BeforeStable {
    fn default() -> BeforeStable {
        BeforeStable { delay: Bound::at_least(0), losses: false }
    }
}

impl<T: Time> Timing<T> {
    /// What the network does until it stabilises, if it has to.
    pub fn before(self) -> Option<BeforeStable> {
        match self.synchrony {
            Synchrony::Always => None,
            Synchrony::Eventual(before) => Some(before),
        }
    }

    /// The bound that a timer keeps that was armed for this one by a process that may be slow.
    pub(crate) fn slowed(self, bound: Bound<T>) -> Bound<T> {
        let slowest = bound.hi().map(|hi| hi.scaled(self.speed, 1));
        slowest.and_then(|hi| Bound::new(bound.lo(), hi)).unwrap_or(bound)
    }
}

impl Timing {
    /// The same network as if it never stabilised: whatever can happen before that moment or after it can
    /// happen here, and more.
    pub(crate) fn unstable(self) -> Timing {
        let (Some(before), Delay::PerMessage(delay)) = (self.before(), self.delay) else { return self };
        let lo = before.delay.lo().min(delay.lo());
        let hi = before.delay.hi().zip(delay.hi()).map(|(before, after)| before.max(after));
        let delay = hi.and_then(|hi| Bound::new(lo, hi)).unwrap_or(Bound::at_least(lo));
        Timing { delay: Delay::PerMessage(delay), synchrony: Synchrony::Always, ..self }
    }
}

/// The bound on a message that was on its way within `left` when the network stabilised, where a message that
/// is sent at that moment is on its way within `fresh`: it keeps what it had, unless it would then be behind.
pub(crate) fn hastened(left: Bound, fresh: Bound) -> Bound {
    let lo = left.lo().min(fresh.lo());
    let hi = match (left.hi(), fresh.hi()) {
        (Some(left), Some(fresh)) => Some(left.min(fresh)),
        (left, fresh) => left.or(fresh),
    };
    hi.and_then(|hi| Bound::new(lo, hi)).unwrap_or(Bound::at_least(lo))
}

/// The scenarios of which the adversary picks one where bounds hold from the start but are unknown: this one with
/// each of these longest delays, as far as they are not below its shortest one, and each of these speeds. A
/// scenario without time has no bounds to vary, and is alone. Give the worlds of these scenarios to
/// [`Worlds::new`](crate::Worlds::new).
pub fn unknown_bounds(
    scenario: &Scenario,
    delays: RangeInclusive<u32>,
    speeds: RangeInclusive<u32>,
) -> Vec<Scenario> {
    let Some(timing) = scenario.time.timing() else { return vec![scenario.clone()] };
    let delay = |most: u32| match timing.delay {
        Delay::PerMessage(bound) => Bound::new(bound.lo(), most).map(Delay::PerMessage),
        Delay::RoundTrip(_) => Some(Delay::RoundTrip(most)),
    };
    let mut found = Vec::new();
    for delay in delays.filter_map(delay) {
        for speed in speeds.clone() {
            let time = scenario.time.with_timing(Timing { delay, speed, ..timing });
            found.push(Scenario { time, ..scenario.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorldTime;

    fn bound(lo: u32, hi: u32) -> Bound {
        Bound::new(lo, hi).expect("an interval")
    }

    #[test]
    fn a_slow_process_is_late_and_never_early() {
        let slow = Timing { speed: 3, ..Timing::per_message(Bound::exactly(1)) };
        assert_eq!(slow.slowed(bound(2, 4)), bound(2, 12));
        assert_eq!(slow.slowed(Bound::exactly(0)), Bound::exactly(0));
        assert_eq!(slow.slowed(Bound::at_least(5)), Bound::at_least(5));
        assert_eq!(slow.slowed(bound(1, u32::MAX / 2)), bound(1, u32::MAX), "too long, and so refused");
    }

    #[test]
    fn what_is_on_its_way_is_hastened_and_never_held_up() {
        let fresh = bound(1, 3);
        assert_eq!(hastened(Bound::at_least(0), fresh), bound(0, 3));
        assert_eq!(hastened(Bound::at_least(7), fresh), fresh);
        assert_eq!(hastened(bound(0, 2), fresh), bound(0, 2));
        assert_eq!(hastened(bound(10, 20), fresh), fresh);
        assert_eq!(hastened(bound(0, 2), Bound::at_least(1)), bound(0, 2));
        assert_eq!(hastened(Bound::at_least(2), Bound::at_least(1)), Bound::at_least(1));
    }

    #[test]
    fn a_network_that_never_stabilises_has_the_bounds_of_both() {
        let timing = Timing::per_message(bound(1, 3));
        assert_eq!(timing.unstable(), timing);
        let late =
            |delay| Timing { synchrony: Synchrony::Eventual(BeforeStable { delay, losses: true }), ..timing };
        assert_eq!(late(bound(2, 9)).unstable(), Timing::per_message(bound(1, 9)));
        assert_eq!(late(Bound::at_least(0)).unstable(), Timing::per_message(Bound::at_least(0)));
    }

    #[test]
    fn unknown_bounds_are_all_of_a_range() {
        let scenario =
            |delay| Scenario { time: WorldTime::Ticks(Timing::per_message(delay)), ..Scenario::new(2) };
        let all = unknown_bounds(&scenario(bound(2, 9)), 1..=3, 1..=2);
        let said = |scenario: &Scenario| scenario.time.timing().map(|timing| (timing.delay, timing.speed));
        let expected = [(2, 1), (2, 2), (3, 1), (3, 2)]
            .map(|(hi, speed)| Some((Delay::PerMessage(bound(2, hi)), speed)));
        assert_eq!(all.iter().map(said).collect::<Vec<_>>(), expected);
        assert_eq!(unknown_bounds(&Scenario::new(2), 1..=3, 1..=2), [Scenario::new(2)]);
        let trip = Scenario { time: WorldTime::Dense(Timing::round_trip(4)), ..Scenario::new(2) };
        assert_eq!(unknown_bounds(&trip, 4..=4, 1..=1), [trip]);
    }
}
