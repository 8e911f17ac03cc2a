//! A protocol on a detector is told what the detector announces, all of it, in order and at once.

use crate::network::{Conditions, Network};
use crate::script::{Effect, hear, p, start, step};
use crate::small::{Gloomy, Listener, ListenerCall, ListenerMsg, ListenerOutput, ListenerTimer};
use watchkeeper_core::{
    Bound, Input, Kind, Meaning, Never, Perm, Pid, Promises, Protocol, Slot, Suspicion, Symmetry, packed,
    unpacked,
};
use watchkeeper_protocols::chandra_toueg::{ChandraToueg, ChandraTouegMsg, ChandraTouegTimer};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatTimer, HeartbeatVariant};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingTimer};
use watchkeeper_protocols::stack::{Layer, Stack};

type OnRing = Stack<Listener, Ring>;

fn on_ring() -> OnRing {
    Stack::new(Listener, Ring::new(3, 4).expect("a ring"))
}

/// What a process has announced, above and below.
fn parts<A: Copy>(announced: &[Layer<A, Suspicion>]) -> (Vec<A>, Vec<Suspicion>) {
    let above = announced.iter().filter_map(|output| match output {
        Layer::Above(output) => Some(*output),
        Layer::Below(_) => None,
    });
    let below = announced.iter().filter_map(|output| match output {
        Layer::Above(_) => None,
        Layer::Below(change) => Some(*change),
    });
    (above.collect(), below.collect())
}

#[test]
fn names_of_both_layers_are_there_in_order() {
    type Timers = <OnRing as Protocol>::Timer;
    assert_eq!(Timers::all().map(Slot::name).collect::<Vec<_>>(), ["Nap", "Round"]);
    assert_eq!(Layer::<ListenerTimer, RingTimer>::Below(RingTimer::Round).index(), 1);
    for index in 0..2 {
        assert_eq!(Timers::from_index(index).map(Slot::index), Some(index));
    }
    assert_eq!(Timers::from_index(2), None);
    type Msgs = <OnRing as Protocol>::Msg;
    assert_eq!(Msgs::KINDS, ["Noted", "Halt", "ARE-YOU-ALIVE", "I-AM-ALIVE"]);
    let msg: Msgs = Layer::Below(RingMsg::IAmAlive);
    assert_eq!((msg.kind(), msg.label()), (3, "I-AM-ALIVE".to_string()));
    assert_eq!(<Layer<Never, Never> as Kind>::KINDS, [""; 0]);
    assert_eq!(<Layer<Never, ChandraTouegTimer> as Slot>::COUNT, 65);
    type Waits = Layer<ListenerTimer, ChandraTouegTimer>;
    assert_eq!((Waits::COUNT, <Waits as Slot>::KINDS), (66, &["Nap", "beat", "wait"][..]));
    let wait: Waits = Layer::Below(ChandraTouegTimer::Wait(p(3)));
    assert_eq!((wait.index(), wait.name()), (5, "wait p3".to_string()));
    assert_eq!(wait.rename(&Perm::rotation(4, 1)), Layer::Below(ChandraTouegTimer::Wait(p(0))));
}

#[test]
fn the_layer_above_begins_first_and_is_then_told_what_the_detector_knows() {
    let stack = Stack::new(Listener, Gloomy);
    let (state, asked) = start(&stack, p(0));
    let suspicion = Suspicion::Suspect(p(1));
    assert_eq!(state.above(), &[suspicion]);
    assert_eq!(
        asked,
        [
            Effect::Emit(Layer::Above(ListenerOutput::Began)),
            Effect::Emit(Layer::Below(suspicion)),
            Effect::Emit(Layer::Above(ListenerOutput::Heard(suspicion))),
            Effect::Send(p(1), Layer::Above(ListenerMsg::Noted)),
        ]
    );
}

#[test]
fn a_notice_to_the_stack_is_for_the_detector() {
    let stack = Stack::new(Listener, Gloomy);
    let (mut state, _) = start(&stack, p(0));
    let asked = step(&stack, p(0), &mut state, Input::Notice(Suspicion::Trust(p(1))));
    assert_eq!(asked[0], Effect::Emit(Layer::Below(Suspicion::Trust(p(1)))));
    assert_eq!(state.above().last(), Some(&Suspicion::Trust(p(1))));
}

#[test]
fn only_what_answers_a_message_is_a_reply() {
    let stack = on_ring();
    let (mut state, _) = start(&stack, p(0));
    let asked = hear(&stack, p(0), &mut state, p(2), Layer::Above(ListenerMsg::Noted));
    assert_eq!(asked, [Effect::Reply(p(2), Layer::Above(ListenerMsg::Noted))]);
    let asked = hear(&stack, p(0), &mut state, p(2), Layer::Below(RingMsg::AreYouAlive));
    assert_eq!(asked, [Effect::Reply(p(2), Layer::Below(RingMsg::IAmAlive))]);
    step(&stack, p(0), &mut state, Input::Fire(Layer::Below(RingTimer::Round)));
    // A question of a suspect: the detector answers, and what is said above about the trust answers nothing.
    let asked = hear(&stack, p(0), &mut state, p(1), Layer::Below(RingMsg::AreYouAlive));
    assert_eq!(
        asked,
        [
            Effect::Reply(p(1), Layer::Below(RingMsg::IAmAlive)),
            Effect::Emit(Layer::Below(Suspicion::Trust(p(1)))),
            Effect::Emit(Layer::Above(ListenerOutput::Heard(Suspicion::Trust(p(1))))),
            Effect::Send(p(1), Layer::Above(ListenerMsg::Noted)),
        ]
    );
}

