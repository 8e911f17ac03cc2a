//! From a datagram to a step, and from a step to datagrams. A datagram that no peer of this cluster has just sent to this
//! incarnation of the node is counted by reason and dropped.

use super::{BATCH, Driver};
use crate::counters::Counters;
use crate::event::NodeEventKind;
use crate::peers::Peers;
use crate::wire::{
    Admission, AdmissionError, DatagramHeader, DatagramKind, DatagramRefusal, HandshakeHint, Stamp,
};
use std::io::ErrorKind;
use std::net::UdpSocket;
use watchkeeper_core::Pid;

impl Driver {
    /// Takes in datagrams until there are none, or so many that others must have their turn.
    pub(super) fn take_in_all(&mut self) {
        for _ in 0..BATCH {
            let mut inbox = std::mem::take(&mut self.inbox);
            let received = self.receive_one(&mut inbox);
            match received {
                Ok(length) => self.take_in(&mut inbox[..length]),
                Err(ref error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => self.shared.counters.receive_errors.add(1),
            }
            self.inbox = inbox;
            if received.is_err() {
                return;
            }
        }
    }

    /// The next datagram, if there is one. Tokio answers from what it last saw of the socket, so the system is
    /// asked first: what has arrived must not wait for Tokio to notice, since a timer may be about to fire. Tokio
    /// is asked when there is nothing more, so that it knows that too.
    fn receive_one(&self, inbox: &mut [u8]) -> std::io::Result<usize> {
        match self.plain.recv_from(inbox) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.socket.try_recv(inbox),
            received => received.map(|(length, _)| length),
        }
    }

    fn take_in(&mut self, datagram: &mut [u8]) {
        self.shared.counters.received.add(1);
        let opened = self.codec.open(datagram);
        let (header, stamp, body) = match opened {
            Ok(opened) => opened,
            Err(refusal) => return self.refuse(refusal),
        };
        match self.sessions.admit(&header) {
            Ok(admitted) => self.admitted(&header, &stamp, body, admitted == Admission::New),
            Err(AdmissionError { refusal, hint }) => {
                self.refuse(refusal);
                self.missed_nothing(&header);
                match hint {
                    HandshakeHint::Nothing => {}
                    HandshakeHint::Introduce => self.introduce(header.sender, header.incarnation),
                    HandshakeHint::Outlived(incarnation) => self.renumber(incarnation),
                }
            }
        }
    }

    fn refuse(&self, refusal: DatagramRefusal) {
        self.shared.counters.refused[refusal.index()].add(1);
    }

    /// A greeting of a known incarnation that did not know this one came too early, but it came: its number is not
    /// that of a lost message.
    fn missed_nothing(&mut self, header: &DatagramHeader) {
        let known = self.sessions.is_open(header.sender);
        if known && header.incarnation == self.sessions.peer_incarnation(header.sender) {
            let now = self.clock.now();
            if let Some(peer) = self.peers.get_mut(header.sender) {
                peer.gaps.saw(header.number, now);
            }
        }
    }

    fn admitted(&mut self, header: &DatagramHeader, stamp: &Stamp, body: &[u8], new: bool) {
        let (now, from) = (self.clock.now(), header.sender);
        let Some(peer) = self.peers.get_mut(from) else { return self.refuse(DatagramRefusal::UnknownSender) };
        if new {
            peer.reborn();
        }
        // What waited while the node was stalled says nothing of the network.
        let measured = if self.catching_up { peer.noted(now, stamp) } else { peer.measure(now, stamp) };
        peer.gaps.saw(header.number, now);
        if new {
            self.tell(now, NodeEventKind::PeerFound { peer: from, incarnation: header.incarnation });
        }
        if let Some(took) = measured.round_trip {
            let verdict = self.monitor.round_trip(now, from, took);
            self.judge(now, verdict);
        }
        if let Some(took) = measured.delay {
            let verdict = self.monitor.delay(now, from, took);
            self.judge(now, verdict);
        }
        match header.kind {
            DatagramKind::Message => self.message(header, body),
            DatagramKind::Hello | DatagramKind::Begin | DatagramKind::Ready => {
                self.shared.counters.greetings.add(1);
                self.greeted(from, header.kind, new);
            }
            DatagramKind::Farewell => {
                self.shared.counters.greetings.add(1);
                if let Some(peer) = self.peers.get_mut(from) {
                    peer.left = true;
                }
                self.tell(now, NodeEventKind::PeerLeft { peer: from });
            }
        }
    }

    fn message(&mut self, header: &DatagramHeader, body: &[u8]) {
        if !self.host.read(body) {
            return self.refuse(DatagramRefusal::Malformed);
        }
        self.shared.counters.delivered.add(1);
        // Whoever sends messages has begun, so this node is the last.
        self.begin();
        self.receive(self.clock.now(), header, body);
    }

    /// The wall clock of this node was set back: others know a later incarnation of it.
    fn renumber(&mut self, above: u64) {
        self.sessions.outlive(above);
        let now = self.clock.now();
        self.tell(now, NodeEventKind::Renumbered { incarnation: self.sessions.incarnation() });
        self.hello_at = now;
        // The file names the incarnation that it is about, and that one is over.
        if let Some(mut recording) = self.recording.take() {
            let why = match recording.end(now, "renumbered") {
                Ok(()) => "the incarnation that it is about has another number now".to_string(),
                Err(why) => why.to_string(),
            };
            self.tell(now, NodeEventKind::RecordingFailed { why });
        }
    }

    /// Sends a datagram without a message.
    pub(super) fn send_bare(&mut self, kind: DatagramKind, to: Pid) {
        let header = self.sessions.next(kind, to);
        self.send_header(&header);
    }

    pub(super) fn send_header(&mut self, header: &DatagramHeader) {
        let now = self.clock.now();
        let Some(peer) = self.peers.get(header.receiver) else { return };
        let stamp = peer.stamped(now, false);
        self.datagram.clear();
        self.datagram.resize(crate::wire::HEADER_LEN + crate::wire::STAMP_LEN, 0);
        if self.codec.seal(header, &stamp, &mut self.datagram, 0).is_ok() {
            transmit(&self.plain, &self.peers, &self.shared.counters, header.receiver, &self.datagram);
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

/// Sends a datagram. The system takes it at once or not at all.
pub(super) fn transmit(socket: &UdpSocket, peers: &Peers, counters: &Counters, to: Pid, datagram: &[u8]) {
    let Some(peer) = peers.get(to) else { return };
    match socket.send_to(datagram, peer.address) {
        Ok(_) => counters.sent.add(1),
        Err(_) => counters.send_errors.add(1),
    }
}
