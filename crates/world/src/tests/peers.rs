//! Timers that are about peers move with the peers when processes change their names: in every time model a
//! renamed state does the same under other names, and a search up to renaming finds every orbit.

use super::walk::Collect;
use crate::{Capacity, Network, Scenario, Timing, TypedWorld, WhenFull, World, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::Bound;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_space::{Id, Space, Symmetries};

fn world(n: usize, time: WorldTime) -> TypedWorld<ChandraToueg> {
    let detector = ChandraToueg::new(n, 1, 2).and_then(|detector| detector.capped(3)).expect("a detector");
    let network = Network { capacity: Capacity::Bounded(1), when_full: WhenFull::Drop, ..Network::default() };
    TypedWorld::new(detector, Scenario { network, time, ..Scenario::new(n) }).expect("a world")
}

fn after(world: &World, row: &[Id]) -> Vec<Vec<Id>> {
    let mut rows: Vec<Vec<Id>> = Collect::of(world, row).steps.into_iter().map(|(_, row)| row).collect();
    rows.sort();
    rows
}

fn rows(world: &World, most: usize) -> Vec<Vec<Id>> {
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
    let timing = Timing::per_message(Bound::within(1));
    for time in [WorldTime::Untimed, WorldTime::Ticks(timing), WorldTime::Dense(timing)] {
        let world = world(3, time);
        assert_eq!(world.symmetries(), 6);
        for row in rows(&world, 400) {
            let next = after(&world, &row);
            for symmetry in 0..6 {
                let renamed = |row: &[Id]| {
                    let mut out = Vec::new();
                    world.renamed(symmetry, row, &mut out);
                    out
                };
                let mut expected: Vec<Vec<Id>> = next.iter().map(|row| renamed(row)).collect();
                expected.sort();
                assert_eq!(after(&world, &renamed(&row)), expected, "{time:?}");
            }
        }
    }
}
