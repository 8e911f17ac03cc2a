//! The assumptions of a verdict, measured while the node runs: delays, round trips, losses, and the lateness of the
//! node itself. Measuring never changes the steps of the protocol.

use crate::expected_network::{ExpectedNetwork, NetworkMonitor};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper_core::{Assumption, Pid};

/// How long after a breach the next one of the same assumption is an event again.
const QUIET: u64 = 10_000_000_000;

/// The default for the lateness of a node: half a unit of time, and at least 5 ms, since operating systems are often late
/// by less.
pub fn usual_lateness(tick: Duration) -> Duration {
    (tick / 2).max(Duration::from_millis(5))
}

/// The assumptions of a verdict, and the properties that rest on them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assumptions {
    /// The most ticks that a message takes; `None` if nothing rests on it.
    pub delay: Option<u32>,
    /// The most ticks that a message and the answer to it take; `None` if nothing rests on it.
    pub round_trip: Option<u32>,
    /// Whether the verdict rests on no message being lost.
    pub lossless: bool,
    /// The latest that a step may be taken after it is due, before the node counts as stalled. Half a tick
    /// where nothing is said, and at least 5 ms.
    pub lateness: Option<Duration>,
    /// The network that parameters were chosen for; `None` if nothing rests on it.
    pub network: Option<ExpectedNetwork>,
    /// The properties, each with its assumptions.
    pub properties: Vec<CheckedProperty>,
}

/// A property that was checked, with the assumptions it rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedProperty {
    /// Its name, as the checker calls it.
    pub name: String,
    /// Its assumptions.
    pub rests_on: Vec<Assumption>,
}

impl CheckedProperty {
    /// A property that rests on these assumptions.
    pub fn new(name: impl Into<String>, rests_on: impl Into<Vec<Assumption>>) -> CheckedProperty {
        CheckedProperty { name: name.into(), rests_on: rests_on.into() }
    }
}

/// An assumption that did not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Which.
    pub assumption: Assumption,
    /// On the way from or to whom; `None` if it is about this node alone.
    pub peer: Option<Pid>,
    /// What was found.
    pub measurement: Measurement,
    /// The properties that rest on it.
    pub properties: Arc<[String]>,
}

/// A measurement, beside its assumed bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measurement {
    /// It took longer than it may.
    Took {
        /// How long it took.
        measured: Duration,
        /// The longest that was assumed.
        most: Duration,
    },
    /// So many of its messages were lost so far.
    Lost(u64),
    /// Of the last round trips, so many took longer than most should.
    Slower {
        /// How many took longer.
        count: u32,
        /// How many there were.
        of: u32,
        /// How many of these were expected to take longer.
        expected: u32,
        /// Than this.
        than: Duration,
    },
    /// Of the last messages, so many were lost.
    LostOf {
        /// How many were lost.
        count: u32,
        /// How many there were.
        of: u32,
        /// How many of these were expected to be lost.
        expected: u32,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.assumption, self.peer) {
            (Assumption::Delay, Some(peer)) => write!(f, "a message from {peer} took ")?,
            (Assumption::RoundTrip, Some(peer)) => write!(f, "a message to {peer} and its answer took ")?,
            (Assumption::Speed, _) => write!(f, "this node was late by ")?,
            (_, Some(peer)) => write!(f, "on the way from {peer} ")?,
            (_, None) => {}
        }
        match self.measurement {
            Measurement::Took { measured, most } => {
                write!(
                    f,
                    "{measured:.1?}, more than the {most:.1?} of the assumption `{}`",
                    self.assumption
                )?;
            }
            Measurement::Lost(count) => {
                let were = if count == 1 { "message was" } else { "messages were" };
                write!(f, "{count} {were} lost, against the assumption `{}`", self.assumption)?;
            }
            Measurement::Slower { count, of, expected, than } => write!(
                f,
                "of {of} round trips {count} took longer than {than:.1?}, where {expected} were expected: this is not \
                 the network of the assumption `{}`",
                self.assumption
            )?,
            Measurement::LostOf { count, of, expected } => write!(
                f,
                "of {of} messages {count} were lost, where {expected} were expected: this is not the network of the \
                 assumption `{}`",
                self.assumption
            )?,
        }
        match &self.properties[..] {
            [] => Ok(()),
            properties => write!(f, "; not guaranteed now: {}", properties.join(", ")),
        }
    }
}

