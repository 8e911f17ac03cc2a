//! The runs that the paper describes, seen from one process.

use crate::script::{ARM, Effect::*, Event, TIMEOUT, contents, p, ring, start, state, step};
use watchkeeper_core::Suspicion::{Suspect, Trust};
use watchkeeper_core::{
    Bound, Kind, MAX_PROCESSES, ProcSet, Promises, Protocol, Slot, Symmetry, Tone, packed,
};
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};
use watchkeeper_protocols::ring::{Ring, RingError, RingMsg, RingTimer};

#[test]
fn at_first_everyone_asks_its_successor_and_suspects_nobody() {
    for n in 2..=MAX_PROCESSES {
        let ring = ring(n);
        for me in (0..n).map(p) {
            let (state, effects) = start(&ring, me);
            assert_eq!(effects, [Send(me.succ(n), AreYouAlive), ARM]);
            assert_eq!(contents(&state), (me.succ(n), false));
            assert_eq!(ring.suspects(me, &state), ProcSet::EMPTY);
            assert_eq!(ring.target(me, &state), me.succ(n));
        }
    }
}

#[test]
fn an_answer_in_time_leads_to_the_next_round_with_the_same_target() {
    let ring = ring(3);
    let (mut state, _) = start(&ring, p(0));
    assert_eq!(step(&ring, p(0), &mut state, &Event::Receive(p(1), IAmAlive)), []);
    assert!(state.received());
    assert_eq!(step(&ring, p(0), &mut state, &Event::Round), [Send(p(1), AreYouAlive), ARM]);
    assert_eq!(contents(&state), (p(1), false));
}

#[test]
fn a_question_is_answered_and_says_nothing_about_the_target() {
    let ring = ring(3);
    let (mut state, _) = start(&ring, p(0));
    for from in [p(2), p(1)] {
        assert_eq!(
            step(&ring, p(0), &mut state, &Event::Receive(from, AreYouAlive)),
            [Reply(from, IAmAlive)]
        );
        assert_eq!(contents(&state), (p(1), false), "figure 1: only an answer sets received");
    }
}

#[test]
fn no_answer_in_time_makes_the_target_a_suspect() {
    let ring = ring(4);
    let (mut state, _) = start(&ring, p(2));
    assert_eq!(
        step(&ring, p(2), &mut state, &Event::Round),
        [Emit(Suspect(p(3))), Send(p(0), AreYouAlive), ARM]
    );
    assert_eq!(contents(&state), (p(0), false));
    assert_eq!(ring.suspects(p(2), &state), ProcSet::only(p(3)));
}

#[test]
fn a_late_answer_ends_the_suspicion_and_brings_the_target_back() {
    let ring = ring(4);
    let mut state = state(p(1), false);
    assert_eq!(ring.suspects(p(2), &state).to_string(), "{p0,p3}");
    assert_eq!(
        step(&ring, p(2), &mut state, &Event::Receive(p(3), IAmAlive)),
        [Emit(Trust(p(3))), Emit(Trust(p(0)))],
        "everyone from the sender up to the target is trusted again, in the order of the ring"
    );
    assert_eq!(contents(&state), (p(3), true));
    assert_eq!(step(&ring, p(2), &mut state, &Event::Round), [Send(p(3), AreYouAlive), ARM]);
}

#[test]
fn a_late_question_does_the_same_and_is_answered_first() {
    let ring = ring(4);
    let mut state = state(p(1), false);
    assert_eq!(
        step(&ring, p(2), &mut state, &Event::Receive(p(0), AreYouAlive)),
        [Reply(p(0), IAmAlive), Emit(Trust(p(0)))]
    );
    assert_eq!(contents(&state), (p(0), true));
    assert_eq!(ring.suspects(p(2), &state), ProcSet::only(p(3)), "suspects before the sender stay");
}

#[test]
fn an_answer_from_neither_the_target_nor_a_suspect_is_discarded() {
    let ring = ring(4);
    let mut state = state(p(2), false);
    assert_eq!(step(&ring, p(0), &mut state, &Event::Receive(p(3), IAmAlive)), []);
    assert_eq!(contents(&state), (p(2), false));
}

