//! Algorithm 10: consensus with a detector of class S, whatever the number of crashes. In n - 1 rounds processes
//! flood what they have newly learnt of the proposals, then they exchange all that they know, drop what not all
//! know of whom they have heard, and decide on the first proposal that is left.
//!
//! # Where the sources leave a choice
//! - A process sends nothing to itself.
//! - To wait until each of the others was heard or is suspected may mean: at one and the same moment, or each at
//!   some moment since the wait began. It is the second here, as in T: a suspicion that ends before the wait does
//!   excuses all the same. What comes from someone who is excused is still taken while the wait lasts.
//! - If nothing is left to decide on, which cannot be with a detector of class S, a process never decides.

use super::{ConsensusCall, ConsensusError, ConsensusOutput, StrongFlaw, others, size};
use watchkeeper_core::{
    Datum, Effects, Input, Kind, KindData, Meaning, Never, Pack, PerProc, Pid, ProcSet, Promises, Protocol,
    Reception, SelectiveReceive, Stage, Staged, Suspicion,
};

/// Algorithm 10, for `n` processes. It receives selectively and has no timers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strong {
    n: usize,
    /// Only values below this can be decided.
    domain: u64,
    flaw: Option<StrongFlaw>,
}

/// The known proposals, one for each process.
type Proposals = PerProc<Option<u64>>;

impl Strong {
    /// The protocol, for any values.
    pub fn new(n: usize) -> Result<Strong, ConsensusError> {
        Ok(Strong { n: size(n)?, domain: u64::MAX, flaw: None })
    }

    /// This protocol for the values below `domain` alone.
    pub fn over(self, domain: u64) -> Result<Strong, ConsensusError> {
        if domain == 0 { Err(ConsensusError::NoValues) } else { Ok(Strong { domain, ..self }) }
    }

    /// This protocol with a mistake.
    #[must_use]
    pub fn flawed(self, flaw: StrongFlaw) -> Strong {
        Strong { flaw: Some(flaw), ..self }
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The mistake that was planted.
    pub fn flaw(&self) -> Option<StrongFlaw> {
        self.flaw
    }

    /// The number of rounds of the first phase.
    pub fn rounds(&self) -> u64 {
        self.n as u64 - if self.has(StrongFlaw::OneRoundLess) { 2 } else { 1 }
    }

    fn has(&self, flaw: StrongFlaw) -> bool {
        self.flaw == Some(flaw)
    }

    /// Whom a process waits for that begins to wait now.
    fn awaited(&self, me: Pid, state: &StrongState) -> ProcSet {
        let all = ProcSet::first(self.n).without(me);
        if self.has(StrongFlaw::Deaf) { all } else { all.difference(state.suspects) }
    }

    /// The stages from this one on, as far as nobody need be waited for.
    fn enter(
        &self,
        me: Pid,
        state: &mut StrongState,
        mut round: u64,
        known: Proposals,
        fresh: Proposals,
        fx: &mut impl Effects<Strong>,
    ) {
        let mut fresh = if self.has(StrongFlaw::NoForwarding) { self.only(me, &known) } else { fresh };
        while round <= self.rounds() {
            others(self.n, me)
                .for_each(|peer| fx.send(peer, StrongMsg::Flood { round, fresh: fresh.clone() }));
            let awaited = self.awaited(me, state);
            if !awaited.is_empty() && !self.has(StrongFlaw::Hasty) {
                let gained = PerProc::new(self.n, None);
                let heard = ProcSet::EMPTY;
                state.course = StrongCourse::Flooding { round, known, gained, awaited, heard };
                return;
            }
            fresh = if self.has(StrongFlaw::NoForwarding) {
                self.only(me, &known)
            } else {
                PerProc::new(self.n, None)
            };
            round += 1;
        }
        if self.has(StrongFlaw::NoExchange) {
            return self.decide(me, state, &known, fx);
        }
        others(self.n, me).for_each(|peer| fx.send(peer, StrongMsg::Exchange { known: known.clone() }));
        let awaited = self.awaited(me, state);
        if awaited.is_empty() {
            return self.decide(me, state, &known, fx);
        }
        state.course = StrongCourse::Exchanging { common: known, awaited, heard: ProcSet::EMPTY };
    }

    /// What a process proposed itself.
    fn only(&self, me: Pid, known: &Proposals) -> Proposals {
        let mut own = PerProc::new(self.n, None);
        own[me] = known.get(me).copied().flatten();
        own
    }

    /// The same with an entry for each process: bytes from outside may have fewer or more.
    fn sized(&self, proposals: &Proposals) -> Proposals {
        let mut sized = PerProc::new(self.n, None);
        Pid::all(self.n).for_each(|p| sized[p] = proposals.get(p).copied().flatten());
        sized
    }

    /// Goes on if nobody is waited for any more.
    fn proceed(&self, me: Pid, state: &mut StrongState, fx: &mut impl Effects<Strong>) {
        match state.course.clone() {
            StrongCourse::Flooding { round, known, gained, awaited, .. } if awaited.is_empty() => {
                let (mut known, mut fresh) = (self.sized(&known), PerProc::new(self.n, None));
                for p in Pid::all(self.n) {
                    let gain = gained.get(p).copied().flatten();
                    if known[p].is_none() && gain.is_some() {
                        (known[p], fresh[p]) = (gain, gain);
                    }
                }
                self.enter(me, state, round.saturating_add(1), known, fresh, fx);
            }
            StrongCourse::Exchanging { common, awaited, .. } if awaited.is_empty() => {
                self.decide(me, state, &common, fx);
            }
            _ => {}
        }
    }

    fn decide(&self, me: Pid, state: &mut StrongState, known: &Proposals, fx: &mut impl Effects<Strong>) {
        let own = self.has(StrongFlaw::OwnValue).then(|| known.get(me).copied().flatten()).flatten();
        let first = Pid::all(self.n).find_map(|p| known.get(p).copied().flatten());
        let value = own.or(first);
        // Whom a process suspects that takes part in nothing any more is nothing to remember.
        *state = StrongState { suspects: ProcSet::EMPTY, course: StrongCourse::Decided(value) };
        if let Some(value) = value {
            fx.emit(ConsensusOutput::Decide(value));
        }
    }

    /// Takes an accepted message.
    fn take(
        &self,
        me: Pid,
        state: &mut StrongState,
        from: Pid,
        msg: &StrongMsg,
        fx: &mut impl Effects<Strong>,
    ) {
        match (&mut state.course, msg) {
            (
                StrongCourse::Flooding { known, gained, awaited, heard, .. },
                StrongMsg::Flood { fresh, .. },
            ) => {
                heard.insert(from);
                awaited.remove(from);
                for p in Pid::all(self.n) {
                    let news = fresh.get(p).copied().flatten().filter(|value| *value < self.domain);
                    if let (Some(gain), Some(None), Some(_)) = (gained.get_mut(p), known.get(p), news) {
                        *gain = gain.or(news);
                    }
                }
            }
            (StrongCourse::Exchanging { common, awaited, heard }, StrongMsg::Exchange { known }) => {
                heard.insert(from);
                awaited.remove(from);
                for p in Pid::all(self.n) {
                    if let (Some(mine), None) = (common.get_mut(p), known.get(p).copied().flatten()) {
                        *mine = None;
                    }
                }
            }
            _ => {}
        }
        self.proceed(me, state, fx);
    }
}

impl Protocol for Strong {
    type State = StrongState;
    type Msg = StrongMsg;
    type Timer = Never;
    type Call = ConsensusCall;
    type Output = ConsensusOutput;

