//! What a node is given: who it is, whom it talks to, its keys, its unit of time, and what its verdict rests on. What
//! cannot be is refused before anything starts.

use crate::assumptions::Assumptions;
use crate::recording_line::RecordedModel;
use crate::wire::{KeyRing, MemberName};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper_core::{MemberSet, Pack, Pid, packed};

/// One unit of the protocol's time where nobody says otherwise.
pub const DEFAULT_TICK: Duration = Duration::from_millis(100);

/// How long a node waits for its peers before it begins where nobody says otherwise.
pub const DEFAULT_GATHER: Duration = Duration::from_secs(1);

/// How long a node asks to become a member of an open cluster where nobody says otherwise.
pub const DEFAULT_JOIN: Duration = Duration::from_secs(30);

/// The shortest unit of time: the timers of the operating system are not finer.
pub const SHORTEST_TICK: Duration = Duration::from_millis(1);

/// The longest unit of time.
pub const LONGEST_TICK: Duration = Duration::from_secs(3600);

/// The least that a node must be allowed to be late: the timers of the operating system are not finer.
pub const SHORTEST_LATENESS: Duration = Duration::from_millis(2);

/// The longest name of a cluster.
pub const LONGEST_CLUSTER: usize = 64;

/// The most seeds of an open cluster.
pub const MOST_SEEDS: usize = 64;

/// What a node is given beside its protocol.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Which process it is. In an open cluster it learns its number when it joins, and this counts for nothing.
    pub me: Pid,
    /// Its peers, and where each is reached; `None` where that is not known yet. Of an open cluster: nobody.
    pub peers: Vec<(Pid, Option<SocketAddr>)>,
    /// Who it is in an open cluster, which nodes join and leave while it runs.
    pub open: Option<OpenMember>,
    /// The name of the cluster. Datagrams of another cluster are refused, even under the same key.
    pub cluster: String,
    /// The keys that datagrams are sealed and opened with. There is no way to run without.
    pub keys: Option<KeyRing>,
    /// How long one unit of the protocol's time lasts.
    pub tick: Duration,
    /// What the verdict rests on that this node was checked with.
    pub assumptions: Assumptions,
    /// How long to wait for all peers to be there, so that all begin together; in an open cluster, how long to ask to
    /// become a member before the node gives up.
    pub gather: Duration,
    /// The model that the recording names; nothing is recorded without.
    pub recorded: Option<RecordedModel>,
    /// What to ask of the protocol as soon as it has begun, packed.
    pub opening: Option<Vec<u8>>,
    /// What to ask of the protocol when the node leaves, packed, and for how many ticks to stay on.
    pub leave: Option<(Vec<u8>, u32)>,
    /// What to ask of the protocol of a newcomer in an open cluster as soon as it has begun.
    pub meeting: Option<MeetingCall>,
    /// The seed of what the protocol picks at random; from the entropy of the start where none is given.
    pub seed: Option<u64>,
}

impl NodeConfig {
    /// Process `me`, with nothing else said yet.
    pub fn new(me: Pid) -> NodeConfig {
        NodeConfig {
            me,
            peers: Vec::new(),
            open: None,
            cluster: String::new(),
            keys: None,
            tick: DEFAULT_TICK,
            assumptions: Assumptions::default(),
            gather: DEFAULT_GATHER,
            recorded: None,
            opening: None,
            leave: None,
            meeting: None,
            seed: None,
        }
    }

    /// A node of an open cluster, with nothing else said yet.
    pub fn open(member: OpenMember) -> NodeConfig {
        NodeConfig { open: Some(member), gather: DEFAULT_JOIN, ..NodeConfig::new(Pid::at(0)) }
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
        if let Some(member) = &self.open {
            member.validate()?;
            return if self.peers.is_empty() { Ok(keys) } else { Err(ConfigError::OpenWithPeers) };
        }
        let mut known: MemberSet = [self.me].into_iter().collect();
        match self.peers.iter().find(|(peer, _)| !known.insert(*peer)) {
            Some(&(peer, _)) => Err(ConfigError::Twice { peer }),
            None => Ok(keys),
        }
    }
}

/// What the protocol of a newcomer is asked, packed: it came by this member, which is there and knows others. Whom the
/// node knows its protocol does not learn otherwise.
#[derive(Clone)]
pub struct MeetingCall(Arc<dyn Fn(Pid) -> Vec<u8> + Send + Sync>);

impl MeetingCall {
    /// The call that this makes of a member.
    pub fn new<C: Pack + 'static>(call: impl Fn(Pid) -> C + Send + Sync + 'static) -> MeetingCall {
        MeetingCall(Arc::new(move |member| packed(&call(member))))
    }

    pub(crate) fn by(&self, member: Pid) -> Vec<u8> {
        (self.0)(member)
    }
}

impl fmt::Debug for MeetingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeetingCall").finish_non_exhaustive()
    }
}

/// A member of an open cluster, as it is configured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenMember {
    /// Its name, which no other member has, and which it keeps from one start to the next.
    pub name: MemberName,
    /// Where others reach it.
    pub address: SocketAddr,
    /// Whom to ask for a number: some of the seeds, or any members. On a seed: all seeds, itself among them, in the same order
    /// on each of them; empty if it is the only one.
    pub seeds: Vec<SocketAddr>,
    /// The number that it would like to have. It gets it if nobody else has it, and another one if not.
    pub wish: Option<Pid>,
    /// Whether it is a seed itself: it founds the cluster, and gives out numbers.
    pub is_seed: bool,
}

impl OpenMember {
    /// Its place among the seeds, and how many there are, if it is one.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        match self.seeds.iter().position(|seed| *seed == self.address) {
            _ if !self.is_seed => None,
            None if self.seeds.is_empty() => Some((0, 1)),
            place => place.map(|place| (place, self.seeds.len())),
        }
    }

    fn validate(&self) -> Result<(), ConfigError> {
        if self.address.ip().is_unspecified() || self.address.port() == 0 {
            return Err(ConfigError::Nowhere { address: self.address });
        }
        let mut seeds = self.seeds.clone();
        seeds.sort_unstable();
        seeds.dedup();
        if seeds.len() < self.seeds.len() || seeds.len() > MOST_SEEDS {
            return Err(ConfigError::Seeds);
        }
        match (self.is_seed, self.place()) {
            (false, _) if self.seeds.is_empty() => Err(ConfigError::NobodyToAsk),
            (true, None) => Err(ConfigError::NotAmongSeeds { address: self.address }),
            _ => Ok(()),
        }
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
    /// Incarnations of machines whose clock was never set are below this, all others are not.
    pub(crate) const FIRST_OF_SET_CLOCKS: u64 = 1 << 52;

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
    /// A member of an open cluster has peers from the start.
    #[error("a member of an open cluster learns who its peers are: leave the list of peers out")]
    OpenWithPeers,
    /// Others could not reach a member.
    #[error("nobody can reach {address}: say at which address and port of this machine others reach it")]
    Nowhere {
        /// What was given.
        address: SocketAddr,
    },
    /// A member that is no seed knows no other.
    #[error("nobody can be asked to join: name the address of a seed, or found the cluster as a seed")]
    NobodyToAsk,
    /// The list of seeds cannot be.
    #[error("seeds are at most {MOST_SEEDS} different addresses: list each once")]
    Seeds,
    /// A seed is not in the list of seeds.
    #[error(
        "{address} is not among the seeds: list all seeds in the same order on each of them, itself among them, or \
         leave the list out if there is one"
    )]
    NotAmongSeeds {
        /// The address of this node.
        address: SocketAddr,
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
