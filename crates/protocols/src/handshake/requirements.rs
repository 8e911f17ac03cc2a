//! What runs of the handshake should be like, as observers: agreement on messages, no nonce twice, and nothing of an
//! earlier life.

use super::flaw::HandshakeFlaw;
use super::message::{HandshakeMsg, HandshakeOutput, SealedMessage, SessionKey, WireKey};
use super::{ATTACKER, Handshake, peer};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pack, PerProc, Pid, Symmetry};

fn insert<T: Ord>(list: &mut Vec<T>, item: T) -> bool {
    match list.binary_search(&item) {
        Ok(_) => false,
        Err(at) => {
            list.insert(at, item);
            true
        }
    }
}

fn sent<'a>(observation: &'a Observation<'_, Handshake>) -> Option<(Pid, &'a SealedMessage)> {
    match observation {
        Observation::Sent { by, msg: HandshakeMsg::Message(message), .. } => Some((*by, message)),
        _ => None,
    }
}

fn accepted<'a>(observation: &'a Observation<'_, Handshake>) -> Option<(Pid, &'a SealedMessage, bool)> {
    match observation {
        Observation::Emitted { by, output: HandshakeOutput::Accept { message, exposed } } => {
            Some((*by, message, *exposed))
        }
        _ => None,
    }
}

fn opened<'a>(observation: &'a Observation<'_, Handshake>) -> Option<(Pid, &'a SessionKey)> {
    match observation {
        Observation::Emitted { by, output: HandshakeOutput::Open(session) } => Some((*by, session)),
        _ => None,
    }
}

/// Injective agreement: a node accepts only what its peer has sent to it under that session, and that once. It says
/// nothing of messages under a key that the attacker has while this key is in the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InjectiveAgreement {
    /// The number of processes.
    pub n: usize,
}

/// The messages under the new key, and what went wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct MessageHistory {
    sent: PerProc<Vec<SealedMessage>>,
    accepted: PerProc<Vec<SealedMessage>>,
    wrong: Option<(Pid, Disagreement)>,
}

/// How a message that was accepted disagrees with what was sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
enum Disagreement {
    Unsent,
    Twice,
    GoneKey,
}

impl Observer<Handshake> for InjectiveAgreement {
    type State = MessageHistory;

    fn name(&self) -> String {
        "agreement".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> MessageHistory {
        let none = PerProc::new(self.n, Vec::new());
        MessageHistory { sent: none.clone(), accepted: none, wrong: None }
    }

    fn see(&self, state: &mut MessageHistory, observation: &Observation<'_, Handshake>, _: &mut Deadlines) {
        if let Some((by, message)) = sent(observation)
            && message.session.key == WireKey::New
        {
            insert(&mut state.sent[by], *message);
        }
        if let Some((by, message, false)) = accepted(observation) {
            let wrong = if message.session.key == WireKey::Old {
                Some(Disagreement::GoneKey)
            } else if !state.sent[peer(by)].contains(message) {
                Some(Disagreement::Unsent)
            } else {
                (!insert(&mut state.accepted[by], *message)).then_some(Disagreement::Twice)
            };
            state.wrong = state.wrong.or(wrong.map(|wrong| (by, wrong)));
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Fixing(ATTACKER)
    }

    fn visible(&self, observation: &Observation<'_, Handshake>) -> bool {
        sent(observation).is_some() || accepted(observation).is_some()
    }

    fn judge(&self, state: &MessageHistory) -> Judgement {
        let Some((by, wrong)) = state.wrong else { return Judgement::Open };
        Judgement::Violated(match wrong {
            Disagreement::Unsent => format!("{by} accepts a message that its peer has not sent"),
            Disagreement::Twice => format!("{by} accepts a message that it has accepted before"),
            Disagreement::GoneKey => format!("{by} accepts a message under a key that has left its ring"),
        })
    }
}

/// No nonce twice: nodes seal no two messages with one number under one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoNonceTwice {
    /// The number of processes.
    pub n: usize,
    /// The variant that is planted, since it may decide what makes a nonce.
    pub flaw: Option<HandshakeFlaw>,
}

/// The nonces that each node has used, and who has used one twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct UsedNonces {
    of: PerProc<Vec<SealedMessage>>,
    twice: Option<(Pid, SealedMessage)>,
}

