//! The ring failure detector of Larrea, Arévalo and Fernández: every process asks its nearest successor
//! that it does not suspect whether it is alive, suspects it if no answer comes in time, and returns to a
//! suspect as soon as it hears from it. Nobody sends to itself, and a process that suspects everyone
//! else keeps its rounds going, so the detector never stops of its own accord.
//!
//! M. Larrea, S. Arévalo and A. Fernández, "Efficient Algorithms to Implement Unreliable Failure
//! Detectors in Partially Synchronous Systems", DISC 1999, LNCS 1693, pages 34 to 48. The paper has four
//! detectors with one skeleton, which is [`Ring`]; what differs between them is a [`RingPolicy`]:
//! [`WeakCompleteness`], [`WeakAccuracy`], [`StrongAccuracy`] and [`StrongCompleteness`]. Their figures are
//! also 6.1 to 6.4 of M. Atif, "Formal Modeling and Verification of Distributed Failure Detectors", TU
//! Eindhoven, 2011, called T here. A fifth detector is not in the paper: it asks its suspects again
//! ([`StrongCompleteness::asking_again`]).
//!
//! # The suspects are an arc
//! The paper keeps a list L of suspects. Here only the target is kept, because for every process p
//! L = {succ(p), ..., pred(target)}, which is empty for target = succ(p) and everyone else for
//! target = p. It is so at first, with L empty and target = succ(p). A round without an answer adds the
//! target, which is the process just behind the arc, and moves the target one further; it happens only
//! for target ≠ p, so the arc never reaches p. A message from a suspect q takes {q, ..., pred(target)} out
//! of L and makes q the target: the arc now ends just before q. No other rule changes L or the target,
//! in any of the detectors; the set G of the fourth is no arc, and lives in its policy's memory.
//!
//! # Where the sources leave a choice
//! The figures are read as in M. Atif, M. R. Mousavi and A. Osaiweran, "Formal Verification of Unreliable
//! Failure Detectors in Partially Synchronous Systems", TU Eindhoven, CSR 11-12, 2011 (figures 1 to 4).
//! - A question from the target does not count as an answer: so the figures, though the text beside them
//!   and one of the report's models let any message from the target count.
//! - A process that is its own target has no one to ask. It counts its own answer as received.
//!
//! # What the published detectors do not survive
//! Nobody asks a suspect again: it is trusted when it is heard, so a late answer ends a suspicion, but a lost one
//! does not. A process that starts again asks its successor; whoever suspects it stays with that unless the new
//! life comes to ask it. The detectors are for processes that crash for good.
//!
//! The paper lets messages be late, but lost only before the system is stable. If so many are lost that
//! everyone has come to suspect everyone else, and none is still on its way, nobody asks anybody again:
//! rounds go on in silence, and a network that has healed is not noticed. In a ring of two, one lost
//! exchange in each direction is enough. In a ring of three, one lost message leaves a suspicion for ever.
//!
//! # Asking suspects again
//! This part is ours. A policy may name suspects that a process asks again at the start of each round, besides its
//! target ([`RingPolicy::asked_again`]). Nothing else changes: whoever hears from a suspect returns to it, as in
//! the paper, so an answer ends a suspicion, and so does the question for its receiver if the suspicion is
//! mutual. If from some time on every question is answered within its round, the arc of each process comes to
//! contain crashed processes only, whatever was lost before and whoever started again.
//!
//! All of the arc is asked, which takes no memory. To ask the nearest suspect alone would not be enough: it may have
//! crashed, and the next one behind it may not. The price is small, because in the end each crashed process
//! is in the arc of one process only, the nearest before it that is up: one question a round for each crashed process.

mod adaptation;
mod gossip;
mod policy;

pub use adaptation::{StrongAccuracy, TimeoutAdaptation, WeakAccuracy};
pub use gossip::{Gossip, GossipMsg, StrongCompleteness};
pub use policy::{HeardMessage, RingMsg, RingPolicy, WeakCompleteness};

use std::fmt;
use watchkeeper_core::{
    Bound, Effects, Input, MAX_PROCESSES, Meaning, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot,
    Suspicion, Symmetry, Time,
};

/// The detector, for a ring of `n` processes, with durations `T`.
///
/// It announces a [`Suspicion`] whenever [`Ring::suspects`] changes, and never one about the process
/// itself. Messages that claim to come from the process itself, or from outside the ring, are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ring<P: RingPolicy<T> = WeakCompleteness, T: Time = u32> {
    n: usize,
    timeout: T,
    policy: P,
}

impl<T: Time> Ring<WeakCompleteness, T> {
    /// The detector for weak completeness: every process that crashes is in the end suspected for ever
    /// by some process that does not. A round lasts `timeout`.
    pub fn new(n: usize, timeout: T) -> Result<Ring<WeakCompleteness, T>, RingError<T>> {
        Ring::with_policy(WeakCompleteness, n, timeout)
    }
}

