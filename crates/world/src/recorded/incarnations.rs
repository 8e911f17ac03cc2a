//! The recordings of a run under one numbering: incarnations by process and incarnation, steps one after the other,
//! clocks by name. It only looks things up; what they mean is asked elsewhere.

use super::RecordedRun;
use std::collections::BTreeMap;
use watchkeeper_core::{Pid, ProcSet, RecordedInput, RecordedStep, Recording};

/// All incarnations of a run that took a step.
pub(crate) struct Incarnations<'a> {
    /// By process, earlier incarnations first.
    pub(crate) list: Vec<&'a Recording>,
    /// The same by process and number, to look them up.
    by_number: Vec<usize>,
    /// All recordings, also of incarnations that took no step.
    recordings: &'a [Recording],
    /// The number of the first step of each incarnation, and at the end the number of steps.
    first: Vec<usize>,
    /// The incarnation of each step, and when it was taken.
    of: Vec<usize>,
    at: Vec<i64>,
    /// The clock of each incarnation.
    clock: Vec<usize>,
    /// How many different clocks there are.
    pub(crate) clocks: usize,
    /// Nanoseconds per unit of the model's time.
    pub(crate) tick: i64,
    /// How much later than in the model a step may have been taken.
    pub(crate) precision: i64,
}

impl<'a> Incarnations<'a> {
    pub(crate) fn of(run: &'a RecordedRun) -> Incarnations<'a> {
        let list = in_order(run);
        let number = |&incarnation: &usize| (list[incarnation].process, list[incarnation].incarnation);
        let mut by_number: Vec<usize> = (0..list.len()).collect();
        by_number.sort_by_key(number);
        let mut first = vec![0];
        let (mut of, mut at) = (Vec::new(), Vec::new());
        for (i, incarnation) in list.iter().enumerate() {
            of.extend(std::iter::repeat_n(i, incarnation.steps.len()));
            at.extend(incarnation.steps.iter().map(|step| nanoseconds(step.at)));
            first.push(of.len());
        }
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        let clock = list
            .iter()
            .map(|incarnation| {
                let next = names.len();
                *names.entry(&incarnation.clock).or_insert(next)
            })
            .collect();
        let (tick, precision) = (nanoseconds(run.tick), nanoseconds(run.precision));
        let (clocks, recordings) = (names.len(), &run.recordings[..]);
        Incarnations { list, by_number, recordings, first, of, at, clock, clocks, tick, precision }
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> usize {
        self.of.len()
    }

    pub(crate) fn step(&self, step: usize) -> &'a RecordedStep {
        let incarnation = self.of[step];
        &self.list[incarnation].steps[step - self.first[incarnation]]
    }

    /// When a step was taken, by its clock.
    pub(crate) fn at(&self, step: usize) -> i64 {
        self.at[step]
    }

    pub(crate) fn incarnation(&self, step: usize) -> usize {
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

    pub(crate) fn start(&self, incarnation: usize) -> usize {
        self.first[incarnation]
    }

    pub(crate) fn last(&self, incarnation: usize) -> usize {
        self.first[incarnation + 1] - 1
    }

    pub(crate) fn is_last(&self, step: usize) -> bool {
        self.last(self.of[step]) == step
    }

    /// The incarnation of the same process after this one.
    pub(crate) fn next(&self, incarnation: usize) -> Option<usize> {
        let process = self.list[incarnation].process;
        Some(incarnation + 1)
            .filter(|&next| self.list.get(next).is_some_and(|incarnation| incarnation.process == process))
    }

    /// Whether this is the first incarnation of its process.
    pub(crate) fn is_first(&self, incarnation: usize) -> bool {
        incarnation == 0 || self.list[incarnation - 1].process != self.list[incarnation].process
    }

    /// The incarnation of a process with this number.
    pub(crate) fn find(&self, process: Pid, incarnation: u64) -> Option<usize> {
        let number = |&place: &usize| (self.list[place].process, self.list[place].incarnation);
        let found = self.by_number.binary_search_by_key(&(process, incarnation), number);
        found.ok().map(|place| self.by_number[place])
    }

    /// The recording of an incarnation, also if it took no step.
    pub(crate) fn recording(&self, process: Pid, incarnation: u64) -> Option<&'a Recording> {
        let same = |other: &&Recording| (other.process, other.incarnation) == (process, incarnation);
        self.recordings.iter().find(same)
    }

    /// The incarnations of a process, first to last.
    pub(crate) fn of_process(&self, process: Pid) -> impl Iterator<Item = usize> + '_ {
        (0..self.list.len()).filter(move |&incarnation| self.list[incarnation].process == process)
    }

    /// The processes that have a recording.
    pub(crate) fn recorded(&self) -> ProcSet {
        self.list.iter().map(|incarnation| incarnation.process).collect()
    }

    /// The processes that a recording has heard from.
    pub(crate) fn heard(&self) -> ProcSet {
        let from = |step: &RecordedStep| match step.input {
            RecordedInput::Receive { from, .. } => Some(from),
            _ => None,
        };
        self.list.iter().flat_map(|incarnation| incarnation.steps.iter().filter_map(from)).collect()
    }
}

/// All incarnations that took a step, by process, earlier ones first. Those that name one clock have the order of that
/// clock: a number comes from the wall clock, which may have been set back. Between clocks only numbers are left.
fn in_order(run: &RecordedRun) -> Vec<&Recording> {
    let recordings = || run.recordings.iter().filter(|incarnation| !incarnation.steps.is_empty());
    let mut least: BTreeMap<(Pid, &str), u64> = BTreeMap::new();
    for Recording { process, clock, incarnation, .. } in recordings() {
        let least = least.entry((*process, clock)).or_insert(u64::MAX);
        *least = (*incarnation).min(*least);
    }
    let mut list: Vec<&Recording> = recordings().collect();
    list.sort_by_key(|&Recording { process, clock, incarnation, steps, .. }| {
        (*process, least[&(*process, &**clock)], &**clock, steps[0].at, *incarnation)
    });
    list
}

/// A reading of a clock, or a duration; so far in the future that it is none is cut off.
pub(crate) fn nanoseconds(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX).min(1 << 60)
}
