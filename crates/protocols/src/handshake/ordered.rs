//! Version 1 of the wire, as the planted variant [`OrderedLives`](super::HandshakeFlaw::OrderedLives): a node admits a
//! datagram of the highest life of its peer that it ever heard of, if the sender knows its own. There are no challenges,
//! and a nonce is the life and the number under the key of the cluster. A session with life 0 is one with nobody.
//! Greetings of nodes have no numbers here; a forged one has the highest.

use super::message::{Greeting, HIGHEST, HandshakeMsg, HandshakeOutput, SealedMessage, SessionKey, WireKey};
use super::node::{WireNode, WireSession};
use super::{Handshake, peer};
use watchkeeper_core::{Effects, Pid};

const NOBODY: WireSession = WireSession { key: WireKey::Old, own: 0, peer: 0, life: 0, sent: 0, seen: 0 };

fn session(node: &WireNode) -> WireSession {
    node.current.unwrap_or(NOBODY)
}

fn hello(me: Pid, node: &WireNode, yours: u8, fx: &mut impl Effects<Handshake>) {
    let greeting = Greeting { key: node.stage.current(), life: node.life, mine: 0, yours };
    fx.send(peer(me), HandshakeMsg::Hello(greeting));
}

pub(super) fn greets(me: Pid, node: &WireNode, fx: &mut impl Effects<Handshake>) {
    hello(me, node, session(node).life, fx);
}

pub(super) fn greeted(me: Pid, node: &mut WireNode, greeting: &Greeting, fx: &mut impl Effects<Handshake>) {
    let &Greeting { key, life, mine, yours } = greeting;
    let number = if mine == HIGHEST { Some(HIGHEST) } else { None };
    admit(me, node, key, (life, yours), number, fx);
}

pub(super) fn heard(me: Pid, node: &mut WireNode, message: &SealedMessage, fx: &mut impl Effects<Handshake>) {
    let SessionKey { key, life, peer_life, .. } = message.session;
    if admit(me, node, key, (life, peer_life), Some(message.number), fx) {
        let exposed = key == WireKey::Old && node.stage.has(WireKey::Old);
        fx.emit(HandshakeOutput::Accept { message: *message, exposed });
    }
}

/// Decides on a datagram of the peer in this life that takes this node to be in the second life.
fn admit(
    me: Pid,
    node: &mut WireNode,
    key: WireKey,
    (life, yours): (u8, u8),
    number: Option<u8>,
    fx: &mut impl Effects<Handshake>,
) -> bool {
    let (known, familiar) = (session(node), yours == node.life);
    if !node.stage.has(key) || life == 0 {
        return false;
    }
    if life < known.life || !familiar {
        if life >= known.life && yours > node.life {
            // Outlived: it goes on in a life above, if there is one.
            let above = yours.saturating_add(1).min(HIGHEST);
            *node = WireNode { life: above, current: None, ..*node };
        } else if !familiar {
            hello(me, node, known.life.max(life), fx);
        }
        return false;
    }
    let mut next = if life > known.life { WireSession { life, seen: 0, ..known } } else { known };
    if let Some(number) = number {
        if !next.admits(number) {
            return false;
        }
        next.mark(number);
    }
    if life > known.life {
        let opened = SessionKey { key, life, peer_life: node.life, mine: 0, yours: 0 };
        fx.emit(HandshakeOutput::Open(opened));
    }
    node.current = Some(next);
    true
}

pub(super) fn says(me: Pid, node: &mut WireNode, fx: &mut impl Effects<Handshake>) {
    let mut now = session(node);
    if now.life == 0 || now.sent >= super::node::MOST_NUMBERS {
        return;
    }
    now.sent += 1;
    node.current = Some(now);
    let (key, life) = (node.stage.current(), node.life);
    let session = SessionKey { key, life, peer_life: now.life, mine: 0, yours: 0 };
    fx.send(peer(me), HandshakeMsg::Message(SealedMessage { session, number: now.sent }));
}

/// The clock gives the next life. It counts boots, here in place of challenges.
pub(super) fn restarts(node: &mut WireNode) {
    let boots = node.pending.saturating_add(1).min(HIGHEST);
    *node = WireNode { life: boots, pending: boots, ..WireNode::first(node.stage) };
}
