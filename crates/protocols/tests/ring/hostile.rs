//! Nothing that comes off the wire or out of a file may make the ring panic, hang, or answer someone
//! outside it.

use crate::script::{ARM, Effect, Event, TIMEOUT, contents, p, ring, start, state, step};
use proptest::prelude::*;
use watchkeeper_core::{MAX_PROCESSES, Pid, unpacked};
use watchkeeper_protocols::ring::{
    Ring, RingMsg, RingPolicy, RingState, StrongAccuracy, StrongCompleteness, TimeoutAdaptation, WeakAccuracy,
};

/// Steps from a state and with messages that are read from arbitrary bytes, if they can be read.
fn survives<P: RingPolicy>(
    ring: &Ring<P>,
    me: Pid,
    state: &[u8],
    inputs: &[(usize, Vec<u8>)],
) -> Result<(), TestCaseError> {
    let Ok(mut state) = unpacked::<RingState<P::Memory>>(state) else { return Ok(()) };
    let n = ring.n();
    prop_assert!(ring.target(me, &state).index() < n);
    ring.suspects(me, &state);
    for (from, bytes) in inputs {
        let event = match unpacked::<P::Msg>(bytes) {
            Ok(msg) => Event::Receive(p(*from), msg),
            Err(_) => Event::Round,
        };
        let effects = step(ring, me, &mut state, &event);
        prop_assert!(ring.target(me, &state).index() < n);
        prop_assert!(!ring.at_cap(me, &state).contains(me));
        for effect in effects {
            match effect {
                Effect::Send(to, _) | Effect::Reply(to, _) => prop_assert!(to.index() < n && to != me),
                Effect::Arm(bound) => {
                    let longest = ring.timeout_cap().unwrap_or(u32::MAX);
                    prop_assert!(
                        (TIMEOUT..=longest).contains(&bound.lo()),
                        "neither no time nor beyond the cap"
                    );
                }
                Effect::Emit(_) => {}
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_state_and_no_message_can_upset_the_ring(
        n in 2..=MAX_PROCESSES,
        me in 0..MAX_PROCESSES,
        state in prop::collection::vec(0u8..70, 0..4),
        inputs in prop::collection::vec((0..MAX_PROCESSES, prop::collection::vec(0u8..3, 0..3)), 0..40),
    ) {
        let (ring, me) = (ring(n), p(me));
        let Ok(mut state) = unpacked::<RingState<()>>(&state) else { return Ok(()) };
        prop_assert!(ring.target(me, &state).index() < n);
        ring.suspects(me, &state);
        for (from, bytes) in inputs {
            let event = match unpacked::<RingMsg>(&bytes) {
                Ok(msg) => Event::Receive(p(from), msg),
                Err(_) => Event::Round,
            };
            let effects = step(&ring, me, &mut state, &event);
            prop_assert!(contents(&state).0.index() < n, "a step leaves a target of the ring");
            for effect in effects {
                if let Effect::Send(to, _) | Effect::Reply(to, _) = effect {
                    prop_assert!(to.index() < n && to != me);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_memory_of_a_policy_can_upset_it_either(
        n in 2..=6usize,
        me in 0..6usize,
        state in prop::collection::vec(0u8..12, 0..12),
        inputs in prop::collection::vec((0..7usize, prop::collection::vec(0u8..=255, 0..3)), 0..40),
        cap in prop::option::of(TIMEOUT..12),
    ) {
        let (me, candidate) = (p(me % n), p(n - 1));
        let with = |adaptation| Ring::with_policy(StrongCompleteness::new(adaptation), n, TIMEOUT).expect("a ring");
        survives(&with(TimeoutAdaptation::Fixed), me, &state, &inputs)?;
        survives(&with(TimeoutAdaptation::ForAll { max_delta: cap }), me, &state, &inputs)?;
        let again = StrongCompleteness::new(TimeoutAdaptation::ForAll { max_delta: cap }).asking_again();
        survives(&Ring::with_policy(again, n, TIMEOUT).expect("a ring"), me, &state, &inputs)?;
        let weak = Ring::with_policy(WeakAccuracy::new(candidate, cap), n, TIMEOUT).expect("a ring");
        survives(&weak, me, &state, &inputs)?;
        let strong = Ring::with_policy(StrongAccuracy::new(cap), n, TIMEOUT).expect("a ring");
        survives(&strong, me, &state, &inputs)?;
    }
}

#[test]
fn messages_from_oneself_and_from_outside_the_ring_change_nothing() {
    let ring = ring(3);
    let me = p(2);
    for before in Pid::all(3).flat_map(|target| [state(target, false), state(target, true)]) {
        for from in [me, p(3), p(63)] {
            for msg in [RingMsg::AreYouAlive, RingMsg::IAmAlive] {
                let mut after = before.clone();
                assert_eq!(step(&ring, me, &mut after, &Event::Receive(from, msg)), []);
                assert_eq!(after, before);
            }
        }
    }
}

/// No run reaches this state: a process that is its own target counts its answer as received.
#[test]
fn nobody_comes_to_suspect_itself() {
    let ring = ring(3);
    let mut odd = state(p(1), false);
    assert_eq!(step(&ring, p(1), &mut odd, &Event::Round), [ARM]);
    assert_eq!(odd, state(p(1), true));
}

#[test]
fn a_target_outside_the_ring_is_taken_for_the_successor() {
    let ring = ring(3);
    let mut lost = state(p(40), true);
    assert!(ring.suspects(p(2), &lost).is_empty());
    step(&ring, p(2), &mut lost, &Event::Round);
    assert_eq!(lost, start(&ring, p(2)).0);
}

#[test]
fn bytes_that_are_no_state_and_no_message_are_refused() {
    for bytes in [&[][..], &[1], &[64, 0], &[1, 2], &[1, 0, 0]] {
        assert!(unpacked::<RingState<()>>(bytes).is_err(), "{bytes:?}");
    }
    for bytes in [&[][..], &[2], &[0, 0]] {
        assert!(unpacked::<RingMsg>(bytes).is_err(), "{bytes:?}");
    }
}
