//! Two programs, one space: the successors that the search looks up, and those that the interpreter finds
//! by trying everything. On random protocols in all kinds of networks they must be the same, byte by byte.

use super::random::{Dice, Order as Ask, Random};
use super::walk::{Collect, bytes};
use crate::interpreter::Interpreter;
use crate::interpreter::config::Config;
use crate::local::LocalState;
use crate::oracle::state::OracleDecisions;
use crate::snapshot::Snapshot;
use crate::transition::{News, Transition};
use crate::{
    ANY_NUMBER, DeliveryOrder, Faults, Lanes, Network, OracleAccuracy, Scenario, TypedWorld, World, WorldTime,
};
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Pack, Pid, ProcSet, Symmetry};
use watchkeeper_space::{Id, Narration, Space, StatePath};

/// Worlds with all combinations of what a network can do, faults and calls drawn at random.
pub(crate) fn world(seed: u64, symmetry: Symmetry) -> TypedWorld<Random> {
    let mut dice = Dice::new(seed);
    let n = 2 + dice.roll(2) as usize;
    let channel =
        ["block:1", "drop:1", "report:1", "unbounded:1", "block:2", "drop:2", "report:2", "unbounded:2"];
    let network = Network {
        order: if dice.roll(2) == 0 { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
        lanes: if dice.roll(2) == 0 { Lanes::PerPair } else { Lanes::PerKind },
        losses: dice.roll(2) as u32,
        duplications: dice.roll(2) as u32,
        ..Network::default()
    };
    let network = network.with_channel(channel[dice.roll(8) as usize].parse().expect("a channel"));
    let everyone = dice.roll(2) == 0 || symmetry != Symmetry::None;
    let mut faults = Faults {
        crashable: if everyone { ProcSet::first(n) } else { ProcSet::only(Pid::at(1)) },
        crashes: dice.roll(2) as u32,
        crashed_at_start: if dice.roll(4) == 0 { ProcSet::only(Pid::at(0)) } else { ProcSet::EMPTY },
        recoveries: dice.aside().roll(3) as u32,
        crash_loses: false,
    };
    // Whoever recovers may crash again.
    faults.crashes += faults.crashes * faults.recoveries.min(1);
    if dice.aside().roll(12) == 3 {
        faults.recoveries = ANY_NUMBER;
        faults.crashes = faults.crashes.min(1);
    }
    let protocol = Random { seed: dice.roll(u64::MAX), n, symmetry, unit: 1, life: None };
    let world =
        TypedWorld::new(protocol, Scenario { n, network, faults, time: WorldTime::Untimed, oracle: None });
    // Unbounded channels can be too small for what is sent at the start.
    let Ok(world) = world else { return self::world(seed ^ 0x5555_0000, symmetry) };
    match dice.roll(3) {
        0 => world,
        1 => world.with_calls(vec![(Pid::at(1), Ask::Befriend(Pid::at(0)), 1)]).expect("a world"),
        _ => {
            let calls = Pid::all(n).map(|p| (p, Ask::Cheer, 1)).collect();
            world.with_calls(calls).expect("a world")
        }
    }
}

/// The bytes of a state, worked out from its values alone.
pub(crate) fn state_bytes(world: &World, state: &Snapshot) -> Vec<u8> {
    let mut out = Vec::new();
    for local in &state.processes {
        local.pack(&*world.automaton, &mut out);
    }
    for channel in &state.channels {
        (channel.len() as u64).pack(&mut out);
        for (msg, due) in channel {
            out.extend_from_slice(world.automaton.messages().packed(msg.0));
            due.pack(&mut out);
        }
    }
    let network = &world.scenario().network;
    if network.losses > 0 {
        state.losses.pack(&mut out);
    }
    if network.duplications > 0 {
        state.duplications.pack(&mut out);
    }
    if ![0, ANY_NUMBER].contains(&world.scenario().faults.recoveries) {
        state.recoveries.pack(&mut out);
    }
    if let Some(OracleDecisions { immune, settled, mistakes, suspects }) = &state.oracle {
        (immune.map_or(0, |p| 2 * p.index() as u32 + 2) + u32::from(*settled)).pack(&mut out);
        let accuracy = world.scenario().oracle.map(|oracle| oracle.accuracy);
        if matches!(accuracy, Some(OracleAccuracy::Strong { mistakes: 1.. })) {
            mistakes.pack(&mut out);
        }
        for (me, suspected) in suspects.iter().enumerate() {
            let others = Pid::all(world.scenario().n).filter(|p| p.index() != me).enumerate();
            let bit = |(at, p): (usize, Pid)| u32::from(suspected.contains(p)) << at;
            others.map(bit).sum::<u32>().pack(&mut out);
        }
    }
    if network.channel().to_string().starts_with("report") {
        state.overflow.map_or(0, |channel| channel as u32 + 1).pack(&mut out);
    }
    for issued in &state.calls {
        issued.pack(&mut out);
    }
    out
}

/// Every action that could be thought of, whether or not it can happen; each with its choices, of which a
/// random protocol has at most 32, because it picks at most five times in a step, among two at most.
pub(crate) fn thinkable(world: &World, state: &Snapshot) -> Vec<Vec<Transition>> {
    let mut transitions = Vec::new();
    for (channel, messages) in state.channels.iter().enumerate() {
        for place in 0..messages.len() + 1 {
            transitions.push((0..33).map(|choice| Transition::Deliver { channel, place, choice }).collect());
            transitions.push(vec![Transition::Swallow { channel, place }]);
            transitions.push(vec![Transition::Lose { channel, place }]);
            transitions.push(vec![Transition::Duplicate { channel, place }]);
        }
    }
    for process in 0..world.scenario().n {
        for slot in 0..3 {
            transitions.push((0..33).map(|choice| Transition::Fire { process, slot, choice }).collect());
        }
        transitions.push(vec![Transition::Unblock { process }]);
        transitions.push(vec![Transition::Crash { process }]);
        transitions.push((0..33).map(|choice| Transition::Recover { process, choice }).collect());
    }
    for entry in 0..state.calls.len() + 1 {
        transitions.push((0..33).map(|choice| Transition::Call { entry, choice }).collect());
    }
    if state.oracle.is_some() {
        transitions.extend(thinkable_of_the_oracle(world.scenario().n));
    }
    transitions
}

fn thinkable_of_the_oracle(n: usize) -> Vec<Vec<Transition>> {
    let mut transitions = vec![vec![Transition::Settle { immune: None }]];
    for process in 0..n {
        transitions.push(vec![Transition::Settle { immune: Some(process) }]);
        for peer in 0..n {
            for news in [News::Suspect, News::Trust, News::Detect, News::Relent] {
                transitions
                    .push((0..33).map(|choice| Transition::Tell { process, peer, news, choice }).collect());
            }
        }
    }
    transitions
}

pub(crate) type Levels = Vec<BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>>;

/// Level by level each state with its successors, up to about `most` states, by the interpreter.
pub(crate) fn tried(world: &World, most: usize) -> Levels {
    let interpreter = Interpreter::new(world);
    let key = |config: &Config| state_bytes(world, &interpreter.settled(config));
    let starts = interpreter.starts().expect("the world starts");
    let mut level: BTreeMap<Vec<u8>, Config> =
        starts.into_iter().map(|(config, _)| (key(&config), config)).collect();
    let mut known: BTreeSet<Vec<u8>> = level.keys().cloned().collect();
    let mut levels = Vec::new();
    while !level.is_empty() && known.len() < most {
        let (mut next, mut found) = (BTreeMap::new(), BTreeMap::new());
        for (at, config) in level {
            let mut after = BTreeSet::new();
            for choices in thinkable(world, &interpreter.settled(&config)) {
                for transition in choices {
                    let mut config = config.clone();
                    match interpreter.apply(&mut config, transition) {
                        Err(why) if why.contains("has no choice") => break,
                        Err(_) => continue,
                        Ok(_) => {}
                    }
                    let bytes = key(&config);
                    if known.insert(bytes.clone()) {
                        next.insert(bytes.clone(), config);
                    }
                    after.insert(bytes);
                }
            }
            found.insert(at, after);
        }
        levels.push(found);
        level = next;
    }
    levels
}

/// The same by the search.
pub(crate) fn looked_up(world: &World, most: usize) -> Levels {
    let mut level: BTreeMap<Vec<u8>, Vec<Id>> =
        world.initial().into_iter().map(|row| (bytes(world, &row), row)).collect();
    let mut known: BTreeSet<Vec<u8>> = level.keys().cloned().collect();
    let mut levels = Vec::new();
    while !level.is_empty() && known.len() < most {
        let (mut next, mut found) = (BTreeMap::new(), BTreeMap::new());
        for (at, row) in level {
            let mut after = BTreeSet::new();
            for (_, row) in Collect::of(world, &row).steps {
                let bytes = bytes(world, &row);
                if known.insert(bytes.clone()) {
                    next.insert(bytes.clone(), row);
                }
                after.insert(bytes);
            }
            found.insert(at, after);
        }
        levels.push(found);
        level = next;
    }
    levels
}

#[test]
fn the_search_and_the_interpreter_agree_on_random_worlds() {
    let (mut complete, mut states, mut seen) = (0, 0, BTreeSet::new());
    for seed in 0..150 {
        let world = world(seed, [Symmetry::None, Symmetry::Rotations, Symmetry::Full][seed as usize % 3]);
        let (tried, looked_up) = (tried(&world, 300), looked_up(&world, 300));
        assert!(tried == looked_up, "seed {seed}: {:?}", world.scenario());
        states += tried.iter().map(BTreeMap::len).sum::<usize>();
        let within = |bytes| tried.iter().any(|level| level.contains_key(bytes));
        complete += usize::from(tried.iter().flat_map(|level| level.values().flatten()).all(within));
        for (row, _) in looked_up_rows(&world, 60) {
            let found = Collect::of(&world, &row);
            seen.extend(
                found
                    .steps
                    .iter()
                    .map(|(action, _)| action.class())
                    .chain(found.tallies)
                    .map(|class| world.shape().classes[usize::from(class)].name.clone()),
            );
        }
    }
    assert!(states > 12_000 && complete > 20, "{states} states, {complete} worlds whole");
    // The comparison is worth something only if everything happens in it.
    let all = [
        "block",
        "call befriend",
        "call cheer",
        "crash",
        "deliver HELLO",
        "deliver MEET",
        "drop (full)",
        "duplicate",
        "fire Evening",
        "fire Morning",
        "lose",
        "overflow",
        "recover",
        "swallow",
        "unblock",
    ];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

/// Some rows, by random walks.
pub(crate) fn looked_up_rows(world: &World, steps: usize) -> Vec<(Vec<Id>, usize)> {
    let mut dice = Dice::new(steps as u64);
    let mut rows = Vec::new();
    for start in world.initial() {
        let mut row = start;
        for depth in 0..steps {
            let next = Collect::of(world, &row).steps;
            rows.push((row, depth));
            if next.is_empty() {
                break;
            }
            row = next[dice.roll(next.len() as u64) as usize].1.clone();
        }
    }
    rows
}

/// Every run that the search can take is one that replay accepts, and their labels are possible.
#[test]
fn random_walks_replay() {
    for seed in 0..60 {
        let world = world(seed + 1000, Symmetry::None);
        let mut dice = Dice::new(seed);
        let starts = world.initial();
        let mut trail = StatePath {
            rows: vec![starts[dice.roll(starts.len() as u64) as usize].clone()],
            actions: Vec::new(),
        };
        for _ in 0..40 {
            let row = trail.rows.last().expect("there is a start").clone();
            let next = Collect::of(&world, &row).steps;
            if next.is_empty() {
                break;
            }
            let (action, after) = next[dice.roll(next.len() as u64) as usize].clone();
            assert!(!world.label(&row, action).starts_with("impossible"));
            trail.rows.push(after);
            trail.actions.push(action);
        }
        let trace = world.replay(&trail).expect("what the search did can be done");
        assert_eq!(trace.steps.len(), trail.actions.len());
        for (step, row) in trace.steps.iter().zip(&trail.rows[1..]) {
            assert_eq!(step.after, world.view(row));
        }
    }
}

/// A snapshot of a row and the row's own bytes say the same; a row that never was has none.
#[test]
fn rows_decode_to_what_they_pack() {
    for seed in 0..40 {
        let world = world(seed + 500, Symmetry::None);
        for (mut row, _) in looked_up_rows(&world, 50) {
            let snapshot = world.snapshot(&row).expect("a row of this world");
            assert_eq!(state_bytes(&world, &snapshot), bytes(&world, &row));
            assert!(
                snapshot.processes.iter().any(|local| *local != LocalState::Crashed)
                    || world.shape().atoms.len() > 1
            );
            row[0] = 1 << 30;
            assert!(world.snapshot(&row).is_none());
        }
    }
}
