//! What the members of a group tell each other, what their clients ask, and what they announce. A message carries
//! its number and how much its sender had received of everyone, which is its place in the causal graph.

use std::fmt;
use watchkeeper_core::{Datum, DatumSort, Kind, KindData, Pack, PerProc, Pid, ProcSet, Slot};

/// What a message is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum MulticastBody {
    /// A word of a client.
    User(u64),
    /// FA: the sender takes these for faulty, having sent a JOIN with these two sets last, if any.
    Fault {
        /// Whom.
        faulty: ProcSet,
        /// The set to join of that JOIN.
        join: ProcSet,
        /// Its set of the faulty.
        before: ProcSet,
    },
    /// AJ: the sender attempts to join these.
    Attempt(ProcSet),
    /// JOIN: the sender would have these in the group, without those that are faulty.
    Join {
        /// Who is to be joined.
        join: ProcSet,
        /// Who of them is not to be there.
        faulty: ProcSet,
    },
    /// Nothing but the acknowledgements that ride on it.
    Empty,
}

impl MulticastBody {
    /// The processes that it names.
    pub fn named(&self) -> ProcSet {
        match *self {
            MulticastBody::User(_) | MulticastBody::Empty => ProcSet::EMPTY,
            MulticastBody::Fault { faulty, join, before } => faulty.union(join).union(before),
            MulticastBody::Attempt(join) => join,
            MulticastBody::Join { join, faulty } => join.union(faulty),
        }
    }
}

/// A message as its sender has multicast it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Multicast {
    /// How many messages its sender has sent before.
    pub number: u32,
    /// How many messages of each process its sender had received before, as acknowledgements: the messages that
    /// are its causal predecessors.
    pub past: PerProc<u32>,
    /// What it is about.
    pub body: MulticastBody,
}

/// What goes from one process to another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum GroupMsg {
    /// A message from its sender.
    Fresh(Multicast),
    /// A message of a process that the sender of this takes for faulty, for those who do not have it.
    Relay {
        /// The sender.
        origin: Pid,
        /// The message.
        multicast: Multicast,
    },
}

impl Kind for GroupMsg {
    const KINDS: &'static [&'static str] = &["USER", "FA", "AJ", "JOIN", "EMPTY", "RELAY"];

    fn kind(&self) -> usize {
        match self {
            GroupMsg::Fresh(multicast) => match multicast.body {
                MulticastBody::User(_) => 0,
                MulticastBody::Fault { .. } => 1,
                MulticastBody::Attempt(_) => 2,
                MulticastBody::Join { .. } => 3,
                MulticastBody::Empty => 4,
            },
            GroupMsg::Relay { .. } => 5,
        }
    }

    fn label(&self) -> String {
        match self {
            GroupMsg::Fresh(multicast) => multicast.to_string(),
            GroupMsg::Relay { origin, multicast } => format!("RELAY of {origin}: {multicast}"),
        }
    }

    fn data() -> Vec<KindData> {
        let sorts = [
            vec![u32::sort(), u64::sort()],
            vec![u32::sort(), ProcSet::sort()],
            vec![u32::sort(), ProcSet::sort()],
            vec![u32::sort(), ProcSet::sort(), ProcSet::sort()],
            vec![u32::sort()],
            vec![Pid::sort(), u32::sort()],
        ];
        GroupMsg::KINDS.iter().zip(sorts).map(|(name, sorts)| KindData::new(name, sorts)).collect()
    }

    fn terms(&self) -> Vec<String> {
        let Multicast { number, body, .. } = match self {
            GroupMsg::Fresh(multicast) => multicast,
            GroupMsg::Relay { origin, multicast } => return vec![origin.term(), multicast.number.term()],
        };
        let mut terms = vec![number.term()];
        match body {
            MulticastBody::User(word) => terms.push(word.term()),
            MulticastBody::Fault { faulty, .. } => terms.push(faulty.term()),
            MulticastBody::Attempt(join) => terms.push(join.term()),
            MulticastBody::Join { join, faulty } => terms.extend([join.term(), faulty.term()]),
            MulticastBody::Empty => {}
        }
        terms
    }
}

impl fmt::Display for Multicast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Multicast { number, body, .. } = self;
        match body {
            MulticastBody::User(word) => write!(f, "#{number} USER {word}"),
            MulticastBody::Fault { faulty, .. } => write!(f, "#{number} FA {faulty}"),
            MulticastBody::Attempt(join) => write!(f, "#{number} AJ {join}"),
            MulticastBody::Join { join, faulty } if faulty.is_empty() => write!(f, "#{number} JOIN {join}"),
            MulticastBody::Join { join, faulty } => write!(f, "#{number} JOIN {join} without {faulty}"),
            MulticastBody::Empty => write!(f, "#{number} EMPTY"),
        }
    }
}

/// The requests of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum GroupCall {
    /// To tell the group something.
    #[kind("say")]
    Say(u64),
    /// To leave the group and stay alone.
    #[kind("leave")]
    Leave,
    /// To look for others again after having left.
    #[kind("return")]
    Return,
}

/// The timers of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum GroupTimer {
    /// The end of the first stage of a join.
    #[slot("gather")]
    Gather,
    /// The time to look again for those who are there and not in the group.
    #[slot("probe")]
    Probe,
}

/// A configuration: who is in the group, and which messages made it so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct Configuration {
    /// The members.
    pub members: ProcSet,
    /// For each process, one more than the number of its message that was delivered as a part of this change; 0 if
    /// none was.
    pub by: PerProc<u32>,
}

/// A label shows the members.
impl Datum for Configuration {
    fn sort() -> DatumSort {
        ProcSet::sort()
    }

    fn term(&self) -> String {
        self.members.term()
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

/// The announcements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum GroupOutput {
    /// From now on this is the configuration.
    #[kind("view", label = "view {0}")]
    View(Configuration),
    /// A word of a member.
    #[kind("deliver", label = "deliver {word} of {from}#{number}")]
    Deliver {
        /// The sender.
        from: Pid,
        /// The number of its message.
        number: u32,
        /// The word.
        word: u64,
    },
    /// Something was not taken.
    #[kind("refuse", label = "refuse {from}: {why}")]
    Refuse {
        /// Who has sent it, or the process itself if a client asked.
        from: Pid,
        /// Why.
        why: RefusalReason,
    },
}

/// The reason for a refusal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, strum::Display)]
pub enum RefusalReason {
    /// It names a process that there is not.
    #[strum(to_string = "it names a process outside of the group's ids")]
    Stranger,
    /// It acknowledges a message that was never sent.
    #[strum(to_string = "it acknowledges what was never sent")]
    Forged,
    /// It follows a message of its own sender that has not come, or too many of others.
    #[strum(to_string = "it follows messages that nobody knows")]
    Unknown,
    /// The graph is full.
    #[strum(to_string = "the graph is full")]
    Full,
}
