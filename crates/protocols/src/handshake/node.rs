//! A node of the handshake: its keys, its life, its challenge and its sessions with its only peer. The rules are those of
//! the wire; nothing here knows that there is an attacker.

use super::flaw::HandshakeFlaw;
use super::message::{Greeting, HIGHEST, HandshakeMsg, HandshakeOutput, SealedMessage, SessionKey, WireKey};
use super::{Handshake, peer};
use watchkeeper_core::{Effects, Pack, Pid};

/// The most messages that a node sends under one session.
pub(super) const MOST_NUMBERS: u8 = 6;

/// The bit of the window for the highest number. Once that was seen all others are too old.
const HIGHEST_SEEN: u8 = 1 << 7;

/// How far a node has come with the rotation from the old key to the new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, strum::FromRepr)]
pub enum RotationStage {
    /// Only the old key.
    Before,
    /// Both keys; the old one is current.
    Added,
    /// Both keys; the new one is current.
    Switched,
    /// Only the new key.
    Done,
}

impl RotationStage {
    /// The key that seals greetings.
    pub fn current(self) -> WireKey {
        if self < RotationStage::Switched { WireKey::Old } else { WireKey::New }
    }

    /// Whether a key is in the ring.
    pub fn has(self, key: WireKey) -> bool {
        match key {
            WireKey::Old => self != RotationStage::Done,
            WireKey::New => self != RotationStage::Before,
        }
    }

    fn next(self) -> RotationStage {
        RotationStage::from_repr(self as usize + 1).unwrap_or(RotationStage::Done)
    }
}

/// A session of a node with its peer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct WireSession {
    /// The key of the cluster from which its key is derived.
    pub key: WireKey,
    /// The challenge of this node.
    pub own: u8,
    /// The challenge of the peer.
    pub peer: u8,
    /// The life of the peer.
    pub life: u8,
    /// How many messages this node has sent under it.
    pub sent: u8,
    /// The numbers that have come, as bits.
    pub seen: u8,
}

impl WireSession {
    /// Whether something has come under it, so that the peer has opened it too.
    pub fn is_confirmed(&self) -> bool {
        self.seen != 0
    }

    /// The key with which the peer sends to a node in this life.
    pub fn inbound(&self, life: u8) -> SessionKey {
        let WireSession { key, own, peer, life: peers, .. } = *self;
        SessionKey { key, life: peers, peer_life: life, mine: peer, yours: own }
    }

    fn outbound(&self, life: u8) -> SessionKey {
        let WireSession { key, own, peer, life: peers, .. } = *self;
        SessionKey { key, life, peer_life: peers, mine: own, yours: peer }
    }

    /// Whether the window lets a number pass.
    pub(super) fn admits(&self, number: u8) -> bool {
        self.seen & (HIGHEST_SEEN | bit(number)) == 0
    }

    pub(super) fn mark(&mut self, number: u8) {
        self.seen |= bit(number);
    }
}

fn bit(number: u8) -> u8 {
    if number == HIGHEST { HIGHEST_SEEN } else { 1 << (number % 7) }
}

/// The state of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub struct WireNode {
    /// Its keys.
    pub stage: RotationStage,
    /// Its life.
    pub life: u8,
    /// Its challenge for the next handshake, in the order of drawing; 0 if it can draw no more.
    pub pending: u8,
    /// The session under which it sends.
    pub current: Option<WireSession>,
    /// The session before, for receiving only.
    pub previous: Option<WireSession>,
}

impl WireNode {
    /// A node in its first life.
    pub(super) fn first(stage: RotationStage) -> WireNode {
        WireNode { stage, life: 1, pending: 1, current: None, previous: None }
    }
}

/// The rules, for a protocol with its configuration.
impl Handshake {
    /// It is time to greet: a node without a session, one whose session nobody has confirmed, and one whose session is of
    /// a key that was replaced.
    pub(super) fn greets(&self, me: Pid, node: &WireNode, fx: &mut impl Effects<Handshake>) {
        let current = node.stage.current();
        let replaced = node.current.is_some_and(|it| it.key < current);
        if (node.current.is_none() || replaced) && node.pending != 0 {
            self.say_hello(me, node, current, (node.pending, 0), fx);
        }
        if let Some(session) = node.current
            && !session.is_confirmed()
            && !self.is(HandshakeFlaw::SilentWithSession)
        {
            self.say_hello(me, node, session.key, (session.own, session.peer), fx);
        }
    }

