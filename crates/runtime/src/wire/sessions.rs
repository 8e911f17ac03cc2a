//! Which incarnation of each peer this node talks to, and which of its numbers have come. A datagram is admitted only if its
//! sender knows the incarnation that this node is in, so nothing that was recorded before a boot of either end can be
//! replayed. Nothing changes for a datagram that is refused, and nothing grows.

use super::cluster::fnv1a;
use super::window::Window;
use super::{DatagramHeader, DatagramKind, DatagramRefusal};
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// What one node knows of its peers' incarnations.
///
/// # Order of calls
/// [`next`](Sessions::next) for each datagram that is sent, once; [`admit`](Sessions::admit) for each that the
/// [`Codec`](super::Codec) has opened. Where that refuses with a [`HandshakeHint`], [`answer`](Sessions::answer) or
/// [`outlive`](Sessions::outlive) follow it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sessions {
    me: Pid,
    incarnation: u64,
    peers: ProcSet,
    /// One for each process that there can be, by its number.
    table: Box<[Session]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Session {
    /// The peer's incarnation; 0 if none is known.
    incarnation: u64,
    /// Which numbers of that incarnation have come.
    window: Window,
    /// How many datagrams this node has sent to the peer in its own incarnation.
    sent: u64,
}

impl Session {
    const NONE: Session = Session { incarnation: 0, window: Window::EMPTY, sent: 0 };
}

impl Sessions {
    /// For the node `me` in this incarnation, which must be greater than each before it; 0, which means "unknown" on the
    /// wire, is taken as 1. The node itself is never one of its peers.
    pub fn new(me: Pid, incarnation: u64, peers: ProcSet) -> Sessions {
        let table = vec![Session::NONE; MAX_PROCESSES].into_boxed_slice();
        Sessions { me, incarnation: incarnation.max(1), peers: peers.without(me), table }
    }

    /// The incarnation that this node is in.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Whether an incarnation of this peer is known, and this one is known to it.
    pub fn is_open(&self, peer: Pid) -> bool {
        self.peer_incarnation(peer) != 0
    }

    /// The incarnation of this peer; 0 if none is known.
    pub fn peer_incarnation(&self, peer: Pid) -> u64 {
        self.table[peer.index()].incarnation
    }

    /// The peers whose incarnations are known.
    pub fn open_with(&self) -> ProcSet {
        self.peers.iter().filter(|peer| self.is_open(*peer)).collect()
    }

    /// The header of the next datagram to a peer. It takes the next number, so each is sealed once.
    pub fn next(&mut self, kind: DatagramKind, to: Pid) -> DatagramHeader {
        let session = &mut self.table[to.index()];
        session.sent += 1;
        DatagramHeader {
            kind,
            sender: self.me,
            receiver: to,
            incarnation: self.incarnation,
            peer_incarnation: session.incarnation,
            number: session.sent,
        }
    }

    /// The header of a Hello to a peer that does not know this incarnation, and whose datagram said that it is in this
    /// `incarnation`: the answer names it, though no session is open with it, so that the peer can see that the answer is
    /// new. If a later incarnation of the peer is known, the answer names that one, and the peer learns that it was outlived.
    pub fn answer(&mut self, to: Pid, incarnation: u64) -> DatagramHeader {
        let header = self.next(DatagramKind::Hello, to);
        DatagramHeader { peer_incarnation: header.peer_incarnation.max(incarnation), ..header }
    }

    /// Decides on a datagram that is authentic. It admits what comes for the first time from the latest incarnation of a
    /// peer and was sent in the knowledge of this node's incarnation.
    pub fn admit(&mut self, header: &DatagramHeader) -> Result<Admission, AdmissionError> {
        if !self.peers.contains(header.sender) {
            return Err(AdmissionError {
                refusal: DatagramRefusal::UnknownSender,
                hint: HandshakeHint::Nothing,
            });
        }
        let session = &mut self.table[header.sender.index()];
        let familiar = header.peer_incarnation == self.incarnation;
        if header.incarnation < session.incarnation || header.incarnation == 0 {
            // Late datagrams know this incarnation. One that does not may come from a peer that has booted with its clock
            // set back: without an answer it would stay locked out until its clock has caught up.
            let hint = if familiar || header.incarnation == 0 {
                HandshakeHint::Nothing
            } else {
                HandshakeHint::Introduce
            };
            return Err(AdmissionError { refusal: DatagramRefusal::StaleIncarnation, hint });
        }
        if !familiar {
            let outlived = header.peer_incarnation > self.incarnation;
            let hint = if outlived {
                HandshakeHint::Outlived(header.peer_incarnation)
            } else {
                HandshakeHint::Introduce
            };
            return Err(AdmissionError { refusal: DatagramRefusal::Unfamiliar, hint });
        }
        let admitted =
            if header.incarnation > session.incarnation { Admission::New } else { Admission::Known };
        let window = if admitted == Admission::New { &Window::EMPTY } else { &session.window };
        window
            .check(header.number)
            .map_err(|refusal| AdmissionError { refusal, hint: HandshakeHint::Nothing })?;
        if admitted == Admission::New {
            session.incarnation = header.incarnation;
            session.window = Window::EMPTY;
        }
        session.window.mark(header.number);
        Ok(admitted)
    }

    /// Goes on in an incarnation above this number, as one that knows nobody yet: all sessions are forgotten, and numbers
    /// begin again. For a node whose clock was set back before it booted, once it has learnt of it.
    pub fn outlive(&mut self, above: u64) {
        // Not simply the next incarnation: peers may know different incarnations of this node, and if two boots were told of the
        // same one, they would both go on as its successor and seal with the same nonces. So the step depends on
        // the incarnation that this boot has drawn. It is less than 2^32, which is about a second of boot times.
        let step = 1 + (fnv1a(&self.incarnation.to_le_bytes()) >> 32);
        self.incarnation = self.incarnation.max(above).saturating_add(step);
        self.table.fill(Session::NONE);
    }
}

/// What an admitted datagram is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// One more of an incarnation that was known.
    Known,
    /// The first of an incarnation of its sender, or the first at all: it has opened a session.
    New,
}

/// Why an authentic datagram is not admitted, and what can be learnt from it all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdmissionError {
    /// The reason.
    pub refusal: DatagramRefusal,
    /// What to do about it.
    pub hint: HandshakeHint,
}

/// What can be learnt from an authentic datagram that is refused. It may have been replayed, so an answer goes to the
/// configured address of the peer, is not longer than what it answers, and is not given too often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandshakeHint {
    /// Nothing.
    Nothing,
    /// Its sender does not know this incarnation and should be told: send what [`Sessions::answer`] gives.
    Introduce,
    /// Its sender knows a later incarnation of this node, whose clock was set back: go on as an incarnation above this number, with
    /// [`Sessions::outlive`].
    Outlived(u64),
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
