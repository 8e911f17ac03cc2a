//! The parametric systems held against the model of the casebook that is searched sub-round by sub-round: the same
//! rounds from the same states. And the witnesses, as runs of the exact buffer.

use super::*;
use crate::chandra_toueg::{Case, Encoding, SenderReceiver};
use std::collections::BTreeSet;
use watchkeeper_prove::{Instance, State, Witness};
use watchkeeper_space::{Id, Space, successors};

/// The space of the casebook between two rounds.
struct Whole {
    space: SenderReceiver,
    slots: Vec<usize>,
    first: i64,
}

impl Whole {
    fn new(case: Case) -> Whole {
        let space = case.space();
        let names = ["ePC", "sTimer", "rTimer", "rPC", "buf", "waitingTime", "timeout", "suspected", "sPC", "hLFSC"];
        let place = |name: &str| space.shape().slots.iter().position(|slot| slot == name).expect("a slot");
        let slots = names.map(place).to_vec();
        Whole { space, slots, first: case.timeout().into() }
    }

    /// A row without the sub-round, in the order and the numbers of the parametric system.
    fn told(&self, row: &[Id]) -> State {
        let mut state: State = self.slots[1..].iter().map(|&slot| row[slot].into()).collect();
        state[5] += self.first;
        state[8] -= 1;
        state
    }

    /// The rows after a round.
    fn round(&self, row: &[Id]) -> BTreeSet<Vec<Id>> {
        let sub_round = row[self.slots[0]];
        let next = |rows: BTreeSet<Vec<Id>>| -> BTreeSet<Vec<Id>> {
            rows.iter().flat_map(|row| successors(&self.space, row)).map(|(_, row)| row).collect()
        };
        let mut rows = next(BTreeSet::from([row.to_vec()]));
        while rows.iter().any(|row| row[self.slots[0]] != sub_round) {
            rows = next(rows);
        }
        rows
    }
}

/// The variables of a state of the parametric system that the casebook has too; -1 for hLFSC where nobody crashes.
fn shared(instance: &Instance, state: &[i64]) -> State {
    let names = ["sTimer", "rTimer", "rPC", "buf", "wt", "timeout", "suspected", "crashed", "hLFSC"];
    let variables = &instance.system().variables;
    let value = |name: &str| variables.iter().position(|variable| variable.name == name).map(|i| state[i]);
    names.map(|name| value(name).unwrap_or(if name == "hLFSC" { -1 } else { 0 })).to_vec()
}

/// Walks both together; gives how many states there are.
fn same_rounds(delta: u32, phi: u32, first: u32, crash: bool) -> usize {
    let model = Model::new(Machine::Tlc).with_buffer(Buffer::Exact);
    let model = if crash { model.with_crash().with_observer(Observer::Rounds) } else { model };
    let instance = Instance::new(&rounds(model), &[delta.into(), phi.into(), first.into()]).expect("possible");
    let case = Case::new(delta, phi, first, Encoding::Counter).expect("possible");
    let whole = Whole::new(if crash { case.with_ghost() } else { case });
    let mut open: Vec<(State, Vec<Id>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (turn, row) in instance.beginnings().into_iter().zip(whole.space.initial()) {
        assert_eq!(shared(&instance, &turn.after), whole.told(&row));
        open.push((turn.after, row));
    }
    while let Some((state, row)) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let ours: BTreeSet<State> = instance.turns(&state).into_iter().map(|turn| turn.after).collect();
        let theirs = whole.round(&row);
        let told: BTreeSet<State> = theirs.iter().map(|row| whole.told(row)).collect();
        let projected: BTreeSet<State> = ours.iter().map(|state| shared(&instance, state)).collect();
        assert_eq!(projected, told, "after {:?}", instance.told(&state));
        for state in ours {
            let row = theirs.iter().find(|row| whole.told(row) == shared(&instance, &state));
            open.push((state, row.expect("the same round").clone()));
        }
    }
    seen.len()
}

#[test]
fn a_round_is_the_seven_sub_rounds_of_the_casebook() {
    // The timeout grows from too short to long enough on the way.
    let counts = [(0, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 3)].map(|(d, p, t)| same_rounds(d, p, t, false));
    assert_eq!(counts, [0, 0, 0, 0]);
}

#[test]
fn a_round_with_a_crash_is_the_eight_sub_rounds_of_the_casebook() {
    let counts = [(0, 1, 2), (1, 1, 1), (2, 1, 2), (1, 2, 6)].map(|(d, p, t)| same_rounds(d, p, t, true));
    assert_eq!(counts, [0, 0, 0, 0]);
}

/// Follows the rounds of a witness in the exact buffer, and gives the states.
fn followed(witness: &Witness, refutation: &Refutation, exact: &Instance) -> Vec<State> {
    let oldest = Instance::new(&refutation.system, exact.parameters()).expect("parameters of the refutation");
    let run = witness.run(&oldest).expect("a run");
    let mut states = vec![exact.beginnings().remove(0).after];
    let paths = exact.system().paths();
    for (name, told) in &run[1..] {
        let ways = &paths.iter().find(|path| path.name == *name).expect("a path of the same name").ways;
        let now = states.last().expect("a state").clone();
        let turn = exact.turns(&now).into_iter().find(|turn| turn.ways == *ways).expect("the exact buffer can");
        let (ours, theirs) = (shared(exact, &turn.after), shared(&oldest, told));
        let age = oldest.value(&watchkeeper_prove::Term::name("age"), told);
        assert_eq!(if ours[3] == 0 { -1 } else { ours[3].ilog2().into() }, age, "{name}");
        let without = |state: &State| [&state[..3], &state[4..]].concat();
        assert_eq!(without(&ours), without(&theirs), "{name}");
        states.push(turn.after);
    }
    states
}

#[test]
fn witnesses_are_runs_of_the_exact_buffer() {
    for machine in Machine::ALL {
        let [refutation] = refutations(machine).try_into().expect("one refutation");
        let exact = rounds(refutation.model.with_buffer(Buffer::Exact));
        for (delta, phi) in [(0, 1), (4, 1), (0, 3), (3, 2), (7, 2), (8, 3), (30, 4)] {
            let (thirds, rest) = (delta / 3, delta % 3);
            let fits = |to: &i64| {
                Instance::new(&refutation.system, &[delta, phi, *to, thirds, rest]).is_ok()
            };
            let first = (0..200).find(fits).expect("a timeout that is one too short");
            let exact = Instance::new(&exact, &[delta, phi, first, thirds, rest]).expect("possible");
            let runs: Vec<Vec<State>> = refutation
                .witnesses
                .iter()
                .filter(|witness| {
                    let state = &exact.beginnings()[0].after;
                    witness.condition.iter().all(|condition| exact.holds(condition, state))
                })
                .map(|witness| followed(witness, &refutation, &exact))
                .collect();
            assert_eq!(runs.len(), 1, "{machine}, {delta}, {phi}");
            let suspected: Vec<bool> = runs[0].iter().map(|state| shared(&exact, state)[6] != 0).collect();
            assert_eq!(suspected.iter().position(|suspected| *suspected), Some(runs[0].len() - 1));
        }
    }
}