#[test]
fn who_suspects_everyone_keeps_its_rounds_going_and_can_recover() {
    for n in 2..=9 {
        let ring = ring(n);
        let me = p(n / 2);
        let (mut state, _) = start(&ring, me);
        for _ in 1..n - 1 {
            step(&ring, me, &mut state, &Event::Round);
        }
        let last = me.pred(n);
        assert_eq!(step(&ring, me, &mut state, &Event::Round), [Emit(Suspect(last)), ARM]);
        assert_eq!(ring.suspects(me, &state), ProcSet::first(n).without(me));
        for _ in 0..3 {
            assert_eq!(step(&ring, me, &mut state, &Event::Round), [ARM], "no message to oneself");
            assert_eq!(contents(&state), (me, true));
        }
        let effects = step(&ring, me, &mut state, &Event::Receive(me.succ(n), IAmAlive));
        assert_eq!(effects.len(), n - 1);
        assert_eq!(effects[0], Emit(Trust(me.succ(n))));
        assert_eq!(effects[n - 2], Emit(Trust(last)));
        assert_eq!(ring.suspects(me, &state), ProcSet::EMPTY);
        assert_eq!(step(&ring, me, &mut state, &Event::Round), [Send(me.succ(n), AreYouAlive), ARM]);
    }
}

#[test]
fn a_ring_of_two_suspects_and_trusts_its_only_peer() {
    let ring = ring(2);
    let (mut state, _) = start(&ring, p(1));
    assert_eq!(step(&ring, p(1), &mut state, &Event::Round), [Emit(Suspect(p(0))), ARM]);
    assert_eq!(
        step(&ring, p(1), &mut state, &Event::Receive(p(0), AreYouAlive)),
        [Reply(p(0), IAmAlive), Emit(Trust(p(0)))]
    );
    assert_eq!(contents(&state), (p(0), true));
}

/// Figure 12 of the report by Atif, Mousavi and Osaiweran: a process that has crashed is trusted again
/// because of a message that it had sent before.
#[test]
fn a_message_from_before_a_crash_makes_the_suspicion_oscillate() {
    let ring = ring(3);
    let (mut state, _) = start(&ring, p(0));
    let mut said = Vec::new();
    for event in [Event::Round, Event::Receive(p(1), AreYouAlive), Event::Round, Event::Round] {
        let effects = step(&ring, p(0), &mut state, &event);
        said.extend(effects.into_iter().filter(|effect| matches!(effect, Emit(_))));
    }
    assert_eq!(said, [Emit(Suspect(p(1))), Emit(Trust(p(1))), Emit(Suspect(p(1)))]);
}

#[test]
fn rings_that_cannot_be_are_refused_with_advice() {
    for n in [0, 1, MAX_PROCESSES + 1, usize::MAX] {
        assert_eq!(Ring::new(n, 1), Err(RingError::Size { n }));
    }
    assert_eq!(Ring::new(3, 0), Err(RingError::NoTimeout));
    assert_eq!(
        RingError::<u32>::Size { n: 1 }.to_string(),
        "a ring of 1 is not possible: choose n between 2 and 64"
    );
    assert_eq!(
        RingError::<u32>::NoTimeout.to_string(),
        "a timeout of 0 suspects before an answer can come: choose 1 or more"
    );
    assert_eq!(Ring::new(64, u32::MAX).map(|ring| ring.n()), Ok(64));
}

#[test]
fn reports_use_the_names_of_the_paper() {
    assert_eq!(RingMsg::KINDS, ["ARE-YOU-ALIVE", "I-AM-ALIVE"]);
    assert_eq!(AreYouAlive.label(), "ARE-YOU-ALIVE");
    assert_eq!(IAmAlive.label(), "I-AM-ALIVE");
    assert_eq!(RingTimer::all().map(Slot::name).collect::<Vec<_>>(), ["Round"]);
    let ring = ring(3);
    assert_eq!(ring.symmetry(), Symmetry::Rotations);
    assert_eq!(ring.meaning(&Suspect(p(0))).tone(), Tone::Alarm);
    assert_eq!(ring.meaning(&Trust(p(0))).tone(), Tone::Relief);
    assert_eq!(format!("{:?}", state(p(1), true)), "RingState { target: p1, received: true }");
}

#[test]
fn the_wire_and_the_store_hold_no_byte_too_many() {
    assert_eq!(packed(&AreYouAlive), [0]);
    assert_eq!(packed(&IAmAlive), [1]);
    assert_eq!(packed(&start(&ring(3), p(0)).0), [1, 0]);
    assert_eq!(ARM, Arm(Bound::exactly(TIMEOUT)));
}
