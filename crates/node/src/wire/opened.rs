//! What the sessions of a node make of datagrams that arrive, and why one is not sealed. Values only.

use super::{DatagramHeader, DatagramTooLong, DirectoryEntry, Hello, JoinAnswer, JoinRequest, KeyId, Stamp};
use watchkeeper_core::Pid;

/// A datagram that is authentic and new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenedDatagram<'a> {
    /// A greeting. Whether it is new, [`Sessions::greeted`](super::Sessions::greeted) decides.
    Greeting {
        /// Its sender.
        from: Pid,
        /// The key that it was sealed with.
        key: KeyId,
        /// Its timestamps.
        stamp: Stamp,
        /// What it says.
        hello: Hello,
        /// How its sender introduces itself, where it does.
        introduction: Option<DirectoryEntry>,
    },
    /// A node asks to become a member.
    Join {
        /// The key that it was sealed with.
        key: KeyId,
        /// What it asks.
        request: JoinRequest,
    },
    /// The answer to such a request.
    Answer(JoinAnswer),
    /// Anything else: of an open session, and seen for the first time.
    InSession {
        /// Its header.
        header: DatagramHeader,
        /// The incarnation of its sender.
        incarnation: u64,
        /// Its timestamps.
        stamp: Stamp,
        /// Its body.
        body: &'a [u8],
    },
}

/// What became of a greeting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GreetingOutcome {
    /// Whether it opened a session, and if so with whom.
    pub opened: Opening,
    /// The answer to it, if one is due, and the key to seal it with: give both to [`Sessions::greeting`](super::Sessions::greeting).
    pub answer: Option<(KeyId, Hello)>,
    /// Whether its sender waits to be shown that this node has the session too, by anything that is sent in it: until
    /// then it sends in an earlier one, which this node may have no more.
    pub confirm: bool,
}

/// Whether a greeting opened a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// It did not.
    Nothing,
    /// It did, with an incarnation of the peer that had one before: the key was renewed.
    Renewed,
    /// It did, with an incarnation of the peer that had none.
    New,
}

/// The reason why a datagram is not sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is too long.
    #[error(transparent)]
    TooLong(#[from] DatagramTooLong),
    /// No session is open with its receiver.
    #[error("no session is open with the receiver: greet it first")]
    NoSession,
}
