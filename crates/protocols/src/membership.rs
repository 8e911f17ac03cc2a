//! GroupProtocol membership on causal multicast, after Y. Amir, D. Dolev, S. Kramer and D. Malki, "Membership Algorithms for
//! Multicast Communication Groups", WDAG 1992, as the thesis of M. Atif, "Formal Modeling and Verification of
//! Distributed Failure Detectors", Eindhoven, 2011, chapter 5, reconstructs it (T, figures 5.2 to 5.11): the faults
//! protocol, the join protocol, and the part of Transis under them.
//!
//! It stands on a detector that is not part of it: communication breaks are
//! [`Input::Notice`]s. It needs channels that lose nothing and keep the order of each sender
//! ([`Reliable`](crate::stack::Reliable) makes them).
//!
//! # The graph
//! Every message has a number and says how much its sender had received of everyone. Words are delivered in an order
//! that keeps to that. FA and JOIN messages are kept undelivered, with all that follows them, until their change of
//! configuration is assented to; then those of one change are delivered in one go ([`graph`]).
//!
//! # Where T is silent, or does not work
//! - **Which changes there were.** A member may assent to a first set of faults and then to a larger one, while
//!   another assents to the larger one at once. What the first has delivered in between must not be lost to the
//!   second. So a member that delivers the messages of a change goes through every smaller one on the way that is
//!   complete in its graph: whose messages all members have sent that would be left. T delivers all in one go, and
//!   then nothing can be delivered any more where a word stands between.
//! - **LastF** is what the last FA of a process said, as in T's appendix C.1, not the sum of all, as in its text: with that a
//!   member assents to a set that nobody else has named.
//! - **Rejected messages** hold nothing up. In T nothing that follows one is ever delivered.
//! - **Foreign messages** are not delivered. In T those before a join are, everywhere and at once.
//! - **A JOIN ends the first stage** of whoever receives it. In T that goes on, and a word said then follows one JOIN
//!   and comes before another: it is before the change to some and after it to others.
//! - **A break in the first stage** is a fault: in T it only ends the stage, and the second waits for ever.
//! - **A JOIN of a member** takes everyone along to the first stage, also out of the faults protocol. In T it is
//!   rejected there, and its sender waits for ever.
//! - **An FA that says nothing new** is not answered. In the second stage of T's join each answers each, without end.
//! - **Accusations.** A member that hears itself called faulty does as if it had crashed: it goes on alone, says so, and
//!   comes back as a stranger. To the others a mistake of a detector is then a crash. (If nobody is to come back, the
//!   detector makes no mistakes.)
//! - **Unblocking.** A process that is blocked stays so until it is out of the configuration. From then on it is a
//!   stranger: its words are not let in, what it says about others does not count, and it may ask to join. What it
//!   said before it knew that it is out does no harm: once it knows it says that it goes on alone, and that comes
//!   after. So nobody need ever be unblocked.

mod agreement;
mod delivery;
mod flaw;
pub mod graph;
mod message;
mod requirements;
mod state;

pub use flaw::{BrokenGroupRequirement, GroupFlaw};
pub use message::{
    Configuration, GroupCall, GroupMsg, GroupOutput, GroupTimer, Multicast, MulticastBody, RefusalReason,
};
pub use requirements::{CausalOrder, GroupProtocol, Insiders, MemberStatus, NoDuplication, VirtualSynchrony};
pub use state::{GroupState, JoinStage};

use graph::{CausalGraph, GarbageCollection, GraphEntry};
use watchkeeper_core::{
    Bound, Effects, Input, MAX_PROCESSES, Meaning, PerProc, Pid, ProcSet, Promises, Protocol, Suspicion,
    Symmetry, Tone,
};

/// How many messages a graph holds.
pub const MOST_MESSAGES: usize = 4096;

/// The last number that a message may have.
const LAST_NUMBER: u32 = u32::MAX / 4;

/// How many messages a member takes in before it acknowledges them with an empty one.
const UNACKNOWLEDGED: u32 = 16;

/// The processes that an attempt to join names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptScope {
    /// The configuration of its sender, as in the original text.
    Own,
    /// And whoever was found, as T proposes: nobody can agree on joining nobody.
    Found,
}

/// The membership protocol of `n` processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Membership {
    n: usize,
    /// The configurations at the start; who is in none is alone.
    cliques: Vec<ProcSet>,
    ask: AttemptScope,
    collect: GarbageCollection,
    /// Whether messages of the faulty are passed on.
    relay: bool,
    /// Whether there is more than the faults protocol.
    joins: bool,
    /// Whether those who were put out may come back.
    returns: bool,
    /// Whether what makes no difference any more is forgotten.
    canonical: bool,
    gather: u32,
    probe: Option<u32>,
    flaw: Option<GroupFlaw>,
}

