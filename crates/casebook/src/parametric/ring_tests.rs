//! The bridge to the code that runs: for small capacities the ring in its world and the parametric system have the
//! same states with the same steps, and are without steps in the same states. The run for all capacities is one of the
//! world, in any order of delivery and in FIFO order.

use super::ring;
use std::collections::{BTreeMap, HashSet};
use watchkeeper_core::{Value, View};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_prove::{
    ObligationStatus, ProofGoal, Refutation, State, SystemInstance, SystemSpace, check_all, solver,
};
use watchkeeper_space::{Id, Narration, Space, successors};
use watchkeeper_world::{Capacity, DeliveryOrder, Network, Scenario, TypedWorld, WhenFull};

fn world(capacity: u32, when_full: WhenFull, order: DeliveryOrder) -> TypedWorld<Ring> {
    let capacity = Capacity::Bounded(capacity);
    let network = Network { capacity, when_full, order, ..Network::default() };
    let scenario = Scenario { network, ..Scenario::new(3) };
    TypedWorld::new(Ring::new(3, 1).expect("a ring"), scenario).expect("a world")
}

fn field<'a>(fields: &'a [(String, Value)], name: &str) -> Option<&'a Value> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    let Some(Value::List(all)) = value else { return Vec::new() };
    let text = |value: &'_ Value| matches!(value, Value::Str(_));
    assert!(all.iter().all(text), "{all:?}");
    all.iter()
        .filter_map(|value| if let Value::Str(text) = value { Some(text.as_str()) } else { None })
        .collect()
}

/// The state of the system that a state of the world is, in the order of the variables.
fn of_view(view: &View) -> State {
    let Some(Value::Record(channels)) = field(view, "channels") else { panic!("channels in {view:?}") };
    let mut state = Vec::new();
    for me in 0..3 {
        let (next, last) = ((me + 1) % 3, (me + 2) % 3);
        let Some(Value::Record(process)) = field(view, &format!("p{me}")) else {
            panic!("p{me} in {view:?}")
        };
        let Some(Value::Str(target)) = field(process, "target") else { panic!("a target in {process:?}") };
        let place = [next, last, me].iter().position(|it| *target == format!("p{it}"));
        let received = field(process, "received") == Some(&Value::Bool(true));
        let mode = match texts(field(process, "waits to send"))[..] {
            [] => 0,
            [question] if question == format!("ARE-YOU-ALIVE to {target}") => 1,
            [answer] if answer == format!("I-AM-ALIVE to p{next}") => 2,
            [answer] if answer == format!("I-AM-ALIVE to p{last}") => 3,
            ref other => panic!("p{me} waits to send {other:?}"),
        };
        state.extend([place.expect("a process of the ring") as i64, i64::from(received), mode]);
        for to in [next, last] {
            let inside = texts(field(channels, &format!("p{me}->p{to}")));
            let of = |kind: &str| inside.iter().filter(|label| label.starts_with(kind)).count() as i64;
            assert_eq!(of("ARE-YOU-ALIVE") + of("I-AM-ALIVE"), inside.len() as i64, "{inside:?}");
            state.extend([of("ARE-YOU-ALIVE"), of("I-AM-ALIVE")]);
        }
    }
    state
}

