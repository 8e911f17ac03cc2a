//! A protocol whose processes begin late: nothing of it is lost, and nothing happens before.

use crate::effects::{Effect, EffectsOf, start, step};
use crate::observations::{p, ring};
use watchkeeper_core::{Bound, Input, Never, Protocol, Slot, Suspicion};
use watchkeeper_protocols::detection::{Staggered, StaggeredState, StaggeredTimer};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingTimer};

type Timer = StaggeredTimer<RingTimer>;

type Late = Staggered<Ring>;

fn taken(late: &Late, state: &mut <Late as Protocol>::State, input: Input<'_, Late>) -> EffectsOf<Late> {
    step(late, p(0), state, input)
}

#[test]
fn slots_are_the_own_ones_and_one_more() {
    assert_eq!(Timer::all().map(Slot::name).collect::<Vec<_>>(), ["Round", "begin"]);
    for index in 0..2 {
        assert_eq!(Timer::from_index(index).map(Slot::index), Some(index));
    }
    assert_eq!(Timer::from_index(2), None);
    assert_eq!(StaggeredTimer::<Never>::all().map(Slot::name).collect::<Vec<_>>(), ["begin"]);
}

#[test]
fn what_arrives_before_is_answered_at_the_beginning() {
    let late = Staggered::new(ring(3), 6);
    let (mut state, begin) = start(&late, p(0));
    assert_eq!(begin, [Effect::Arm(Timer::Begin, Bound::within(6))]);
    let question = Input::Receive { from: p(2), msg: &RingMsg::AreYouAlive };
    assert!(taken(&late, &mut state, question).is_empty());
    assert_eq!(state, StaggeredState::Waiting(vec![(p(2), RingMsg::AreYouAlive)]));
    let begun = taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin));
    let round = Effect::Arm(StaggeredTimer::Own(RingTimer::Round), Bound::exactly(4));
    let (question, answer) = (RingMsg::AreYouAlive, RingMsg::IAmAlive);
    assert_eq!(begun, [Effect::Send(p(1), question), round, Effect::Reply(p(2), answer)]);
}

#[test]
fn from_then_on_it_is_the_protocol() {
    let late = Staggered::new(ring(3), 6);
    let (mut state, _) = start(&late, p(0));
    taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin));
    let ended = taken(&late, &mut state, Input::Fire(StaggeredTimer::Own(RingTimer::Round)));
    assert_eq!(ended[0], Effect::Emit(Suspicion::Suspect(p(1))));
    assert!(taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin)).is_empty(), "only once");
}