impl NoNonceTwice {
    /// What has to differ between two messages of one node. In version 1 the receiver has no say in it.
    fn nonce(&self, message: &SealedMessage) -> SealedMessage {
        let SessionKey { key, life, .. } = message.session;
        match self.flaw {
            Some(HandshakeFlaw::OrderedLives) => SealedMessage {
                session: SessionKey { key, life, peer_life: 0, mine: 0, yours: 0 },
                number: message.number,
            },
            _ => *message,
        }
    }

    /// The same nonce in the other direction.
    fn turned(message: &SealedMessage) -> SealedMessage {
        let SessionKey { key, life, peer_life, mine, yours } = message.session;
        let session = SessionKey { key, life: peer_life, peer_life: life, mine: yours, yours: mine };
        SealedMessage { session, ..*message }
    }
}

impl Observer<Handshake> for NoNonceTwice {
    type State = UsedNonces;

    fn name(&self) -> String {
        "no-nonce-twice".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> UsedNonces {
        UsedNonces { of: PerProc::new(self.n, Vec::new()), twice: None }
    }

    fn see(&self, state: &mut UsedNonces, observation: &Observation<'_, Handshake>, _: &mut Deadlines) {
        if let Some((by, message)) = sent(observation) {
            let nonce = self.nonce(message);
            let shared = self.flaw == Some(HandshakeFlaw::OneDirection)
                && state.of[peer(by)].contains(&NoNonceTwice::turned(&nonce));
            if !insert(&mut state.of[by], nonce) || shared {
                state.twice = state.twice.or(Some((by, nonce)));
            }
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Fixing(ATTACKER)
    }

    fn visible(&self, observation: &Observation<'_, Handshake>) -> bool {
        sent(observation).is_some()
    }

    fn judge(&self, state: &UsedNonces) -> Judgement {
        match state.twice {
            Some((by, message)) => Judgement::Violated(format!(
                "{by} seals a second message as number {} under one key, the {} one",
                message.number, message.session.key
            )),
            None => Judgement::Open,
        }
    }
}

/// Nothing of an earlier life: once a node has opened a session with a life of its peer, it neither opens one with an
/// earlier life nor accepts a message of it. Lives are numbered in order here; no node looks at the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NothingStale {
    /// The number of processes.
    pub n: usize,
}

/// The latest life of the peer with which each node has opened a session under the new key, and who went back.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct LatestLives {
    of: PerProc<u8>,
    back: Option<(Pid, u8)>,
}

impl Observer<Handshake> for NothingStale {
    type State = LatestLives;

    fn name(&self) -> String {
        "stale".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> LatestLives {
        LatestLives { of: PerProc::new(self.n, 0), back: None }
    }

    fn see(&self, state: &mut LatestLives, observation: &Observation<'_, Handshake>, _: &mut Deadlines) {
        let heard = accepted(observation).map(|(by, message, _)| (by, &message.session));
        if let Some((by, session)) = opened(observation).or(heard)
            && session.key == WireKey::New
        {
            if session.life < state.of[by] {
                state.back = state.back.or(Some((by, session.life)));
            }
            state.of[by] = state.of[by].max(session.life);
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Fixing(ATTACKER)
    }

    fn visible(&self, observation: &Observation<'_, Handshake>) -> bool {
        opened(observation).is_some() || accepted(observation).is_some()
    }

    fn judge(&self, state: &LatestLives) -> Judgement {
        match state.back {
            Some((by, life)) => Judgement::Violated(format!(
                "{by} goes back to life {life} of its peer, which a later one has followed"
            )),
            None => Judgement::Open,
        }
    }
}
