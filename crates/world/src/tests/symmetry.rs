//! Renamings of rows against renamings of values: as many orbits, the same states in them, and a group.

use super::differential::world;
use super::random::{Order as Ask, Random};
use super::walk::{Collect, bytes};
use crate::local::SlotIndex;
use crate::snapshot::Snapshot;
use crate::{Channel, DeliveryOrder, Faults, Network, Scenario, TypedWorld, World, WorldTime};
use std::collections::{BTreeSet, HashMap};
use watchkeeper_automaton::{CallId, MsgId};
use watchkeeper_core::{Perm, Pid, ProcSet, Symmetry};
use watchkeeper_space::{Id, Space, Symmetries};

/// The renamed state, from its values alone.
pub(crate) fn renamed(world: &World, state: &Snapshot, perm: &Perm) -> Snapshot {
    let mut moved = state.clone();
    let automaton = &*world.automaton;
    let timers = 0..automaton.facts().timers.len();
    let timers: Vec<SlotIndex> = timers.map(|slot| automaton.renamed_slot(slot, perm) as SlotIndex).collect();
    for p in Pid::all(world.scenario().n) {
        moved.processes[perm.apply(p).index()] = state.processes[p.index()].rename(automaton, perm, &timers);
    }
    let target = |channel: usize| {
        let (from, to, kind) = world.routes.ends(channel);
        world.routes.channel(perm.apply(from), perm.apply(to), kind).expect("a channel")
    };
    for (channel, messages) in state.channels.iter().enumerate() {
        let renamed = |msg: &MsgId| MsgId(automaton.messages().renamed(msg.0, perm));
        moved.channels[target(channel)] = messages.iter().map(|(msg, due)| (renamed(msg), *due)).collect();
    }
    for (entry, call) in world.calls.iter().enumerate() {
        let renamed = CallId(automaton.calls().renamed(call.call.0, perm));
        let same = |other: &&crate::world::CallEntry| {
            other.process == perm.apply(call.process) && other.call == renamed
        };
        let to = world.calls.iter().position(|other| same(&other)).expect("the calls are symmetric");
        moved.calls[to] = state.calls[entry];
    }
    if let (Some(before), Some(after)) = (&state.oracle, &mut moved.oracle) {
        after.immune = before.immune.map(|p| perm.apply(p));
        for (p, suspects) in Pid::all(before.suspects.len()).zip(&before.suspects) {
            after.suspects[perm.apply(p).index()] = suspects.iter().map(|q| perm.apply(q)).collect();
        }
    }
    let mut moved = Snapshot { overflow: state.overflow.map(target), ..moved };
    moved.settle(automaton.messages(), world.scenario().network.order);
    moved
}

fn canonical(world: &World, row: &[Id]) -> Vec<u8> {
    let mut out = Vec::new();
    let all = (0..world.symmetries()).map(|symmetry| {
        world.renamed(symmetry, row, &mut out);
        bytes(world, &out)
    });
    all.min().expect("the identity is there")
}