    const SELECTIVE_RECEIVE: Option<SelectiveReceive<Self>> = Some(Self::reception);

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) -> StrongState {
        StrongState { suspects: ProcSet::EMPTY, course: StrongCourse::Idle }
    }

    fn step(&self, me: Pid, state: &mut StrongState, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, msg } if self.reception(me, state, from, msg) == Reception::Accepted => {
                self.take(me, state, from, msg, fx);
            }
            Input::Receive { .. } => {}
            Input::Fire(timer) => match timer {},
            Input::Call(ConsensusCall::Propose(value)) => {
                if state.course == StrongCourse::Idle && *value < self.domain {
                    let mut known = PerProc::new(self.n, None);
                    known[me] = Some(*value);
                    self.enter(me, state, 1, known.clone(), known, fx);
                } else {
                    fx.emit(ConsensusOutput::Refuse(*value));
                }
            }
            Input::Notice(_) if matches!(state.course, StrongCourse::Decided(_)) => {}
            Input::Notice(Suspicion::Trust(peer)) => state.suspects.remove(peer),
            Input::Notice(Suspicion::Suspect(peer)) => {
                state.suspects.insert(peer);
                if self.has(StrongFlaw::Deaf) {
                    return;
                }
                if let StrongCourse::Flooding { awaited, .. } | StrongCourse::Exchanging { awaited, .. } =
                    &mut state.course
                {
                    awaited.remove(peer);
                    self.proceed(me, state, fx);
                }
            }
        }
    }

    fn meaning(&self, output: &ConsensusOutput) -> Meaning {
        Meaning::from(*output)
    }
}

impl Strong {
    fn reception(&self, me: Pid, state: &StrongState, from: Pid, msg: &StrongMsg) -> Reception {
        if from == me || from.index() >= self.n {
            return Reception::Discarded;
        }
        let (Some(here), Some(there)) = (self.stage(me, state), self.stage_of(msg)) else {
            return Reception::Discarded;
        };
        let heard = match &state.course {
            StrongCourse::Flooding { heard, .. } | StrongCourse::Exchanging { heard, .. } => *heard,
            _ => ProcSet::EMPTY,
        };
        match there.cmp(&here) {
            std::cmp::Ordering::Less => Reception::Discarded,
            std::cmp::Ordering::Greater => Reception::Deferred,
            std::cmp::Ordering::Equal if heard.contains(from) => Reception::Discarded,
            std::cmp::Ordering::Equal => Reception::Accepted,
        }
    }
}

