//! What goes over the wire, and the timer slots. The kinds and slots of the protocol inside come first and
//! keep their places, so that reports show what is really said.

use crate::stack::names::{MOST, joined};
use watchkeeper_core::{Kind, Pack, Slot};

/// What processes tell each other, of a protocol with messages `M`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum ReliableMsg<M> {
    /// A message of the protocol.
    Data {
        /// Its number on this link, from 0.
        number: u64,
        /// How many messages just before it the sender can still send again.
        behind: u64,
        /// The number that the sender expects next on the link back.
        expects: u64,
        /// The message.
        msg: M,
    },
    /// Nothing but an acknowledgement.
    Received {
        /// The number that the sender expects next on the link back.
        expects: u64,
    },
}

impl<M> ReliableMsg<M> {
    /// The number that its sender expects next on the link back.
    pub fn expects(&self) -> u64 {
        match self {
            ReliableMsg::Data { expects, .. } | ReliableMsg::Received { expects } => *expects,
        }
    }

    /// The message of the protocol that it carries.
    pub fn carries(&self) -> Option<&M> {
        match self {
            ReliableMsg::Data { msg, .. } => Some(msg),
            ReliableMsg::Received { .. } => None,
        }
    }
}

impl<M: Kind> ReliableMsg<M> {
    const ALL: [&'static str; MOST] = joined(M::KINDS, &["received"]);
}

impl<M: Kind> Kind for ReliableMsg<M> {
    const KINDS: &'static [&'static str] = {
        let all: &'static [&'static str; MOST] = &Self::ALL;
        all.split_at(M::KINDS.len() + 1).0
    };

    fn kind(&self) -> usize {
        self.carries().map_or(M::KINDS.len(), Kind::kind)
    }

    fn label(&self) -> String {
        match self {
            ReliableMsg::Data { number, msg, .. } => format!("{} #{number}", msg.label()),
            ReliableMsg::Received { expects } => format!("received below #{expects}"),
        }
    }
}

/// The timer slots of a protocol with the slots `T`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReliableTimer<T> {
    /// A slot of the protocol.
    Own(T),
    /// When what is not acknowledged is sent again.
    Resend,
}

impl<T: Slot> ReliableTimer<T> {
    const ALL: [&'static str; MOST] = joined(T::NAMES, &["resend"]);
}

impl<T: Slot> Slot for ReliableTimer<T> {
    const NAMES: &'static [&'static str] = {
        let all: &'static [&'static str; MOST] = &Self::ALL;
        all.split_at(T::NAMES.len() + 1).0
    };

    fn index(self) -> usize {
        match self {
            ReliableTimer::Own(timer) => timer.index(),
            ReliableTimer::Resend => T::NAMES.len(),
        }
    }

    fn from_index(index: usize) -> Option<Self> {
        if index == T::NAMES.len() {
            return Some(ReliableTimer::Resend);
        }
        T::from_index(index).map(ReliableTimer::Own)
    }
}
