//! From a datagram to a step, and from a step to datagrams. A datagram that no peer of this cluster has just sent to this
//! incarnation of the node is counted by reason and dropped.

use super::Node;
use crate::event::NodeEventKind;
use crate::wire::{
    DatagramHeader, DatagramKind, DatagramRefusal, DirectoryEntry, Hello, KeyId, LEAST_DATAGRAM,
    OpenedDatagram, Opening, Stamp,
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
        // Who is no peer costs a look at its address. To an open cluster everybody may turn.
        if self.membership.is_none() && !self.peers.has_address(from) {
            return self.refuse(DatagramRefusal::Stranger);
        }
        match self.sessions.open(datagram) {
            Ok(OpenedDatagram::Greeting { from, key, stamp, hello, introduction }) => {
                if self.is_far_ahead(now, &hello) {
                    self.refuse(DatagramRefusal::FarAhead);
                } else if self.introduced(now, key, &hello, introduction.as_ref()) {
                    self.hello(now, from, key, &stamp, &hello, introduction.as_ref());
                } else {
                    self.refuse(DatagramRefusal::UnknownSender);
                }
            }
            Ok(OpenedDatagram::Join { key, request }) => self.asked(now, key, &request),
            Ok(OpenedDatagram::Answer(answer)) => self.answered(now, answer),
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

    pub(super) fn refuse(&self, refusal: DatagramRefusal) {
        self.counters.refused[refusal.index()].add(1);
    }

    /// A peer may have a session that this node has not: then the next greeting should not be long in coming.
    fn miss_no_session(&mut self, now: u64, refusal: DatagramRefusal) {
        let fixed = self.membership.is_none();
        if fixed && refusal == DatagramRefusal::Unfamiliar && !self.sessions.to_greet().is_empty() {
            self.hello_at = self.hello_at.min(now + super::gathering::PATIENCE);
        }
    }

    fn is_far_ahead(&self, now: u64, hello: &Hello) -> bool {
        let clock = crate::config::SystemClocks { wall: self.wall_ahead + i128::from(now), ..self.clock };
        hello.incarnation > clock.latest_incarnation()
    }

    fn hello(
        &mut self,
        now: u64,
        from: Pid,
        key: KeyId,
        stamp: &Stamp,
        hello: &Hello,
        introduction: Option<&DirectoryEntry>,
    ) {
        self.counters.greetings.add(1);
        let outcome = self.sessions.greeted(now, from, key, hello);
        let opened = outcome.opened != Opening::Nothing;
        let Some(peer) = self.peers.get_mut(from) else { return };
        let reborn = opened && peer.found(hello.incarnation);
        // A greeting may be replayed, so only one that opens a session says anything of the network.
        if opened {
            peer.noted(now, stamp);
        }
        if opened && let Some(entry) = introduction {
            self.introduced_itself(now, entry);
        }
        if let Some((key, answer)) = outcome.answer
            && (opened || self.may_answer(now, from))
        {
            // Whoever introduces itself is answered where it says that it is.
            let address = introduction.map(|entry| entry.place.address);
            self.send_greeting_to(now, from, address, key, &answer);
        }
        if opened && self.membership.is_some() {
            self.session_opened(now, from);
        }
        if reborn {
            self.ready.remove(from);
            self.tell(now, NodeEventKind::PeerFound { peer: from, incarnation: hello.incarnation });
        }
        if outcome.opened == Opening::New && self.membership.is_none() {
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
        self.peers.saw(from, header.number, now);
        if let Some(took) = measured.round_trip {
            self.saw_round_trip(from, took);
            let verdict = self.monitor.round_trip(now, from, took);
            self.judge(now, verdict);
        }
        if let Some(took) = measured.travel {
            let verdict = self.monitor.sampled(now, took);
            self.judge(now, verdict);
        }
        if let Some(took) = measured.delay {
            let verdict = self.monitor.delay(now, from, took);
            self.judge(now, verdict);
        }
        let verdict = self.monitor.carried(now, None);
        self.judge(now, verdict);
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
                if !self.farewell_of(now, from, incarnation) {
                    self.tell(now, NodeEventKind::PeerLeft { peer: from });
                }
            }
            DatagramKind::Directory if self.membership.is_some() => self.told(now, from, body),
            DatagramKind::Directory => self.refuse(DatagramRefusal::Kind),
            // Greetings and requests to join are opened apart.
            DatagramKind::Hello | DatagramKind::Join | DatagramKind::Answer => {}
        }
    }

    fn saw_round_trip(&mut self, from: Pid, took: u64) {
        if let Some(peer) = self.peers.get_mut(from) {
            let counted = peer.counted.get_or_insert_with(|| self.counters.count_peer(from));
            counted.round_trip.saw(took);
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
        self.send_in_session(now, kind, to, false, &mut [0; LEAST_DATAGRAM]);
    }

    /// Seals a datagram under the next number for a peer, and sends it, if a session is open.
    pub(super) fn send_in_session(
        &mut self,
        now: u64,
        kind: DatagramKind,
        to: Pid,
        reply: bool,
        datagram: &mut [u8],
    ) {
        let Some(number) = self.sessions.number(to) else { return };
        self.send_numbered(now, kind, (to, number, reply), datagram);
    }

    /// The same under a number that was taken before.
    pub(super) fn send_numbered(
        &mut self,
        now: u64,
        kind: DatagramKind,
        (to, number, reply): (Pid, u64, bool),
        datagram: &mut [u8],
    ) {
        let Some(peer) = self.peers.get_mut(to) else { return };
        let (stamp, address) = (peer.stamped(now, reply), peer.address);
        if self.sessions.seal(kind, to, number, &stamp, datagram).is_ok() {
            self.transmit(Some(to), address, datagram);
        }
    }

    pub(super) fn send_greeting(&mut self, now: u64, to: Pid, key: KeyId, hello: &Hello) {
        self.send_greeting_to(now, to, None, key, hello);
    }

    /// Greets a peer, at this address if one is given.
    fn send_greeting_to(
        &mut self,
        now: u64,
        to: Pid,
        address: Option<SocketAddr>,
        key: KeyId,
        hello: &Hello,
    ) {
        let Some(peer) = self.peers.get_mut(to) else { return };
        let Some(address) = address.or(peer.address) else { return };
        let stamp = peer.stamped(now, false);
        if let Some(datagram) = self.sessions.greeting(to, key, &stamp, hello) {
            self.transmit(Some(to), Some(address), &datagram);
        }
    }

    pub(super) fn transmit(&mut self, to: Option<Pid>, address: Option<SocketAddr>, datagram: &[u8]) {
        if !address.is_some_and(|address| self.transmits.push(to, address, datagram)) {
            self.counters.send_errors.add(1);
        }
    }

    /// Finds messages of peers that must be lost by now.
    pub(super) fn count_losses(&mut self, now: u64) {
        let patience = self.monitor.loss_patience(self.tick);
        let mut from = 0;
        while let Some(peer) = self.peers.next_heard_of(from) {
            from = peer.index() + 1;
            let Some(known) = self.peers.get_mut(peer) else { continue };
            let Some(gaps) = &mut known.gaps else { continue };
            let lost = gaps.lost(now, patience);
            if lost > known.lost {
                let more = lost - known.lost;
                known.lost = lost;
                let verdict = self.monitor.lost(now, peer, lost);
                self.judge(now, verdict);
                let verdict = self.monitor.carried(now, Some(more));
                self.judge(now, verdict);
            }
        }
    }
}
