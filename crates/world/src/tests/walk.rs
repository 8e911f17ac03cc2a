//! The plainest search over rows, for tests that count and compare.

use crate::World;
use std::collections::{HashMap, VecDeque};
use watchkeeper_space::{Action, ClassId, Edit, Id, Space, Stuck, Successors, apply};

/// What a whole space has.
#[derive(Default, Debug)]
pub(crate) struct Count {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    /// Deadlocks, with the depth of the nearest.
    pub(crate) deadlocks: usize,
    pub(crate) nearest: Option<usize>,
    pub(crate) finished: usize,
    pub(crate) cuts: HashMap<usize, usize>,
    pub(crate) classes: HashMap<String, usize>,
}

/// Collects everything that an expansion says.
pub(crate) struct Collect {
    pub(crate) steps: Vec<(Action, Vec<Id>)>,
    pub(crate) tallies: Vec<ClassId>,
    pub(crate) cuts: Vec<usize>,
}

impl Collect {
    pub(crate) fn of(world: &World, row: &[Id]) -> Collect {
        let mut found = Successors::new();
        world.expand(row, &mut found);
        let step = |(action, edits): (Action, &[Edit])| {
            let mut slots: Vec<u32> = edits.iter().map(|edit| edit.slot).collect();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), edits.len(), "a slot is named once");
            (action, apply(row, edits))
        };
        let tallies = found.tallies().iter().map(|&(_, class)| class).collect();
        Collect { steps: found.iter().map(step).collect(), tallies, cuts: found.cuts().to_vec() }
    }
}

/// All rows, nearest first, with their depth.
pub(crate) fn rows(world: &World) -> Vec<(Vec<Id>, usize)> {
    let mut known: HashMap<Vec<Id>, usize> = HashMap::new();
    let mut queue: VecDeque<Vec<Id>> = VecDeque::new();
    let mut found = Vec::new();
    for row in world.initial() {
        known.insert(row.clone(), 0);
        queue.push_back(row);
    }
    while let Some(row) = queue.pop_front() {
        let depth = known[&row];
        for (_, next) in Collect::of(world, &row).steps {
            if !known.contains_key(&next) {
                known.insert(next.clone(), depth + 1);
                queue.push_back(next);
            }
        }
        found.push((row, depth));
    }
    found
}

pub(crate) fn count(world: &World) -> Count {
    let mut count = Count::default();
    for (row, depth) in rows(world) {
        let found = Collect::of(world, &row);
        count.states += 1;
        count.transitions += found.steps.len();
        for cut in found.cuts.iter().copied() {
            *count.cuts.entry(cut).or_default() += 1;
        }
        if found.steps.is_empty() && found.cuts.is_empty() {
            match world.stuck(&row) {
                Stuck::Deadlock | Stuck::Timelock => {
                    count.deadlocks += 1;
                    count.nearest.get_or_insert(depth);
                }
                Stuck::Finished => count.finished += 1,
            }
        }
        let classes = found.steps.iter().map(|(action, _)| action.class()).chain(found.tallies);
        for class in classes {
            let name = world.shape().classes[usize::from(class)].name.clone();
            *count.classes.entry(name).or_default() += 1;
        }
    }
    count
}

pub(crate) fn bytes(world: &World, row: &[Id]) -> Vec<u8> {
    let mut out = Vec::new();
    world.pack(row, &mut out);
    out
}
