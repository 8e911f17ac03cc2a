//! Random protocols on oracles of all kinds, that take everything as it comes or leave messages lying, in worlds in
//! which crashes may lose what was sent: the search and the interpreter must agree on all of it.

use super::differential::{looked_up, looked_up_rows, state_bytes, tried};
use super::random::{Dice, Random};
use super::symmetry::renamed;
use super::walk::{Collect, bytes};
use crate::{
    Capacity, DeliveryOrder, Faults, Lanes, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory,
    TypedWorld, WorldTime,
};
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Event, Pid, ProcSet, Symmetry};
use watchkeeper_space::{Narration, Space, StatePath, Symmetries};

/// A world that a seed decides. Not all seeds have one: what is sent at the start may be too much.
fn stacked<const SELECTIVE: bool>(seed: u64, symmetry: Symmetry) -> Option<TypedWorld<Random<SELECTIVE>>> {
    let mut dice = Dice::new(seed);
    let n = 2 + dice.roll(2) as usize;
    let accuracy = match dice.roll(7) {
        0 | 1 => OracleAccuracy::Weak,
        2 => OracleAccuracy::EventuallyWeak,
        3 => OracleAccuracy::None,
        4 => OracleAccuracy::EventuallyStrong,
        5 => OracleAccuracy::Strong { mistakes: 0 },
        _ => OracleAccuracy::Strong { mistakes: 1 + dice.roll(2) as u32 },
    };
    let counted = matches!(accuracy, OracleAccuracy::Strong { mistakes: 1.. });
    let memory =
        if counted || dice.roll(2) == 0 { SuspicionMemory::Lasting } else { SuspicionMemory::Momentary };
    let oracle = (dice.roll(6) > 0).then_some(Oracle { accuracy, memory });
    let channel = ["block:1", "drop:2", "report:1", "unbounded:2"][dice.roll(4) as usize];
    let (order, capacity) = match SELECTIVE {
        true => (DeliveryOrder::AnyOrder, Capacity::Unbounded { cap: 2 }),
        false => (
            if dice.roll(2) == 0 { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
            Network::default().with_channel(channel.parse().expect("a channel")).capacity,
        ),
    };
    let network = Network {
        order,
        capacity,
        lanes: if dice.roll(2) == 0 { Lanes::PerPair } else { Lanes::PerKind },
        losses: dice.roll(2) as u32,
        ..Network::default()
    };
    let faults = Faults {
        crashable: ProcSet::first(n),
        crashes: dice.roll(3) as u32,
        crashed_at_start: match symmetry {
            Symmetry::None if dice.roll(4) == 0 => ProcSet::only(Pid::at(0)),
            _ => ProcSet::EMPTY,
        },
        recoveries: if oracle.is_none() { dice.roll(2) as u32 } else { 0 },
        crash_loses: dice.roll(2) == 0,
    };
    let faults = Faults { crashes: faults.crashes.min(n as u32 - 1), ..faults };
    let protocol = Random { seed: dice.roll(u64::MAX), n, symmetry, unit: 1, life: None };
    TypedWorld::new(protocol, Scenario { n, network, faults, time: WorldTime::Untimed, oracle }).ok()
}

/// What a comparison of many worlds has seen.
#[derive(Default)]
struct Comparison {
    worlds: usize,
    states: usize,
    classes: BTreeSet<String>,
}

impl Comparison {
    fn compare<const SELECTIVE: bool>(&mut self, seed: u64) {
        let symmetry = [Symmetry::None, Symmetry::Rotations, Symmetry::Full][seed as usize % 3];
        let Some(world) = stacked::<SELECTIVE>(seed, symmetry) else { return };
        let (tried, looked_up) = (tried(&world, 200), looked_up(&world, 200));
        assert!(tried == looked_up, "seed {seed}: {:?}", world.scenario());
        self.worlds += 1;
        self.states += tried.iter().map(BTreeMap::len).sum::<usize>();
        for (row, _) in looked_up_rows(&world, 60) {
            let class = |class: u8| world.shape().classes[usize::from(class)].name.clone();
            self.classes
                .extend(Collect::of(&world, &row).steps.iter().map(|(action, _)| class(action.class())));
            let snapshot = world.snapshot(&row).expect("a row of this world");
            assert_eq!(state_bytes(&world, &snapshot), bytes(&world, &row));
        }
    }
}

#[test]
fn the_search_and_the_interpreter_agree_on_oracles() {
    let mut found = Comparison::default();
    (0..90).for_each(|seed| found.compare::<false>(seed));
    assert!(found.worlds > 70 && found.states > 8_000, "{} worlds, {} states", found.worlds, found.states);
    for class in
        ["suspect", "trust", "detect", "relent", "settle", "crash", "lose", "swallow", "fire Evening"]
    {
        assert!(found.classes.contains(class), "no {class}");
    }
}

#[test]
fn the_search_and_the_interpreter_agree_on_what_is_left_lying() {
    let mut found = Comparison::default();
    (1000..1090).for_each(|seed| found.compare::<true>(seed));
    assert!(found.worlds > 60 && found.states > 7_000, "{} worlds, {} states", found.worlds, found.states);
    for class in
        ["suspect", "trust", "detect", "relent", "settle", "crash", "lose", "recover", "deliver MEET"]
    {
        assert!(found.classes.contains(class), "no {class}");
    }
    // Nothing is ever there for a process that has crashed.
    assert!(!found.classes.contains("swallow"));
}

/// Every run of the search is one that replay accepts, with the views that the rows have.
#[test]
fn random_walks_on_oracles_replay() {
    let (mut suspicions, mut ends, mut forgotten) = (0, 0, 0);
    for seed in 2000..2060 {
        let Some(world) = stacked::<true>(seed, Symmetry::None) else { continue };
        let mut dice = Dice::new(seed);
        let starts = world.initial();
        let first = starts[dice.roll(starts.len() as u64) as usize].clone();
        let mut trail = StatePath { rows: vec![first], actions: Vec::new() };
        for _ in 0..40 {
            let row = trail.rows.last().expect("there is a start").clone();
            let mut next = Collect::of(&world, &row).steps;
            if next.is_empty() {
                break;
            }
            let (action, after) = next.swap_remove(dice.roll(next.len() as u64) as usize);
            assert!(!world.label(&row, action).starts_with("impossible"));
            trail.rows.push(after);
            trail.actions.push(action);
        }
        let trace = world.replay(&trail).expect("what the search did can be done");
        let mut open = BTreeSet::new();
        for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
            assert_eq!(step.after, world.view(row));
        }
        for event in trace.opening.iter().chain(trace.steps.iter().flat_map(|step| &step.events)) {
            match event {
                Event::Send { message, .. } => drop(open.insert(*message)),
                Event::Receive { message } | Event::Swallow { message } | Event::Lose { message } => {
                    assert!(open.remove(message));
                }
                Event::Output { label, .. } if label.starts_with("suspect p") => suspicions += 1,
                Event::Output { label, .. } if label.starts_with("stop suspecting p") => ends += 1,
                _ => {}
            }
        }
        let state = world.snapshot(trail.rows.last().expect("a row")).expect("a row of this world");
        forgotten += open.len() - state.channels.iter().map(Vec::len).sum::<usize>();
    }
    assert!(suspicions > 100 && ends > 50 && forgotten > 20, "{suspicions}, {ends}, {forgotten}");
}