/// On a bad network: what was heard above is what was announced below, and leads to what the detector
/// believes.
fn told_all<D>(stack: Stack<Listener, D>, n: usize, suspects: impl Fn(Pid, &D::State) -> Vec<Pid>)
where
    D: Protocol<Output = Suspicion> + Clone,
{
    let mut changes = 0;
    for seed in 0..40 {
        let conditions = Conditions { lost: 20, twice: 10, delay: 1..=6 };
        let mut system = Network::new(stack.clone(), n, conditions, seed);
        while system.now < 200 {
            assert!(system.turn());
        }
        for me in Pid::all(n) {
            let (above, below) = parts(&system.announced_by(me));
            let heard: Vec<Suspicion> = system.states[me.index()].above().clone();
            assert_eq!(heard, below);
            assert_eq!(
                above[1..],
                heard.iter().map(|change| ListenerOutput::Heard(*change)).collect::<Vec<_>>()
            );
            let mut now = std::collections::BTreeSet::new();
            for change in &heard {
                let fresh = match change {
                    Suspicion::Suspect(q) => now.insert(*q),
                    Suspicion::Trust(q) => now.remove(q),
                };
                assert!(fresh, "every notice is a change");
            }
            let believed = suspects(me, system.states[me.index()].below());
            assert_eq!(now.into_iter().collect::<Vec<_>>(), believed);
            changes += heard.len();
        }
    }
    assert!(changes > 400, "{changes}");
}

#[test]
fn on_a_ring_the_notices_are_the_changes_of_the_detector() {
    let ring = Ring::new(3, 4).expect("a ring");
    told_all(Stack::new(Listener, ring.clone()), 3, |me, state| ring.suspects(me, state).iter().collect());
}

#[test]
fn on_the_detector_of_chandra_and_toueg_too() {
    let detector = ChandraToueg::new(4, 3, 6).expect("a detector");
    let stack = Stack::new(Listener, detector.clone());
    told_all(stack, 4, |me, state| detector.suspects(me, state).iter().collect());
}

/// A heartbeat participant that hears nothing stops, and with it what stands on it.
#[test]
fn a_detector_that_stops_takes_the_process_with_it() {
    let heartbeat = Heartbeat::new(HeartbeatVariant::Binary, 1, 2, 1).expect("a heartbeat");
    let stack = Stack::new(Listener, heartbeat);
    let (mut state, _) = start(&stack, p(1));
    assert_eq!(
        step(&stack, p(1), &mut state, Input::Call(&Layer::Above(ListenerCall::Wait))),
        [Effect::Arm(Layer::Above(ListenerTimer::Nap), Bound::exactly(3))]
    );
    let asked = step(&stack, p(1), &mut state, Input::Fire(Layer::Below(HeartbeatTimer::GiveUp)));
    let Effect::Emit(output) = &asked[0] else { panic!("{asked:?}") };
    assert_eq!(stack.meaning(output), Meaning::Stops);
    assert!(asked.contains(&Effect::Disarm(Layer::Above(ListenerTimer::Nap))));
    assert!(state.stopped());
    let after = state.clone();
    assert_eq!(hear(&stack, p(1), &mut state, p(0), Layer::Above(ListenerMsg::Noted)), []);
    assert_eq!(step(&stack, p(1), &mut state, Input::Call(&Layer::Above(ListenerCall::Wait))), []);
    assert_eq!(step(&stack, p(1), &mut state, Input::Notice(Suspicion::Suspect(p(0)))), []);
    assert_eq!(state, after);
    assert_eq!(unpacked(&packed(&after)), Ok(after));
}

#[test]
fn a_layer_above_that_stops_takes_the_detector_with_it() {
    let stack = on_ring();
    let (mut state, _) = start(&stack, p(0));
    let asked = hear(&stack, p(0), &mut state, p(1), Layer::Above(ListenerMsg::Halt));
    assert_eq!(
        asked,
        [
            Effect::Emit(Layer::Above(ListenerOutput::Halted)),
            Effect::Disarm(Layer::Above(ListenerTimer::Nap)),
            Effect::Disarm(Layer::Below(RingTimer::Round)),
        ]
    );
    assert_eq!(hear(&stack, p(0), &mut state, p(1), Layer::Below(RingMsg::AreYouAlive)), []);
}

#[test]
fn a_stack_promises_the_symmetry_that_both_layers_have() {
    assert_eq!(on_ring().symmetry(), Symmetry::Rotations);
    assert_eq!(Stack::new(Listener, Gloomy).symmetry(), Symmetry::None);
    let detector = ChandraToueg::new(3, 2, 5).expect("a detector");
    assert_eq!(detector.symmetry(), Symmetry::Full);
    assert_eq!(Stack::new(Listener, detector).symmetry(), Symmetry::Full, "timers of peers are renamed");
}

#[test]
fn one_announcement_in_a_step_is_one_notice() {
    let detector = ChandraToueg::new(3, 2, 5).expect("a detector");
    let stack = Stack::new(Listener, detector);
    let (mut state, _) = start(&stack, p(0));
    for (peer, change) in [(1, Suspicion::Suspect(p(1))), (2, Suspicion::Suspect(p(2)))] {
        step(&stack, p(0), &mut state, Input::Fire(Layer::Below(ChandraTouegTimer::Wait(p(peer)))));
        assert_eq!(state.above().last(), Some(&change));
    }
    hear(&stack, p(0), &mut state, p(1), Layer::Below(ChandraTouegMsg::Alive));
    assert_eq!(state.above().len(), 3);
}
