//! Variants of the handshake that are known to be wrong, to be planted one at a time. They show that a check finds
//! each; the handshake has none unless it is asked for.

use crate::consensus::UnknownFlaw;
use strum::{Display, EnumMessage, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// A variant of the handshake that is known to be wrong.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Display,
    EnumMessage,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownFlaw, parse_err_fn = UnknownFlaw::among::<HandshakeFlaw>)]
#[non_exhaustive]
pub enum HandshakeFlaw {
    /// Version 1 of the wire: lives are compared by order, the highest is remembered through a rotation, and there are no
    /// challenges.
    OrderedLives,
    /// The challenge is not drawn anew after it has opened a session.
    ReusedChallenge,
    /// Sessions of a key that has left the ring stay open.
    KeepsOldSessions,
    /// A session opens on a greeting that echoes nothing.
    NoEcho,
    /// A restart draws the same life and the same challenges again.
    LifeWithoutRandomness,
    /// A greeting is answered under the current key of the node, not under the key of the greeting.
    AnswersUnderCurrent,
    /// A node greets only while it has no session, also if nothing has come under the one that it has.
    SilentWithSession,
    /// A greeting under a key that was replaced opens a session in place of one with the same life under the current key.
    FallsBack,
    /// The session before stays open for receiving, also if its peer was in another life.
    KeepsEarlierLife,
    /// Both directions of a session have one key and count from 1.
    OneDirection,
    /// A number that was seen is accepted again.
    NoWindow,
}

impl HandshakeFlaw {
    /// All of them.
    pub const ALL: &'static [HandshakeFlaw] = <HandshakeFlaw as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The mistake in a sentence.
    pub fn about(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }
}
