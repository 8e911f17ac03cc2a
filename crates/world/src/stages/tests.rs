//! Runs in stages against all runs, on systems small enough for both: whatever a process can be in one it can be in
//! the other.

use super::{InStages, StageRules};
use crate::{
    Capacity, Faults, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory, TypedWorld, World,
};
use std::collections::{BTreeSet, HashSet, VecDeque};
use watchkeeper_core::{Pid, ProcSet, Promises, Staged, unpacked};
use watchkeeper_protocols::consensus::{
    Consensus, ConsensusCall, Rotating, RotatingFlaw, Strong, StrongFlaw,
};
use watchkeeper_space::{Id, Space, successors};

fn scenario(n: usize, crashes: u32, accuracy: OracleAccuracy) -> Scenario {
    let crashable = if crashes > 0 { ProcSet::first(n) } else { ProcSet::EMPTY };
    Scenario {
        network: Network { capacity: Capacity::Unbounded { cap: 32 }, ..Network::default() },
        faults: Faults { crashable, crashes, crash_loses: true, ..Faults::default() },
        oracle: Some(Oracle { accuracy, memory: SuspicionMemory::Momentary }),
        ..Scenario::new(n)
    }
}

fn world<P>(protocol: P, scenario: Scenario) -> TypedWorld<P>
where
    P: Promises<Call = ConsensusCall>,
{
    let n = scenario.n;
    let calls = Pid::all(n).map(|p| (p, ConsensusCall::Propose(p.index() as u64), 1)).collect();
    TypedWorld::new(protocol, scenario).and_then(|world| world.with_calls(calls)).expect("a world")
}

/// What each process can be, as bytes; with `all` its crashes too.
type Views = Vec<BTreeSet<Vec<u8>>>;

/// The local states of a row, added to those seen.
fn note(world: &World, row: &[Id], views: &mut Views) {
    for (process, view) in views.iter_mut().enumerate() {
        if let Some(state) = world.machines[process].locals.get(row[process]).value.state() {
            view.insert(world.automaton.states().packed(state.0).to_vec());
        }
    }
}

/// What processes can be in any run.
fn in_all_runs(world: &World) -> (Views, usize) {
    let mut views = vec![BTreeSet::new(); world.scenario.n];
    let mut seen: HashSet<Vec<Id>> = world.initial().into_iter().collect();
    let mut queue: VecDeque<Vec<Id>> = seen.iter().cloned().collect();
    while let Some(row) = queue.pop_front() {
        note(world, &row, &mut views);
        for (_, after) in successors(world, &row) {
            if seen.insert(after.clone()) {
                queue.push_back(after);
            }
        }
    }
    (views, seen.len())
}

/// What processes can be in a run in stages, with the rounds that they have, up to a round. Those that are due must
/// go on before others can, so the search goes further than the one that it is compared with.
fn in_stages(space: &InStages, rounds: u64) -> (Views, usize) {
    let world = space.world();
    let mut views = vec![BTreeSet::new(); world.scenario.n];
    let mut seen: HashSet<(Vec<Id>, ProcSet)> =
        world.initial().into_iter().map(|row| (row, ProcSet::EMPTY)).collect();
    let mut queue: VecDeque<(Vec<Id>, ProcSet)> = seen.iter().cloned().collect();
    let within =
        |process: usize, local| space.stage(process, local).is_none_or(|stage| stage.round <= rounds + 2);
    while let Some((row, left)) = queue.pop_front() {
        note(world, &row, &mut views);
        for (_, mut after, here) in space.real_steps(&row, left) {
            let (_, left) = space.inside(&here);
            space.forget(&space.turn(&after, left), &mut after);
            let next = (after, left);
            if (0..world.scenario.n).all(|process| within(process, next.0[process]))
                && seen.insert(next.clone())
            {
                queue.push_back(next);
            }
        }
    }
    (views, seen.len())
}

/// The two ways, for a protocol as it is and one whose search is limited to the same rounds.
fn alike<P>(free: P, limited: P, rounds: u64, scenario: &Scenario, what: &str)
where
    P: Consensus<Call = ConsensusCall> + Staged + Promises + Clone,
{
    let protocol = free.clone();
    let (all, states) = in_all_runs(&world(limited, scenario.clone()));
    let space = InStages::new(world(free, scenario.clone()), StageRules::of()).expect("a world in stages");
    let (staged, fewer) = in_stages(&space, rounds);
    let state = |view: &Vec<u8>| unpacked::<P::State>(view).expect("packed above");
    for process in 0..scenario.n {
        // Who decides by what others tell may have decided alone before, and the other way round.
        let early = |view: &&Vec<u8>| {
            let stage = protocol.stage(Pid::at(process), &state(view));
            stage.is_some_and(|stage| stage.round <= rounds)
        };
        let missing = all[process].difference(&staged[process]).filter(early).count();
        let invented = staged[process].difference(&all[process]).filter(early).count();
        assert_eq!((missing, invented), (0, 0), "{what}, p{process}: {} views", all[process].len());
    }
    let decisions = |views: &Views| -> BTreeSet<u64> {
        views.iter().flatten().filter_map(|view| protocol.decision(&state(view))).collect()
    };
    let (some, more) = (decisions(&all), decisions(&staged));
    assert!(some.is_subset(&more), "{what}: {some:?} is decided, and in stages {more:?}");
    assert!(states > 0 && fewer > 0, "{what}: nothing was searched");
}

