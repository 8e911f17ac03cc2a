//! The events of a node, for the service it runs in. They are values: there are no callbacks, so nothing that a reader
//! does can hold the node up or call back into it.

use crate::assumptions::Breach;
use std::fmt;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PeerEvidence {
    /// The peer.
    pub peer: Pid,
    /// The last message heard of it: its kind, and how long ago.
    pub heard: Option<(&'static str, Duration)>,
    /// The last message sent to it: its kind, and how long ago.
    pub probed: Option<(&'static str, Duration)>,
    /// The last round trip to it and back.
    pub round_trip: Option<Duration>,
    /// Whether it has said that it leaves.
    pub left: bool,
}