impl Promises for Strong {
    /// The exchange is the last thing that is sent.
    fn reaches(&self, me: Pid, state: &StrongState) -> ProcSet {
        match state.course {
            StrongCourse::Exchanging { .. } | StrongCourse::Decided(_) => ProcSet::EMPTY,
            _ => ProcSet::first(self.n).without(me),
        }
    }
}

impl Staged for Strong {
    fn stage(&self, _: Pid, state: &StrongState) -> Option<Stage> {
        match &state.course {
            StrongCourse::Idle => Some(Stage { round: 0, phase: 0 }),
            StrongCourse::Flooding { round, .. } => Some(Stage { round: *round, phase: 0 }),
            StrongCourse::Exchanging { .. } => Some(Stage { round: self.rounds() + 1, phase: 0 }),
            StrongCourse::Decided(_) => None,
        }
    }

    fn stage_of(&self, msg: &StrongMsg) -> Option<Stage> {
        let round = match msg {
            // Nobody sends any other, and one from outside must not look like an exchange.
            StrongMsg::Flood { round, .. } if *round > self.rounds() => 0,
            StrongMsg::Flood { round, .. } => *round,
            StrongMsg::Exchange { .. } => self.rounds() + 1,
        };
        Some(Stage { round, phase: 0 })
    }

    fn cycle(&self) -> Option<u64> {
        None
    }

    fn rounds_in(&self, _: &StrongState) -> Vec<u64> {
        Vec::new()
    }

    fn rounds_in_message(&self, _: &StrongMsg) -> Vec<u64> {
        Vec::new()
    }

    fn renumber(&self, state: &StrongState, _: &dyn Fn(u64) -> u64) -> StrongState {
        state.clone()
    }

    fn renumber_message(&self, msg: &StrongMsg, _: &dyn Fn(u64) -> u64) -> StrongMsg {
        msg.clone()
    }

    fn waits_for(&self, _: Pid, state: &StrongState, whom: Pid) -> bool {
        match &state.course {
            StrongCourse::Flooding { awaited, .. } | StrongCourse::Exchanging { awaited, .. } => {
                awaited.contains(whom) && !self.has(StrongFlaw::Deaf)
            }
            _ => false,
        }
    }
}

/// The local state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct StrongState {
    /// The suspects of its detector.
    pub suspects: ProcSet,
    /// Its progress.
    pub course: StrongCourse,
}

/// The progress of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum StrongCourse {
    /// Nobody has asked it to propose.
    Idle,
    /// It is in a round of the first phase.
    Flooding {
        /// The round.
        round: u64,
        /// The proposals that it knew before this round.
        known: PerProc<Option<u64>>,
        /// Those that it has learnt in this round.
        gained: PerProc<Option<u64>>,
        /// The processes that it waits for.
        awaited: ProcSet,
        /// The processes whose message of this round has arrived.
        heard: ProcSet,
    },
    /// It is in the second phase.
    Exchanging {
        /// The proposals that it knows and everyone whom it has heard.
        common: PerProc<Option<u64>>,
        /// The processes that it waits for.
        awaited: ProcSet,
        /// The processes whose message of this phase has arrived.
        heard: ProcSet,
    },
    /// It has come to its end, with a decision unless nothing was left to decide on.
    Decided(Option<u64>),
}

/// The messages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum StrongMsg {
    /// In the first phase: the proposals that the sender has learnt in the round before.
    Flood {
        /// The round.
        round: u64,
        /// The proposals.
        fresh: PerProc<Option<u64>>,
    },
    /// In the second phase: all proposals that the sender knows.
    Exchange {
        /// The proposals.
        known: PerProc<Option<u64>>,
    },
}

/// A label has a value or a dash for each process: `flood 1 0,-,2`.
impl Kind for StrongMsg {
    const KINDS: &'static [&'static str] = &["flood", "exchange"];

    fn kind(&self) -> usize {
        match self {
            StrongMsg::Flood { .. } => 0,
            StrongMsg::Exchange { .. } => 1,
        }
    }

    fn label(&self) -> String {
        let written = |proposals: &Proposals| {
            let each =
                proposals.iter().map(|(_, value)| value.map_or("-".to_string(), |value| value.to_string()));
            each.collect::<Vec<_>>().join(",")
        };
        match self {
            StrongMsg::Flood { round, fresh } => format!("flood {round} {}", written(fresh)),
            StrongMsg::Exchange { known } => format!("exchange {}", written(known)),
        }
    }

    fn data() -> Vec<KindData> {
        let proposals = Proposals::sort();
        vec![
            KindData::new("flood", vec![u64::sort(), proposals.clone()]),
            KindData::new("exchange", vec![proposals]),
        ]
    }

    fn terms(&self) -> Vec<String> {
        match self {
            StrongMsg::Flood { round, fresh } => vec![round.term(), fresh.term()],
            StrongMsg::Exchange { known } => vec![known.term()],
        }
    }
}
