//! The plainest search of a space with zones that leaves out what is subsumed: one thread, a list of zones
//! for each key in a hash map, every zone compared with every other. It exists to be obviously right.

use crate::admission::admitted_plainly;
use crate::naive::{Wrong, wrong_with};
use crate::search_result::cut_away;
use crate::verdict::{Figures, unknown};
use crate::{ExploreError, Progress, ProgressCallback, Search};
use std::collections::HashMap;
use std::ops::ControlFlow;
use watchkeeper_logic::{Ledger, Limit, Outcome, Question, Stats, Verdict, Violation};
use watchkeeper_space::{Id, Space, Steps, Zones, steps};

/// Breadth-first search of a space with zones by the textbook. `max_states` and the callback are its only
/// limits.
pub fn naive_subsumption(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let (Some(slot), Some(inclusion)) = (space.shape().zone, space.zones()) else {
        return Err(ExploreError::Space("it has no zones; search it without covering".into()));
    };
    admitted_plainly(space, question, search)?;
    let mut ledger = Ledger::open();
    let mut cuts = vec![0; space.shape().caps.len()];
    let mut stored = Stored { inclusion, slot, zones: HashMap::new() };
    let mut counts = vec![0; space.shape().classes.len()];
    let mut stats = Stats { workers: 1, ..Stats::default() };
    let starts = space.initial().into_iter().map(|row| Node { row, parent: usize::MAX }).collect();
    let mut levels = vec![stored.put_in(starts)];
    ledger.stores(levels[0].len() as u64);
    let outcome = loop {
        let level = &levels[levels.len() - 1];
        stats.level_sizes.push(level.len() as u64);
        stats.distinct_states = stored.len();
        let (mut next, mut wrong, mut taken) = (Vec::new(), Vec::new(), counts.clone());
        for (i, node) in level.iter().enumerate() {
            let found: Steps = steps(space, &node.row);
            wrong.extend(wrong_with(space, question, &node.row, found.stuck).map(|wrong| (wrong, i)));
            found.cut.iter().for_each(|&cap| cuts[cap] += 1);
            ledger.expands(1, found.next.len() as u64, 0);
            for (action, row) in found.next {
                taken[action.class() as usize] += 1;
                next.push(Node { row, parent: i });
            }
        }
        if let Some((Wrong { finding, what, .. }, at)) = wrong.into_iter().min() {
            let trace = space.replay(&space.lift(&path_to(&levels, at))?)?;
            break Outcome::Violated(Box::new(Violation { finding, what, trace, shortest: true }));
        }
        counts = taken;
        stats.transitions += next.len() as u64;
        ledger.settles(next.len() as u64);
        let next = stored.put_in(next);
        let queue = next.len() as u64;
        ledger.stores(queue);
        levels.push(next);
        if queue == 0 {
            cut_away(space.shape(), &cuts, &question.query())
                .into_iter()
                .for_each(|limit| ledger.limits(limit));
            break ledger.close().map(Outcome::Holds).or_else(unknown)?;
        }
        let (distinct_states, transitions) = (stored.len(), stats.transitions);
        let progress = Progress { distinct_states, transitions, depth: levels.len() as u64, queue, bytes: 0 };
        if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
            break Outcome::Unknown(limit);
        }
        if let Some(most) = search.max_states.filter(|&most| stored.len() > most) {
            break Outcome::Unknown(Limit::States(most));
        }
    };
    Ok(Figures { counts, stats, ..Figures::default() }.verdict(space, question, outcome))
}

/// A row, and the place of its parent among those one depth less.
struct Node {
    row: Vec<Id>,
    parent: usize,
}

/// For each row, without its zone, the zones that no other one includes.
struct Stored<'a> {
    inclusion: &'a dyn Zones,
    slot: usize,
    zones: HashMap<Vec<Id>, Vec<Id>>,
}

impl Stored<'_> {
    fn len(&self) -> u64 {
        self.zones.values().map(|zones| zones.len() as u64).sum()
    }

    fn key(&self, row: &[Id]) -> Vec<Id> {
        let mut key = row.to_vec();
        key.remove(self.slot);
        key
    }

    /// Puts in all that a depth leads to; what is left of it.
    fn put_in(&mut self, found: Vec<Node>) -> Vec<Node> {
        let mut new: Vec<Node> = Vec::new();
        for node in found {
            let (inclusion, zone) = (self.inclusion, node.row[self.slot]);
            let zones = self.zones.entry(self.key(&node.row)).or_default();
            if zones.iter().any(|&large| inclusion.includes(large, zone)) {
                continue;
            }
            zones.retain(|&small| !inclusion.includes(zone, small));
            zones.push(zone);
            new.push(node);
        }
        new.retain(|node| self.zones[&self.key(&node.row)].contains(&node.row[self.slot]));
        new
    }
}

fn path_to(levels: &[Vec<Node>], mut at: usize) -> Vec<Vec<Id>> {
    let mut path = Vec::new();
    for level in levels.iter().rev() {
        path.push(level[at].row.clone());
        at = level[at].parent;
    }
    path.reverse();
    path
}