#[test]
fn algorithm_10_looks_the_same_in_stages() {
    for n in [2, 3] {
        for accuracy in [OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None] {
            for crashes in [0, n as u32 - 1] {
                let strong = Strong::new(n).expect("a protocol");
                let what = format!("strong {n}, {accuracy:?}, {crashes} crashes");
                alike(strong.clone(), strong, n as u64, &scenario(n, crashes, accuracy), &what);
            }
        }
    }
}

#[test]
fn algorithm_11_looks_the_same_in_stages() {
    for (n, rounds) in [(2, 4), (3, 2)] {
        for accuracy in [OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None] {
            for crashes in [0, 1] {
                let rotating = Rotating::new(n).expect("a protocol");
                let limited = rotating.clone().within(rounds).expect("rounds");
                let what = format!("rotating {n}, {rounds} rounds, {accuracy:?}, {crashes} crashes");
                alike(rotating, limited, rounds, &scenario(n, crashes, accuracy), &what);
            }
        }
    }
}

#[test]
fn so_do_protocols_with_mistakes() {
    for &flaw in StrongFlaw::ALL {
        let strong = Strong::new(3).expect("a protocol").flawed(flaw);
        let what = format!("strong 3, {flaw}");
        alike(strong.clone(), strong, 3, &scenario(3, 1, OracleAccuracy::Weak), &what);
    }
    // One of them answers every decision with another one, without end.
    for &flaw in RotatingFlaw::ALL.iter().filter(|flaw| **flaw != RotatingFlaw::DecidesAgain) {
        let rotating = Rotating::new(3).expect("a protocol").flawed(flaw);
        let limited = rotating.clone().within(2).expect("rounds");
        let what = format!("rotating 3, {flaw}");
        alike(rotating, limited, 2, &scenario(3, 1, OracleAccuracy::None), &what);
    }
}

/// All rows of a space.
fn rows(space: &InStages) -> HashSet<Vec<Id>> {
    let mut seen: HashSet<Vec<Id>> = space.initial().into_iter().collect();
    let mut queue: VecDeque<Vec<Id>> = seen.iter().cloned().collect();
    while let Some(row) = queue.pop_front() {
        for (_, after) in successors(space, &row) {
            if seen.insert(after.clone()) {
                queue.push_back(after);
            }
        }
    }
    seen
}

/// The rows that stand for the states with their real rounds, up to a round.
fn renumbered(space: &InStages, rounds: u64) -> HashSet<Vec<Id>> {
    let world = space.world();
    let start = |row: Vec<Id>| (row, ProcSet::EMPTY);
    let mut seen: HashSet<(Vec<Id>, ProcSet)> = world.initial().into_iter().map(start).collect();
    let mut queue: VecDeque<(Vec<Id>, ProcSet)> = seen.iter().cloned().collect();
    let mut rows: HashSet<Vec<Id>> = seen.iter().map(|(row, left)| space.normal(row, *left)).collect();
    let within =
        |process: usize, local| space.stage(process, local).is_none_or(|stage| stage.round <= rounds);
    while let Some((row, left)) = queue.pop_front() {
        for (_, mut after, here) in space.real_steps(&row, left) {
            let (_, left) = space.inside(&here);
            space.forget(&space.turn(&after, left), &mut after);
            if !(0..world.scenario.n).all(|process| within(process, after[process])) {
                continue;
            }
            rows.insert(here);
            let next = (after, left);
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    rows
}

/// The finite search of renumbered rows and a search of real rounds that goes far enough see the same rows.
#[test]
fn rounds_can_be_renumbered() {
    for (n, accuracy, crashes, rounds) in [
        (2, OracleAccuracy::None, 0, 12),
        (2, OracleAccuracy::EventuallyWeak, 1, 12),
        (3, OracleAccuracy::None, 0, 12),
        (3, OracleAccuracy::EventuallyWeak, 1, 12),
    ] {
        let rotating = Rotating::new(n).expect("a protocol");
        let scenario = scenario(n, crashes, accuracy);
        let space = InStages::new(world(rotating, scenario), StageRules::of()).expect("a world in stages");
        let (finite, real) = (rows(&space), renumbered(&space, rounds));
        let what = format!("n = {n}, {accuracy:?}, {crashes} crashes: {} rows", finite.len());
        assert_eq!(real.difference(&finite).count(), 0, "{what}");
        assert_eq!(finite.difference(&real).count(), 0, "{what}");
    }
}

/// A crash that moves behind its detection would be a mistake, which a perfect oracle does not make.
#[test]
fn oracles_that_leave_everyone_alone_have_no_stages() {
    for accuracy in [OracleAccuracy::Strong { mistakes: 0 }, OracleAccuracy::EventuallyStrong] {
        let world = world(Rotating::new(2).expect("a protocol"), scenario(2, 1, accuracy));
        let why = InStages::new(world, StageRules::of()).expect_err("it is refused").to_string();
        assert!(why.contains("leaves everyone alone who has not crashed"), "{why}");
    }
}
