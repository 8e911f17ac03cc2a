//! What a timed world reaches, without the time: the projection by which all time models are compared, and
//! two plain searches, one that keeps every zone and one that leaves out what is covered.

use crate::World;
use crate::local::LocalState;
use crate::tests::walk::Collect;
use std::collections::{BTreeSet, HashMap, HashSet};
use watchkeeper_core::Pack;
use watchkeeper_space::{Id, Space, Stuck, Zones};

/// What a search found.
#[derive(Default)]
pub(crate) struct Reached {
    /// The rows that it looked at, nearest first.
    pub(crate) rows: Vec<Vec<Id>>,
    /// The discrete states, as bytes.
    pub(crate) states: BTreeSet<Vec<u8>>,
    /// Those in which time cannot pass and nothing can happen, at some moment.
    pub(crate) locked: BTreeSet<Vec<u8>>,
    /// How many steps of each class it took.
    pub(crate) classes: Vec<usize>,
    /// Whether a step was cut away by a cap.
    pub(crate) cut: bool,
}

/// The bytes of a state apart from time: protocol states, outboxes, which timers are armed, messages in
/// their channels, budgets, what observers remember. What is left of bounds and deadlines is not in it, nor
/// which deadlines run.
pub(crate) fn discrete(world: &World, row: &[Id]) -> Vec<u8> {
    let state = world.snapshot(row).expect("a row of this world");
    let mut out = Vec::new();
    for local in &state.processes {
        let LocalState::Up { state, timers, outbox } = local else {
            out.push(0);
            continue;
        };
        out.push(1);
        out.extend_from_slice(world.automaton.states().packed(state.0));
        timers.iter().fold(0u64, |slots, (slot, _)| slots | 1 << slot).pack(&mut out);
        (outbox.len() as u64).pack(&mut out);
        for (to, msg) in outbox {
            to.pack(&mut out);
            out.extend_from_slice(world.automaton.messages().packed(msg.0));
        }
    }
    for channel in &state.channels {
        // In a channel in any order the bytes of the bound have a say in the order of the list.
        let mut messages: Vec<Vec<u8>> =
            channel.iter().map(|(msg, _)| world.automaton.messages().packed(msg.0).to_vec()).collect();
        if world.scenario().network.order == crate::DeliveryOrder::AnyOrder {
            messages.sort();
        }
        (messages.len() as u64).pack(&mut out);
        out.extend(messages.concat());
    }
    let overflow = state.overflow.map_or(0, |channel| channel as u32 + 1);
    let faults = [state.losses, state.duplications, state.recoveries, overflow];
    for number in faults.iter().chain(&state.calls) {
        number.pack(&mut out);
    }
    for memory in &state.observers {
        (memory.state.len() as u64).pack(&mut out);
        out.extend(&memory.state);
    }
    out
}

/// All rows, unless there are more than `most`.
pub(crate) fn exact(world: &World, most: usize) -> Option<Reached> {
    let mut known: HashSet<Vec<Id>> = HashSet::new();
    search(world, most, |row| known.insert(row.to_vec()))
}

/// Rows whose zones none that was found before covers, unless there are more than `most`.
pub(crate) fn covering(world: &World, most: usize) -> Option<Reached> {
    let slot = world.shape().zone.expect("only dense time has zones");
    let mut known: HashMap<Vec<Id>, Vec<Id>> = HashMap::new();
    search(world, most, |row| {
        let mut key = row.to_vec();
        let zone = key.remove(slot);
        let zones = known.entry(key).or_default();
        if zones.iter().any(|&large| world.includes(large, zone)) {
            return false;
        }
        zones.retain(|&small| !world.includes(zone, small));
        zones.push(zone);
        true
    })
}

/// Breadth-first search over the rows that are new to the caller.
fn search(world: &World, most: usize, mut is_new: impl FnMut(&[Id]) -> bool) -> Option<Reached> {
    let can_pass = world.shape().atom("time-can-pass").expect("every world has it");
    let progress = world.shape().progress();
    let mut found = Reached { classes: vec![0; world.shape().classes.len()], ..Reached::default() };
    found.rows = world.initial();
    found.rows.retain(|row| is_new(row));
    let mut at = 0;
    while at < found.rows.len() {
        if found.rows.len() > most {
            return None;
        }
        let row = found.rows[at].clone();
        at += 1;
        let next = Collect::of(world, &row);
        found.cut |= !next.cuts.is_empty();
        let (bytes, locked) = (discrete(world, &row), !world.atom(can_pass, &row));
        let moves = next.steps.iter().any(|(action, _)| progress[usize::from(action.class())]);
        match (moves || !next.cuts.is_empty(), world.stuck(&row)) {
            // In dense time some moments of a row may be locked and others not; in ticks a row is a moment.
            (true, _) => assert!(!locked || world.shape().zone.is_some()),
            (false, stuck) => assert_eq!(locked, stuck == Stuck::Timelock, "{stuck:?}"),
        }
        if locked {
            found.locked.insert(bytes.clone());
        }
        found.states.insert(bytes);
        for (action, after) in next.steps {
            found.classes[usize::from(action.class())] += 1;
            if is_new(&after) {
                found.rows.push(after);
            }
        }
    }
    Some(found)
}
