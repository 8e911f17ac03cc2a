//! Initial states of dense time that differ in their clocks alone: a run begins in the one that allows it.

use crate::tests::walk::Collect;
use crate::{Scenario, Timing, TypedWorld, WorldTime};
use watchkeeper_core::{Bound, Effects, Input, Never, Pid, Promises, Protocol, Slot};
use watchkeeper_space::{Id, Narration, Space, StatePath};

/// p0 picks whether it rings at once or after two units of time; p1 rings at once.
struct Picky;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Bell {
    Ring,
}

impl Protocol for Picky {
    type State = bool;
    type Msg = Never;
    type Timer = Bell;
    type Call = Never;
    type Output = Never;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> bool {
        let late = me == Pid::at(0) && fx.pick(2) == 0;
        fx.arm(Bell::Ring, Bound::exactly(if late { 2 } else { 0 }));
        false
    }

    fn step(&self, _: Pid, rung: &mut bool, _: Input<'_, Self>, _: &mut impl Effects<Self>) {
        *rung = true;
    }
}

impl Promises for Picky {}

#[test]
fn a_run_begins_in_the_initial_state_whose_clocks_allow_it() {
    let timing = Timing::per_message(Bound::exactly(0));
    let scenario = Scenario { time: WorldTime::Dense(timing), ..Scenario::new(2) };
    let world = TypedWorld::new(Picky, scenario).expect("a world");
    assert_eq!(world.initial().len(), 2, "they differ in their zones");
    let mut firsts = Vec::new();
    for start in world.initial() {
        for (action, row) in Collect::of(&world, &start).steps {
            let rows: Vec<Vec<Id>> = vec![start.clone(), row];
            let trace = world.replay(&StatePath { rows, actions: vec![action] }).expect("it can happen");
            firsts.push((trace.steps[0].action.clone(), trace.steps[0].at.clone()));
        }
    }
    firsts.sort();
    let at_once = |action: &str| (action.to_string(), Some("0".to_string()));
    let expected = ["p0: Ring fires", "p1: Ring fires", "p1: Ring fires"];
    assert_eq!(firsts, expected.map(at_once), "p0 comes first only if it rings at once");
}