impl Membership {
    /// `n` processes in one configuration.
    pub fn new(n: usize) -> Result<Membership, GroupError> {
        if !(1..=MAX_PROCESSES).contains(&n) {
            return Err(GroupError::Size { n });
        }
        Ok(Membership {
            n,
            cliques: vec![ProcSet::first(n)],
            ask: AttemptScope::Found,
            collect: GarbageCollection::AtOnce,
            relay: false,
            joins: true,
            returns: true,
            canonical: true,
            gather: 1,
            probe: None,
            flaw: None,
        })
    }

    /// In these configurations at the start. Who is in none of them is alone.
    pub fn in_cliques(self, cliques: &[ProcSet]) -> Result<Membership, GroupError> {
        let mut seen = ProcSet::EMPTY;
        for &clique in cliques {
            if !clique.is_subset(ProcSet::first(self.n)) {
                return Err(GroupError::Stranger { n: self.n });
            }
            if !clique.intersection(seen).is_empty() {
                return Err(GroupError::Overlap);
            }
            seen = seen.union(clique);
        }
        Ok(Membership { cliques: cliques.to_vec(), ..self })
    }

    /// Naming these in an attempt to join.
    #[must_use]
    pub fn asking(self, ask: AttemptScope) -> Membership {
        Membership { ask, ..self }
    }

    /// Keeping these messages.
    #[must_use]
    pub fn collecting(self, collect: GarbageCollection) -> Membership {
        Membership { collect, ..self }
    }

    /// For a network in which what a process has sent may be lost once it crashes: members keep messages until
    /// they are stable, and pass those of the faulty on.
    #[must_use]
    pub fn relaying(self) -> Membership {
        Membership { relay: true, collect: GarbageCollection::Stable, ..self }
    }

    /// The faults protocol alone: nobody who is outside ever comes in.
    #[must_use]
    pub fn without_joins(self) -> Membership {
        Membership { joins: false, ..self }
    }

    /// For good: nobody who was put out comes back, which is right on a detector that makes no mistakes.
    #[must_use]
    pub fn without_returns(self) -> Membership {
        Membership { returns: false, ..self }
    }

    /// With states that keep what makes no difference any more: for measuring what forgetting it saves.
    #[must_use]
    pub fn verbose(self) -> Membership {
        Membership { canonical: false, ..self }
    }

    /// With a first stage of a join that lasts `gather` units of time, and a look every `probe` for those who are
    /// there and not in the configuration.
    #[must_use]
    pub fn timed(self, gather: u32, probe: Option<u32>) -> Membership {
        Membership { gather, probe, ..self }
    }

    /// With a variant that is wrong.
    #[must_use]
    pub fn flawed(self, flaw: GroupFlaw) -> Membership {
        Membership { flaw: Some(flaw), ..self }
    }

    /// The variant that is planted.
    pub fn flaw(&self) -> Option<GroupFlaw> {
        self.flaw
    }

    /// The configuration of a process at the start.
    pub fn clique(&self, of: Pid) -> ProcSet {
        let found = self.cliques.iter().copied().find(|clique| clique.contains(of));
        found.unwrap_or(ProcSet::only(of))
    }

