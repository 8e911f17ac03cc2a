//! How nodes find each other: each greets those it has not found, a greeting from somebody unknown is
//! answered, and the protocol begins when all have found all, or when waiting for them has lasted long enough.

use super::{Driver, MS};
use crate::event::NodeEventKind;
use crate::record::Identity;
use crate::status::NodePhase;
use crate::wire::DatagramKind;
use watchkeeper_core::Pid;

/// How often peers that are not found are greeted while the node waits for them.
const OFTEN: u64 = 100 * MS;

/// How often they are greeted when the protocol runs.
const SELDOM: u64 = 1000 * MS;

/// The least time between two answers to greetings of the same peer.
const PATIENCE: u64 = 20 * MS;

/// How long a node that others have called waits for those it has not found, who may have gone.
const CALLED: u64 = 500 * MS;

impl Driver {
    /// Greets whom it has not found when it is time to, and begins if that is possible.
    pub(super) fn gather(&mut self) {
        let now = self.clock.now();
        if now >= self.hello_at {
            self.hello_at = now + if !self.host.has_begun() { OFTEN } else { SELDOM };
            for peer in self.peers.all().difference(self.sessions.open_with()).iter() {
                self.send_bare(DatagramKind::Hello, peer);
            }
            // What was said before may have been lost.
            if !self.host.has_begun() {
                for peer in self.sessions.open_with().iter() {
                    self.send_bare(self.greeting(), peer);
                }
            }
        }
        self.begin_if_all_are_there();
        if !self.host.has_begun() && now >= self.gather_until {
            self.begin();
        }
    }

    /// A peer greets, is ready, or has begun.
    pub(super) fn greeted(&mut self, from: Pid, kind: DatagramKind, new: bool) {
        match kind {
            DatagramKind::Begin => self.called(),
            DatagramKind::Ready => self.ready.insert(from),
            _ => self.ready.remove(from),
        }
        // Whoever greets has not begun: it is told that this node has.
        let waits = self.host.has_begun() && kind != DatagramKind::Begin && self.may_answer(from);
        if new || waits {
            self.send_bare(self.greeting(), from);
        }
        if new && self.greeting() == DatagramKind::Ready && self.is_called {
            return self.begin();
        }
        if new && self.greeting() == DatagramKind::Ready {
            // The last of the peers was found: the others may be waiting for just that.
            for peer in self.peers.all().without(from).iter() {
                self.send_bare(DatagramKind::Ready, peer);
            }
        }
        self.begin_if_all_are_there();
    }

    /// Others have begun. This node begins too once it has found all whom there are to be found: what it
    /// would say to the others before that could not be sent.
    fn called(&mut self) {
        let soon = self.clock.now() + CALLED;
        self.gather_until = self.gather_until.min(soon);
        self.is_called = true;
        if self.greeting() == DatagramKind::Ready {
            self.begin();
        }
    }

    /// What this node has to say to a peer that it has found.
    fn greeting(&self) -> DatagramKind {
        let found_all = self.peers.all().is_subset(self.sessions.open_with());
        match (self.host.has_begun(), found_all) {
            (true, _) => DatagramKind::Begin,
            (false, true) => DatagramKind::Ready,
            (false, false) => DatagramKind::Hello,
        }
    }

    /// Tells somebody who does not know this incarnation which it is.
    pub(super) fn introduce(&mut self, to: Pid, incarnation: u64) {
        if self.may_answer(to) {
            let header = self.sessions.answer(to, incarnation);
            self.send_header(&header);
        }
    }

    /// Whether a peer was not answered a moment ago: replayed greetings must not make the node talkative.
    fn may_answer(&mut self, to: Pid) -> bool {
        let now = self.clock.now();
        let Some(peer) = self.peers.get_mut(to) else { return false };
        let may = peer.greeted.is_none_or(|at| now.saturating_sub(at) >= PATIENCE);
        if may {
            peer.greeted = Some(now);
        }
        may
    }

    /// One process, the first, decides that all have found each other, so that all begin at the same moment.
    fn begin_if_all_are_there(&mut self) {
        let first = self.peers.all().iter().next().is_none_or(|first| self.me < first);
        let all_ready = self.greeting() == DatagramKind::Ready && self.peers.all().is_subset(self.ready);
        if first && all_ready {
            for peer in self.peers.all().iter() {
                self.send_bare(DatagramKind::Begin, peer);
            }
            self.begin();
        }
    }

    /// Begins the protocol, unless it has begun.
    pub(super) fn begin(&mut self) {
        if self.host.has_begun() {
            return;
        }
        let now = self.clock.now();
        if let Some(recorder) = self.recorder.take() {
            let (me, incarnation, tick) = (self.me, self.sessions.incarnation(), self.tick);
            match recorder.begin(&Identity { me, incarnation, cluster: &self.cluster, tick }) {
                Ok(recording) => self.recording = Some(recording),
                Err(why) => self.tell(now, NodeEventKind::RecordingFailed { why: why.to_string() }),
            }
        }
        self.set_phase(NodePhase::Running);
        self.hello_at = now + SELDOM;
        self.tell(now, NodeEventKind::Began { peers: self.sessions.open_with().len() });
        self.start(now);
        if let Some(call) = self.opening.take() {
            self.call(now, &call);
        }
    }

    /// Tells all peers that the node leaves.
    pub(super) fn farewell(&mut self) {
        for peer in self.sessions.open_with().iter() {
            self.send_bare(DatagramKind::Farewell, peer);
        }
    }
}