impl<P: RingPolicy<T>, T: Time> Ring<P, T> {
    /// The detector of the family that this policy makes. The first round lasts `timeout`.
    pub fn with_policy(policy: P, n: usize, timeout: T) -> Result<Ring<P, T>, RingError<T>> {
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(RingError::Size { n });
        }
        if timeout.is_zero() {
            return Err(RingError::NoTimeout);
        }
        let adaptation = policy.adaptation();
        if let Some(candidate) = adaptation.candidate().filter(|candidate| candidate.index() >= n) {
            return Err(RingError::Candidate { candidate, n });
        }
        match adaptation.cap(timeout) {
            Some(max_delta) if max_delta.less(timeout) => Err(RingError::Cap { max_delta, timeout }),
            _ => Ok(Ring { n, timeout, policy }),
        }
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The length of the first round.
    pub fn first_timeout(&self) -> T {
        self.timeout
    }

    /// The longest that a round can come to last; `None` if timeouts grow without end, so that the ring has
    /// infinitely many states and no search of them can be whole.
    pub fn timeout_cap(&self) -> Option<T> {
        self.policy.adaptation().cap(self.timeout)
    }

    /// The length of a round whose target is `target`.
    pub fn timeout(&self, target: Pid, state: &RingState<P::Memory>) -> T {
        let remembered = self.policy.timeouts(&state.memory).and_then(|timeouts| timeouts.get(target));
        remembered.map_or(self.timeout, |timeout| self.at_most_cap(self.timeout.longer(*timeout)))
    }

    /// This timeout, or the cap if that is shorter.
    fn at_most_cap(&self, timeout: T) -> T {
        self.timeout_cap().map_or(timeout, |cap| timeout.shorter(cap))
    }

    /// The targets for which process `me` cannot become more patient: their timeouts adapt, and stand at the
    /// cap. What is found out about a ring in which there are such may be due to the cap.
    pub fn at_cap(&self, me: Pid, state: &RingState<P::Memory>) -> ProcSet {
        let adapts = self.policy.adaptation() != TimeoutAdaptation::Fixed;
        let Some(cap) = self.timeout_cap().filter(|_| adapts) else { return ProcSet::EMPTY };
        Pid::all(self.n).filter(|&target| target != me && self.timeout(target, state) == cap).collect()
    }

    /// The suspects of process `me`.
    pub fn suspects(&self, me: Pid, state: &RingState<P::Memory>) -> ProcSet {
        self.policy.suspects(self.local(me, self.target(me, state)), &state.memory)
    }

    /// The target of process `me`: the nearest successor that is not suspected, or itself if all are.
    ///
    /// A state that came from outside may name a process that the ring does not have; its owner is taken
    /// to watch its successor, as at first.
    pub fn target(&self, me: Pid, state: &RingState<P::Memory>) -> Pid {
        if state.target.index() < self.n { state.target } else { me.succ(self.n) }
    }

    /// The list L of the paper: the arc between a process and its target.
    fn local(&self, me: Pid, target: Pid) -> ProcSet {
        let first = me.succ(self.n);
        if target == first { ProcSet::EMPTY } else { ProcSet::arc(first, target.pred(self.n), self.n) }
    }

    /// Everyone but `me`, in the order of the ring, so that a rotation of the ring rotates what is done in this order.
    fn others(&self, me: Pid) -> impl Iterator<Item = Pid> + use<P, T> {
        let n = self.n;
        (1..n).map(move |steps| Pid::at((me.index() + steps) % n))
    }

    /// Task 1 of the paper, from the top of its loop to its delay.
    fn begin_round(&self, me: Pid, state: &mut RingState<P::Memory>, fx: &mut impl Effects<Ring<P, T>, T>) {
        let alone = state.target == me;
        let question = || self.policy.message(RingMsg::AreYouAlive, &state.memory);
        if !alone {
            fx.send(state.target, question());
        }
        let again = self.policy.asked_again(self.local(me, state.target));
        self.others(me).filter(|&q| again.contains(q)).for_each(|q| fx.send(q, question()));
        state.received = alone;
        fx.arm(RingTimer::Round, Bound::exactly(self.timeout(state.target, state)));
    }

    /// Task 1 of the paper, after its delay.
    fn end_round(&self, me: Pid, state: &mut RingState<P::Memory>, fx: &mut impl Effects<Ring<P, T>, T>) {
        if state.received || state.target == me {
            return;
        }
        let before = self.suspects(me, state);
        let local = self.local(me, state.target).with(state.target);
        self.lengthen(local, state);
        self.policy.suspecting(state.target, local, &mut state.memory);
        state.target = state.target.succ(self.n);
        self.announce(me, before, self.suspects(me, state), fx);
    }

