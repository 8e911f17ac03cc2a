//! Ids may depend on who came first; what a world shows may not.

use super::differential::world;
use super::random::Dice;
use super::walk::{Collect, bytes};
use crate::World;
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::Symmetry;
use watchkeeper_space::{Action, Id, Space, Symmetries};

pub(crate) type Shown = BTreeMap<Vec<u8>, Vec<(Action, Vec<u8>)>>;

/// Some states with their successors, all as bytes and in order.
pub(crate) fn shown(world: &World, most: usize) -> Shown {
    let mut queue = world.initial();
    let mut found = Shown::new();
    let mut at = 0;
    while at < queue.len() && found.len() < most {
        let row = queue[at].clone();
        at += 1;
        let key = bytes(world, &row);
        if found.contains_key(&key) {
            continue;
        }
        let steps = Collect::of(world, &row).steps;
        let after = steps.iter().map(|(action, next)| (*action, bytes(world, next))).collect();
        found.insert(key, after);
        queue.extend(steps.into_iter().map(|(_, next)| next));
    }
    found
}

/// Walks that leave the ids in another order than a search from the start would.
pub(crate) fn stir(world: &World, seed: u64) {
    let mut dice = Dice::new(seed);
    let starts = world.initial();
    for _ in 0..30 {
        let mut row: Vec<Id> = starts[dice.roll(starts.len() as u64) as usize].clone();
        for _ in 0..40 {
            let mut next = Collect::of(world, &row).steps;
            if next.is_empty() {
                break;
            }
            row = next.swap_remove(dice.roll(next.len() as u64) as usize).1;
        }
    }
}

#[test]
fn successors_come_in_the_same_order_whatever_the_ids() {
    let mut differ = 0;
    for seed in 0..30 {
        let (calm, stirred) = (world(seed, Symmetry::None), world(seed, Symmetry::None));
        stir(&stirred, seed);
        assert_eq!(shown(&calm, 300), shown(&stirred, 300), "seed {seed}");
        differ += usize::from(some_row(&calm) != some_row(&stirred));
    }
    assert!(differ > 10, "the ids do differ: {differ}");
}

/// The row of the state with the largest bytes among the first 300.
fn some_row(world: &World) -> Vec<Id> {
    let mut best: (Vec<u8>, Vec<Id>) = Default::default();
    let mut queue = world.initial();
    let mut known: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut at = 0;
    while at < queue.len() && known.len() < 300 {
        let row = queue[at].clone();
        at += 1;
        let key = bytes(world, &row);
        if known.insert(key.clone()) {
            queue.extend(Collect::of(world, &row).steps.into_iter().map(|(_, next)| next));
            best = best.max((key, row));
        }
    }
    best.1
}

#[test]
fn many_threads_find_the_same_world() {
    for seed in 0..12 {
        let (alone, shared) = (world(seed, Symmetry::Rotations), world(seed, Symmetry::Rotations));
        std::thread::scope(|scope| {
            for t in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    stir(shared, t);
                    let mut out = Vec::new();
                    for row in shared.initial() {
                        (0..shared.symmetries()).for_each(|s| shared.renamed(s, &row, &mut out));
                    }
                });
            }
        });
        assert_eq!(shown(&alone, 200), shown(&shared, 200), "seed {seed}");
        assert!(shared.bytes() > 0);
    }
}
