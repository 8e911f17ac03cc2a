//! The handshake of version 2 of the wire, between two nodes and an attacker who has the old one of two keys. It is a
//! model: a running node has this handshake in its codec, below every protocol, and never runs it as one.
//!
//! p0 and p1 are nodes, p2 is the attacker. A node has a life and, for its peer, a challenge that no session has used.
//! A greeting names the sender's life, a challenge of the sender (`mine`) and one of the receiver (`yours`), and is
//! sealed under a key of the cluster. A receiver that holds exactly the session that a greeting names takes it for a
//! repetition. If the greeting echoes the challenge that no session has used, its sender is there now, and the session
//! opens. Any other greeting is answered and changes nothing.
//!
//! # What stands for what
//! - **Randomness.** A challenge is the next number of a counter, so it is fresh; no node compares two by order. After
//!   [`challenges`](Handshake::with_challenges) of them a node draws no more: a bound of the search.
//! - **Cryptography** is perfect: a datagram names the key that seals it, and only holders of the key make or read one.
//! - **The network is the attacker's.** It loses, delays, repeats and reorders the datagrams in its channels at will.
//!   How many it holds at once is its capacity.
//! - **The old key is the attacker's.** p2 sends what it likes under it, as if it knew every life and challenge: more than
//!   a listener could know. So nothing need be sent to p2.
//! - **Rates.** A greeting may come at any moment, and each may be lost, so limits on rates need no model.

mod flaw;
mod meeting;
mod message;
mod node;
mod ordered;
mod requirements;

pub use flaw::HandshakeFlaw;
pub use message::{
    ForgedContent, Greeting, HIGHEST, HandshakeCall, HandshakeMsg, HandshakeOutput, HandshakeTimer,
    SealedMessage, SessionKey, WireKey,
};
pub use node::{RotationStage, WireNode, WireSession};
pub use requirements::{
    InjectiveAgreement, LatestLives, MessageHistory, NoNonceTwice, NothingStale, UsedNonces,
};

use watchkeeper_core::{Bound, Effects, Input, Pack, Pid, ProcSet, Promises, Protocol, Symmetry};

/// The attacker.
pub const ATTACKER: Pid = Pid::at(2);

/// The node that is not this one.
pub fn peer(me: Pid) -> Pid {
    Pid::at(1 - me.index().min(1))
}

/// The handshake of two nodes, with an attacker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handshake {
    /// How many challenges a node draws at most.
    challenges: u8,
    /// How often the attacker forges.
    forgeries: u8,
    /// How often each node restarts.
    restarts: u8,
    /// The keys of both nodes at the start.
    start: RotationStage,
    flaw: Option<HandshakeFlaw>,
}

impl Default for Handshake {
    /// With two challenges each, one forgery, no restart, and a rotation that begins when both nodes have both keys.
    fn default() -> Handshake {
        Handshake { challenges: 2, forgeries: 1, restarts: 0, start: RotationStage::Added, flaw: None }
    }
}

impl Handshake {
    /// With so many challenges for each node, at most 8.
    #[must_use]
    pub fn with_challenges(self, challenges: u8) -> Handshake {
        Handshake { challenges: challenges.clamp(1, HIGHEST - 1), ..self }
    }

    /// With an attacker who forges so often.
    #[must_use]
    pub fn with_forgeries(self, forgeries: u8) -> Handshake {
        Handshake { forgeries, ..self }
    }

    /// With nodes that restart so often, at most 7 times each.
    #[must_use]
    pub fn with_restarts(self, restarts: u8) -> Handshake {
        Handshake { restarts: restarts.min(HIGHEST - 2), ..self }
    }

    /// With these keys at the start.
    #[must_use]
    pub fn starting(self, start: RotationStage) -> Handshake {
        Handshake { start, ..self }
    }

    /// With a variant that is wrong.
    #[must_use]
    pub fn flawed(self, flaw: HandshakeFlaw) -> Handshake {
        Handshake { flaw: Some(flaw), ..self }
    }

    /// The variant that is planted.
    pub fn flaw(&self) -> Option<HandshakeFlaw> {
        self.flaw
    }

    /// How often the attacker forges.
    pub fn forgeries(&self) -> u8 {
        self.forgeries
    }

    /// How often each node restarts.
    pub fn restarts(&self) -> u8 {
        self.restarts
    }

    /// How many steps of a rotation each node has before it.
    pub fn rotations(&self) -> u8 {
        RotationStage::Done as u8 - self.start as u8
    }

