//! Does a recorded run of a cluster follow the model? The steps of all nodes are put into one order at times
//! that keep every bound of the model, and then executed by the interpreter that replays counterexamples; if
//! that cannot be done, the first step that is not possible is named with the assumption that it broke. Nothing
//! of the search is used here, and no recording is ever repaired.

mod answer;
mod blame;
mod conformance;
mod constraints;
mod deviation;
mod due_first;
mod execution;
mod incarnations;
mod local_replay;
mod messages;
mod order;
mod outcomes;
mod reasons;
mod story;
mod telling;

pub use deviation::{BrokenAssumption, Deviation};
pub use telling::RecordedPart;

use crate::{ANY_NUMBER, Scenario, World};
use conformance::ConformanceCheck;
use watchkeeper_core::{ProcSet, Recording, Trace};

/// The recordings of a run, and how exactly to look at them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedRun {
    /// One for each incarnation of each node, in any order. If they are not those of all processes that were heard
    /// of, less can be asked: each recorded node by itself, and the messages between recorded ones.
    pub recordings: Vec<Recording>,
    /// Nanoseconds per unit of the model's time.
    pub tick: u64,
    /// How much later than in the model a step may have been taken, in nanoseconds.
    pub precision: u64,
    /// How many faults there may be.
    pub limits: FaultLimits,
    /// How many steps the trace of the answer shows, counted from the end.
    pub shown: usize,
    /// How many steps, losses and crashes a run may have to be executed a second time, in dense time, with times that are
    /// found again by other constraints; usually [`RecordedRun::CONFIRM`]. It takes longer than all the rest.
    pub confirm: usize,
}

impl RecordedRun {
    /// The longest run that is usually executed a second time.
    pub const CONFIRM: usize = 300;
}

/// How many faults a recorded run may have: as many as it has, where nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FaultLimits {
    /// How many crashes.
    pub crashes: Option<u32>,
    /// Who may crash.
    pub crashable: Option<ProcSet>,
    /// How often processes may start again. A process that starts later than the others does not count.
    pub recoveries: Option<u32>,
}

/// A recorded run that is a path of the model, or as much of one as could be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conformance {
    /// The processes that have a recording.
    pub recorded: ProcSet,
    /// Whether everyone who was heard of is recorded. If not, messages of others came from nowhere, and only
    /// the recorded nodes by themselves and the messages between them were looked at.
    pub whole: bool,
    /// How many incarnations there were.
    pub incarnations: usize,
    /// How many steps.
    pub steps: usize,
    /// How many clocks, which only messages relate to each other.
    pub clocks: usize,
    /// Whether times were found that keep all bounds.
    pub timed: bool,
    /// Whether the same path was also executed in dense time, its times found again by other constraints. That
    /// is only done for short runs.
    pub confirmed: bool,
    /// How many messages were sent.
    pub messages: usize,
    /// How many of them were lost.
    pub lost: usize,
    /// How many incarnations ended with a crash, as far as the model is concerned.
    pub crashes: usize,
    /// How often a process started again.
    pub restarts: usize,
    /// How many processes started after the run had begun.
    pub late: usize,
    /// The longest that a message took between two nodes of one clock, in nanoseconds.
    pub slowest: Option<i64>,
    /// The longest that a timer fired after its time, in nanoseconds.
    pub latest: Option<i64>,
    /// The longest stall that a node recorded, in nanoseconds.
    pub stalled: Option<u64>,
    /// From the first step to the last, in nanoseconds.
    pub lasted: i64,
    /// What the answer rests on: the model that the run was held against, with the faults that happened.
    pub assumptions: Vec<String>,
    /// The last steps.
    pub trace: Trace,
}

impl World {
    /// Whether a recorded run is a path of this world.
    ///
    /// Of the faults in this world's scenario only those of the network count, and of its time model only
    /// whether there is one: in ticks and in dense time the same bounds are asked of moments in between. An incarnation
    /// that ends, in whatever way, is a crash, unless nothing of it is overdue when the run ends. The process
    /// of a later incarnation recovers, and so does one whose first incarnation begins after the run has.
    ///
    /// Where bounds hold only eventually, a recording does not say since when they did, and a run that has ended
    /// may have ended before: it is held against the bounds of before, or those of after where these are wider.
    ///
    /// One world can follow many runs, also at the same time. It keeps every different state, message, call and
    /// announcement that it has met, and nothing else: its memory grows with these and not with the number of runs.
    pub fn follow(&self, run: &RecordedRun) -> Result<Conformance, Box<Deviation>> {
        let Some(weaker) = self.never_stable() else {
            return ConformanceCheck::new(self, &self.scenario, run).follow();
        };
        let mut followed = ConformanceCheck::new(self, &weaker, run).follow()?;
        followed.assumptions.push(
            "the network stabilises at a moment that no recording can show, so the whole run was held against \
             what may happen before it"
                .to_string(),
        );
        Ok(followed)
    }

    /// The scenario as if the network never stabilised, where it has to.
    fn never_stable(&self) -> Option<Scenario> {
        let timing = self.scenario.time.timing()?;
        let before = timing.before()?;
        let mut scenario = self.scenario.clone();
        scenario.time = scenario.time.with_timing(timing.unstable());
        if before.losses {
            scenario.network.losses = ANY_NUMBER;
        }
        Some(scenario)
    }
}