    /// Makes the timeout for the target grow, if the policy wants it and the cap allows it. `local` is the
    /// arc of suspects with the target.
    fn lengthen(&self, local: ProcSet, state: &mut RingState<P::Memory>) {
        if !self.policy.adaptation().grows(local) {
            return;
        }
        let longer = self.at_most_cap(self.timeout(state.target, state).plus(T::from(1)));
        let timeouts = self.policy.timeouts_mut(&mut state.memory);
        if let Some(timeout) = timeouts.and_then(|timeouts| timeouts.get_mut(state.target)) {
            *timeout = longer;
        }
    }

    /// Task 2 of the paper, for one message of another process.
    fn hear(
        &self,
        me: Pid,
        state: &mut RingState<P::Memory>,
        from: Pid,
        msg: &P::Msg,
        fx: &mut impl Effects<Ring<P, T>, T>,
    ) {
        let before = self.suspects(me, state);
        let local = self.local(me, state.target);
        let question = self.policy.plain(msg) == RingMsg::AreYouAlive;
        if question {
            fx.reply(from, self.policy.message(RingMsg::IAmAlive, &state.memory));
        }
        if local.contains(from) {
            state.target = from;
            state.received = true;
        } else if from == state.target && !question {
            state.received = true;
        } else if !question {
            return;
        }
        let now = self.local(me, state.target);
        let ring = ProcSet::first(self.n);
        let heard = HeardMessage { me, from, msg, trusted: local.difference(now), local: now, ring };
        self.policy.heard(heard, &mut state.memory);
        self.announce(me, before, self.suspects(me, state), fx);
    }

    /// Tells what has changed between two sets of suspects, in the order of the ring.
    fn announce(&self, me: Pid, before: ProcSet, after: ProcSet, fx: &mut impl Effects<Ring<P, T>, T>) {
        for p in self.others(me) {
            match (before.contains(p), after.contains(p)) {
                (false, true) => fx.emit(Suspicion::Suspect(p)),
                (true, false) => fx.emit(Suspicion::Trust(p)),
                _ => {}
            }
        }
    }
}

impl<P: RingPolicy<T>, T: Time> Protocol<T> for Ring<P, T> {
    type State = RingState<P::Memory>;
    type Msg = P::Msg;
    type Timer = RingTimer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> Self::State {
        let memory = self.policy.memory(self.n, self.timeout);
        let mut state = RingState { target: me.succ(self.n), received: false, memory };
        self.begin_round(me, &mut state, fx);
        state
    }

    fn step(
        &self,
        me: Pid,
        state: &mut Self::State,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        state.target = self.target(me, state);
        match input {
            Input::Fire(RingTimer::Round) => {
                self.end_round(me, state, fx);
                self.begin_round(me, state, fx);
            }
            Input::Receive { from, .. } if from == me || from.index() >= self.n => {}
            Input::Receive { from, msg } => self.hear(me, state, from, msg, fx),
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl<P: RingPolicy<T>, T: Time> Promises<T> for Ring<P, T> {
    fn reaches(&self, me: Pid, _: &Self::State) -> ProcSet {
        ProcSet::first(self.n).without(me)
    }

    fn symmetry(&self) -> Symmetry {
        self.policy.symmetry()
    }
}

/// The local state of the ring, with the memory `M` of its policy.
#[derive(Clone, PartialEq, Eq, Hash, Pack)]
pub struct RingState<M> {
    target: Pid,
    /// Whether the target has answered in this round. True throughout if the target is oneself, so that
    /// states that behave alike are equal.
    received: bool,
    memory: M,
}

impl<M> RingState<M> {
    /// Whether the target has answered in this round.
    pub fn received(&self) -> bool {
        self.received
    }

    /// The memory of the policy.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

impl<M: fmt::Debug> fmt::Debug for RingState<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RingState");
        shown.field("target", &self.target).field("received", &self.received);
        // Charts show states, and a memory that cannot hold anything is only noise on them.
        if size_of::<M>() > 0 {
            shown.field("memory", &self.memory);
        }
        shown.finish()
    }
}

/// The timer slots of the ring.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum RingTimer {
    /// The end of a round, when the target should have answered.
    Round,
}

/// An invalid configuration of the ring, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RingError<T = u32> {
    /// The number of processes is not possible.
    #[error("a ring of {n} is not possible: choose n between 2 and {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// The timeout is 0.
    #[error("a timeout of 0 suspects before an answer can come: choose 1 or more")]
    NoTimeout,
    /// The first candidate is not in the ring.
    #[error("the candidate {candidate} is not in a ring of {n}: choose p0 to p{}", n - 1)]
    Candidate {
        /// The candidate.
        candidate: Pid,
        /// The number of processes.
        n: usize,
    },
    /// Timeouts may not become as long as they are at first.
    #[error("a cap of {max_delta} is below the first timeout: choose {timeout} or more")]
    Cap {
        /// The cap.
        max_delta: T,
        /// The first timeout.
        timeout: T,
    },
}
