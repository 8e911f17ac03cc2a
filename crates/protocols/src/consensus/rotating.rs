//! Algorithm 11: consensus with a detector of class ◇S and a majority of correct processes. Rounds have a
//! coordinator, each process in turn; it gathers estimates from a majority, proposes the newest of them, and
//! decides once a majority has adopted it. A process that suspects the coordinator says so and goes on to the next round.
//!
//! # Where the sources leave a choice
//! - A process sends nothing to itself; what it would say to itself it knows at once.
//! - Of several estimates with the largest timestamp the one that came first is proposed, and the coordinator's own is
//!   there before all others, as in T. The paper leaves the choice open, and lets a majority be one without the
//!   coordinator.
//! - Reliable broadcast is by relay: whoever hears a decision for the first time passes it on to all others, and
//!   then decides. A coordinator that broadcasts a decision delivers it to itself at once.
//! - A process that has decided takes part in no further round. Others may then wait for a majority that cannot
//!   be had any more; but the decision is on its way to them.
//! - A process that hears a decision before anyone asks it to propose decides all the same.

mod stages;

use super::{ConsensusCall, ConsensusError, ConsensusOutput, RotatingFlaw, others, size};
use watchkeeper_core::{
    Effects, Input, Kind, Meaning, Never, Pack, Pid, ProcSet, Promises, Protocol, Reception,
    SelectiveReceive, Staged, Suspicion,
};

/// Algorithm 11, for `n` processes. It receives selectively and has no timers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rotating {
    n: usize,
    /// Only values below this can be decided.
    domain: u64,
    /// The last round that a search looks at.
    within: Option<u64>,
    flaw: Option<RotatingFlaw>,
}

impl Rotating {
    /// The protocol, for any values and any number of rounds.
    pub fn new(n: usize) -> Result<Rotating, ConsensusError> {
        Ok(Rotating { n: size(n)?, domain: u64::MAX, within: None, flaw: None })
    }

    /// This protocol for the values below `domain` alone.
    pub fn over(self, domain: u64) -> Result<Rotating, ConsensusError> {
        if domain == 0 { Err(ConsensusError::NoValues) } else { Ok(Rotating { domain, ..self }) }
    }

    /// This protocol, searched for so many rounds: to the end of each, and into the one after.
    pub fn within(self, rounds: u64) -> Result<Rotating, ConsensusError> {
        if rounds == 0 {
            Err(ConsensusError::NoRounds)
        } else {
            Ok(Rotating { within: Some(rounds), ..self })
        }
    }

