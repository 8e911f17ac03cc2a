//! The parametric systems held against models that share nothing with them, round by round from every reachable
//! state: the machine of TLC against the casebook's own, which is searched sub-round by sub-round, the machine of
//! IVy against a plain function. And the witnesses, as runs of the exact buffer.

use super::*;
use crate::chandra_toueg::{ChandraTouegCase, Encoding};
use std::collections::BTreeSet;
use watchkeeper_prove::{ParametricWitness, State, SystemInstance, Term};
use watchkeeper_space::{Id, Space, successors};

/// What all models have, in this order; where nobody crashes `crashed` is 0 and hLFSC is -1.
const SHARED: [&str; 9] =
    ["sTimer", "rTimer", "rPC", "buf", "wt", "timeout", "suspected", "crashed", "hLFSC"];

/// The part of a state of a parametric system that all models have.
fn shared(instance: &SystemInstance, state: &[i64]) -> State {
    let variables = &instance.system().variables;
    let value = |name: &str| variables.iter().position(|variable| variable.name == name).map(|i| state[i]);
    SHARED.map(|name| value(name).unwrap_or(if name == "hLFSC" { -1 } else { 0 })).to_vec()
}

/// The states after a round in the casebook.
pub(super) fn sub_rounds(case: ChandraTouegCase, state: &State) -> BTreeSet<State> {
    let space = case.space();
    let names = ["sTimer", "rTimer", "rPC", "buf", "waitingTime", "timeout", "suspected", "sPC", "hLFSC"];
    let place = |name: &str| space.shape().slots.iter().position(|slot| slot == name).expect("a slot");
    let slots = names.map(place);
    // The casebook counts by how much the timeout has grown, and hLFSC from 0.
    let shift = [0, 0, 0, 0, 0, i64::from(case.timeout()), 0, 0, -1];
    let mut row = space.initial().remove(0);
    let beginning = row[place("ePC")];
    for ((slot, value), shift) in slots.iter().zip(state).zip(shift) {
        row[*slot] = Id::try_from(value - shift).expect("an id");
    }
    let mut rows = BTreeSet::from([row]);
    loop {
        rows = rows.iter().flat_map(|row| successors(&space, row)).map(|(_, row)| row).collect();
        if rows.iter().all(|row| row[place("ePC")] == beginning) {
            break;
        }
    }
    let told =
        |row: &Vec<Id>| slots.iter().zip(shift).map(|(&slot, shift)| i64::from(row[slot]) + shift).collect();
    rows.iter().map(told).collect()
}

/// The states after a round of the machine of IVy, as the paper says it.
fn ivy_round(delta: i64, phi: i64, crash: bool, state: &State) -> BTreeSet<State> {
    let mut found = BTreeSet::new();
    let &[s_timer, r_timer, task, buf, wt, timeout, suspected, crashed, since] = &state[..] else {
        return found;
    };
    let old = 1 << delta;
    let aged = if delta == 0 {
        buf
    } else {
        (buf << 1) & (old - 1) | if buf & (old | old >> 1) != 0 { old } else { 0 }
    };
    let mut senders = Vec::new();
    if crashed == 1 {
        senders.push((s_timer, aged, 1, since + 1));
    } else {
        senders.push((0, aged | 1, 0, since));
        if s_timer < 3 * phi - 1 {
            senders.push((s_timer + 1, aged, 0, since));
        }
        if crash {
            senders.push((0, aged, 1, 0));
        }
    }
    for (s_timer, buf, crashed, since) in senders {
        let mut to = |r_timer, task, buf, wt, timeout, suspected| {
            found.insert(vec![s_timer, r_timer, task, buf, wt, timeout, suspected, crashed, since]);
        };
        if r_timer < phi - 1 {
            to(r_timer + 1, task, buf, wt, timeout, suspected);
        }
        match task {
            2 => to(0, 0, buf, wt + 1, timeout, suspected),
            1 => to(0, 2, buf, wt + 1, timeout, suspected.max(i64::from(wt + 1 >= timeout))),
            _ => {
                for stays in (0..old).filter(|stays| stays & !buf == 0 && *stays != buf) {
                    to(0, 1, stays, 0, timeout + suspected, 0);
                }
                if buf & old == 0 {
                    to(0, 1, buf, wt + 1, timeout, suspected);
                }
            }
        }
    }
    found
}