    fn has(&self, flaw: GroupFlaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Sends a message to all, and takes it into the own graph.
    fn multicast(
        &self,
        me: Pid,
        state: &mut GroupState,
        body: MulticastBody,
        fx: &mut impl Effects<Membership>,
    ) {
        let mut past = state.graph.have();
        if self.canonical && !self.returns && self.collect == GarbageCollection::AtOnce {
            self.hush(me, state, &body, &mut past);
        }
        let multicast = Multicast { number: past[me], past: past.clone(), body: body.clone() };
        state.graph.enter(me, GraphEntry::new(past, body), self.collect);
        state.unacknowledged = 0;
        self.knows(state, me);
        for peer in Pid::all(self.n).filter(|&peer| peer != me) {
            fx.send(peer, GroupMsg::Fresh(multicast.clone()));
        }
    }

    /// Leaves out acknowledgements that make no difference to anybody: of those outside, where nobody who was put out
    /// comes back, and those on an attempt to join, which holds nothing up.
    fn hush(&self, me: Pid, state: &GroupState, body: &MulticastBody, past: &mut PerProc<u32>) {
        let attempt = matches!(body, MulticastBody::Attempt(_));
        for q in Pid::all(self.n).filter(|&q| q != me && (attempt || !state.is_inside(q))) {
            past[q] = 0;
        }
    }

    /// Notes that a process has what came before its newest message, and that message.
    fn knows(&self, state: &mut GroupState, of: Pid) {
        if self.collect != GarbageCollection::Stable {
            return;
        }
        let Some(entry) = state.graph.lines[of].entries.last() else { return };
        let mut past = entry.past.clone();
        past[of] = state.graph.lines[of].have();
        state.graph.known[of] = past;
    }

    /// Takes a message off the wire: refuses what cannot be, and puts the rest at the end of its line.
    fn receive(
        &self,
        me: Pid,
        state: &mut GroupState,
        origin: Pid,
        multicast: &Multicast,
        fx: &mut impl Effects<Membership>,
    ) {
        let why = match self.sound(me, state, origin, multicast) {
            Ok(false) => return,
            Ok(true) if state.graph.size() >= MOST_MESSAGES => RefusalReason::Full,
            Ok(true) => {
                let line = &mut state.graph.lines[origin];
                if line.held.is_empty() && line.head().is_none() && multicast.number > line.have() {
                    line.jump(multicast.number);
                }
                return line.held.push(multicast.clone());
            }
            Err(why) => why,
        };
        fx.emit(GroupOutput::Refuse { from: origin, why });
        if why == RefusalReason::Unknown {
            // What is missing will not come: as good as a break.
            self.broken(me, state, origin, fx);
        }
    }

    /// Takes a message that somebody passes on. What was sent before it came to be kept there does not matter here
    /// either, unless its sender is a member.
    fn relayed(
        &self,
        me: Pid,
        state: &mut GroupState,
        origin: Pid,
        multicast: &Multicast,
        fx: &mut impl Effects<Membership>,
    ) {
        if self.well_formed(me, state, origin, multicast).is_ok() && origin != me {
            let line = &state.graph.lines[origin];
            let next = line.have() as usize + line.held.len();
            if multicast.number as usize > next {
                if state.view.union(state.ccs).contains(origin) || line.head().is_some() {
                    return;
                }
                state.graph.lines[origin].held.clear();
                state.graph.lines[origin].jump(multicast.number);
            }
        }
        self.receive(me, state, origin, multicast, fx);
    }

    /// Whether a message can be one at all, whatever was there before.
    fn well_formed(
        &self,
        me: Pid,
        state: &GroupState,
        origin: Pid,
        multicast: &Multicast,
    ) -> Result<(), RefusalReason> {
        let all = ProcSet::first(self.n);
        if !all.contains(origin) || multicast.past.len() != self.n || !multicast.body.named().is_subset(all) {
            return Err(RefusalReason::Stranger);
        }
        let unsent = multicast.past[me] > state.graph.lines[me].have() && origin != me;
        if unsent || multicast.past[origin] != multicast.number {
            return Err(RefusalReason::Forged);
        }
        let far = |q: Pid| multicast.past[q] as usize > state.graph.lines[q].have() as usize + MOST_MESSAGES;
        let members = state.view.union(state.ccs).without(origin);
        if multicast.number > LAST_NUMBER || members.iter().any(far) {
            return Err(RefusalReason::Unknown);
        }
        Ok(())
    }

    /// Whether a message is the next of its sender; a copy of one that was there is not, and is nothing wrong.
    fn sound(
        &self,
        me: Pid,
        state: &GroupState,
        origin: Pid,
        multicast: &Multicast,
    ) -> Result<bool, RefusalReason> {
        self.well_formed(me, state, origin, multicast)?;
        if origin == me {
            return Ok(false);
        }
        let line = &state.graph.lines[origin];
        let next = line.have() as usize + line.held.len();
        if multicast.number as usize > next && !state.is_forgotten(origin) {
            return Err(RefusalReason::Unknown);
        }
        Ok(multicast.number as usize >= next)
    }
}

impl Protocol for Membership {
    type State = GroupState;
    type Msg = GroupMsg;
    type Timer = GroupTimer;
    type Call = GroupCall;
    type Output = GroupOutput;

    fn init(&self, me: Pid, fx: &mut impl Effects<Membership>) -> GroupState {
        let members = self.clique(me);
        let state = GroupState {
            graph: CausalGraph::new(self.n, self.collect),
            view: members,
            ccs: members,
            phase: JoinStage::Rest,
            faulty: ProcSet::EMPTY,
            after: ProcSet::EMPTY,
            join: ProcSet::EMPTY,
            last: PerProc::new(self.n, ProcSet::EMPTY),
            last_join: PerProc::new(self.n, None),
            basis: (members, ProcSet::EMPTY),
            suspects: ProcSet::EMPTY,
            since: PerProc::new(self.n, 0),
            heard: ProcSet::EMPTY,
            closed: false,
            unacknowledged: 0,
        };
        self.look_again(&state, fx);
        state
    }

