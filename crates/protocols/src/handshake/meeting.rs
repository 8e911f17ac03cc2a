//! What becomes of two nodes that are left alone: from now on nothing is lost, nobody forges, and no key and no life changes.
//! The rules are those of the protocol itself; only the order of the steps is fixed.

use super::message::{HandshakeCall, HandshakeMsg, HandshakeOutput, HandshakeTimer};
use super::{Handshake, HandshakeState, WireNode, peer};
use std::collections::VecDeque;
use watchkeeper_core::{Bound, Effects, Input, Pid, Protocol};

/// How often each node greets before its peer and it must have accepted messages of each other.
const ROUNDS: usize = 3;

/// How many datagrams are delivered in a round. Two nodes that have just opened a session answer each other until one has
/// a message; the answers of a running node are limited in time.
const DELIVERIES: usize = 16;

/// Who greets first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GreetingOrder {
    /// This process, and what follows from it comes before the other greets.
    First(Pid),
    /// Both, before anything is delivered, step by step alike. Two handshakes under two keys can go on so for ever, so
    /// in later rounds p0 greets first.
    CrossingOnce,
}

impl GreetingOrder {
    /// The order in the rounds after the first.
    fn later(self) -> GreetingOrder {
        match self {
            GreetingOrder::First(_) => self,
            GreetingOrder::CrossingOnce => GreetingOrder::First(Pid::at(0)),
        }
    }
}

impl Handshake {
    /// Whether both nodes, left alone with nothing in flight, come to accept messages of each other in their present lives,
    /// whoever greets first.
    pub fn meets(&self, nodes: [&WireNode; 2]) -> bool {
        let orders =
            [GreetingOrder::First(Pid::at(0)), GreetingOrder::First(Pid::at(1)), GreetingOrder::CrossingOnce];
        orders.into_iter().all(|order| {
            let mut meeting = Meeting::of(self, nodes);
            (0..ROUNDS).any(|round| meeting.round(if round == 0 { order } else { order.later() }))
        })
    }
}

/// Two nodes that are left alone.
struct Meeting {
    protocol: Handshake,
    nodes: [HandshakeState; 2],
    air: Air,
}

/// The effects of one of them.
struct Air {
    from: Pid,
    flying: VecDeque<(Pid, HandshakeMsg)>,
    accepted: [bool; 2],
}

impl Meeting {
    fn of(protocol: &Handshake, nodes: [&WireNode; 2]) -> Meeting {
        // The limit on challenges is one of the search.
        let fresh = protocol.challenges + 1;
        let nodes = nodes.map(|node| {
            let pending = if node.pending == 0 { fresh } else { node.pending };
            HandshakeState::Node(WireNode { pending, ..*node })
        });
        let air = Air { from: Pid::at(0), flying: VecDeque::new(), accepted: [false; 2] };
        let challenges = fresh.saturating_add(16);
        Meeting { protocol: Handshake { challenges, ..protocol.clone() }, nodes, air }
    }

    /// Whether both have accepted a message that was sent at the end of this round.
    fn round(&mut self, order: GreetingOrder) -> bool {
        let both = [Pid::at(0), Pid::at(1)];
        let greeters = match order {
            GreetingOrder::First(p) => [p, peer(p)],
            GreetingOrder::CrossingOnce => both,
        };
        for p in greeters {
            self.step(p, Input::Fire(HandshakeTimer::Greet));
            if order != GreetingOrder::CrossingOnce {
                self.deliver();
            }
        }
        self.deliver();
        self.air.accepted = [false; 2];
        both.iter().for_each(|&p| self.step(p, Input::Call(&HandshakeCall::Say)));
        self.deliver();
        self.air.accepted == [true; 2]
    }

    /// Delivers what is in flight and what follows from it, in the order of sending.
    fn deliver(&mut self) {
        for _ in 0..DELIVERIES {
            let Some((from, msg)) = self.air.flying.pop_front() else { return };
            self.step(peer(from), Input::Receive { from, msg: &msg });
        }
        self.air.flying.clear();
    }

    fn step(&mut self, p: Pid, input: Input<'_, Handshake>) {
        self.air.from = p;
        self.protocol.step(p, &mut self.nodes[p.index()], input, &mut self.air);
    }
}

impl Effects<Handshake> for Air {
    fn send(&mut self, _: Pid, msg: HandshakeMsg) {
        self.flying.push_back((self.from, msg));
    }

    fn arm(&mut self, _: HandshakeTimer, _: Bound) {}

    fn disarm(&mut self, _: HandshakeTimer) {}

    fn emit(&mut self, output: HandshakeOutput) {
        if let HandshakeOutput::Accept { .. } = output {
            self.accepted[self.from.index()] = true;
        }
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }
}