/// Walks through a parametric system and holds every round against another model; gives how many states there are,
/// as the other model tells them apart. Beyond `longest` nobody looks: one machine waits for ever.
fn same_rounds(machine: PaperMachine, [delta, phi, first]: [u32; 3], crash: bool, longest: i64) -> usize {
    let model = DetectorModel::new(machine).with_buffer(BufferAbstraction::Exact);
    let model = if crash { model.with_crash().with_observer(GhostVariables::Rounds) } else { model };
    let instance =
        SystemInstance::new(&rounds(model), &[delta.into(), phi.into(), first.into()]).expect("possible");
    let case = ChandraTouegCase::new(delta, phi, first, Encoding::Counter).expect("possible");
    let case = if crash { case.with_ghost() } else { case };
    let begun = instance.beginnings().expect("small numbers");
    let mut open: Vec<State> = begun.into_iter().map(|turn| turn.after).collect();
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let here = shared(&instance, &state);
        let turns = instance.turns(&state).expect("small numbers");
        let ours: BTreeSet<State> = turns.into_iter().map(|turn| turn.after).collect();
        let theirs = match machine {
            PaperMachine::Tlc => sub_rounds(case, &here),
            PaperMachine::Ivy => ivy_round(delta.into(), phi.into(), crash, &here),
        };
        let told: BTreeSet<State> = ours.iter().map(|state| shared(&instance, state)).collect();
        assert_eq!(told, theirs, "after {:?}", instance.told(&state));
        open.extend(ours.into_iter().filter(|state| shared(&instance, state)[4] <= longest));
    }
    seen.iter().map(|state| shared(&instance, state)).collect::<BTreeSet<State>>().len()
}

#[test]
fn a_round_is_the_seven_sub_rounds_of_the_casebook() {
    // The timeout grows from too short to long enough on the way.
    let points = [[0, 1, 1], [1, 2, 2], [4, 1, 1], [2, 2, 3]];
    assert_eq!(points.map(|point| same_rounds(PaperMachine::Tlc, point, false, 99)), [8, 595, 35, 668]);
}

#[test]
fn a_round_with_a_crash_is_the_eight_sub_rounds_of_the_casebook() {
    let points = [[0, 1, 2], [1, 1, 1], [2, 1, 2], [1, 2, 6]];
    assert_eq!(points.map(|point| same_rounds(PaperMachine::Tlc, point, true, 99)), [27, 32, 172, 1178]);
}

#[test]
fn a_round_of_the_other_machine_is_what_the_paper_says() {
    let points = [[0, 1, 1], [1, 1, 2], [2, 1, 1], [0, 2, 3]];
    assert_eq!(points.map(|point| same_rounds(PaperMachine::Ivy, point, false, 99)), [21, 91, 196, 250]);
    assert_eq!(points.map(|point| same_rounds(PaperMachine::Ivy, point, true, 9)), [116, 358, 599, 1326]);
}

/// Follows the rounds of a witness in the exact buffer, and gives the states.
fn followed(
    witness: &ParametricWitness,
    refutation: &DetectorRefutation,
    exact: &SystemInstance,
) -> Vec<State> {
    let oldest =
        SystemInstance::new(&refutation.system, exact.parameters()).expect("parameters of the refutation");
    let run = witness.run(&oldest).expect("a run");
    let mut states = vec![exact.beginnings().expect("small numbers").remove(0).after];
    let paths = exact.system().paths();
    for (name, told) in &run[1..] {
        let ways = &paths.iter().find(|path| path.name == *name).expect("a path of the same name").ways;
        let now = states.last().expect("a state").clone();
        let turns = exact.turns(&now).expect("small numbers");
        let turn = turns.into_iter().find(|turn| turn.ways == *ways).expect("the exact buffer can");
        let (ours, theirs) = (shared(exact, &turn.after), shared(&oldest, told));
        let age = oldest.value(&Term::name("age"), told).expect("small numbers");
        assert_eq!(if ours[3] == 0 { -1 } else { ours[3].ilog2().into() }, age, "{name}");
        let without = |state: &State| [&state[..3], &state[4..]].concat();
        assert_eq!(without(&ours), without(&theirs), "{name}");
        states.push(turn.after);
    }
    states
}

#[test]
fn witnesses_are_runs_of_the_exact_buffer() {
    for machine in PaperMachine::ALL {
        let [refutation] = refutations(machine).try_into().expect("one refutation");
        let exact = rounds(refutation.model.with_buffer(BufferAbstraction::Exact));
        for (delta, phi) in [(0, 1), (4, 1), (0, 3), (3, 2), (7, 2), (8, 3), (13, 2)] {
            let (thirds, rest) = (delta / 3, delta % 3);
            let fits =
                |to: &i64| SystemInstance::new(&refutation.system, &[delta, phi, *to, thirds, rest]).is_ok();
            let first = (0..200).find(fits).expect("a timeout that is one too short");
            let exact = SystemInstance::new(&exact, &[delta, phi, first, thirds, rest]).expect("possible");
            let runs: Vec<Vec<State>> = refutation
                .witnesses
                .iter()
                .filter(|witness| {
                    let state = &exact.beginnings().expect("small numbers")[0].after;
                    let holds = |condition| exact.holds(condition, state).expect("small numbers");
                    witness.condition.iter().all(holds)
                })
                .map(|witness| followed(witness, &refutation, &exact))
                .collect();
            assert_eq!(runs.len(), 1, "{machine}, {delta}, {phi}");
            let suspected: Vec<bool> = runs[0].iter().map(|state| shared(&exact, state)[6] != 0).collect();
            assert_eq!(suspected.iter().position(|suspected| *suspected), Some(runs[0].len() - 1));
        }
    }
}
