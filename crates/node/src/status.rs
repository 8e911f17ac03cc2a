//! The status of a node, which it gives when it is asked.

use crate::assumptions::Breach;
use crate::wire::KeyId;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{MemberSet, Pid};

/// The status of a node at some moment.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Status {
    /// Which process it is; `None` while it has not joined its cluster.
    pub process: Option<Pid>,
    /// Its name, in an open cluster.
    pub name: Option<String>,
    /// Its cluster.
    pub cluster: String,
    /// Its incarnation.
    pub incarnation: u64,
    /// Where it listens, if it does.
    pub address: Option<SocketAddr>,
    /// What it is doing.
    pub phase: NodePhase,
    /// Since when it runs.
    pub uptime: Duration,
    /// One unit of the protocol's time.
    pub tick: Duration,
    /// Whom it suspects.
    pub suspects: MemberSet,
    /// Its peers, in the order of their ids.
    pub peers: Vec<PeerStatus>,
    /// The timers that are armed, with how long until they are due.
    pub timers: Vec<(String, Duration)>,
    /// The timeouts in effect: for how long each timer was last armed.
    pub timeouts: Vec<(String, Duration)>,
    /// The ids of its keys, the current one first.
    pub keys: Vec<KeyId>,
    /// The state of its protocol, for people.
    pub state: String,
    /// The latest that it was in the last minute.
    pub worst_late: Duration,
    /// For how long it was stalled in all.
    pub stalled: Duration,
    /// The assumptions that were found broken in the last minute, the last first.
    pub breaches: Vec<(Duration, Breach)>,
    /// Where it records, if it does.
    pub recording: Option<std::path::PathBuf>,
}

/// The phase of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::FromRepr, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[repr(u8)]
#[non_exhaustive]
pub enum NodePhase {
    /// It looks for its peers; the protocol has not begun.
    Gathering,
    /// The protocol runs.
    Running,
    /// The protocol has stopped of its own accord.
    Stopped,
    /// The node leaves.
    Leaving,
    /// The node has ended.
    Ended,
    /// It asks to become a member of an open cluster; the protocol has not begun.
    Joining,
}

impl NodePhase {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The status of a peer, as a node knows it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct PeerStatus {
    /// The peer.
    pub peer: Pid,
    /// Its name, in an open cluster.
    pub name: Option<String>,
    /// Where it is reached, where that is known.
    pub address: Option<SocketAddr>,
    /// Whether it was found: it has shown that it knows this incarnation of the node.
    pub found: bool,
    /// Its incarnation, 0 if it was never found.
    pub incarnation: u64,
    /// Whether it has said that it leaves.
    pub left: bool,
    /// Since when it is suspected.
    pub suspected: Option<Duration>,
    /// The last message heard of it: its kind, and how long ago.
    pub heard: Option<(&'static str, Duration)>,
    /// The last message sent to it: its kind, and how long ago.
    pub probed: Option<(&'static str, Duration)>,
    /// Round trips: the last, the shortest, the longest.
    pub round_trip: Option<[Duration; 3]>,
    /// The longest that a message of it took, as far as can be told without a common clock.
    pub worst_delay: Option<Duration>,
    /// How many of its messages were lost.
    pub lost: u64,
    /// How many of its messages were overtaken by later ones.
    pub overtaken: u64,
}
