//! How often one process suspects another wrongly: a detector that learns from its mistakes makes finitely many.
//! Without deadlines, so it costs no zones; but it counts, so it costs states.

use watchkeeper_core::{
    Deadlines, Judgement, Meaning, Observation, Observer, Pack, PerProc, Pid, ProcSet, Protocol, Symmetry,
    Time,
};

/// The observer that no process suspects another one wrongly more than so many times, of a protocol `P`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MistakesObserver<P> {
    protocol: P,
    n: usize,
    most: u32,
    crashed_at_start: ProcSet,
}

impl<P> MistakesObserver<P> {
    /// The observer that each of the `n` processes suspects each other one at most `most` times before that one
    /// crashes.
    pub fn new(protocol: P, n: usize, most: u32) -> MistakesObserver<P> {
        MistakesObserver { protocol, n, most, crashed_at_start: ProcSet::EMPTY }
    }

    /// This observer in a world where these processes have crashed before the start.
    #[must_use]
    pub fn crashed_at_start(self, crashed: ProcSet) -> MistakesObserver<P> {
        MistakesObserver { crashed_at_start: crashed, ..self }
    }

    /// A process crashes: nobody can be wrong about it any more, and its own count is over.
    fn crashed(&self, state: &mut MistakesState, process: Pid) {
        let MistakesState::Open { crashed, made } = state else { return };
        crashed.insert(process);
        if ProcSet::first(self.n).is_subset(*crashed) {
            *state = MistakesState::Settled;
            return;
        }
        for p in Pid::all(self.n).filter(|_| process.index() < self.n) {
            made[p][process] = 0;
            made[process][p] = 0;
        }
    }

    /// A process announces that it suspects another.
    fn suspected(&self, state: &mut MistakesState, by: Pid, of: Pid) {
        let MistakesState::Open { crashed, made } = state else { return };
        if by.index() >= self.n || of.index() >= self.n || crashed.contains(of) {
            return;
        }
        if made[by][of] < self.most {
            made[by][of] += 1;
        } else {
            *state = MistakesState::TooMany { by, of };
        }
    }
}

impl<P: Protocol<T> + Send, T: Time> Observer<P, T> for MistakesObserver<P> {
    type State = MistakesState;

    fn name(&self) -> String {
        format!("mistakes:{}", self.most)
    }

    fn start(&self, _: &mut Deadlines<T>) -> MistakesState {
        if ProcSet::first(self.n).is_subset(self.crashed_at_start) {
            return MistakesState::Settled;
        }
        let none = PerProc::new(self.n, PerProc::new(self.n, 0));
        MistakesState::Open { crashed: self.crashed_at_start, made: none }
    }

    fn see(&self, state: &mut MistakesState, observation: &Observation<'_, P, T>, _: &mut Deadlines<T>) {
        match *observation {
            Observation::Crashed { process } => self.crashed(state, process),
            Observation::Emitted { by, output } => {
                if let Meaning::Suspects(of) = self.protocol.meaning(output) {
                    self.suspected(state, by, of);
                }
            }
            _ => {}
        }
    }

    fn judge(&self, state: &MistakesState) -> Judgement {
        match state {
            MistakesState::Open { .. } => Judgement::Open,
            MistakesState::Settled => Judgement::Settled,
            MistakesState::TooMany { by, of } => {
                let times = match self.most {
                    0 => "once".to_string(),
                    most => format!("{} times", u64::from(most) + 1),
                };
                Judgement::Violated(format!("{by} has suspected {of}, which has not crashed, {times}"))
            }
        }
    }

    fn visible(&self, observation: &Observation<'_, P, T>) -> bool {
        match observation {
            Observation::Crashed { .. } => true,
            Observation::Emitted { output, .. } => {
                matches!(self.protocol.meaning(output), Meaning::Suspects(_))
            }
            _ => false,
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The state of the observer of mistakes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum MistakesState {
    /// Nobody has made too many so far.
    Open {
        /// The processes that have ever crashed.
        crashed: ProcSet,
        /// For each process, how often it has suspected each other one wrongly.
        made: PerProc<PerProc<u32>>,
    },
    /// Nobody is left who could be suspected wrongly.
    Settled,
    /// One too many.
    TooMany {
        /// By whom.
        by: Pid,
        /// Of whom.
        of: Pid,
    },
}