fn small(seed: u64, symmetry: Symmetry, n: usize, channel: &str) -> TypedWorld<Random> {
    let channel: Channel = channel.parse().expect("a channel");
    let network = Network {
        order: if seed.is_multiple_of(2) { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
        ..Network::default()
    };
    let crashable = ProcSet::first(n);
    let recoveries = [0, 1, crate::ANY_NUMBER][seed as usize / 9 % 3];
    let faults = Faults { crashable, crashes: 1, recoveries, ..Faults::default() };
    let scenario = Scenario {
        n,
        network: network.with_channel(channel),
        faults,
        time: WorldTime::Untimed,
        oracle: None,
    };
    TypedWorld::new(Random { seed, n, symmetry, unit: 1, life: None }, scenario).expect("a world")
}

/// Reachable states fall into as many orbits by their values as by their rows, and a search that keeps one
/// row of each orbit finds them all.
#[test]
fn orbits_by_value_and_by_row_are_the_same() {
    let (mut compared, mut reduced) = (0, 0);
    for seed in 0..400 {
        let (symmetry, n) =
            [(Symmetry::Rotations, 3), (Symmetry::Full, 3), (Symmetry::Full, 2)][seed as usize % 3];
        let channel = ["drop:1", "block:1", "report:1"][seed as usize / 3 % 3];
        let world = small(seed, symmetry, n, channel);
        let perms = symmetry.perms(n);
        assert_eq!(world.symmetries(), perms.len());
        let Some(rows) = some_rows(&world, 3000) else { continue };
        compared += 1;
        let all: HashMap<Snapshot, Vec<u8>> =
            rows.iter().map(|row| (world.snapshot(row).expect("a row"), canonical(&world, row))).collect();
        for (state, orbit) in &all {
            for perm in &perms {
                // The protocol is symmetric, so the renamed state is reachable, and in the same orbit.
                let other = all.get(&renamed(&world, state, perm));
                assert_eq!(other, Some(orbit), "seed {seed}");
            }
        }
        let orbits: BTreeSet<&Vec<u8>> = all.values().collect();
        let kept = search_of_orbits(&world);
        assert_eq!(kept.len(), orbits.len(), "seed {seed}");
        assert!(kept.iter().all(|orbit| orbits.contains(orbit)));
        reduced += usize::from(orbits.len() < all.len());
    }
    assert!(compared > 60 && reduced > 60, "{compared} compared, {reduced} reduced");
}

fn some_rows(world: &World, most: usize) -> Option<Vec<Vec<Id>>> {
    let mut known: BTreeSet<Vec<Id>> = world.initial().into_iter().collect();
    let mut queue: Vec<Vec<Id>> = known.iter().cloned().collect();
    while let Some(row) = queue.pop() {
        for (_, next) in Collect::of(world, &row).steps {
            if known.insert(next.clone()) {
                queue.push(next);
            }
        }
        if known.len() > most {
            return None;
        }
    }
    Some(known.into_iter().collect())
}

fn search_of_orbits(world: &World) -> BTreeSet<Vec<u8>> {
    let mut known = BTreeSet::new();
    let mut queue = world.initial();
    queue.retain(|row| known.insert(canonical(world, row)));
    while let Some(row) = queue.pop() {
        for (_, next) in Collect::of(world, &row).steps {
            if known.insert(canonical(world, &next)) {
                queue.push(next);
            }
        }
    }
    known
}

/// Renaming a row is what renaming its values is, for every renaming, also in worlds with calls.
#[test]
fn renamed_rows_decode_to_renamed_values() {
    for seed in 0..60 {
        let symmetry = if seed % 2 == 0 { Symmetry::Rotations } else { Symmetry::Full };
        let world = world(seed, symmetry);
        let n = world.scenario().n;
        // The group is what the scenario leaves of the protocol's; find each renaming by what it does.
        let perms: Vec<Perm> = symmetry.perms(n).into_iter().filter(|perm| keeps(&world, perm)).collect();
        assert_eq!(world.symmetries(), perms.len(), "seed {seed}");
        for (row, _) in super::differential::looked_up_rows(&world, 25) {
            let state = world.snapshot(&row).expect("a row");
            for (symmetry, perm) in perms.iter().enumerate() {
                let mut out = vec![7];
                world.renamed(symmetry, &row, &mut out);
                assert_eq!(world.snapshot(&out), Some(renamed(&world, &state, perm)));
                if symmetry == 0 {
                    assert_eq!(out, row);
                }
            }
        }
    }
}

fn keeps(world: &World, perm: &Perm) -> bool {
    let faults = &world.scenario().faults;
    let again = faults.recoveries == crate::ANY_NUMBER && !faults.crashed_at_start.is_empty();
    let crashable = if faults.crashes == 0 && !again { ProcSet::EMPTY } else { faults.crashable };
    let calls = world.calls.iter().all(|entry| {
        let (process, call) =
            (perm.apply(entry.process), CallId(world.automaton.calls().renamed(entry.call.0, perm)));
        world.calls.iter().any(|other| (other.process, &other.call) == (process, &call))
    });
    crashable.renamed(perm) == crashable
        && faults.crashed_at_start.renamed(perm) == faults.crashed_at_start
        && calls
}

#[test]
fn the_scenario_limits_the_symmetry() {
    let of = |n, symmetry, crashable: u64, dead: u64| {
        let faults = Faults {
            crashable: ProcSet::from_bits(crashable),
            crashes: u32::from(crashable > 0),
            crashed_at_start: ProcSet::from_bits(dead),
            ..Faults::default()
        };
        let scenario = Scenario { faults, ..Scenario::new(n) };
        TypedWorld::new(Random::<false> { seed: 3, n, symmetry, unit: 1, life: None }, scenario)
            .expect("a world")
    };
    assert_eq!(of(4, Symmetry::None, 0, 0).symmetries(), 1);
    assert_eq!(of(4, Symmetry::Full, 0, 0).symmetries(), 24);
    assert_eq!(of(4, Symmetry::Full, 0b0001, 0).symmetries(), 6);
    assert_eq!(of(4, Symmetry::Full, 0b0110, 0b0001).symmetries(), 2);
    assert_eq!(of(4, Symmetry::Rotations, 0b1111, 0).symmetries(), 4);
    assert_eq!(of(4, Symmetry::Rotations, 0b0101, 0).symmetries(), 2);
    assert_eq!(of(4, Symmetry::Rotations, 0b0001, 0).symmetries(), 1);
    assert_eq!(of(7, Symmetry::Full, 0, 0).symmetries(), 7, "of many processes only rotations");
    let faults = |recoveries| Faults {
        crashable: ProcSet::from_bits(0b0011),
        crashed_at_start: ProcSet::only(Pid::at(0)),
        recoveries,
        ..Faults::default()
    };
    let down = |recoveries| {
        let scenario = Scenario { faults: faults(recoveries), ..Scenario::new(4) };
        let protocol = Random::<false> { seed: 3, n: 4, symmetry: Symmetry::Full, unit: 1, life: None };
        TypedWorld::new(protocol, scenario).expect("a world").symmetries()
    };
    assert_eq!((down(1), down(crate::ANY_NUMBER)), (6, 2), "p1 may crash once p0 is up, and no other");
    let calls = vec![(Pid::at(0), Ask::Cheer, 1), (Pid::at(2), Ask::Cheer, 1)];
    let called = of(4, Symmetry::Full, 0, 0).with_calls(calls).expect("a world");
    assert_eq!(called.symmetries(), 4);
}
