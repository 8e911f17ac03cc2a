//! What members tell each other, what they announce, what they are asked, and their timers.

use super::MemberEntry;
use std::fmt;
use watchkeeper_core::{Kind, Member, Pack, Slot};

/// News of one member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pack)]
pub struct MemberUpdate {
    /// The member.
    pub member: Member,
    /// What is said of it.
    pub entry: MemberEntry,
    /// Whose suspicion it is, where independent suspicions are counted.
    pub by: Option<Member>,
}

impl fmt::Debug for MemberUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.member, self.entry)?;
        self.by.map_or(Ok(()), |by| write!(f, " by {by}"))
    }
}

/// What a message says of members. A chart shows it only if there is something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pack)]
pub struct CarriedNews(pub Vec<MemberUpdate>);

impl fmt::Display for CarriedNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said: Vec<String> = self.0.iter().map(|update| format!("{update:?}")).collect();
        f.write_str(if said.is_empty() { "" } else { " + " })?;
        f.write_str(&said.join(", "))
    }
}

/// The messages. All but the refusal carry news.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum SwimMsg {
    /// A probe on behalf of `origin`, which is its sender or has asked its sender for help.
    #[kind("PING", label = "PING for {origin}{news}")]
    Ping {
        /// Who wants to know.
        origin: Member,
        /// The news.
        news: CarriedNews,
    },
    /// Asks for help: the receiver should probe the target.
    #[kind("PING-REQ", label = "PING-REQ to {target}{news}")]
    PingReq {
        /// Whom to probe.
        target: Member,
        /// The news.
        news: CarriedNews,
    },
    /// The target of a probe has answered.
    #[kind("ACK", label = "ACK of {target} to {origin}{news}")]
    Ack {
        /// Who has answered.
        target: Member,
        /// Who wanted to know.
        origin: Member,
        /// The news.
        news: CarriedNews,
    },
    /// The helper is there, but the target has not answered it in time.
    #[kind("NACK")]
    Nack {
        /// Who has not answered.
        target: Member,
    },
    /// Nothing but news.
    #[kind("NEWS", label = "NEWS{news}")]
    News {
        /// The news.
        news: CarriedNews,
    },
    /// The sender knows too few members and asks for the table of the receiver.
    #[kind("JOIN", label = "JOIN{news}")]
    Join {
        /// The news.
        news: CarriedNews,
    },
    /// A part of the table of the sender.
    #[kind("TABLE", label = "TABLE{news}")]
    Table {
        /// The entries.
        news: CarriedNews,
    },
}

impl SwimMsg {
    /// What it says of members.
    pub fn news(&self) -> &[MemberUpdate] {
        match self {
            SwimMsg::Ping { news, .. }
            | SwimMsg::PingReq { news, .. }
            | SwimMsg::Ack { news, .. }
            | SwimMsg::News { news }
            | SwimMsg::Join { news }
            | SwimMsg::Table { news } => &news.0,
            SwimMsg::Nack { .. } => &[],
        }
    }
}

/// What a process announces of a member, with the incarnation that it speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum SwimOutput {
    /// A member that was not known is there.
    #[kind("new member")]
    Joined(Member, u32),
    /// A member does not answer, and has some time to refute that it is dead.
    #[kind("suspected")]
    Suspected(Member, u32),
    /// A suspected member is alive.
    #[kind("refuted")]
    Refuted(Member, u32),
    /// A member is declared dead.
    #[kind("declared dead")]
    Dead(Member, u32),
    /// A member that was declared dead, or had left, is there again.
    #[kind("back")]
    Back(Member, u32),
    /// A member has left of its own accord.
    #[kind("left")]
    Left(Member, u32),
}

impl SwimOutput {
    /// The member, and the incarnation.
    pub fn about(self) -> (Member, u32) {
        match self {
            SwimOutput::Joined(member, incarnation)
            | SwimOutput::Suspected(member, incarnation)
            | SwimOutput::Refuted(member, incarnation)
            | SwimOutput::Dead(member, incarnation)
            | SwimOutput::Back(member, incarnation)
            | SwimOutput::Left(member, incarnation) => (member, incarnation),
        }
    }
}

/// What a process is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum SwimCall {
    /// To leave the group for good.
    #[kind("leave")]
    Leave,
    /// To ask this member, which is there, for its table, unless it has one: the process came to the group by it.
    #[kind("meet")]
    Meet(Member),
}

/// The timers: few, however many members there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum SwimTimer {
    /// A protocol period ends and the next one begins.
    #[slot("period")]
    Period,
    /// The target of the probe should have answered; others are asked for help.
    #[slot("direct")]
    Direct,
    /// A grain of time has passed for all who are suspected.
    #[slot("suspicions")]
    Suspicions,
    /// It is time to tell the news.
    #[slot("news")]
    News,
    /// A grain of time has passed for all whom the process probes for others.
    #[slot("relays")]
    Relays,
}
