//! The recordings of a run under one numbering: lives by process and incarnation, steps one after the other,
//! clocks by name. It only looks things up; what they mean is asked elsewhere.

use super::RecordedRun;
use std::collections::BTreeMap;
use watchkeeper_core::{Pid, ProcSet, RecordedInput, RecordedStep, Recording};

/// All lives of a run that took a step.
pub(crate) struct Lives<'a> {
    /// By process, earlier lives first.
    pub(crate) list: Vec<&'a Recording>,
    /// The number of the first step of each life, and at the end the number of steps.
    first: Vec<usize>,
    /// The life of each step.
    of: Vec<usize>,
    /// The clock of each life.
    clock: Vec<usize>,
    /// How many different clocks there are.
    pub(crate) clocks: usize,
    /// Nanoseconds per unit of the model's time.
    pub(crate) tick: i64,
    /// How much later than in the model a step may have been taken.
    pub(crate) precision: i64,
}

impl<'a> Lives<'a> {
    pub(crate) fn of(run: &'a RecordedRun) -> Lives<'a> {
        let mut list: Vec<&Recording> = run.recordings.iter().filter(|life| !life.steps.is_empty()).collect();
        list.sort_by_key(|life| (life.process, life.incarnation));
        let mut first = vec![0];
        let mut of = Vec::new();
        for (i, life) in list.iter().enumerate() {
            of.extend(std::iter::repeat_n(i, life.steps.len()));
            first.push(of.len());
        }
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let clock = list
            .iter()
            .map(|life| {
                let next = names.len();
                *names.entry(&life.clock).or_insert(next)
            })
            .collect();
        let (tick, precision) = (nanoseconds(run.tick), nanoseconds(run.precision));
        Lives { list, first, of, clock, clocks: names.len(), tick, precision }
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> usize {
        self.of.len()
    }

    pub(crate) fn step(&self, step: usize) -> &'a RecordedStep {
        let life = self.of[step];
        &self.list[life].steps[step - self.first[life]]
    }

    /// When a step was taken, by its clock.
    pub(crate) fn at(&self, step: usize) -> i64 {
        nanoseconds(self.step(step).at)
    }

    pub(crate) fn life(&self, step: usize) -> usize {
        self.of[step]
    }

    /// The place of a step in its recording.
    pub(crate) fn place(&self, step: usize) -> usize {
        step - self.first[self.of[step]]
    }

    pub(crate) fn process(&self, step: usize) -> Pid {
        self.list[self.of[step]].process
    }

    pub(crate) fn clock(&self, step: usize) -> usize {
        self.clock[self.of[step]]
    }

    pub(crate) fn start(&self, life: usize) -> usize {
        self.first[life]
    }

    pub(crate) fn last(&self, life: usize) -> usize {
        self.first[life + 1] - 1
    }

    pub(crate) fn is_last(&self, step: usize) -> bool {
        self.last(self.of[step]) == step
    }

    /// The life of the same process after this one.
    pub(crate) fn next(&self, life: usize) -> Option<usize> {
        let process = self.list[life].process;
        Some(life + 1).filter(|&next| self.list.get(next).is_some_and(|life| life.process == process))
    }

    /// Whether this is the first life of its process.
    pub(crate) fn is_first(&self, life: usize) -> bool {
        life == 0 || self.list[life - 1].process != self.list[life].process
    }

    /// The life of a process with this number.
    pub(crate) fn find(&self, process: Pid, incarnation: u64) -> Option<usize> {
        self.list.binary_search_by_key(&(process, incarnation), |life| (life.process, life.incarnation)).ok()
    }

    /// The lives of a process, first to last.
    pub(crate) fn of_process(&self, process: Pid) -> impl Iterator<Item = usize> + '_ {
        (0..self.list.len()).filter(move |&life| self.list[life].process == process)
    }

    /// The processes that have a recording.
    pub(crate) fn recorded(&self) -> ProcSet {
        self.list.iter().map(|life| life.process).collect()
    }

    /// The processes that a recording has heard from.
    pub(crate) fn heard(&self) -> ProcSet {
        let from = |step: &RecordedStep| match step.input {
            RecordedInput::Receive { from, .. } => Some(from),
            _ => None,
        };
        self.list.iter().flat_map(|life| life.steps.iter().filter_map(from)).collect()
    }
}

/// A reading of a clock, or a duration; so far in the future that it is none is cut off.
pub(crate) fn nanoseconds(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX).min(1 << 60)
}
