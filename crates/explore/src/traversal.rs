//! All states that can be reached, nearest first, on one thread and with whole rows: for what wants the states themselves,
//! the graph of a small space or the way to a state, and no verdict.

use crate::{Progress, ProgressCallback};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_space::{Action, Id, Space, steps};

/// How many states are expanded between two looks at the progress.
const LOOK: usize = 1024;

/// States by number, in the order in which they were reached.
pub struct Traversal<'a> {
    space: &'a dyn Space,
    rows: Vec<Arc<[Id]>>,
    numbers: HashMap<Arc<[Id]>, u32>,
    /// For each state the one from which it was reached.
    from: Vec<u32>,
    levels: Vec<usize>,
    cut: bool,
}

/// Is told each state that is expanded: its number, whether it is stuck, and its steps with the numbers of the states that
/// they lead to.
pub type VisitState<'a> = dyn FnMut(u32, bool, &[(Action, u32)]) + 'a;

/// How a traversal ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraversalEnd {
    /// At the state of this number, which is the goal.
    Goal(u32),
    /// There are no more states.
    All,
    /// There are more than it may visit.
    Most,
    /// The callback has ended it.
    Stopped,
}

impl<'a> Traversal<'a> {
    /// A traversal that has not begun.
    pub fn new(space: &'a dyn Space) -> Traversal<'a> {
        let (rows, numbers, from) = (Vec::new(), HashMap::new(), Vec::new());
        Traversal { space, rows, numbers, from, levels: Vec::new(), cut: false }
    }

    /// Visits the states that can be reached from some rows, so many at most, until one is the goal. Hands out each state
    /// that it expands: its number, whether it is stuck, and its steps with the numbers of the states that they lead to.
    pub fn run(
        &mut self,
        (first, most): (Vec<Vec<Id>>, usize),
        is_goal: &dyn Fn(&[Id]) -> bool,
        visit: &mut VisitState<'_>,
        callback: &dyn ProgressCallback,
    ) -> TraversalEnd {
        for row in first {
            if let (number, true) = self.number(row, u32::MAX)
                && is_goal(&self.rows[number as usize])
            {
                return TraversalEnd::Goal(number);
            }
        }
        let (mut next, mut end, mut transitions) = (0, self.rows.len(), 0);
        self.levels.push(end);
        while next < self.rows.len() {
            if next == end {
                self.levels.push(self.rows.len() - end);
                end = self.rows.len();
            }
            if next.is_multiple_of(LOOK) && self.tell(next, transitions, callback).is_break() {
                return TraversalEnd::Stopped;
            }
            let (row, from) = (Arc::clone(&self.rows[next]), next as u32);
            let found = steps(self.space, &row);
            self.cut |= !found.cut.is_empty();
            let mut taken = Vec::with_capacity(found.next.len());
            for (action, to) in found.next {
                let (to, new) = self.number(to, from);
                taken.push((action, to));
                if new && is_goal(&self.rows[to as usize]) {
                    return TraversalEnd::Goal(to);
                }
            }
            transitions += taken.len() as u64;
            visit(from, found.stuck, &taken);
            next += 1;
            if self.rows.len() > most {
                self.levels.push(self.rows.len() - end);
                return TraversalEnd::Most;
            }
        }
        TraversalEnd::All
    }

    /// The states, by their numbers.
    pub fn rows(&self) -> &[Arc<[Id]>] {
        &self.rows
    }

    /// How many states there are at each distance from the first.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// Whether a cap of the model has cut steps away.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The rows of a shortest way to a state.
    pub fn way(&self, goal: u32) -> Vec<Vec<Id>> {
        let before = |at: &u32| Some(self.from[*at as usize]).filter(|from| *from != u32::MAX);
        let way = std::iter::successors(Some(goal), before);
        let mut way: Vec<Vec<Id>> = way.map(|at| self.rows[at as usize].to_vec()).collect();
        way.reverse();
        way
    }

    fn tell(&self, expanded: usize, transitions: u64, callback: &dyn ProgressCallback) -> ControlFlow<()> {
        let progress = Progress {
            distinct_states: self.rows.len() as u64,
            transitions,
            depth: self.levels.len() as u64 - 1,
            queue: (self.rows.len() - expanded) as u64,
            bytes: 0,
        };
        match callback.on_progress(&progress) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(_) => ControlFlow::Break(()),
        }
    }

    /// The number of a row, and whether it is new.
    fn number(&mut self, row: Vec<Id>, from: u32) -> (u32, bool) {
        let next = self.rows.len() as u32;
        match self.numbers.entry(row.into()) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(place) => {
                self.rows.push(Arc::clone(place.key()));
                self.from.push(from);
                place.insert(next);
                (next, true)
            }
        }
    }
}
