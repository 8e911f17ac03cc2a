//! AccuracyObserver from the start: no suspicion is false. Without deadlines, so it costs no zones.

use super::completeness::listed;
use watchkeeper_core::{
    Deadlines, Judgement, Meaning, Observation, Observer, Pack, Pid, ProcSet, Protocol, Symmetry, Time,
};

/// The observer that nobody suspects a process that has never crashed, of a protocol `P`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccuracyObserver<P> {
    protocol: P,
    n: usize,
    crashed_at_start: ProcSet,
    only: Option<Pid>,
}

impl<P> AccuracyObserver<P> {
    /// The observer that none of the `n` processes is suspected wrongly.
    pub fn new(protocol: P, n: usize) -> AccuracyObserver<P> {
        AccuracyObserver { protocol, n, crashed_at_start: ProcSet::EMPTY, only: None }
    }

    /// This observer in a world where these processes have crashed before the start.
    #[must_use]
    pub fn crashed_at_start(self, crashed: ProcSet) -> AccuracyObserver<P> {
        AccuracyObserver { crashed_at_start: crashed, ..self }
    }

    /// This observer for wrong suspicions of one process alone. A process that stops suspects nobody in
    /// particular, so stopping is then not spoken of.
    #[must_use]
    pub fn only(self, process: Pid) -> AccuracyObserver<P> {
        AccuracyObserver { only: Some(process), ..self }
    }

    /// Of whom a suspicion would be wrong.
    fn innocent(&self, crashed: ProcSet) -> ProcSet {
        self.only.map_or(ProcSet::first(self.n), ProcSet::only).difference(crashed)
    }

    fn opened(&self, crashed: ProcSet) -> AccuracyState {
        if self.innocent(crashed).is_empty() {
            AccuracyState::Settled
        } else {
            AccuracyState::Open { crashed }
        }
    }
}

impl<P: Protocol<T> + Send, T: Time> Observer<P, T> for AccuracyObserver<P> {
    type State = AccuracyState;

    fn name(&self) -> String {
        self.only.map_or("accuracy".to_string(), |of| format!("accuracy:{of}"))
    }

    fn start(&self, _: &mut Deadlines<T>) -> AccuracyState {
        self.opened(self.crashed_at_start)
    }

    fn see(&self, state: &mut AccuracyState, observation: &Observation<'_, P, T>, _: &mut Deadlines<T>) {
        let AccuracyState::Open { crashed } = *state else { return };
        match *observation {
            Observation::Crashed { process } => *state = self.opened(crashed.with(process)),
            Observation::Emitted { by, output } => match self.protocol.meaning(output) {
                Meaning::Suspects(of) if self.innocent(crashed).contains(of) => {
                    *state = AccuracyState::Wrong { by, of: ProcSet::only(of) };
                }
                Meaning::Stops if crashed.is_empty() && self.only.is_none() => {
                    *state = AccuracyState::Wrong { by, of: ProcSet::EMPTY };
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn judge(&self, state: &AccuracyState) -> Judgement {
        match state {
            AccuracyState::Open { .. } => Judgement::Open,
            AccuracyState::Settled => Judgement::Settled,
            AccuracyState::Wrong { by, of } if of.is_empty() => {
                Judgement::Violated(format!("{by} stops, and nobody has crashed"))
            }
            AccuracyState::Wrong { by, of } => {
                Judgement::Violated(format!("{by} suspects {}, which has not crashed", listed(*of)))
            }
        }
    }

    fn symmetry(&self) -> Symmetry {
        self.only.map_or(Symmetry::Full, Symmetry::Fixing)
    }
}

/// The state of the observer of accuracy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub enum AccuracyState {
    /// Nobody was suspected wrongly so far.
    Open {
        /// The crashed processes.
        crashed: ProcSet,
    },
    /// Nobody is left who could be.
    Settled,
    /// Somebody was.
    Wrong {
        /// By whom.
        by: Pid,
        /// Who; nobody in particular if `by` has stopped.
        of: ProcSet,
    },
}
