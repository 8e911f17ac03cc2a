//! The events of a node, for the service it runs in. They are values: there are no callbacks, so nothing that a reader
//! does can hold the node up or call back into it.

use crate::assumptions::Breach;
use crate::wire::MemberName;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper_core::{Meaning, Pid};

/// Something that happened to a node whose protocol announces values of type `O`.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeEvent<O> {
    /// When, since the node was spawned.
    pub at: Duration,
    /// What.
    pub kind: NodeEventKind<O>,
}

/// The kind of an event, with its details.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum NodeEventKind<O> {
    /// The protocol began.
    Began {
        /// How many of the peers were there.
        peers: usize,
    },
    /// The protocol announced something.
    Announced {
        /// What it announced.
        output: O,
        /// What that means for a failure detector.
        meaning: Meaning,
        /// What it rests on.
        evidence: Evidence,
    },
    /// A peer has shown that it is there, in an incarnation that was not known before.
    PeerFound {
        /// The peer.
        peer: Pid,
        /// Its incarnation.
        incarnation: u64,
    },
    /// A peer has said that it leaves. Its protocol ends with it, so others may come to suspect it.
    PeerLeft {
        /// The peer.
        peer: Pid,
    },
    /// This node has become a member of an open cluster, under this number.
    Joined {
        /// Its number.
        process: Pid,
        /// Who gave it the number; its own name if it founds the cluster.
        by: MemberName,
    },
    /// This node asks to become a member, and nobody has given it a number yet.
    Asking {
        /// Whom it asks now.
        at: SocketAddr,
        /// For how long it has asked.
        lasted: Duration,
        /// How many answers there were.
        answers: u32,
    },
    /// This node has not become a member, or is none any more, and ends.
    NotJoined(JoinFailure),
    /// A member of the open cluster that was not known before, or that is reached elsewhere or in another incarnation.
    MemberLearnt {
        /// Its number.
        peer: Pid,
        /// Its name.
        name: MemberName,
        /// Where it is reached.
        address: SocketAddr,
        /// Its incarnation.
        incarnation: u64,
    },
    /// This node was stopped or starved. It has taken in what arrived meanwhile, and its timers were put off
    /// so that its peers lose nothing by it.
    Stalled {
        /// For how long it did nothing.
        lasted: Duration,
        /// How many datagrams had arrived meanwhile.
        drained: u64,
    },
    /// Something that the verdict of the checker rests on no longer holds.
    Broken(Breach),
    /// The wall clock was set. Nothing of the node depends on it.
    ClockJumped {
        /// By how many nanoseconds.
        by: i64,
    },
    /// The recording could not be written and ends here; the node goes on.
    RecordingFailed {
        /// Why.
        why: String,
    },
    /// All numbers for datagrams are used up. None is ever used twice, so the node ends; start it again.
    NumbersUsedUp,
    /// The node has ended, and this is its last event.
    Ended,
    /// This reader was too slow, and so many events are gone.
    Missed(u64),
}

