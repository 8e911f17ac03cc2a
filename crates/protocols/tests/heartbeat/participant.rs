//! A participant by script: how it joins, answers, leaves and gives up.

use crate::script::{Effect, Effect::*, Event, both, heartbeat, p, start, step};
use watchkeeper_core::Bound;
use watchkeeper_protocols::heartbeat::HeartbeatMsg::{Beat, Leave};
use watchkeeper_protocols::heartbeat::HeartbeatTimer::{GiveUp, Join};
use watchkeeper_protocols::heartbeat::{HeartbeatState, HeartbeatTimer, HeartbeatVariant};

const BEAT: Event = Event::Receive(crate::figures::P0, Beat);

fn patient(patience: u32) -> Effect {
    Arm(GiveUp, Bound::exactly(patience))
}

fn asks_again(tmin: u32) -> Effect {
    Arm(Join, Bound::exactly(tmin))
}

#[test]
fn patience_is_what_the_sources_say() {
    for variant in HeartbeatVariant::ALL {
        for (tmin, tmax) in [(1, 10), (4, 10), (5, 10), (9, 10), (10, 10), (1000, 10_000)] {
            let [published, corrected] = both(variant, tmin, tmax, 1).map(|heartbeat| heartbeat.patience());
            assert_eq!(published, 3 * tmax - tmin);
            let joining = matches!(variant, HeartbeatVariant::Expanding | HeartbeatVariant::Dynamic);
            assert_eq!(corrected, if joining { 2 * tmax + tmin } else { 2 * tmax });
        }
    }
}

#[test]
fn a_participant_that_is_known_answers_every_beat_and_becomes_patient_anew() {
    for variant in [
        HeartbeatVariant::Binary,
        HeartbeatVariant::Revised,
        HeartbeatVariant::TwoPhase,
        HeartbeatVariant::Static,
    ] {
        for (heartbeat, patience) in both(variant, 4, 10, 1).into_iter().zip([26, 20]) {
            let (mut state, effects) = start(&heartbeat, p(1));
            assert_eq!(effects, [patient(patience)]);
            for _ in 0..3 {
                assert!(state.is_joined());
                assert_eq!(step(&heartbeat, p(1), &mut state, &BEAT), [patient(patience), Reply(p(0), Beat)]);
            }
        }
    }
}

#[test]
fn a_newcomer_asks_every_tmin_until_p0_speaks() {
    for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        for (heartbeat, patience) in both(variant, 4, 10, 2).into_iter().zip([26, 24]) {
            let (mut state, effects) = start(&heartbeat, p(2));
            assert_eq!(effects, [patient(patience), asks_again(4)]);
            for _ in 0..3 {
                assert_eq!(
                    step(&heartbeat, p(2), &mut state, &Event::Fire(Join)),
                    [Send(p(0), Beat), asks_again(4)]
                );
                assert_eq!(state, HeartbeatState::Joining);
            }
            assert_eq!(
                step(&heartbeat, p(2), &mut state, &BEAT),
                [Disarm(Join), patient(patience), Reply(p(0), Beat)]
            );
            assert!(state.is_joined());
            assert_eq!(step(&heartbeat, p(2), &mut state, &BEAT), [patient(patience), Reply(p(0), Beat)]);
        }
    }
}

#[test]
fn who_hears_nothing_stops_with_all_its_timers() {
    for variant in HeartbeatVariant::ALL {
        let heartbeat = heartbeat(variant, 4, 10, 1);
        let (mut state, effects) = start(&heartbeat, p(1));
        let asks = effects.contains(&asks_again(4));
        let stopping = step(&heartbeat, p(1), &mut state, &Event::Fire(GiveUp));
        assert_eq!(stopping, if asks { vec![Disarm(Join), Inactivated] } else { vec![Inactivated] });
        assert!(!state.is_active());
        for event in [BEAT, Event::Fire(GiveUp), Event::Fire(Join), Event::Leave] {
            assert_eq!(step(&heartbeat, p(1), &mut state, &event), [], "{variant} {event:?}");
            assert_eq!(state, HeartbeatState::Inactive);
        }
    }
}

#[test]
fn who_leaves_says_so_for_ever_and_never_stops() {
    let heartbeat = heartbeat(HeartbeatVariant::Dynamic, 4, 10, 1);
    let (mut state, _) = start(&heartbeat, p(1));
    assert_eq!(step(&heartbeat, p(1), &mut state, &Event::Leave), [], "who has not joined cannot leave");
    assert_eq!(state, HeartbeatState::Joining);
    step(&heartbeat, p(1), &mut state, &BEAT);
    assert_eq!(step(&heartbeat, p(1), &mut state, &Event::Leave), [Disarm(GiveUp)]);
    assert!(state.is_leaving() && state.is_active() && !state.is_joined());
    assert_eq!(step(&heartbeat, p(1), &mut state, &Event::Leave), []);
    for _ in 0..3 {
        assert_eq!(step(&heartbeat, p(1), &mut state, &BEAT), [Reply(p(0), Leave)]);
    }
    for timer in [GiveUp, Join, HeartbeatTimer::Round] {
        assert_eq!(step(&heartbeat, p(1), &mut state, &Event::Fire(timer)), []);
    }
    assert!(state.is_leaving());
}

#[test]
fn only_the_dynamic_protocol_lets_anyone_leave() {
    for variant in HeartbeatVariant::ALL {
        let heartbeat = heartbeat(variant, 4, 10, 1);
        let mut state = HeartbeatState::Joined;
        step(&heartbeat, p(1), &mut state, &Event::Leave);
        assert_eq!(state.is_leaving(), variant == HeartbeatVariant::Dynamic, "{variant}");
        assert_eq!(heartbeat.calls().len(), usize::from(variant == HeartbeatVariant::Dynamic));
    }
    let called: Vec<_> =
        heartbeat(HeartbeatVariant::Dynamic, 1, 2, 3).calls().into_iter().map(|(p, _)| p).collect();
    assert_eq!(called, [p(1), p(2), p(3)]);
}

#[test]
fn only_beats_of_p0_are_heard() {
    let heartbeat = heartbeat(HeartbeatVariant::Dynamic, 4, 10, 2);
    for before in [HeartbeatState::Joining, HeartbeatState::Joined, HeartbeatState::Leaving] {
        for event in [
            Event::Receive(p(0), Leave),
            Event::Receive(p(1), Beat),
            Event::Receive(p(2), Beat),
            Event::Receive(p(3), Beat),
            Event::Fire(HeartbeatTimer::Round),
        ] {
            let mut state = before.clone();
            assert_eq!(step(&heartbeat, p(1), &mut state, &event), [], "{before:?} {event:?}");
            assert_eq!(state, before);
        }
    }
}