/// Compares measurements with the assumptions. The first breach is an event; breaches that follow within ten seconds are only
/// counted.
#[derive(Debug)]
pub(crate) struct AssumptionMonitor {
    delay: Option<u64>,
    round_trip: Option<u64>,
    lossless: bool,
    pub(crate) lateness: u64,
    network: Option<NetworkMonitor>,
    properties: [Arc<[String]>; Assumption::ALL.len()],
    /// When each was last found broken.
    last: BTreeMap<(usize, Option<Pid>), u64>,
}

impl AssumptionMonitor {
    pub(crate) fn new(assumptions: &Assumptions, tick: u64) -> AssumptionMonitor {
        let resting = |assumption: Assumption| {
            let rests = |property: &&CheckedProperty| property.rests_on.contains(&assumption);
            assumptions.properties.iter().filter(rests).map(|property| property.name.clone()).collect()
        };
        let usual = usual_lateness(Duration::from_nanos(tick));
        let lateness = assumptions.lateness.unwrap_or(usual).as_nanos() as u64;
        AssumptionMonitor {
            delay: assumptions.delay.map(|ticks| u64::from(ticks).saturating_mul(tick)),
            round_trip: assumptions.round_trip.map(|ticks| u64::from(ticks).saturating_mul(tick)),
            lossless: assumptions.lossless,
            lateness,
            network: assumptions.network.as_ref().map(NetworkMonitor::new),
            properties: Assumption::ALL.map(resting),
            last: BTreeMap::new(),
        }
    }

    /// The longest that a probe sent now can take to be answered, as far as anything is assumed.
    pub(crate) fn grace(&self, tick: u64) -> u64 {
        self.round_trip.or(self.delay.map(|delay| delay.saturating_mul(2))).unwrap_or(tick)
    }

    /// How long after a gap in the numbers of a peer the missing one is taken for lost.
    pub(crate) fn loss_patience(&self, tick: u64) -> u64 {
        self.delay.or(self.round_trip).unwrap_or(tick).max(tick).saturating_mul(2)
    }

    /// How long a message may wait for a session: half of what it may take in all, so that it is not late because of that.
    pub(crate) fn held_patience(&self, tick: u64) -> u64 {
        self.delay.or(self.round_trip).unwrap_or(tick.max(1_000_000_000)) / 2
    }

    /// A message of a peer took at least so long.
    pub(crate) fn delay(&mut self, now: u64, peer: Pid, took: u64) -> Option<BreachReport> {
        self.took(now, Assumption::Delay, Some(peer), took, self.delay)
    }

    /// A message to a peer and its answer took so long.
    pub(crate) fn round_trip(&mut self, now: u64, peer: Pid, took: u64) -> Option<BreachReport> {
        self.took(now, Assumption::RoundTrip, Some(peer), took, self.round_trip)
    }

    /// What a message there and one back, so long on their way, say of the network as a whole.
    pub(crate) fn sampled(&mut self, now: u64, took: u64) -> Option<BreachReport> {
        let measurement = self.network.as_mut()?.round_trip(took)?;
        Some(self.broken(now, Assumption::Network, None, measurement))
    }

    /// What the arrival of one message and the loss of so many say of the network as a whole.
    pub(crate) fn carried(&mut self, now: u64, lost: Option<u64>) -> Option<BreachReport> {
        let network = self.network.as_mut()?;
        let measurement = match lost {
            None => network.arrived(),
            Some(more) => network.lost(more),
        }?;
        Some(self.broken(now, Assumption::Network, None, measurement))
    }

    /// The node was late by so much.
    pub(crate) fn late(&mut self, now: u64, by: u64) -> Option<BreachReport> {
        self.took(now, Assumption::Speed, None, by, Some(self.lateness))
    }

