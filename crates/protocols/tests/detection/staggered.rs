//! A protocol whose processes begin late: nothing of it is lost, and nothing happens before.

use crate::observations::{p, ring};
use watchkeeper_core::{Bound, Effects, Input, Never, Pid, Protocol, Slot, Suspicion};
use watchkeeper_protocols::detection::{Staggered, StaggeredState, StaggeredTimer};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingTimer};

type Timer = StaggeredTimer<RingTimer>;

/// What was asked for, as text.
#[derive(Default)]
struct Diary(Vec<String>);

impl Effects<Staggered<Ring>> for Diary {
    fn send(&mut self, to: Pid, msg: RingMsg) {
        self.0.push(format!("send {to} {msg:?}"));
    }

    fn reply(&mut self, to: Pid, msg: RingMsg) {
        self.0.push(format!("reply {to} {msg:?}"));
    }

    fn arm(&mut self, timer: Timer, bound: Bound) {
        self.0.push(format!("arm {} {bound:?}", timer.name()));
    }

    fn disarm(&mut self, timer: Timer) {
        self.0.push(format!("disarm {timer:?}"));
    }

    fn emit(&mut self, output: Suspicion) {
        self.0.push(format!("emit {output:?}"));
    }

    fn pick(&mut self, _: usize) -> usize {
        0
    }
}

fn taken(
    late: &Staggered<Ring>,
    state: &mut StaggeredState<<Ring as Protocol>::State, RingMsg>,
    input: Input<'_, Staggered<Ring>>,
) -> Vec<String> {
    let mut diary = Diary::default();
    late.step(p(0), state, input, &mut diary);
    diary.0
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
    let mut diary = Diary::default();
    let mut state = late.init(p(0), &mut diary);
    assert_eq!(diary.0, [format!("arm begin {:?}", Bound::within(6))]);
    let question = Input::Receive { from: p(2), msg: &RingMsg::AreYouAlive };
    assert!(taken(&late, &mut state, question).is_empty());
    assert_eq!(state, StaggeredState::Waiting(vec![(p(2), RingMsg::AreYouAlive)]));
    let begun = taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin));
    let round = format!("arm Round {:?}", Bound::exactly(4));
    assert_eq!(begun, ["send p1 AreYouAlive", &round, "reply p2 IAmAlive"]);
}

#[test]
fn from_then_on_it_is_the_protocol() {
    let late = Staggered::new(ring(3), 6);
    let mut state = late.init(p(0), &mut Diary::default());
    taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin));
    let ended = taken(&late, &mut state, Input::Fire(StaggeredTimer::Own(RingTimer::Round)));
    assert_eq!(ended[0], format!("emit {:?}", Suspicion::Suspect(p(1))));
    assert!(taken(&late, &mut state, Input::Fire(StaggeredTimer::Begin)).is_empty(), "only once");
}