    /// A greeting arrives.
    pub(super) fn greeted(
        &self,
        me: Pid,
        node: &mut WireNode,
        hello: &Greeting,
        fx: &mut impl Effects<Handshake>,
    ) {
        if !node.stage.has(hello.key) {
            return;
        }
        let Greeting { key, life, mine, yours } = *hello;
        let current = node.stage.current();
        // A life that has shown to have the current key has no need of one that this node has replaced. Otherwise two
        // handshakes under two keys could go on side by side, and undo each other.
        let back = key < current && node.current.is_some_and(|it| (it.key, it.life) == (current, life));
        if back && !self.is(HandshakeFlaw::FallsBack) && !self.is(HandshakeFlaw::AnswersUnderCurrent) {
            if node.pending != 0 {
                self.say_hello(me, node, current, (node.pending, mine), fx);
            }
            return;
        }
        let answered = if self.is(HandshakeFlaw::AnswersUnderCurrent) { current } else { key };
        let repeated = node.current.filter(|it| {
            let same_key = it.key == key || self.is(HandshakeFlaw::AnswersUnderCurrent);
            (it.own, it.peer, it.life) == (yours, mine, life) && same_key
        });
        if let Some(session) = repeated {
            if !session.is_confirmed() {
                self.say_hello(me, node, answered, (yours, mine), fx);
            }
        } else if node.pending != 0 && (yours == node.pending || self.is(HandshakeFlaw::NoEcho)) {
            let own = node.pending;
            self.open(node, WireSession { key, own, peer: mine, life, sent: 0, seen: 0 }, fx);
            self.say_hello(me, node, answered, (own, mine), fx);
        } else if node.pending != 0 {
            self.say_hello(me, node, answered, (node.pending, mine), fx);
        }
    }

    fn open(&self, node: &mut WireNode, session: WireSession, fx: &mut impl Effects<Handshake>) {
        let before = node.current.or(node.previous);
        let same_life =
            |it: &WireSession| it.life == session.life || self.is(HandshakeFlaw::KeepsEarlierLife);
        node.previous = before.filter(same_life);
        node.current = Some(session);
        if !self.is(HandshakeFlaw::ReusedChallenge) {
            node.pending = self.drawn_after(node.pending);
        }
        fx.emit(HandshakeOutput::Open(session.inbound(node.life)));
    }

    /// A message arrives.
    pub(super) fn heard(
        &self,
        node: &mut WireNode,
        message: &SealedMessage,
        fx: &mut impl Effects<Handshake>,
    ) {
        let (life, exposed) =
            (node.life, node.stage.has(WireKey::Old) && message.session.key == WireKey::Old);
        let sessions = [node.current.as_mut(), node.previous.as_mut()];
        for session in sessions.into_iter().flatten() {
            let fresh = session.admits(message.number) || self.is(HandshakeFlaw::NoWindow);
            if session.inbound(life) == message.session && fresh {
                session.mark(message.number);
                fx.emit(HandshakeOutput::Accept { message: *message, exposed });
                return;
            }
        }
    }

    /// A message is to be sent.
    pub(super) fn says(&self, me: Pid, node: &mut WireNode, fx: &mut impl Effects<Handshake>) {
        let life = node.life;
        if let Some(session) = &mut node.current
            && session.sent < MOST_NUMBERS
        {
            session.sent += 1;
            let message = SealedMessage { session: session.outbound(life), number: session.sent };
            fx.send(peer(me), HandshakeMsg::Message(message));
        }
    }

    /// A new life that remembers nothing but its keys.
    pub(super) fn restarts_node(&self, node: &mut WireNode) {
        if self.is(HandshakeFlaw::LifeWithoutRandomness) {
            *node = WireNode::first(node.stage);
        } else if node.pending != 0 && self.drawn_after(node.pending) != 0 {
            let (life, pending) = (node.life.saturating_add(1), self.drawn_after(node.pending));
            *node = WireNode { life, pending, ..WireNode::first(node.stage) };
        }
    }

    /// The next step of a rotation. With a key go its sessions.
    pub(super) fn rotates(&self, node: &mut WireNode) {
        node.stage = node.stage.next();
        if !self.is(HandshakeFlaw::KeepsOldSessions) && !self.is(HandshakeFlaw::OrderedLives) {
            let stays = |it: &WireSession| node.stage.has(it.key);
            (node.current, node.previous) = (node.current.filter(stays), node.previous.filter(stays));
        }
    }

    fn drawn_after(&self, challenge: u8) -> u8 {
        if challenge < self.challenges { challenge + 1 } else { 0 }
    }

    fn say_hello(
        &self,
        me: Pid,
        node: &WireNode,
        key: WireKey,
        (mine, yours): (u8, u8),
        fx: &mut impl Effects<Handshake>,
    ) {
        fx.send(peer(me), HandshakeMsg::Hello(Greeting { key, life: node.life, mine, yours }));
    }
}
