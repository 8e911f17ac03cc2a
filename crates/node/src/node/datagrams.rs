//! From a datagram to a step, and from a step to datagrams. A datagram that no peer of this cluster has just sent to this
//! incarnation of the node is counted by reason and dropped.

use super::Node;
use crate::event::NodeEventKind;
use crate::wire::{
    DatagramHeader, DatagramKind, DatagramRefusal, Hello, KeyId, LEAST_DATAGRAM, OpenedDatagram, Opening,
    Stamp,
};
use std::net::SocketAddr;
use watchkeeper_core::Pid;

impl Node {
    /// Takes in a datagram that has arrived from this address. It is opened in place.
    pub fn handle_datagram(&mut self, now: u64, from: SocketAddr, datagram: &mut [u8]) {
        if !self.wake(now) {
            return;
        }
        self.counters.received.add(1);
        // Who is no peer costs a look at its address.
        if !self.peers.has_address(from) {
            return self.refuse(DatagramRefusal::Stranger);
        }
        match self.sessions.open(datagram) {
            Ok(OpenedDatagram::Greeting { from, key, stamp, hello }) => {
                self.hello(now, from, key, &stamp, &hello)
            }
            Ok(OpenedDatagram::InSession { header, incarnation, stamp, body }) => {
                self.admitted(now, &header, incarnation, &stamp, body);
            }
            Err(refusal) => {
                self.refuse(refusal);
                self.miss_no_session(now, refusal);
            }
        }
        self.end_if_due(now);
    }

    fn refuse(&self, refusal: DatagramRefusal) {
        self.counters.refused[refusal.index()].add(1);
    }

    /// A peer may have a session that this node has not: then the next greeting should not be long in coming.
    fn miss_no_session(&mut self, now: u64, refusal: DatagramRefusal) {
        if refusal == DatagramRefusal::Unfamiliar && !self.sessions.to_greet().is_empty() {
            self.hello_at = self.hello_at.min(now + super::gathering::PATIENCE);
        }
    }

    fn hello(&mut self, now: u64, from: Pid, key: KeyId, stamp: &Stamp, hello: &Hello) {
        let clock = crate::config::SystemClocks { wall: self.wall_ahead + i128::from(now), ..self.clock };
        if hello.incarnation > clock.latest_incarnation() {
            return self.refuse(DatagramRefusal::FarAhead);
        }
        self.counters.greetings.add(1);
        let outcome = self.sessions.greeted(now, from, key, hello);
        let opened = outcome.opened != Opening::Nothing;
        let Some(peer) = self.peers.get_mut(from) else { return };
        let reborn = opened && peer.found(hello.incarnation);
        // A greeting may be replayed, so only one that opens a session says anything of the network.
        if opened {
            peer.noted(now, stamp);
        }
        if let Some((key, answer)) = outcome.answer
            && (opened || self.may_answer(now, from))
        {
            self.send_greeting(now, from, key, &answer);
        }
        if reborn {
            self.ready.remove(from);
            self.tell(now, NodeEventKind::PeerFound { peer: from, incarnation: hello.incarnation });
        }
        if outcome.opened == Opening::New {
            self.found(now, from);
        } else if outcome.confirm && (opened || self.may_answer(now, from)) {
            let word = self.word();
            self.send_bare(now, word, from);
        }
    }

    fn admitted(&mut self, now: u64, header: &DatagramHeader, incarnation: u64, stamp: &Stamp, body: &[u8]) {
        let from = header.sender;
        let Some(peer) = self.peers.get_mut(from) else { return self.refuse(DatagramRefusal::UnknownSender) };
        // What waited while the node was stalled says nothing of the network.
        let stalled = self.catching_up.is_some();
        let measured = if stalled { peer.noted(now, stamp) } else { peer.measure(now, stamp) };
        peer.gaps.saw(header.number, now);
        if let Some(took) = measured.round_trip {
            if let Some(counted) = self.counters.peer(from) {
                counted.round_trip.saw(took);
            }
            let verdict = self.monitor.round_trip(now, from, took);
            self.judge(now, verdict);
        }
        if let Some(took) = measured.delay {
            let verdict = self.monitor.delay(now, from, took);
            self.judge(now, verdict);
        }
        match header.kind {
            DatagramKind::Message => self.message(now, header, incarnation, body),
            DatagramKind::Begin | DatagramKind::Ready | DatagramKind::Waiting => {
                self.counters.greetings.add(1);
                self.greeted(now, from, header.kind);
            }
            DatagramKind::Farewell => {
                self.counters.greetings.add(1);
                if let Some(peer) = self.peers.get_mut(from) {
                    peer.left = true;
                }
                self.tell(now, NodeEventKind::PeerLeft { peer: from });
            }
            // Greetings are opened apart.
            DatagramKind::Hello => {}
        }
    }

    fn message(&mut self, now: u64, header: &DatagramHeader, incarnation: u64, body: &[u8]) {
        if !self.host.read(body) {
            return self.refuse(DatagramRefusal::Malformed);
        }
        self.counters.delivered.add(1);
        // Whoever sends messages has begun, so this node is the last.
        self.begin(now);
        self.receive(now, header, incarnation, body);
    }

    /// Sends a datagram without a message within the session with a peer.
    pub(super) fn send_bare(&mut self, now: u64, kind: DatagramKind, to: Pid) {
        let Some(number) = self.sessions.number(to) else { return };
        let Some(peer) = self.peers.get(to) else { return };
        let stamp = peer.stamped(now, false);
        let mut datagram = [0; LEAST_DATAGRAM];
        if self.sessions.seal(kind, to, number, &stamp, &mut datagram).is_ok() {
            self.transmit(to, &datagram);
        }
    }

    pub(super) fn send_greeting(&mut self, now: u64, to: Pid, key: KeyId, hello: &Hello) {
        let Some(peer) = self.peers.get(to).filter(|peer| peer.address.is_some()) else { return };
        let stamp = peer.stamped(now, false);
        if let Some(datagram) = self.sessions.greeting(to, key, &stamp, hello) {
            self.transmit(to, &datagram);
        }
    }

    fn transmit(&mut self, to: Pid, datagram: &[u8]) {
        let address = self.peers.get(to).and_then(|peer| peer.address);
        if !address.is_some_and(|address| self.transmits.push(to, address, datagram)) {
            self.counters.send_errors.add(1);
        }
    }

    /// Finds messages of peers that must be lost by now.
    pub(super) fn count_losses(&mut self, now: u64) {
        let patience = self.monitor.loss_patience(self.tick);
        for peer in self.peers.all().iter() {
            let Some(known) = self.peers.get_mut(peer) else { continue };
            let lost = known.gaps.lost(now, patience);
            if lost > known.lost {
                known.lost = lost;
                let verdict = self.monitor.lost(now, peer, lost);
                self.judge(now, verdict);
            }
        }
    }
}
