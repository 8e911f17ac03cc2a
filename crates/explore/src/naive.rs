//! The plainest search there is: one thread, whole rows in a hash map, parents beside them. It exists to
//! be obviously right; the engines are tested against it, and small spaces are listed by it. It knows
//! no inclusion of zones: rows with different zones are different states.

use crate::admission::admitted_plainly;
use crate::search_result::cut_away;
use crate::verdict::{Figures, unknown};
use crate::{ExploreError, NoCallback, Progress, ProgressCallback, Search, Traversal, TraversalEnd};
use std::collections::HashMap;
use std::ops::ControlFlow;
use watchkeeper_logic::{Ledger, Limit, Outcome, Question, Stats, Verdict, Violation, ViolationKind};
use watchkeeper_space::{Action, Graph, Id, Space, Steps, Stuck, steps};

/// Breadth-first search by the textbook. `max_states` and the callback are its only limits.
pub fn naive(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Verdict, ExploreError> {
    admitted_plainly(space, question, search)?;
    let mut ledger = Ledger::open();
    let mut cuts = vec![0; space.shape().caps.len()];
    let mut rows: Vec<Vec<Id>> = Vec::new();
    let mut parents: Vec<usize> = Vec::new();
    let mut known: HashMap<Vec<Id>, usize> = HashMap::new();
    for row in space.initial() {
        if !known.contains_key(&row) {
            known.insert(row.clone(), rows.len());
            rows.push(row);
            parents.push(usize::MAX);
        }
    }
    let mut coverage = vec![0u64; space.shape().classes.len()];
    let mut stats = Stats { workers: 1, ..Stats::default() };
    let mut level = 0..rows.len();
    let outcome = loop {
        stats.level_sizes.push(level.len() as u64);
        stats.distinct_states = rows.len() as u64;
        let (mut wrong, mut taken) = (Vec::new(), 0u64);
        let mut counts = coverage.clone();
        for i in level.clone() {
            let row = rows[i].clone();
            let Steps { next, stuck, cut } = steps(space, &row);
            wrong.extend(wrong_with(space, question, &row, stuck).map(|wrong| (wrong, i)));
            cut.iter().for_each(|&cap| cuts[cap] += 1);
            ledger.expands(1, next.len() as u64, 0);
            for (action, row) in next {
                taken += 1;
                ledger.settles(1);
                counts[action.class() as usize] += 1;
                if !known.contains_key(&row) {
                    known.insert(row.clone(), rows.len());
                    rows.push(row);
                    parents.push(i);
                }
            }
        }
        if let Some((Wrong { finding, what, .. }, mut i)) = wrong.into_iter().min() {
            let mut path = vec![rows[i].clone()];
            while parents[i] != usize::MAX {
                i = parents[i];
                path.push(rows[i].clone());
            }
            path.reverse();
            let trace = space.replay(&space.lift(&path)?)?;
            break Outcome::Violated(Box::new(Violation { finding, what, trace, shortest: true }));
        }
        coverage = counts;
        stats.transitions += taken;
        level = level.end..rows.len();
        if level.is_empty() {
            ledger.stores(rows.len() as u64);
            cut_away(space.shape(), &cuts, &question.query())
                .into_iter()
                .for_each(|limit| ledger.limits(limit));
            break ledger.close().map(Outcome::Holds).or_else(unknown)?;
        }
        let progress = Progress {
            distinct_states: rows.len() as u64,
            transitions: stats.transitions,
            depth: stats.level_sizes.len() as u64,
            queue: level.len() as u64,
            bytes: 0,
        };
        if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
            break Outcome::Unknown(limit);
        }
        if search.max_states.is_some_and(|most| rows.len() as u64 > most) {
            break Outcome::Unknown(Limit::States(search.max_states.unwrap_or(0)));
        }
    };
    Ok(Figures { counts: coverage, stats, ..Figures::default() }.verdict(space, question, outcome))
}

/// A violation in a state; the smallest is reported.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wrong {
    pub finding: ViolationKind,
    invariant: usize,
    bytes: Vec<u8>,
    pub what: String,
}

/// The violations in a state, of which is known whether it is stuck.
pub(crate) fn wrong_with(
    space: &dyn Space,
    question: &Question,
    row: &[Id],
    stuck: bool,
) -> impl Iterator<Item = Wrong> {
    let wrong = |finding, invariant, what: &str| {
        let mut bytes = Vec::new();
        space.pack(row, &mut bytes);
        Wrong { finding, invariant, bytes, what: what.to_string() }
    };
    let (mut deadlock, mut timelock) = (false, question.timelock.is_some_and(|atom| !space.atom(atom, row)));
    if stuck && question.deadlock {
        deadlock = space.stuck(row) == Stuck::Deadlock;
        timelock |= space.stuck(row) == Stuck::Timelock;
    }
    let broken = question.invariants.iter().enumerate().find(|(_, invariant)| {
        invariant.when.is_none_or(|when| space.atom(when, row)) && !space.atom(invariant.then, row)
    });
    let broken = broken.map(|(i, invariant)| wrong(ViolationKind::Safety, i, &invariant.name));
    let deadlock = deadlock.then(|| wrong(ViolationKind::Deadlock, 0, "no deadlock"));
    let timelock = timelock.then(|| wrong(ViolationKind::Timelock, 0, "no time-lock"));
    broken.into_iter().chain(deadlock).chain(timelock)
}

/// A whole space, state by state; `None` if it has more states than `most`.
pub fn graph(space: &dyn Space, most: usize) -> Option<Graph> {
    let mut found = Traversal::new(space);
    let mut taken = Vec::new();
    let mut take = |from: u32, _: bool, steps: &[(Action, u32)]| {
        taken.extend(steps.iter().map(|&(action, to)| (from as usize, action, to as usize)));
    };
    let end = found.run((space.initial(), most), &|_| false, &mut take, &NoCallback);
    if end != TraversalEnd::All {
        return None;
    }
    let rows = found.rows();
    Some(Graph {
        initial: (0..found.levels()[0]).collect(),
        states: rows.iter().map(|row| space.view(row)).collect(),
        edges: taken
            .into_iter()
            .map(|(from, action, to)| (from, space.label(&rows[from], action), to))
            .collect(),
    })
}