    /// So many messages of a peer are lost by now, more than before.
    pub(crate) fn lost(&mut self, now: u64, peer: Pid, count: u64) -> Option<BreachReport> {
        self.lossless.then(|| self.broken(now, Assumption::Loss, Some(peer), Measurement::Lost(count)))
    }

    fn took(
        &mut self,
        now: u64,
        assumption: Assumption,
        peer: Option<Pid>,
        took: u64,
        most: Option<u64>,
    ) -> Option<BreachReport> {
        let most = most.filter(|&most| took > most)?;
        let measurement =
            Measurement::Took { measured: Duration::from_nanos(took), most: Duration::from_nanos(most) };
        Some(self.broken(now, assumption, peer, measurement))
    }

    fn broken(
        &mut self,
        now: u64,
        assumption: Assumption,
        peer: Option<Pid>,
        measurement: Measurement,
    ) -> BreachReport {
        let last = self.last.get(&(assumption as usize, peer));
        if last.is_some_and(|last| now.saturating_sub(*last) <= QUIET) {
            return BreachReport::Repeated(assumption);
        }
        self.last.insert((assumption as usize, peer), now);
        let properties = self.properties[assumption as usize].clone();
        BreachReport::First(Breach { assumption, peer, measurement, properties })
    }
}

/// The judgement of a measurement that is out of bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BreachReport {
    /// It was not so before.
    First(Breach),
    /// It was so a moment ago.
    Repeated(Assumption),
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn monitor() -> AssumptionMonitor {
        let assumptions = Assumptions {
            delay: Some(1),
            round_trip: Some(2),
            lossless: true,
            lateness: None,
            network: None,
            properties: vec![
                CheckedProperty::new("accuracy", [Assumption::RoundTrip, Assumption::Speed]),
                CheckedProperty::new("detection:21", [Assumption::Speed]),
            ],
        };
        AssumptionMonitor::new(&assumptions, 20 * MS)
    }

    #[test]
    fn what_is_within_its_bound_is_nothing() {
        let mut monitor = monitor();
        assert_eq!(monitor.delay(0, Pid::at(1), 20 * MS), None);
        assert_eq!(monitor.round_trip(0, Pid::at(1), 40 * MS), None);
        assert_eq!(monitor.late(0, 10 * MS), None);
    }

    #[test]
    fn a_breach_names_the_bound_and_the_properties_that_rest_on_it() {
        let mut monitor = monitor();
        let Some(BreachReport::First(breach)) = monitor.round_trip(0, Pid::at(1), 41 * MS) else {
            panic!("news")
        };
        assert_eq!(
            breach.to_string(),
            "a message to p1 and its answer took 41.0ms, more than the 40.0ms of the assumption \
             `round-trip`; not guaranteed now: accuracy"
        );
        let Some(BreachReport::First(breach)) = monitor.late(0, 11 * MS) else { panic!("news") };
        assert_eq!(
            breach.to_string(),
            "this node was late by 11.0ms, more than the 10.0ms of the assumption `speed`; not guaranteed \
             now: accuracy, detection:21"
        );
        let Some(BreachReport::First(breach)) = monitor.lost(0, Pid::at(2), 1) else { panic!("news") };
        assert_eq!(
            breach.to_string(),
            "on the way from p2 1 message was lost, against the assumption `loss`"
        );
    }

    #[test]
    fn a_breach_is_news_for_each_peer_and_again_after_ten_seconds() {
        let mut monitor = monitor();
        let mut news =
            |at, peer| matches!(monitor.delay(at, Pid::at(peer), 21 * MS), Some(BreachReport::First(_)));
        assert!(news(0, 1) && !news(9_000 * MS, 1) && news(9_000 * MS, 2));
        assert!(news(11_000 * MS, 1) && !news(20_000 * MS, 1) && news(22_000 * MS, 1));
    }

    #[test]
    fn nothing_is_asked_of_what_nothing_rests_on() {
        let mut monitor = AssumptionMonitor::new(&Assumptions::default(), 20 * MS);
        assert_eq!(monitor.delay(0, Pid::at(1), u64::MAX), None);
        assert_eq!(monitor.lost(0, Pid::at(1), 5), None);
        assert_eq!(monitor.grace(20 * MS), 20 * MS);
    }
}