    fn step(
        &self,
        me: Pid,
        state: &mut GroupState,
        input: Input<'_, Membership>,
        fx: &mut impl Effects<Membership>,
    ) {
        if me.index() >= self.n || !state.fits(self.n, self.collect) {
            return;
        }
        match input {
            Input::Receive { from, msg: GroupMsg::Fresh(multicast) } => {
                self.receive(me, state, from, multicast, fx);
            }
            Input::Receive { msg: GroupMsg::Relay { origin, multicast }, .. } => {
                self.relayed(me, state, *origin, multicast, fx);
            }
            Input::Fire(GroupTimer::Gather) => self.gathered(me, state, fx),
            Input::Fire(GroupTimer::Probe) => self.probe(me, state, fx),
            Input::Call(call) => self.called(me, state, *call, fx),
            Input::Notice(Suspicion::Suspect(whom)) if whom.index() < self.n && whom != me => {
                state.suspects.insert(whom);
                state.heard.remove(whom);
                self.broken(me, state, whom, fx);
            }
            Input::Notice(Suspicion::Trust(whom)) if whom.index() < self.n => {
                state.suspects.remove(whom);
                if state.phase == JoinStage::First && !state.ccs.contains(whom) {
                    state.faulty.remove(whom);
                }
                self.discover(me, state, whom, fx);
            }
            Input::Notice(_) => {}
        }
        self.let_in(me, state, fx);
        self.flush(me, state, fx);
        let out = |q: &Pid| self.returns || state.since[*q] == 0;
        let heard: ProcSet =
            state.heard.difference(state.ccs).difference(state.suspects).iter().filter(out).collect();
        let free = state.is_stable() && state.is_settled() && !state.closed;
        if free && !heard.is_empty() && self.joins && self.probe.is_none() {
            state.heard = ProcSet::EMPTY;
            self.attempt(me, state, heard, fx);
            self.flush(me, state, fx);
        }
        if self.collect == GarbageCollection::Stable {
            self.keep_stable(me, state, fx);
        }
        if self.canonical {
            state.forget(self.collect);
        }
    }

    fn meaning(&self, output: &GroupOutput) -> Meaning {
        Meaning::Other(match output {
            GroupOutput::View(_) => Tone::Relief,
            GroupOutput::Deliver { .. } => Tone::Plain,
            GroupOutput::Refuse { .. } => Tone::Alarm,
        })
    }
}

impl Promises for Membership {
    /// In the faults protocol those in the largest configuration are alike, and all others are told apart. Where there
    /// are joins, messages that were held are let in by the order of ids, and nothing is promised.
    fn symmetry(&self) -> Symmetry {
        if self.joins {
            return Symmetry::None;
        }
        let largest = self.cliques.iter().copied().max_by_key(|clique| clique.len());
        match largest.unwrap_or(ProcSet::EMPTY) {
            all if all == ProcSet::first(self.n) => Symmetry::Full,
            clique => Symmetry::FixingAll(ProcSet::first(self.n).difference(clique)),
        }
    }
}

/// An invalid configuration of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GroupError {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 1 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// A configuration names a process that there is not.
    #[error("a configuration names a process outside of the group: name those below p{n}")]
    Stranger {
        /// The number of processes.
        n: usize,
    },
    /// A process would be in two configurations.
    #[error("a process is in two configurations at the start: name it in one of them only")]
    Overlap,
}

impl Membership {
    fn called(&self, me: Pid, state: &mut GroupState, call: GroupCall, fx: &mut impl Effects<Membership>) {
        match call {
            GroupCall::Say(_) if state.graph.size() >= MOST_MESSAGES / 2 => {
                fx.emit(GroupOutput::Refuse { from: me, why: RefusalReason::Full });
            }
            GroupCall::Say(word) => self.multicast(me, state, MulticastBody::User(word), fx),
            GroupCall::Leave => self.leave(me, state, fx),
            GroupCall::Return => {
                if std::mem::replace(&mut state.closed, false) {
                    self.attempt(me, state, ProcSet::EMPTY, fx);
                }
            }
        }
    }

    /// Arms the timer after which a member looks for those outside of its configuration.
    fn look_again(&self, state: &GroupState, fx: &mut impl Effects<Membership>) {
        let outside = ProcSet::first(self.n).difference(state.ccs).difference(state.suspects);
        match self.probe {
            Some(probe) if !outside.is_empty() && !state.closed => {
                fx.arm(GroupTimer::Probe, Bound::exactly(probe))
            }
            Some(_) => fx.disarm(GroupTimer::Probe),
            None => {}
        }
    }
}
