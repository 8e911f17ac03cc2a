//! Nothing that comes off the wire or out of a file may make the detector panic, hang, or speak to someone
//! who is not there.

use crate::script::{CAP, Effect, Event, TIMEOUT, detector, events, p, state, step};
use proptest::prelude::*;
use watchkeeper_core::{MAX_PROCESSES, Pid, Suspicion, unpacked};
use watchkeeper_protocols::chandra_toueg::{ChandraTouegMsg, ChandraTouegState, ChandraTouegTimer};

proptest! {
    #[test]
    fn no_state_and_no_input_can_upset_the_detector(
        n in 2..=MAX_PROCESSES,
        me in 0..MAX_PROCESSES,
        bytes in prop::collection::vec(0u8..=255, 0..12),
        inputs in prop::collection::vec((0..64usize, 0..3u8), 0..40),
    ) {
        let (detector, me) = (detector(n), p(me % n));
        let Ok(mut state) = unpacked::<ChandraTouegState>(&bytes) else { return Ok(()) };
        for (who, what) in inputs {
            let event = match what {
                0 => Event::Hear(p(who)),
                1 => Event::Late(p(who)),
                _ => Event::Beat,
            };
            for effect in step(&detector, me, &mut state, event) {
                let peer = match effect {
                    Effect::Send(to, _) => to,
                    Effect::Arm(ChandraTouegTimer::Beat, _) => continue,
                    Effect::Arm(ChandraTouegTimer::Wait(peer), bound) => {
                        prop_assert!((TIMEOUT..=CAP).contains(&bound.lo()));
                        peer
                    }
                    Effect::Emit(Suspicion::Suspect(peer) | Suspicion::Trust(peer)) => peer,
                };
                prop_assert!(peer != me && peer.index() < n);
            }
            let suspects = detector.suspects(me, &state);
            prop_assert!(!suspects.contains(me) && suspects.iter().all(|q| q.index() < n));
            prop_assert!(!detector.at_cap(me, &state).contains(me));
        }
    }
}

#[test]
fn inputs_from_oneself_and_from_outside_change_nothing() {
    let detector = detector(3);
    let before = state(&[0], &[7, 5, 5]);
    for who in [p(2), p(3), p(61), p(63)] {
        for event in [Event::Hear(who), Event::Late(who)] {
            let mut after = before.clone();
            assert_eq!(step(&detector, p(2), &mut after, event), []);
            assert_eq!(after, before);
        }
    }
}

/// No run reaches these states: a process does not suspect itself, and keeps a timeout for everyone.
#[test]
fn a_state_from_outside_is_taken_for_what_it_can_mean() {
    let detector = detector(3);
    let odd = state(&[1, 2, 40], &[99]);
    assert_eq!(detector.suspects(p(1), &odd).to_string(), "{p2}");
    assert_eq!(Pid::all(3).map(|q| detector.timeout(q, &odd)).collect::<Vec<_>>(), [CAP, TIMEOUT, TIMEOUT]);
    for event in events(3) {
        step(&detector, p(1), &mut odd.clone(), event);
    }
}

/// A timer that fires for a suspect has been armed by nobody.
#[test]
fn nobody_is_suspected_twice() {
    let detector = detector(2);
    let mut now = state(&[1], &[5, 5]);
    assert_eq!(step(&detector, p(0), &mut now, Event::Late(p(1))), []);
}

#[test]
fn bytes_that_are_no_state_and_no_message_are_refused() {
    for bytes in [&[][..], &[1], &[0, 2, 5], &[0, 1, 5, 5], &[0, 65]] {
        assert!(unpacked::<ChandraTouegState>(bytes).is_err(), "{bytes:?}");
    }
    for bytes in [&[][..], &[1], &[0, 0]] {
        assert!(unpacked::<ChandraTouegMsg>(bytes).is_err(), "{bytes:?}");
    }
}
