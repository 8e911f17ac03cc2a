//! The subset construction: the system whose states are sets of states, with one transition for each label. It can be exponentially
//! larger than what it is made from, so it has a limit.

use crate::labels::TAU;
use crate::lts::{Lts, LtsEdge};
use std::collections::HashMap;
use std::ops::ControlFlow;
use watchkeeper_explore::{Progress, ProgressCallback};
use watchkeeper_logic::Limit;

/// How far a subset construction may go.
#[derive(Clone, Copy)]
pub struct SubsetLimit<'a> {
    /// The most sets.
    pub max_sets: Option<u64>,
    /// The most bytes of them.
    pub max_bytes: Option<u64>,
    /// Receives the progress, and may end it.
    pub callback: &'a dyn ProgressCallback,
}

/// How many sets are made between two looks at the progress.
const LOOK: usize = 256;

/// Sets of states with numbers, each closed under internal steps if these cannot be seen.
pub(crate) struct Subsets<'a> {
    lts: &'a Lts,
    weak: bool,
    limit: SubsetLimit<'a>,
    numbers: HashMap<Box<[u32]>, u32>,
    sets: Vec<Box<[u32]>>,
    bytes: u64,
    seen: Vec<u32>,
    mark: u32,
}

impl<'a> Subsets<'a> {
    /// The set of the initial state, which is number 0.
    pub fn new(lts: &'a Lts, weak: bool, limit: SubsetLimit<'a>) -> Result<Subsets<'a>, Limit> {
        let (numbers, sets, seen) = (HashMap::new(), Vec::new(), vec![0; lts.states()]);
        let mut subsets = Subsets { lts, weak, limit, numbers, sets, bytes: 0, seen, mark: 0 };
        subsets.number(vec![lts.initial()])?;
        Ok(subsets)
    }

    /// The number of sets so far.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// The states of a set.
    pub fn get(&self, number: u32) -> &[u32] {
        &self.sets[number as usize]
    }

    /// The labels that some state of a set has next, each with the set that it leads to.
    pub fn next(&mut self, number: u32) -> Result<Vec<(u32, u32)>, Limit> {
        let mut steps: Vec<LtsEdge> = Vec::new();
        for &state in &*self.sets[number as usize] {
            steps.extend(self.lts.of(state).iter().filter(|edge| !self.weak || edge.label != TAU));
        }
        steps.sort_unstable();
        steps.dedup();
        let mut next = Vec::new();
        for same in steps.chunk_by(|a, b| a.label == b.label) {
            let targets = same.iter().map(|edge| edge.to).collect();
            next.push((same[0].label, self.number(targets)?));
        }
        Ok(next)
    }

    /// The number of the set of some states, closed under internal steps.
    fn number(&mut self, mut set: Vec<u32>) -> Result<u32, Limit> {
        if self.weak {
            self.mark += 1;
            set.iter().for_each(|&state| self.seen[state as usize] = self.mark);
            let mut at = 0;
            while at < set.len() {
                for edge in self.lts.silently(set[at]) {
                    if self.seen[edge.to as usize] != self.mark {
                        self.seen[edge.to as usize] = self.mark;
                        set.push(edge.to);
                    }
                }
                at += 1;
            }
            set.sort_unstable();
        }
        if let Some(&number) = self.numbers.get(&*set) {
            return Ok(number);
        }
        let number = self.sets.len() as u32;
        let set: Box<[u32]> = set.into();
        self.bytes += 2 * size_of_val(&*set) as u64 + 64;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        self.look()?;
        Ok(number)
    }

    fn look(&self) -> Result<(), Limit> {
        let SubsetLimit { max_sets, max_bytes, callback } = self.limit;
        let sets = self.sets.len() as u64;
        if let Some(most) = max_sets.filter(|&most| sets > most) {
            return Err(Limit::States(most));
        }
        if let Some(most) = max_bytes.filter(|&most| self.bytes > most) {
            return Err(Limit::Memory(most));
        }
        if self.sets.len().is_multiple_of(LOOK) {
            let progress = Progress { distinct_states: sets, bytes: self.bytes, ..Progress::default() };
            if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
                return Err(limit);
            }
        }
        Ok(())
    }
}

/// The deterministic system with the same traces, or with the same weak traces.
pub(crate) fn determinise(lts: &Lts, weak: bool, limit: SubsetLimit<'_>) -> Result<Lts, Limit> {
    let mut subsets = Subsets::new(lts, weak, limit)?;
    let (mut starts, mut edges, mut next) = (vec![0], Vec::new(), 0);
    while next < subsets.len() {
        let found = subsets.next(next as u32)?;
        edges.extend(found.into_iter().map(|(label, to)| LtsEdge { label, to }));
        starts.push(edges.len());
        next += 1;
    }
    Ok(Lts::of_rows(0, lts.labels().clone(), starts, edges))
}
