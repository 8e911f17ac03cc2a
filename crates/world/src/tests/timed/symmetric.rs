//! Renamings of processes in timed worlds, with an observer that cannot tell processes apart: a renamed
//! state does the same under other names, in ticks and in zones, and a search up to renaming misses nothing.

use super::draw::Draw;
use super::keeper::Roll;
use super::reach::{discrete, exact};
use crate::tests::random::Random;
use crate::tests::walk::{Collect, bytes};
use crate::{TypedWorld, World, WorldTime};
use std::collections::{BTreeSet, HashMap};
use watchkeeper_core::Symmetry;
use watchkeeper_explore::{ExploreError, NoCallback, Search, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_space::{Id, Space, Symmetries, Zones};

/// A symmetric world in ticks and in dense time; `None` if the scenario leaves no symmetry.
fn worlds(seed: u64) -> Option<[TypedWorld<Random>; 2]> {
    let symmetry = [Symmetry::Full, Symmetry::Rotations][seed as usize % 2];
    let draw = Draw::new(seed, symmetry);
    let draw = if seed.is_multiple_of(3) { draw.deliveries_first() } else { draw };
    let world = |time: fn(crate::Timing) -> WorldTime| {
        let world = draw.world(time(draw.timing))?;
        let world = world.observed_by(Roll { bound: (seed % 4) as u32 }).expect("a timed world");
        (world.symmetries() > 1).then_some(world)
    };
    Some([world(WorldTime::Ticks)?, world(WorldTime::Dense)?])
}

fn renamed(world: &World, symmetry: usize, row: &[Id]) -> Vec<Id> {
    let mut out = Vec::new();
    world.renamed(symmetry, row, &mut out);
    out
}

fn least(world: &World, row: &[Id]) -> Vec<Id> {
    let mut out = Vec::new();
    world.least(row, &mut out);
    out
}

/// The rows after a row, sorted.
fn after(world: &World, row: &[Id]) -> Vec<Vec<Id>> {
    let mut rows: Vec<Vec<Id>> = Collect::of(world, row).steps.into_iter().map(|(_, row)| row).collect();
    rows.sort();
    rows
}

/// The first rows of a world.
fn first(world: &World, most: usize) -> Vec<Vec<Id>> {
    let mut rows = world.initial();
    let mut known: BTreeSet<Vec<Id>> = rows.iter().cloned().collect();
    let mut at = 0;
    while at < rows.len() && rows.len() < most {
        for row in after(world, &rows[at]) {
            if known.insert(row.clone()) {
                rows.push(row);
            }
        }
        at += 1;
    }
    rows
}

#[test]
fn a_renamed_state_does_the_same_under_other_names() {
    let (mut rows_seen, mut moved) = (0, 0);
    for seed in 0..150 {
        for world in worlds(seed).into_iter().flatten() {
            let rows = first(&world, 60);
            for row in &rows {
                rows_seen += 1;
                let (next, stands) = (after(&world, row), least(&world, row));
                let mut all = BTreeSet::new();
                for symmetry in 0..world.symmetries() {
                    let other = renamed(&world, symmetry, row);
                    let mut expected: Vec<Vec<Id>> =
                        next.iter().map(|row| renamed(&world, symmetry, row)).collect();
                    expected.sort();
                    assert_eq!(after(&world, &other), expected, "seed {seed}");
                    assert_eq!(least(&world, &other), stands, "seed {seed}");
                    let back = (0..world.symmetries()).any(|back| renamed(&world, back, &other) == *row);
                    assert!(back, "seed {seed}: no renaming undoes this one");
                    moved += usize::from(other != *row);
                    all.insert(other);
                }
                assert!(all.contains(&stands));
            }
            for symmetry in 0..world.symmetries() {
                let images: BTreeSet<Vec<Id>> =
                    rows.iter().map(|row| renamed(&world, symmetry, row)).collect();
                assert_eq!(images.len(), rows.len(), "no two become one");
            }
        }
    }
    assert!(rows_seen > 5000 && moved > 5000, "{rows_seen} rows, {moved} moved");
}

/// The smallest bytes of the discrete part of all renamings.
fn orbit(world: &World, row: &[Id]) -> Vec<u8> {
    let all = (0..world.symmetries()).map(|symmetry| discrete(world, &renamed(world, symmetry, row)));
    all.min().expect("the identity is there")
}

/// The orbits that a search up to renaming reaches, and in dense time without what is covered.
fn reduced(world: &World) -> BTreeSet<Vec<u8>> {
    let mut known: HashMap<Vec<Id>, Vec<Id>> = HashMap::new();
    let mut is_new = |row: &[Id]| {
        let mut key = row.to_vec();
        let zone = world.shape().zone.map_or(0, |slot| key.remove(slot));
        let zones = known.entry(key).or_default();
        let new = !zones.iter().any(|&large| world.includes(large, zone));
        if new {
            zones.push(zone);
        }
        new
    };
    let mut rows: Vec<Vec<Id>> = world.initial().iter().map(|row| least(world, row)).collect();
    rows.retain(|row| is_new(row));
    let mut found = BTreeSet::new();
    while let Some(row) = rows.pop() {
        found.insert(orbit(world, &row));
        for (_, next) in Collect::of(world, &row).steps {
            let next = least(world, &next);
            if is_new(&next) {
                rows.push(next);
            }
        }
    }
    found
}

#[test]
fn a_search_up_to_renaming_misses_nothing() {
    let (mut compared, mut smaller) = (0, 0);
    for seed in 0..150 {
        let Some([ticks, dense]) = worlds(seed) else { continue };
        let (Some(all), Some(zones)) = (exact(&ticks, 1500), exact(&dense, 1500)) else { continue };
        let of = |world: &World, rows: &[Vec<Id>]| -> BTreeSet<Vec<u8>> {
            rows.iter().map(|row| orbit(world, row)).collect()
        };
        let (orbits, in_zones) = (of(&ticks, &all.rows), of(&dense, &zones.rows));
        assert_eq!(reduced(&ticks), orbits, "seed {seed}");
        assert_eq!(reduced(&dense), in_zones, "seed {seed}");
        compared += 1;
        smaller += usize::from(orbits.len() < all.states.len());
    }
    assert!(compared > 40 && smaller > 30, "{compared} compared, {smaller} smaller");
}

/// The engine with and without symmetry: the same verdict, and as short a run.
#[test]
fn verdicts_are_the_same_with_and_without_symmetry() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 0..150 {
        for world in worlds(seed).into_iter().flatten() {
            let then = world.shape().atom("roll").expect("the observer's atom");
            assert!(world.shape().atoms[then].symmetric);
            let invariants = vec![Invariant { name: "roll".to_string(), when: None, then }];
            let question = Question { invariants, ..Question::default() };
            let searched = |symmetry: bool| -> Result<Verdict, ExploreError> {
                let search =
                    Search { symmetry: symmetry.into(), max_states: Some(3000), ..Search::default() };
                check(&*world, &question, &search, &NoCallback)
            };
            let (full, reduced) = (searched(false).expect("a verdict"), searched(true).expect("a verdict"));
            if full.word() == "unknown" {
                continue;
            }
            let length = |verdict: &Verdict| verdict.trace().map(|trace| trace.steps.len());
            assert_eq!((full.word(), length(&full)), (reduced.word(), length(&reduced)), "seed {seed}");
            assert!(reduced.stats.distinct_states <= full.stats.distinct_states);
            compared += 1;
            violated += usize::from(full.word() == "violated");
        }
    }
    assert!(compared > 100 && violated > 20, "{compared} compared, {violated} violated");
}

/// What stands for all renamings of a row does not depend on the ids of a run.
#[test]
fn the_row_that_stands_for_all_is_the_same_in_every_run() {
    for seed in 0..40 {
        let (Some([_, calm]), Some([_, stirred])) = (worlds(seed), worlds(seed)) else { continue };
        crate::tests::concurrency::stir(&stirred, seed);
        let shown = |world: &World| -> BTreeSet<(Vec<u8>, Vec<u8>)> {
            let rows = first(world, 60);
            rows.iter().map(|row| (bytes(world, row), bytes(world, &least(world, row)))).collect()
        };
        let (calm, stirred) = (shown(&calm), shown(&stirred));
        let both: Vec<_> = calm
            .iter()
            .filter_map(|(row, least)| {
                stirred.iter().find(|(other, _)| other == row).map(|(_, other)| (least, other))
            })
            .collect();
        assert!(both.len() > 3 || calm.len() <= 3, "seed {seed}");
        assert!(both.into_iter().all(|(a, b)| a == b), "seed {seed}");
    }
}
