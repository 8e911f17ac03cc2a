//! What is asserted of every simulated run. Each oracle has a name, compares what the run's processes say with what really
//! happened, and answers with what is wrong, if anything is.

use crate::plan::SimulationPlan;
use crate::requirements;
use crate::simulation::SimulatedRun;
use crate::stall;
use crate::subject::SimulatedSubject;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use watchkeeper_core::Trace;
use watchkeeper_world::{Deviation, FaultLimits, RecordedRun};

/// Of so many seeds one is also executed in dense time.
const CONFIRMED: u64 = 16;

/// Something that is asserted of every run.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum RunOracle {
    /// The recordings follow the model, or the assumption that is named was really broken.
    Replay,
    /// Nothing is taken in that no holder of a current key has sent to this incarnation, and nothing twice.
    Wire,
    /// No nonce comes twice under one key.
    Nonces,
    /// Nodes sleep, and answer a stranger with no more than it sent.
    Limits,
    /// A process that was stopped suspects nobody because of that.
    Stall,
    /// The requirements hold where the run follows the model, and those that rest on nothing hold always.
    Properties,
}

impl RunOracle {
    /// All of them.
    pub const ALL: &[RunOracle] = <RunOracle as VariantArray>::VARIANTS;

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What the oracles say of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunVerdict {
    /// The assumption that the run is said to have broken; `None` if it follows the model.
    pub broken: Option<&'static str>,
    /// What is wrong, if anything is.
    pub failure: Option<OracleFailure>,
    /// How many requirements were asked of the run.
    pub asked: usize,
}

/// What is wrong with a run.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{oracle}: {what}")]
pub struct OracleFailure {
    /// Which oracle says so.
    pub oracle: RunOracle,
    /// What it says.
    pub what: String,
    /// The end of the run, up to what is wrong with it.
    pub trace: Trace,
}

/// Asks all oracles about a run; `shown` is how many steps are in the trace of a failure.
pub fn judge(
    subject: &SimulatedSubject,
    plan: &SimulationPlan,
    run: &mut SimulatedRun,
    shown: usize,
) -> RunVerdict {
    let recorded = RecordedRun {
        recordings: std::mem::take(&mut run.recordings),
        tick: subject.tick,
        precision: subject.precision(),
        limits: FaultLimits::default(),
        shown,
        // It takes longer than all the rest, so it is asked of some runs, and of those that are shown.
        confirm: if plan.seed.is_multiple_of(CONFIRMED) || shown > 1 { RecordedRun::CONFIRM } else { 0 },
    };
    let followed = subject.world.follow(&recorded);
    run.recordings = recorded.recordings;
    let broken = followed.as_ref().err().map(|deviation| deviation.broken.name());
    let failed = |oracle, what, trace| Some(OracleFailure { oracle, what, trace });
    if let Some((oracle, what)) = run.truth.wrong.first().cloned() {
        let failure = failed(oracle, what, trace_of(followed));
        return RunVerdict { broken, failure, asked: 0 };
    }
    if let Err(deviation) = &followed
        && let Some(what) = crate::blame::wrongly_blamed(subject, plan, run, deviation)
    {
        let failure = failed(RunOracle::Replay, what, deviation.trace.clone());
        return RunVerdict { broken, failure, asked: 0 };
    }
    if let Some(what) = stall::wrongly_suspected(subject, plan, run) {
        let failure = failed(RunOracle::Stall, what, trace_of(followed));
        return RunVerdict { broken, failure, asked: 0 };
    }
    let follows = followed.is_ok();
    let (asked, violated) = requirements::violated(subject, run, plan, follows);
    let failure = violated.and_then(|what| failed(RunOracle::Properties, what, trace_of(followed)));
    RunVerdict { broken, failure, asked }
}

fn trace_of(followed: Result<watchkeeper_world::Conformance, Box<Deviation>>) -> Trace {
    match followed {
        Ok(conformance) => conformance.trace,
        Err(deviation) => deviation.trace,
    }
}
