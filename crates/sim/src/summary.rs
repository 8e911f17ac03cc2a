//! What was counted in many runs.

use crate::oracle::{RunOracle, RunVerdict};
use crate::plan::{FaultFamily, SimulationPlan};
use crate::simulation::SimulatedRun;
use crate::truth::LogItem;
use std::collections::BTreeMap;

/// What was counted in many runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulationSummary {
    /// How many runs.
    pub runs: u64,
    /// How long they lasted together, in nanoseconds of their own time.
    pub simulated: u128,
    /// How many steps processes took.
    pub steps: u64,
    /// How many messages were sent.
    pub messages: u64,
    /// How many faults there were, by family.
    pub faults: BTreeMap<FaultFamily, u64>,
    /// How many runs followed the model.
    pub follows: u64,
    /// How many runs broke each assumption, by its name.
    pub broken: BTreeMap<&'static str, u64>,
    /// How often a requirement was asked of a run.
    pub asked: u64,
    /// How many runs each oracle found wrong.
    pub failures: BTreeMap<RunOracle, u64>,
}

impl SimulationSummary {
    pub(crate) fn count(&mut self, plan: &SimulationPlan, run: &SimulatedRun, verdict: &RunVerdict) {
        self.runs += 1;
        self.simulated += u128::from(plan.lasts);
        let step = |item: &&LogItem| matches!(item, LogItem::Step { .. });
        self.steps += run.truth.log.iter().map(|entry| &entry.item).filter(step).count() as u64;
        self.messages += run.truth.messages.len() as u64;
        for planned in &plan.faults {
            *self.faults.entry(planned.fault.family()).or_default() += 1;
        }
        match verdict.broken {
            None => self.follows += 1,
            Some(name) => *self.broken.entry(name).or_default() += 1,
        }
        self.asked += verdict.asked as u64;
        if let Some(failure) = &verdict.failure {
            *self.failures.entry(failure.oracle).or_default() += 1;
        }
    }

    pub(crate) fn add(&mut self, other: &SimulationSummary) {
        self.runs += other.runs;
        self.simulated += other.simulated;
        self.steps += other.steps;
        self.messages += other.messages;
        self.follows += other.follows;
        self.asked += other.asked;
        for (family, count) in &other.faults {
            *self.faults.entry(*family).or_default() += count;
        }
        for (name, count) in &other.broken {
            *self.broken.entry(name).or_default() += count;
        }
        for (oracle, count) in &other.failures {
            *self.failures.entry(*oracle).or_default() += count;
        }
    }
}
