//! What goes over the wire, and the timer slots. The kinds and slots of the protocol inside come first and
//! keep their places, so that reports show what is really said.

use watchkeeper_core::{Kind, Pack, Slot};

/// The messages of reliable links, around messages `M` of the protocol inside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum ReliableMsg<M> {
    /// A message of the protocol.
    #[kind(label = "{msg} #{number}")]
    Data {
        /// Its number on this link, from 0.
        number: u64,
        /// How many messages just before it the sender can still send again.
        behind: u64,
        /// The number that the sender expects next on the link back.
        expects: u64,
        /// The message.
        #[kind(inner)]
        msg: M,
    },
    /// Nothing but an acknowledgement.
    #[kind("received", label = "received below #{expects}")]
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

/// The timer slots of a protocol with the slots `T`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum ReliableTimer<T> {
    /// A slot of the protocol.
    Own(#[slot(inner)] T),
    /// When what is not acknowledged is sent again.
    #[slot("resend")]
    Resend,
}
