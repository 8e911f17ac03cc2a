//! What runs of the protocol should be like, beyond what is asked of every failure detector.

use super::{Swim, SwimPolicy};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pack, PerProc, Pid, Symmetry};

/// The observer that incarnations never go back: what a process announces of a member is of the same incarnation as what it
/// announced before, or of a later one. A process that starts again has all to learn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncarnationsObserver {
    /// The number of processes.
    pub n: usize,
}

impl<P: SwimPolicy> Observer<Swim<P>> for IncarnationsObserver {
    type State = IncarnationsState;

    fn name(&self) -> String {
        "incarnations".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> IncarnationsState {
        IncarnationsState { heard: PerProc::new(self.n, PerProc::new(self.n, 0)), wrong: None }
    }

    fn see(&self, state: &mut IncarnationsState, observation: &Observation<'_, Swim<P>>, _: &mut Deadlines) {
        match *observation {
            Observation::Emitted { by, output } => {
                let (member, incarnation) = output.about();
                let Some(heard) = state.heard.get_mut(by).and_then(|heard| heard.get_mut(member.0)) else {
                    return;
                };
                if incarnation < *heard {
                    state.wrong = Some((by, member.0));
                }
                *heard = incarnation;
            }
            Observation::Recovered { process } => {
                if let Some(heard) = state.heard.get_mut(process) {
                    *heard = PerProc::new(self.n, 0);
                }
            }
            _ => {}
        }
    }

    fn judge(&self, state: &IncarnationsState) -> Judgement {
        match state.wrong {
            Some((by, of)) => Judgement::Violated(format!(
                "{by} announces something of an incarnation of {of} that is over"
            )),
            None => Judgement::Open,
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The state of the observer of incarnations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct IncarnationsState {
    /// For each process, the last incarnation of each member that it has spoken of.
    heard: PerProc<PerProc<u32>>,
    /// Who has gone back, and in what it says of whom.
    wrong: Option<(Pid, Pid)>,
}
