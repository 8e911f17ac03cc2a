//! Nothing that comes off the wire or out of a file may make the ring panic, hang, or answer someone
//! outside it.

use crate::script::{ARM, Effect, Event, contents, p, ring, start, state, step};
use proptest::prelude::*;
use watchkeeper_core::{MAX_PROCESSES, Pid, unpacked};
use watchkeeper_protocols::ring::{RingMsg, RingState};

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
