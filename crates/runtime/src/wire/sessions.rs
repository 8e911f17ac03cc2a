//! Which life of each peer this node talks to, and which of its numbers have come. A datagram is admitted only if its
//! sender knows the life that this node is in, so nothing that was recorded before a boot of either end can be
//! replayed. Nothing changes for a datagram that is refused, and nothing grows.

use super::cluster::fnv1a;
use super::window::Window;
use super::{Header, Kind, Refusal};
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// What one node knows of its peers' lives.
///
/// # Order of calls
/// [`next`](Sessions::next) for each datagram that is sent, once; [`admit`](Sessions::admit) for each that the
/// [`Codec`](super::Codec) has opened. Where that refuses with a [`Hint`], [`answer`](Sessions::answer) or
/// [`outlive`](Sessions::outlive) follow it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sessions {
    me: Pid,
    life: u64,
    peers: ProcSet,
    /// One for each process that there can be, by its number.
    table: Box<[Session]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Session {
    /// The peer's life; 0 if none is known.
    life: u64,
    /// Which numbers of that life have come.
    window: Window,
    /// How many datagrams this node has sent to the peer in its own life.
    sent: u64,
}

impl Session {
    const NONE: Session = Session { life: 0, window: Window::EMPTY, sent: 0 };
}

impl Sessions {
    /// For the node `me` in this life, which must be greater than each before it; 0, which means "unknown" on the
    /// wire, is taken as 1. The node itself is never one of its peers.
    pub fn new(me: Pid, life: u64, peers: ProcSet) -> Sessions {
        let table = vec![Session::NONE; MAX_PROCESSES].into_boxed_slice();
        Sessions { me, life: life.max(1), peers: peers.without(me), table }
    }

    /// The life that this node is in.
    pub fn life(&self) -> u64 {
        self.life
    }

    /// Whether a life of this peer is known, and this one is known to it.
    pub fn is_open(&self, peer: Pid) -> bool {
        self.peer_life(peer) != 0
    }

    /// The life of this peer; 0 if none is known.
    pub fn peer_life(&self, peer: Pid) -> u64 {
        self.table[peer.index()].life
    }

    /// The peers whose lives are known.
    pub fn open_with(&self) -> ProcSet {
        self.peers.iter().filter(|peer| self.is_open(*peer)).collect()
    }

    /// The header of the next datagram to a peer. It takes the next number, so each is sealed once.
    pub fn next(&mut self, kind: Kind, to: Pid) -> Header {
        let session = &mut self.table[to.index()];
        session.sent += 1;
        Header {
            kind,
            sender: self.me,
            receiver: to,
            life: self.life,
            peer_life: session.life,
            number: session.sent,
        }
    }

    /// The header of a Hello to a peer that does not know this life, and whose datagram said that it is in this
    /// `life`: the answer names it, though no session is open with it, so that the peer can see that the answer is
    /// new. If a later life of the peer is known, the answer names that one, and the peer learns that it was outlived.
    pub fn answer(&mut self, to: Pid, life: u64) -> Header {
        let header = self.next(Kind::Hello, to);
        Header { peer_life: header.peer_life.max(life), ..header }
    }

    /// Decides on a datagram that is authentic. Admitted is what comes for the first time from the latest life of a
    /// peer and was sent in the knowledge of this node's life.
    pub fn admit(&mut self, header: &Header) -> Result<Admitted, Refused> {
        if !self.peers.contains(header.sender) {
            return Err(Refused { refusal: Refusal::UnknownSender, hint: Hint::Nothing });
        }
        let session = &mut self.table[header.sender.index()];
        let familiar = header.peer_life == self.life;
        if header.life < session.life || header.life == 0 {
            // Late datagrams know this life. One that does not may come from a peer that has booted with its clock
            // set back: without an answer it would stay locked out until its clock has caught up.
            let hint = if familiar || header.life == 0 { Hint::Nothing } else { Hint::Introduce };
            return Err(Refused { refusal: Refusal::StaleLife, hint });
        }
        if !familiar {
            let outlived = header.peer_life > self.life;
            let hint = if outlived { Hint::Outlived(header.peer_life) } else { Hint::Introduce };
            return Err(Refused { refusal: Refusal::Unfamiliar, hint });
        }
        let admitted = if header.life > session.life { Admitted::New } else { Admitted::Known };
        let window = if admitted == Admitted::New { &Window::EMPTY } else { &session.window };
        window.check(header.number).map_err(|refusal| Refused { refusal, hint: Hint::Nothing })?;
        if admitted == Admitted::New {
            session.life = header.life;
            session.window = Window::EMPTY;
        }
        session.window.mark(header.number);
        Ok(admitted)
    }

    /// Goes on in a life above this number, as one that knows nobody yet: all sessions are forgotten, and numbers
    /// begin again. For a node whose clock was set back before it booted, once it has learnt of it.
    pub fn outlive(&mut self, above: u64) {
        // Not simply the next life: peers may know different lives of this node, and if two boots were told of the
        // same one, they would both go on as its successor and seal with the same nonces. So the step depends on
        // the life that this boot has drawn. It is less than 2^32, which is about a second of boot times.
        let step = 1 + (fnv1a(&self.life.to_le_bytes()) >> 32);
        self.life = self.life.max(above).saturating_add(step);
        self.table.fill(Session::NONE);
    }
}

/// What an admitted datagram is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admitted {
    /// One more of a life that was known.
    Known,
    /// The first of a life of its sender, or the first at all: it has opened a session.
    New,
}

/// Why an authentic datagram is not admitted, and what can be learnt from it all the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The reason.
    pub refusal: Refusal,
    /// What to do about it.
    pub hint: Hint,
}

/// What can be learnt from an authentic datagram that is refused. It may have been replayed, so an answer goes to the
/// configured address of the peer, is not longer than what it answers, and is not given too often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// Nothing.
    Nothing,
    /// Its sender does not know this life and should be told: send what [`Sessions::answer`] gives.
    Introduce,
    /// Its sender knows a later life of this node, whose clock was set back: go on as a life above this number, with
    /// [`Sessions::outlive`].
    Outlived(u64),
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
