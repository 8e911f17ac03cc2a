//! What a node is given: who it is, whom it talks to, its keys, its unit of time, and what its verdict rests on. What
//! cannot be is refused before anything starts.

use crate::assumptions::Assumptions;
use crate::recording_line::RecordedModel;
use crate::wire::KeyRing;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{Pid, ProcSet};

/// One unit of the protocol's time where nobody says otherwise.
pub const DEFAULT_TICK: Duration = Duration::from_millis(100);

/// How long a node waits for its peers before it begins where nobody says otherwise.
pub const DEFAULT_GATHER: Duration = Duration::from_secs(1);

/// The shortest unit of time: the timers of the operating system are not finer.
pub const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// The longest unit of time.
pub const LONGEST_TICK: Duration = Duration::from_secs(3600);

/// The least that a node must be allowed to be late: the timers of the operating system are not finer.
pub const SHORTEST_LATENESS: Duration = Duration::from_millis(2);

/// The longest name of a cluster.
pub const LONGEST_CLUSTER: usize = 64;

/// What a node is given beside its protocol.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Which process it is.
    pub me: Pid,
    /// Its peers, and where each is reached; `None` where that is not known yet.
    pub peers: Vec<(Pid, Option<SocketAddr>)>,
    /// The name of the cluster. Datagrams of another cluster are refused, even under the same key.
    pub cluster: String,
    /// The keys that datagrams are sealed and opened with. There is no way to run without.
    pub keys: Option<KeyRing>,
    /// How long one unit of the protocol's time lasts.
    pub tick: Duration,
    /// What the verdict rests on that this node was checked with.
    pub assumptions: Assumptions,
    /// How long to wait for all peers to be there, so that all begin together.
    pub gather: Duration,
    /// The model that the recording names; nothing is recorded without.
    pub recorded: Option<RecordedModel>,
    /// What to ask of the protocol as soon as it has begun, packed.
    pub opening: Option<Vec<u8>>,
    /// What to ask of the protocol when the node leaves, packed, and for how many ticks to stay on.
    pub leave: Option<(Vec<u8>, u32)>,
    /// The seed of what the protocol picks at random; from the entropy of the start where none is given.
    pub seed: Option<u64>,
}

impl NodeConfig {
    /// Process `me`, with nothing else said yet.
    pub fn new(me: Pid) -> NodeConfig {
        NodeConfig {
            me,
            peers: Vec::new(),
            cluster: String::new(),
            keys: None,
            tick: DEFAULT_TICK,
            assumptions: Assumptions::default(),
            gather: DEFAULT_GATHER,
            recorded: None,
            opening: None,
            leave: None,
            seed: None,
        }
    }

    /// Says what is missing or cannot be; gives the keys if nothing is.
    pub(crate) fn validate(&self) -> Result<&KeyRing, ConfigError> {
        match self.cluster.len() {
            0 => return Err(ConfigError::NoCluster),
            1..=LONGEST_CLUSTER => {}
            length => return Err(ConfigError::LongCluster { length }),
        }
        if self.tick < SHORTEST_TICK || self.tick > LONGEST_TICK {
            return Err(ConfigError::Tick { tick: self.tick });
        }
        if let Some(lateness) = self.assumptions.lateness.filter(|lateness| *lateness < SHORTEST_LATENESS) {
            return Err(ConfigError::Lateness { lateness });
        }
        let keys = self.keys.as_ref().ok_or(ConfigError::NoKeys)?;
        let mut known = ProcSet::only(self.me);
        for &(peer, _) in &self.peers {
            if known.contains(peer) {
                return Err(ConfigError::Twice { peer });
            }
            known.insert(peer);
        }
        Ok(keys)
    }
}

/// What the outside world gives a node when it starts. It is given nothing of this kind later but readings of the clock.
#[derive(Clone, Debug)]
pub struct NodeStart {
    /// The time, in nanoseconds of a clock that never goes back.
    pub now: u64,
    /// What other clocks show.
    pub clock: SystemClocks,
    /// The name of the clock of `now`: recordings that name the same clock can be compared by their times.
    pub clock_name: String,
    /// Random bytes that nobody else has and no other start was given.
    pub entropy: [u8; 32],
}