impl<O> NodeEvent<O> {
    /// The same event with another form of what was announced; `None` if the announcement has none.
    pub fn try_map<Q>(self, form: impl FnOnce(O) -> Option<Q>) -> Option<NodeEvent<Q>> {
        let NodeEvent { at, kind } = self;
        let kind = match kind {
            NodeEventKind::Announced { output, meaning, evidence } => {
                NodeEventKind::Announced { output: form(output)?, meaning, evidence }
            }
            NodeEventKind::Began { peers } => NodeEventKind::Began { peers },
            NodeEventKind::PeerFound { peer, incarnation } => NodeEventKind::PeerFound { peer, incarnation },
            NodeEventKind::PeerLeft { peer } => NodeEventKind::PeerLeft { peer },
            NodeEventKind::Joined { process, by } => NodeEventKind::Joined { process, by },
            NodeEventKind::Asking { at, lasted, answers } => NodeEventKind::Asking { at, lasted, answers },
            NodeEventKind::NotJoined(failure) => NodeEventKind::NotJoined(failure),
            NodeEventKind::MemberLearnt { peer, name, address, incarnation } => {
                NodeEventKind::MemberLearnt { peer, name, address, incarnation }
            }
            NodeEventKind::Stalled { lasted, drained } => NodeEventKind::Stalled { lasted, drained },
            NodeEventKind::Broken(breach) => NodeEventKind::Broken(breach),
            NodeEventKind::ClockJumped { by } => NodeEventKind::ClockJumped { by },
            NodeEventKind::RecordingFailed { why } => NodeEventKind::RecordingFailed { why },
            NodeEventKind::NumbersUsedUp => NodeEventKind::NumbersUsedUp,
            NodeEventKind::Ended => NodeEventKind::Ended,
            NodeEventKind::Missed(count) => NodeEventKind::Missed(count),
        };
        Some(NodeEvent { at, kind })
    }
}

/// Why a node is no member of an open cluster.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinFailure {
    /// Nobody answered.
    #[error(
        "nobody answered within {0:?}: start a seed, or compare its address, the name of the cluster and the keys here \
         and there; wait longer with a longer `gather`"
    )]
    Unanswered(Duration),
    /// Whoever answered gave no number.
    #[error("no number was given within {0:?}: the seed is still looking for its members; try again")]
    Undecided(Duration),
    /// A seed gave a number, and no session opened with it.
    #[error(
        "a number was given, and the seed that gave it did not let this node in within {0:?}: look whether it runs, \
         and wait longer with a longer `gather`"
    )]
    NoSession(Duration),
    /// The name belongs to a member that is there.
    #[error("a member that is there has the name `{0}`: choose another name, or stop that one first")]
    NameInUse(MemberName),
    /// There are as many members as there can be.
    #[error("the cluster is full: numbers of members that are gone are free again after an hour")]
    Full,
    /// The protocol runs, and another member has the number that this node was given.
    #[error(
        "another member has the number {0}, and had it before: start this node again, and it gets another; a seed has the \
         number of its place among the seeds, so list the same seeds in the same order on all of them"
    )]
    NumberTaken(Pid),
}

/// Something that the protocol announced, before its type is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announcement {
    /// Its bytes.
    pub packed: Vec<u8>,
    /// How a person reads it.
    pub label: String,
}

/// The evidence of an announcement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// What the protocol was reacting to.
    pub cause: StepCause,
    /// How late this node was in reacting, where it can tell.
    pub late: Duration,
    /// The latest it has been in the last minute.
    pub worst_late: Duration,
    /// Of whom it is, where it is of somebody: what is known of this peer.
    pub about: Option<PeerEvidence>,
}

/// The input that a node was reacting to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StepCause {
    /// Its own start.
    Start,
    /// A timer fired.
    Timer(Arc<str>),
    /// A message arrived.
    Message {
        /// Its sender.
        from: Pid,
        /// Its kind.
        kind: &'static str,
    },
    /// A client asked.
    Call(&'static str),
}

impl fmt::Display for StepCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepCause::Start => f.write_str("start"),
            StepCause::Timer(timer) => write!(f, "timer {timer}"),
            StepCause::Message { from, kind } => write!(f, "message {kind} from {from}"),
            StepCause::Call(call) => write!(f, "call {call}"),
        }
    }
}

/// The knowledge of a node about a peer at some moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerEvidence {
    /// The peer.
    pub peer: Pid,
    /// Its name, in an open cluster.
    pub name: Option<MemberName>,
    /// The last message heard of it: its kind, and how long ago.
    pub heard: Option<(&'static str, Duration)>,
    /// The last message sent to it: its kind, and how long ago.
    pub probed: Option<(&'static str, Duration)>,
    /// The last round trip to it and back.
    pub round_trip: Option<Duration>,
    /// Whether it has said that it leaves.
    pub left: bool,
}
