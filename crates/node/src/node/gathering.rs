//! How nodes find each other: each greets those it has no session with, and the protocol begins when all have found all,
//! or when waiting for them has lasted long enough.

use super::{MS, Node};
use crate::event::NodeEventKind;
use crate::recording_line::{HeaderLine, RECORDING_MARK, RECORDING_VERSION, RecordLine};
use crate::status::NodePhase;
use crate::wire::DatagramKind;
use watchkeeper_core::Pid;

/// How often peers that are not found are greeted while the node waits for them.
const OFTEN: u64 = 100 * MS;

/// How often they are greeted when the protocol runs.
const SELDOM: u64 = 1000 * MS;

/// For how long they are greeted often after keys or addresses have changed.
const HURRY: u64 = 3000 * MS;

/// The least time between two answers to greetings of the same peer.
pub(super) const PATIENCE: u64 = 20 * MS;

/// How long a node that others have called waits for those it has not found, who may have gone.
const CALLED: u64 = 500 * MS;

impl Node {
    /// Greets whom it has not found when it is time to, and begins if that is possible.
    pub(super) fn gather(&mut self, now: u64) {
        if now >= self.hello_at {
            let often = !self.host.has_begun() || now < self.hurry_until;
            self.hello_at = now + if often { OFTEN } else { SELDOM };
            for peer in self.sessions.to_greet().iter() {
                for (key, hello) in self.sessions.greetings_to(peer).into_iter().flatten() {
                    self.send_greeting(now, peer, key, &hello);
                }
            }
            // What was said before may have been lost.
            if !self.host.has_begun() {
                let word = self.word();
                for peer in self.sessions.open_with().iter() {
                    self.send_bare(now, word, peer);
                }
            }
        }
        self.begin_if_all_are_there(now);
        if !self.host.has_begun() && now >= self.gather_until {
            self.begin(now);
        }
    }

    /// Something has changed that sessions depend on: whoever is to be greeted is greeted at once, and often for a while.
    pub(super) fn greet_soon(&mut self, now: u64) {
        self.hello_at = now;
        self.hurry_until = now + HURRY;
    }

    /// A session has opened with a peer that had none.
    pub(super) fn found(&mut self, now: u64, peer: Pid) {
        let word = self.word();
        self.send_bare(now, word, peer);
        if word != DatagramKind::Ready {
            return;
        }
        if self.is_called {
            return self.begin(now);
        }
        // The last of the peers was found: the others may be waiting for just that.
        let others: Vec<Pid> = self.peers.numbers().filter(|other| *other != peer).collect();
        for other in others {
            self.send_bare(now, DatagramKind::Ready, other);
        }
        self.begin_if_all_are_there(now);
    }

    /// A peer waits for others, is ready, or has begun.
    pub(super) fn greeted(&mut self, now: u64, from: Pid, kind: DatagramKind) {
        match kind {
            DatagramKind::Begin => self.called(now),
            DatagramKind::Ready => drop(self.ready.insert(from)),
            _ => drop(self.ready.remove(from)),
        }
        // Whoever waits or is ready has not begun: it is told that this node has.
        if kind != DatagramKind::Begin && self.host.has_begun() && self.may_answer(now, from) {
            self.send_bare(now, DatagramKind::Begin, from);
        }
        self.begin_if_all_are_there(now);
    }

    /// Others have begun. This node begins too once it has found all whom there are to be found: what it
    /// would say to the others before that could not be sent.
    fn called(&mut self, now: u64) {
        self.gather_until = self.gather_until.min(now + CALLED);
        self.is_called = true;
        if self.word() == DatagramKind::Ready {
            self.begin(now);
        }
    }

    /// What this node has to say to a peer that it has found.
    pub(super) fn word(&self) -> DatagramKind {
        let found_all = self.peers.numbers().all(|peer| self.sessions.is_open(peer));
        match (self.host.has_begun(), found_all) {
            (true, _) => DatagramKind::Begin,
            (false, true) => DatagramKind::Ready,
            (false, false) => DatagramKind::Waiting,
        }
    }

    /// Whether a peer was not answered a moment ago: replayed greetings must not make the node talkative.
    pub(super) fn may_answer(&mut self, now: u64, to: Pid) -> bool {
        let Some(peer) = self.peers.get_mut(to) else { return false };
        let may = peer.greeted.is_none_or(|at| now.saturating_sub(at) >= PATIENCE);
        if may {
            peer.greeted = Some(now);
        }
        may
    }

    /// One process, the first, decides that all have found each other, so that all begin at the same moment.
    fn begin_if_all_are_there(&mut self, now: u64) {
        if self.host.has_begun() {
            return;
        }
        let first = self.peers.numbers().next().is_none_or(|first| self.me < Some(first));
        let all_ready =
            self.word() == DatagramKind::Ready && self.peers.numbers().all(|peer| self.ready.contains(peer));
        if first && all_ready {
            for peer in self.peers.numbers().collect::<Vec<_>>() {
                self.send_bare(now, DatagramKind::Begin, peer);
            }
            self.begin(now);
        }
    }

    /// Begins the protocol, unless it has begun.
    pub(super) fn begin(&mut self, now: u64) {
        // A node that is given a number may get another one before it is a member.
        let joins = self.membership.as_ref().is_some_and(|membership| membership.joining.is_some());
        let Some(me) = self.me.filter(|_| !self.host.has_begun() && !joins) else { return };
        if let Some(model) = self.recorded.take() {
            self.is_recording = true;
            let header = HeaderLine {
                watchkeeper: RECORDING_MARK.to_string(),
                version: RECORDING_VERSION,
                protocol: model.protocol,
                n: model.n as u64,
                process: me,
                name: self.membership.as_ref().map(|membership| membership.place.name.to_string()),
                incarnation: self.sessions.incarnation(),
                cluster: self.cluster.clone(),
                clock: self.clock_name.clone(),
                tick: self.tick,
                settings: model.settings,
            };
            self.record(RecordLine::Header(header));
        }
        if self.end_at.is_none() {
            self.counters.set_phase(NodePhase::Running);
        }
        self.hello_at = now + SELDOM;
        self.tell(now, NodeEventKind::Began { peers: self.sessions.open_with().len() });
        self.start(now, me);
        if let Some(call) = self.opening.take() {
            self.call(now, &call);
        }
    }

    /// Tells all peers that the node leaves.
    pub(super) fn farewell(&mut self, now: u64) {
        for peer in self.sessions.open_with().iter() {
            self.send_bare(now, DatagramKind::Farewell, peer);
        }
    }
}
