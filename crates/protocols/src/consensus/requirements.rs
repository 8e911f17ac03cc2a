//! What consensus promises of every run so far, as observers: also of processes that have crashed since, so that
//! the states of the living are not enough. Termination is no matter of single runs so far, and is asked as a
//! claim about infinite runs.

use super::Consensus;
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pack, Pid, ProcSet};

/// Uniform agreement: no two processes decide differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agreement;

/// What has been decided.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum AgreementState {
    /// Nothing.
    Nothing,
    /// One value.
    One(u64),
    /// Two.
    Two {
        /// The first.
        first: u64,
        /// Who decided another.
        by: Pid,
        /// The other.
        other: u64,
    },
}

impl<P: Consensus> Observer<P> for Agreement {
    type State = AgreementState;

    fn name(&self) -> String {
        "agreement".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> AgreementState {
        AgreementState::Nothing
    }

    fn see(&self, state: &mut AgreementState, observation: &Observation<'_, P>, _: &mut Deadlines) {
        let Some((by, other)) = decision(observation) else { return };
        match *state {
            AgreementState::Nothing => *state = AgreementState::One(other),
            AgreementState::One(first) if first != other => *state = AgreementState::Two { first, by, other },
            _ => {}
        }
    }

    fn judge(&self, state: &AgreementState) -> Judgement {
        match state {
            AgreementState::Two { first, by, other } => {
                Judgement::Violated(format!("{by} decides {other}, and {first} was decided before"))
            }
            _ => Judgement::Open,
        }
    }

    /// Two decisions differ in whatever order they are made.
    fn trace_invariant(&self) -> bool {
        true
    }

    /// What somebody decides on hearing of it was decided by another one in a stage, so two that differ are decided
    /// there as well.
    fn stage_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        decision(observation).is_some()
    }
}

/// Uniform integrity: no process decides twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integrity;

/// Who has decided once, and who has twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Deciders {
    once: ProcSet,
    twice: Option<Pid>,
}

impl<P: Consensus> Observer<P> for Integrity {
    type State = Deciders;

    fn name(&self) -> String {
        "integrity".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> Deciders {
        Deciders { once: ProcSet::EMPTY, twice: None }
    }

    fn see(&self, state: &mut Deciders, observation: &Observation<'_, P>, _: &mut Deadlines) {
        let Some((by, _)) = decision(observation) else { return };
        if state.once.contains(by) {
            state.twice = Some(by);
        }
        state.once.insert(by);
    }

    fn judge(&self, state: &Deciders) -> Judgement {
        match state.twice {
            Some(by) => Judgement::Violated(format!("{by} decides, and has decided before")),
            None => Judgement::Open,
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    /// It is about each process by itself; a message that makes it decide once more does so later as well.
    fn stage_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        decision(observation).is_some()
    }
}

/// Uniform validity: what is decided has been proposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Validity;

/// What has been proposed, and what was decided that was not.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Proposed {
    /// From the least to the greatest.
    values: Vec<u64>,
    invented: Option<(Pid, u64)>,
}

impl<P: Consensus> Observer<P> for Validity {
    type State = Proposed;

    fn name(&self) -> String {
        "validity".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> Proposed {
        Proposed { values: Vec::new(), invented: None }
    }

    fn see(&self, state: &mut Proposed, observation: &Observation<'_, P>, _: &mut Deadlines) {
        if let Observation::Called { call, .. } = observation
            && let Some(value) = P::proposes(call)
            && let Err(place) = state.values.binary_search(&value)
        {
            state.values.insert(place, value);
        }
        if let Some((by, value)) = decision(observation)
            && state.values.binary_search(&value).is_err()
        {
            state.invented = Some((by, value));
        }
    }

    fn judge(&self, state: &Proposed) -> Judgement {
        match state.invented {
            Some((by, value)) => {
                Judgement::Violated(format!("{by} decides {value}, which nobody has proposed"))
            }
            None => Judgement::Open,
        }
    }

    /// In stages every client has asked by then whose process has not crashed: a value counts as proposed that is
    /// proposed at any time of the run. A world in stages says so among its assumptions.
    fn stage_invariant(&self) -> bool {
        true
    }

    /// A proposal counts if it was made before the decision, so their order matters.
    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        let proposes = matches!(observation, Observation::Called { call, .. } if P::proposes(call).is_some());
        proposes || decision(observation).is_some()
    }
}

/// Who decides what, if that is what happens.
fn decision<P: Consensus>(observation: &Observation<'_, P>) -> Option<(Pid, u64)> {
    match observation {
        Observation::Emitted { by, output } => P::decides(output).map(|value| (*by, value)),
        _ => None,
    }
}
