//! Every choice of a step is tried once, in the same order by the search and by the interpreter.

use super::samples::Flood;
use super::walk::count;
use crate::local::ArmedTimers;
use crate::record::{MAX_CHOICES, runs};
use crate::{Network, Scenario, TypedWorld, WorldTime};
use std::cell::RefCell;
use watchkeeper_automaton::{Requests, StateId, performances};

/// Picks whose number and width depend on what was picked before.
fn pick(fx: &mut impl Requests) -> Vec<usize> {
    let mut picked = vec![fx.pick(3)];
    if picked[0] == 1 {
        picked.push(fx.pick(1));
        picked.push(fx.pick(4));
    } else if picked[0] == 2 {
        // Nothing to choose from is no choice.
        picked.push(fx.pick(0));
    }
    picked
}

/// The state after a step, which does not matter here.
fn after((): ()) -> StateId {
    StateId(0)
}

#[test]
fn dependent_picks_are_enumerated_in_order() {
    let (searched, executed) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let (all, complete) = runs(WorldTime::Untimed, &ArmedTimers::default(), |fx| {
        let _: () = searched.borrow_mut().push(pick(fx));
        after(())
    });
    let expected = [vec![0], vec![1, 0, 0], vec![1, 0, 1], vec![1, 0, 2], vec![1, 0, 3], vec![2, 0]];
    assert_eq!((all.len(), complete), (6, true));
    assert_eq!(*searched.borrow(), expected);
    let all = performances(|fx| {
        let _: () = executed.borrow_mut().push(pick(fx));
        after(())
    });
    let picks: Vec<Vec<usize>> = all.into_iter().map(|performance| performance.picks).collect();
    assert_eq!(picks, expected);
}

#[test]
fn too_many_choices_are_noticed() {
    let wide = |ways: usize| {
        runs(WorldTime::Untimed, &ArmedTimers::default(), |fx| {
            fx.pick(ways);
            after(())
        })
    };
    let (all, complete) = wide(MAX_CHOICES);
    assert_eq!((all.len(), complete), (MAX_CHOICES, true));
    let (all, complete) = wide(MAX_CHOICES + 1);
    assert_eq!((all.len(), complete), (MAX_CHOICES, false));
}

/// A step with more choices than that is cut, and the search cannot say `holds`.
#[test]
fn a_step_with_too_many_choices_is_cut() {
    let flood = Flood { burst: 17, kinds: 2, one_way: true, ..Flood::PLAIN };
    let network = Network::default().with_channel("drop:1".parse().expect("a channel"));
    let world = TypedWorld::new(flood, Scenario { network, ..Scenario::new(2) }).expect("a world");
    let found = count(&world);
    assert_eq!((found.states, found.cuts.get(&1)), (2, Some(&2)), "2^17 ways, of which half begin with Red");
}