/// What the clocks show that a node does not run by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SystemClocks {
    /// The wall clock: nanoseconds since 1970, or before.
    pub wall: i128,
    /// For how long the machine has been suspended since it was started, in nanoseconds, while the node's clock stood still.
    pub suspended: u64,
}

/// Below this the wall clock of a machine was never set.
const PLAUSIBLE: i128 = 1_577_836_800_000_000_000;

/// By how many nanoseconds incarnations may be ahead of this node's clock.
const AHEAD: i128 = 366 * 86_400 * 1_000_000_000;

impl SystemClocks {
    /// The name of an incarnation that begins now: later ones normally have greater numbers. Where the clock was never
    /// set, it is a random number below all others.
    pub fn incarnation(&self, random: u64) -> u64 {
        let micros = (self.wall / 1000).min((1 << 52) - 1) as u64;
        if self.wall < PLAUSIBLE { (random >> 12).max(1) } else { micros << 12 | random & 0xfff }
    }

    /// The greatest incarnation that is not far ahead of the clock; all are taken where the clock was never set.
    pub fn latest_incarnation(&self) -> u64 {
        let latest = SystemClocks { wall: self.wall.saturating_add(AHEAD), ..*self };
        if self.wall < PLAUSIBLE { u64::MAX } else { latest.incarnation(u64::MAX) }
    }
}

/// Why a node cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The cluster has no name.
    #[error("the cluster has no name: choose one that no other cluster of these machines has")]
    NoCluster,
    /// The name of the cluster is too long.
    #[error("the name of the cluster has {length} bytes: choose one of at most {LONGEST_CLUSTER}")]
    LongCluster {
        /// Its length.
        length: usize,
    },
    /// No keys were given.
    #[error("there is no key: give the node the one that its peers have")]
    NoKeys,
    /// The unit of time is too short or too long.
    #[error("a tick of {tick:?} is not possible: choose one from 1 ms to 1 hour")]
    Tick {
        /// What was given.
        tick: Duration,
    },
    /// Less lateness is allowed than any system keeps to.
    #[error(
        "a node that may be late by no more than {lateness:?} would always be late: allow it 2 ms or more"
    )]
    Lateness {
        /// What was given.
        lateness: Duration,
    },
    /// The same process is there twice.
    #[error("{peer} is there twice: give each process one address, and the node itself none")]
    Twice {
        /// The process.
        peer: Pid,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;

    fn at(seconds: i128) -> SystemClocks {
        SystemClocks { wall: seconds * SECOND, suspended: 0 }
    }

    #[test]
    fn later_incarnations_have_greater_numbers_and_equal_moments_differ() {
        let now = 1_800_000_000;
        assert!(at(now).incarnation(0xfff) < at(now + 1).incarnation(0));
        assert_ne!(at(now).incarnation(1), at(now).incarnation(2));
    }

    #[test]
    fn a_clock_that_was_never_set_still_names_incarnations() {
        for seconds in [-5_000_000_000, -1, 0, 1, 1_000_000_000] {
            let (one, other) = (at(seconds).incarnation(u64::MAX), at(seconds).incarnation(1 << 40));
            assert!(one != other && one > 0 && other > 0);
            assert!(
                one < at(1_577_836_800).incarnation(0),
                "below every incarnation of a clock that was set"
            );
            assert_eq!(at(seconds).latest_incarnation(), u64::MAX, "whoever knows no time takes all");
        }
        assert!(at(i128::MIN / SECOND).incarnation(0) > 0 && at(i128::MAX / SECOND).incarnation(0) > 0);
    }

    #[test]
    fn incarnations_are_far_ahead_after_a_year() {
        let now = 1_800_000_000;
        let latest = at(now).latest_incarnation();
        assert!(at(now + 300 * 86_400).incarnation(0) <= latest);
        assert!(at(now + 400 * 86_400).incarnation(0) > latest && u64::MAX > latest);
    }
}