/// Walks both sides at once, level by level, and gives the first level with a deadlock and the number of states.
fn compared(capacity: u32, full: WhenFull, levels: usize) -> (Option<usize>, usize) {
    let world = world(capacity, full, DeliveryOrder::AnyOrder);
    let system = ring::system(full);
    let instance = SystemInstance::new(&system, &[i64::from(capacity)]).expect("an instance");
    let property = ring::no_deadlock(&system).formula;
    let atoms = [("goes on".to_string(), property)];
    let space = SystemSpace::new(instance, &atoms).expect("a space");
    let image = |row: &[Id]| of_view(&world.view(row));
    let (first, begun) = (world.initial(), space.initial());
    assert_eq!((first.len(), begun.len()), (1, 1));
    assert_eq!(image(&first[0]), space.state(&begun[0]));
    let mut seen: HashSet<State> = HashSet::from([image(&first[0])]);
    let mut level = vec![(first[0].clone(), begun[0].clone())];
    let mut deadlock = None;
    for depth in 0..=levels {
        let mut next = Vec::new();
        for (row, like) in level {
            let of_world: BTreeMap<State, Vec<Id>> =
                successors(&*world, &row).into_iter().map(|(_, row)| (image(&row), row)).collect();
            let of_system: BTreeMap<State, Vec<Id>> =
                successors(&space, &like).into_iter().map(|(_, row)| (space.state(&row), row)).collect();
            let state = space.state(&like);
            assert!(of_world.keys().eq(of_system.keys()), "K = {capacity}, {state:?}");
            assert_eq!(space.atom(0, &like), !of_world.is_empty(), "K = {capacity}, {state:?}");
            if of_world.is_empty() {
                deadlock = deadlock.or(Some(depth));
            }
            for (image, row) in of_world {
                let like = of_system[&image].clone();
                if seen.insert(image) {
                    next.push((row, like));
                }
            }
        }
        level = next;
    }
    (deadlock, seen.len())
}

#[test]
fn the_ring_in_its_world_and_the_system_have_the_same_states_and_steps() {
    // With room for one message all states, with room for two those up to the first deadlock.
    let (deadlock, states) = compared(1, WhenFull::Block, 60);
    assert_eq!(deadlock, Some(6), "{states} states");
    assert_eq!(compared(1, WhenFull::Drop, 60), (None, 46_251));
    assert_eq!(compared(2, WhenFull::Block, 9).0, Some(9));
}

fn refutation() -> Refutation {
    let fails = ring::cases().into_iter().find_map(|case| match case {
        ProofGoal::Fails(refutation) => Some(refutation),
        ProofGoal::Holds(_) => None,
    });
    fails.expect("a refutation")
}

#[test]
fn the_run_into_the_deadlock_is_one_of_the_world_in_any_order_and_in_fifo_order() {
    let refutation = refutation();
    for (capacity, steps) in [(1, 6), (2, 9), (3, 15), (4, 18), (7, 33), (12, 54)] {
        let instance = SystemInstance::new(&refutation.system, &[capacity]).expect("an instance");
        let run = refutation.witnesses[0].run(&instance).expect("a run");
        assert_eq!(run.len() - 1, steps, "K = {capacity}");
        for order in [DeliveryOrder::AnyOrder, DeliveryOrder::Fifo] {
            let world = world(capacity as u32, WhenFull::Block, order);
            let image = |row: &[Id]| of_view(&world.view(row));
            let mut row = world.initial().swap_remove(0);
            assert_eq!(image(&row), run[0].1);
            for (path, state) in &run[1..] {
                let next = successors(&*world, &row).into_iter().find(|(_, row)| image(row) == *state);
                row = next.unwrap_or_else(|| panic!("K = {capacity}, {order:?}: {path}")).1;
            }
            assert!(successors(&*world, &row).is_empty(), "K = {capacity}, {order:?}: a deadlock");
        }
    }
}

#[test]
fn a_run_with_a_lap_less_is_refused() {
    let mut refutation = refutation();
    let fewer = watchkeeper_prove::term("2*half <= K - 1").expect("a formula");
    refutation.witnesses[0].auxiliaries[0].given = fewer;
    let obligations = refutation.obligations().expect("obligations");
    for solver in solver::for_tests() {
        let limit = std::time::Duration::from_secs(20);
        let checked = check_all(&refutation.system, &obligations, &solver, limit, |_| {}).expect("answers");
        let refuted =
            |one: &watchkeeper_prove::CheckedObligation| matches!(one.outcome, ObligationStatus::Refuted(_));
        assert!(checked.iter().any(refuted), "{solver:?}");
    }
}