    /// This protocol with a mistake.
    #[must_use]
    pub fn flawed(self, flaw: RotatingFlaw) -> Rotating {
        Rotating { flaw: Some(flaw), ..self }
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The mistake that was planted.
    pub fn flaw(&self) -> Option<RotatingFlaw> {
        self.flaw
    }

    /// The coordinator of a round.
    pub fn coordinator(&self, round: u64) -> Pid {
        Pid::at((round % self.n as u64) as usize)
    }

    /// How many processes are a majority.
    pub fn majority(&self) -> usize {
        if self.has(RotatingFlaw::SmallMajority) { self.n / 2 } else { self.n / 2 + 1 }
    }

    fn has(&self, flaw: RotatingFlaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Phase 1 of a round, and of those that follow as long as their coordinators are suspected.
    fn enter(&self, me: Pid, state: &mut RotatingState, mut own: Own, fx: &mut impl Effects<Rotating>) {
        loop {
            let (coordinator, Own { round, estimate, stamp }) = (self.coordinator(own.round), own);
            if coordinator == me {
                let task = RotatingTask::Gather { heard: ProcSet::only(me), newest: estimate, stamp };
                state.course = RotatingCourse::Underway { own, task };
                return self.propose(me, state, fx);
            }
            fx.send(coordinator, RotatingMsg::Estimate { round, estimate, stamp });
            if !state.suspects.contains(coordinator) || self.has(RotatingFlaw::Deaf) {
                state.course = RotatingCourse::Underway { own, task: RotatingTask::Listen };
                return;
            }
            self.refuse(coordinator, round, fx);
            own.round = round.wrapping_add(1);
        }
    }

    fn refuse(&self, coordinator: Pid, round: u64, fx: &mut impl Effects<Rotating>) {
        if !self.has(RotatingFlaw::NoNack) {
            fx.send(coordinator, RotatingMsg::Nack { round });
        }
    }

    /// The end of phase 2, if enough estimates have come.
    fn propose(&self, me: Pid, state: &mut RotatingState, fx: &mut impl Effects<Rotating>) {
        let RotatingCourse::Underway { own, task: RotatingTask::Gather { heard, newest, .. } } =
            &state.course
        else {
            return;
        };
        if heard.len() < self.majority() && !self.has(RotatingFlaw::HastyProposal) {
            return;
        }
        let (round, mut estimate) = (own.round, *newest);
        match self.flaw {
            Some(RotatingFlaw::NoLock) => estimate = own.estimate,
            Some(RotatingFlaw::Merges) => estimate = estimate.wrapping_add(own.estimate),
            _ => {}
        }
        others(self.n, me).for_each(|peer| fx.send(peer, RotatingMsg::Proposal { round, estimate }));
        let own = Own {
            round,
            estimate,
            stamp: if self.has(RotatingFlaw::StaleStamp) { own.stamp } else { round },
        };
        let task = RotatingTask::Count { acks: ProcSet::only(me), nacks: ProcSet::EMPTY };
        state.course = RotatingCourse::Underway { own, task };
        self.conclude(me, state, fx);
    }

    /// Phase 3 of a process that has heard the coordinator's proposal.
    fn adopt(
        &self,
        me: Pid,
        state: &mut RotatingState,
        own: Own,
        estimate: u64,
        fx: &mut impl Effects<Rotating>,
    ) {
        let round = own.round;
        fx.send(self.coordinator(round), RotatingMsg::Ack { round });
        let adopted = match self.flaw {
            Some(RotatingFlaw::KeepsEstimate) => own,
            Some(RotatingFlaw::StaleStamp) => Own { estimate, ..own },
            _ => Own { round, estimate, stamp: round },
        };
        self.enter(me, state, Own { round: round.wrapping_add(1), ..adopted }, fx);
    }

    /// The end of phase 4, if enough replies have come.
    fn conclude(&self, me: Pid, state: &mut RotatingState, fx: &mut impl Effects<Rotating>) {
        let RotatingCourse::Underway { own, task: RotatingTask::Count { acks, nacks } } = state.course else {
            return;
        };
        let hasty = self.has(RotatingFlaw::HastyDecision);
        if acks.len() + nacks.len() < self.majority() && !hasty {
            return;
        }
        if acks.len() >= self.majority() || hasty || self.has(RotatingFlaw::NacksCount) {
            others(self.n, me).for_each(|peer| fx.send(peer, RotatingMsg::Decide { value: own.estimate }));
            self.decide(state, own.estimate, fx);
        } else {
            self.enter(me, state, Own { round: own.round.wrapping_add(1), ..own }, fx);
        }
    }

    fn decide(&self, state: &mut RotatingState, value: u64, fx: &mut impl Effects<Rotating>) {
        // Whom a process suspects that takes part in nothing any more is nothing to remember.
        *state = RotatingState { suspects: ProcSet::EMPTY, course: RotatingCourse::Decided(value) };
        fx.emit(ConsensusOutput::Decide(value));
    }

    /// Takes an accepted message.
    fn take(
        &self,
        me: Pid,
        state: &mut RotatingState,
        from: Pid,
        msg: &RotatingMsg,
        fx: &mut impl Effects<Rotating>,
    ) {
        if let RotatingMsg::Decide { value } = *msg {
            if !self.has(RotatingFlaw::NoRelay) {
                let rest = others(self.n, me).filter(|&peer| peer != from);
                rest.for_each(|peer| fx.send(peer, RotatingMsg::Decide { value }));
            }
            return self.decide(state, value, fx);
        }
        let RotatingCourse::Underway { own, task } = &mut state.course else { return };
        match (task, *msg) {
            (
                RotatingTask::Gather { heard, newest, stamp },
                RotatingMsg::Estimate { estimate, stamp: other, .. },
            ) => {
                heard.insert(from);
                if other > *stamp {
                    (*newest, *stamp) = (estimate, other);
                }
                self.propose(me, state, fx);
            }
            (RotatingTask::Listen, RotatingMsg::Proposal { estimate, .. }) => {
                let own = *own;
                self.adopt(me, state, own, estimate, fx);
            }
            (RotatingTask::Count { acks, .. }, RotatingMsg::Ack { .. }) => {
                acks.insert(from);
                self.conclude(me, state, fx);
            }
            (RotatingTask::Count { nacks, .. }, RotatingMsg::Nack { .. }) => {
                nacks.insert(from);
                self.conclude(me, state, fx);
            }
            _ => {}
        }
    }
}

impl Protocol for Rotating {
    type State = RotatingState;
    type Msg = RotatingMsg;
    type Timer = Never;
    type Call = ConsensusCall;
    type Output = ConsensusOutput;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> RotatingState {
        RotatingState { suspects: ProcSet::EMPTY, course: RotatingCourse::Idle }
    }

    fn step(&self, me: Pid, state: &mut RotatingState, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg } if self.reception(me, state, from, msg) == Reception::Accepted => {
                self.take(me, state, from, msg, fx);
            }
            Input::Receive { .. } => {}
            Input::Fire(timer) => match timer {},
            Input::Call(ConsensusCall::Propose(value)) => {
                if state.course == RotatingCourse::Idle && *value < self.domain {
                    self.enter(me, state, Own { round: 1, estimate: *value, stamp: 0 }, fx);
                } else {
                    fx.emit(ConsensusOutput::Refuse(*value));
                }
            }
            Input::Notice(_) if matches!(state.course, RotatingCourse::Decided(_)) => {}
            Input::Notice(Suspicion::Trust(peer)) => state.suspects.remove(peer),
            Input::Notice(Suspicion::Suspect(peer)) => {
                state.suspects.insert(peer);
                if let RotatingCourse::Underway { mut own, task: RotatingTask::Listen } = state.course
                    && self.waits_for(me, state, peer)
                {
                    self.refuse(peer, own.round, fx);
                    own.round = own.round.wrapping_add(1);
                    self.enter(me, state, own, fx);
                }
            }
        }
    }