/// The stance of an oracle is renamed with everything else, and what follows a renamed state is renamed.
#[test]
fn oracles_are_symmetric() {
    let mut compared = 0;
    for seed in 3000..3060 {
        let symmetry = if seed % 2 == 0 { Symmetry::Rotations } else { Symmetry::Full };
        let Some(world) = stacked::<true>(seed, symmetry) else { continue };
        if world.scenario().oracle.is_none() {
            continue;
        }
        let perms = symmetry.perms(world.scenario().n);
        assert_eq!(world.symmetries(), perms.len());
        for (row, _) in looked_up_rows(&world, 10) {
            let state = world.snapshot(&row).expect("a row");
            for (number, perm) in perms.iter().enumerate() {
                let (mut moved, mut out) = (Vec::new(), Vec::new());
                world.renamed(number, &row, &mut moved);
                assert_eq!(world.snapshot(&moved), Some(renamed(&world, &state, perm)));
                let after: BTreeSet<Vec<u8>> =
                    Collect::of(&world, &moved).steps.iter().map(|(_, next)| bytes(&world, next)).collect();
                let before = Collect::of(&world, &row).steps;
                let renamed_after: BTreeSet<Vec<u8>> = before
                    .iter()
                    .map(|(_, next)| {
                        world.renamed(number, next, &mut out);
                        bytes(&world, &out)
                    })
                    .collect();
                assert_eq!(after, renamed_after, "seed {seed}");
                compared += usize::from(number > 0);
            }
        }
    }
    assert!(compared > 500, "{compared} compared");
}
