//! How nodes find each other: each greets those it has not found, a greeting from somebody unknown is
//! answered, and the protocol begins when all have found all, or when waiting for them has lasted long enough.

use super::{Driver, MS};
use crate::event::Happened;
use crate::record::Identity;
use crate::status::Phase;
use crate::wire::Kind;
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
                self.send_bare(Kind::Hello, peer);
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
    pub(super) fn greeted(&mut self, from: Pid, kind: Kind, new: bool) {
        match kind {
            Kind::Begin => self.called(),
            Kind::Ready => self.ready.insert(from),
            _ => self.ready.remove(from),
        }
        // Whoever greets has not begun: it is told that this node has.
        let waits = self.host.has_begun() && kind != Kind::Begin && self.may_answer(from);
        if new || waits {
            self.send_bare(self.greeting(), from);
        }
        if new && self.greeting() == Kind::Ready && self.is_called {
            return self.begin();
        }
        if new && self.greeting() == Kind::Ready {
            // The last of the peers was found: the others may be waiting for just that.
            for peer in self.peers.all().without(from).iter() {
                self.send_bare(Kind::Ready, peer);
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
        if self.greeting() == Kind::Ready {
            self.begin();
        }
    }

    /// What this node has to say to a peer that it has found.
    fn greeting(&self) -> Kind {
        let found_all = self.peers.all().is_subset(self.sessions.open_with());
        match (self.host.has_begun(), found_all) {
            (true, _) => Kind::Begin,
            (false, true) => Kind::Ready,
            (false, false) => Kind::Hello,
        }
    }

    /// Tells somebody who does not know this life which it is.
    pub(super) fn introduce(&mut self, to: Pid, life: u64) {
        if self.may_answer(to) {
            let header = self.sessions.answer(to, life);
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
        let all_ready = self.greeting() == Kind::Ready && self.peers.all().is_subset(self.ready);
        if first && all_ready {
            for peer in self.peers.all().iter() {
                self.send_bare(Kind::Begin, peer);
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
            let (me, life, tick) = (self.me, self.sessions.life(), self.tick);
            match recorder.begin(&Identity { me, life, cluster: &self.cluster, tick }) {
                Ok(recording) => self.recording = Some(recording),
                Err(why) => self.tell(now, Happened::RecordingFailed { why: why.to_string() }),
            }
        }
        self.set_phase(Phase::Running);
        self.hello_at = now + SELDOM;
        self.tell(now, Happened::Began { peers: self.sessions.open_with().len() });
        self.start(now);
        if let Some(call) = self.opening.take() {
            self.call(now, &call);
        }
    }

    /// Tells all peers that the node leaves.
    pub(super) fn farewell(&mut self) {
        for peer in self.sessions.open_with().iter() {
            self.send_bare(Kind::Farewell, peer);
        }
    }
}