    fn meaning(&self, output: &ConsensusOutput) -> Meaning {
        Meaning::from(*output)
    }
}

impl Rotating {
    fn reception(&self, me: Pid, state: &RotatingState, from: Pid, msg: &RotatingMsg) -> Reception {
        if from == me || from.index() >= self.n || msg.value().is_some_and(|value| value >= self.domain) {
            return Reception::Discarded;
        }
        let Some(here) = self.stage(me, state) else {
            let again = self.has(RotatingFlaw::DecidesAgain) && matches!(msg, RotatingMsg::Decide { .. });
            return if again { Reception::Accepted } else { Reception::Discarded };
        };
        let Some(there) = self.stage_of(msg) else { return Reception::Accepted };
        let coordinator = self.coordinator(there.round);
        let proper = match msg {
            RotatingMsg::Proposal { .. } => from == coordinator,
            _ => me == coordinator,
        };
        if !proper || there < here {
            return Reception::Discarded;
        }
        if there > here {
            return Reception::Deferred;
        }
        let RotatingCourse::Underway { task, .. } = &state.course else { return Reception::Deferred };
        let known = match task {
            RotatingTask::Gather { heard, .. } => heard.contains(from),
            RotatingTask::Listen => false,
            RotatingTask::Count { acks, nacks } => acks.union(*nacks).contains(from),
        };
        if known { Reception::Discarded } else { Reception::Accepted }
    }
}

impl Promises for Rotating {
    fn horizon(&self) -> Option<String> {
        let rounds = self.within?;
        Some(format!("at most {rounds} rounds; leave the limit out to check all rounds, or raise it"))
    }

    fn beyond(&self, state: &RotatingState) -> bool {
        match &state.course {
            // Whoever comes to the end of a round enters the next one in the same step.
            RotatingCourse::Underway { own, .. } => {
                self.within.is_some_and(|rounds| own.round > rounds.saturating_add(1))
            }
            _ => false,
        }
    }

    /// Whoever has decided has told so, and is silent from then on.
    fn reaches(&self, me: Pid, state: &RotatingState) -> ProcSet {
        match state.course {
            RotatingCourse::Decided(_) if !self.has(RotatingFlaw::DecidesAgain) => ProcSet::EMPTY,
            _ => ProcSet::first(self.n).without(me),
        }
    }
}

/// The local state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct RotatingState {
    /// The suspects of its detector.
    pub suspects: ProcSet,
    /// Its progress.
    pub course: RotatingCourse,
}

/// The progress of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum RotatingCourse {
    /// Nobody has asked it to propose.
    Idle,
    /// It takes part in a round.
    Underway {
        /// What it thinks.
        own: Own,
        /// What it does.
        task: RotatingTask,
    },
    /// It has decided.
    Decided(u64),
}

/// What a process thinks in a round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Own {
    /// The round.
    pub round: u64,
    /// Its estimate of the decision.
    pub estimate: u64,
    /// The last round in which it adopted an estimate; 0 if none.
    pub stamp: u64,
}

/// What a process waits for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum RotatingTask {
    /// The coordinator, for estimates of a majority.
    Gather {
        /// Whose it knows.
        heard: ProcSet,
        /// The newest of them.
        newest: u64,
        /// Its timestamp.
        stamp: u64,
    },
    /// Everyone else, for what the coordinator proposes.
    Listen,
    /// The coordinator, for replies of a majority.
    Count {
        /// Who has adopted its estimate.
        acks: ProcSet,
        /// Who has suspected it instead.
        nacks: ProcSet,
    },
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum RotatingMsg {
    /// To the coordinator: the sender's estimate, and since when it has it.
    #[kind("estimate")]
    Estimate {
        /// The round.
        round: u64,
        /// The estimate.
        estimate: u64,
        /// When it was adopted.
        stamp: u64,
    },
    /// From the coordinator: what all should adopt.
    #[kind("proposal")]
    Proposal {
        /// The round.
        round: u64,
        /// The estimate.
        estimate: u64,
    },
    /// To the coordinator: its estimate has been adopted.
    #[kind("ack")]
    Ack {
        /// The round.
        round: u64,
    },
    /// To the coordinator: it was suspected.
    #[kind("nack")]
    Nack {
        /// The round.
        round: u64,
    },
    /// To all: the decision.
    #[kind("decision")]
    Decide {
        /// The value.
        value: u64,
    },
}

impl RotatingMsg {
    /// The value that it carries.
    fn value(&self) -> Option<u64> {
        match *self {
            RotatingMsg::Estimate { estimate, .. } | RotatingMsg::Proposal { estimate, .. } => Some(estimate),
            RotatingMsg::Decide { value } => Some(value),
            RotatingMsg::Ack { .. } | RotatingMsg::Nack { .. } => None,
        }
    }
}