    fn is(&self, flaw: HandshakeFlaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// What the attacker can say to a node: a greeting from any life with any challenge, which echoes nothing or just
    /// what the node waits for; or a message under a session of the old key, the next one or the last that there can be.
    fn forgable(&self, node: &WireNode) -> Vec<ForgedContent> {
        let key = WireKey::Old;
        let waited = if self.is(HandshakeFlaw::OrderedLives) { node.life } else { node.pending };
        let lives = || (1..=self.restarts + 1).chain([HIGHEST]);
        let hellos = lives().flat_map(|life| {
            (1..=self.challenges).chain([HIGHEST]).flat_map(move |mine| {
                [0, waited].map(|yours| ForgedContent::Hello(Greeting { key, life, mine, yours }))
            })
        });
        let sessions = [node.current, node.previous].into_iter().flatten().filter(|it| it.key == key);
        let messages = sessions.flat_map(|it| {
            let session = it.inbound(node.life);
            let next = (1..HIGHEST).find(|&number| it.admits(number)).unwrap_or(HIGHEST);
            [next, HIGHEST].map(|number| ForgedContent::Message(SealedMessage { session, number }))
        });
        hellos.chain(messages).collect()
    }

    fn hello(&self, me: Pid, node: &mut WireNode, hello: &Greeting, fx: &mut impl Effects<Handshake>) {
        if self.is(HandshakeFlaw::OrderedLives) {
            ordered::greeted(me, node, hello, fx);
        } else {
            self.greeted(me, node, hello, fx);
        }
    }

    fn message(
        &self,
        me: Pid,
        node: &mut WireNode,
        message: &SealedMessage,
        fx: &mut impl Effects<Handshake>,
    ) {
        if self.is(HandshakeFlaw::OrderedLives) {
            ordered::heard(me, node, message, fx);
        } else {
            self.heard(node, message, fx);
        }
    }

    fn receive(&self, me: Pid, node: &mut WireNode, msg: &HandshakeMsg, fx: &mut impl Effects<Handshake>) {
        match msg {
            HandshakeMsg::Hello(hello) => self.hello(me, node, hello, fx),
            HandshakeMsg::Message(message) => self.message(me, node, message, fx),
            HandshakeMsg::Forgery => {
                let contents = self.forgable(node);
                if !node.stage.has(WireKey::Old) && !self.is(HandshakeFlaw::KeepsOldSessions) {
                    return;
                }
                let content = contents[fx.pick(contents.len()).min(contents.len() - 1)];
                fx.emit(HandshakeOutput::Forged(content));
                match content {
                    ForgedContent::Hello(hello) => self.hello(me, node, &hello, fx),
                    ForgedContent::Message(message) => self.message(me, node, &message, fx),
                }
            }
        }
    }

    fn call(&self, me: Pid, node: &mut WireNode, call: HandshakeCall, fx: &mut impl Effects<Handshake>) {
        let ordered = self.is(HandshakeFlaw::OrderedLives);
        match call {
            HandshakeCall::Say if ordered => ordered::says(me, node, fx),
            HandshakeCall::Say => self.says(me, node, fx),
            HandshakeCall::Restart if ordered => ordered::restarts(node),
            HandshakeCall::Restart => self.restarts_node(node),
            HandshakeCall::Rotate => self.rotates(node),
        }
    }
}

/// The state of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub enum HandshakeState {
    /// Of a node.
    Node(WireNode),
    /// Of the attacker: how often it has forged.
    Attacker(u8),
}

impl HandshakeState {
    /// The node, if it is one.
    pub fn node(&self) -> Option<&WireNode> {
        match self {
            HandshakeState::Node(node) => Some(node),
            HandshakeState::Attacker(_) => None,
        }
    }
}

impl Protocol for Handshake {
    type State = HandshakeState;
    type Msg = HandshakeMsg;
    type Timer = HandshakeTimer;
    type Call = HandshakeCall;
    type Output = HandshakeOutput;

    fn init(&self, me: Pid, fx: &mut impl Effects<Handshake>) -> HandshakeState {
        if me == ATTACKER {
            if self.forgeries > 0 {
                fx.arm(HandshakeTimer::Forge, Bound::at_least(0));
            }
            return HandshakeState::Attacker(0);
        }
        fx.arm(HandshakeTimer::Greet, Bound::at_least(0));
        HandshakeState::Node(WireNode::first(self.start))
    }

    fn step(
        &self,
        me: Pid,
        state: &mut HandshakeState,
        input: Input<'_, Handshake>,
        fx: &mut impl Effects<Handshake>,
    ) {
        match (state, input) {
            (HandshakeState::Attacker(forged), Input::Fire(HandshakeTimer::Forge)) => {
                *forged = forged.saturating_add(1);
                let target = Pid::at(fx.pick(2).min(1));
                fx.send(target, HandshakeMsg::Forgery);
                if *forged < self.forgeries {
                    fx.arm(HandshakeTimer::Forge, Bound::at_least(0));
                }
            }
            (HandshakeState::Attacker(_), _) => {}
            (HandshakeState::Node(node), Input::Receive { msg, .. }) => self.receive(me, node, msg, fx),
            (HandshakeState::Node(node), Input::Fire(_)) => {
                if self.is(HandshakeFlaw::OrderedLives) {
                    ordered::greets(me, node, fx);
                } else {
                    self.greets(me, node, fx);
                }
                fx.arm(HandshakeTimer::Greet, Bound::at_least(0));
            }
            (HandshakeState::Node(node), Input::Call(call)) => self.call(me, node, *call, fx),
            (HandshakeState::Node(_), Input::Notice(_)) => {}
        }
    }
}

impl Promises for Handshake {
    fn reaches(&self, me: Pid, _: &HandshakeState) -> ProcSet {
        if me == ATTACKER { ProcSet::first(2) } else { ProcSet::only(peer(me)) }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Fixing(ATTACKER)
    }
}
