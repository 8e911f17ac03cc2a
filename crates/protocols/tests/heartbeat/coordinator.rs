//! p0 by script: the lengths of its rounds, whom it counts, and when it stops.

use crate::script::{Effect, Effect::*, Event, both, heartbeat, p, round, start, step};
use watchkeeper_core::{PerProc, ProcSet};
use watchkeeper_protocols::heartbeat::HeartbeatMsg::{Beat, Leave};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatState, HeartbeatTimer, HeartbeatVariant};

const ROUND: Event = Event::Fire(HeartbeatTimer::Round);

/// The effects on p0 of these events, one list for each.
fn effects<const N: usize>(heartbeat: &Heartbeat, events: [Event; N]) -> [Vec<Effect>; N] {
    let (mut state, _) = start(heartbeat, p(0));
    events.map(|event| step(heartbeat, p(0), &mut state, &event))
}

/// The lengths of the rounds of p0 if no beat ever comes.
fn silent_rounds(heartbeat: &Heartbeat) -> Vec<u32> {
    let (mut state, mut effects) = start(heartbeat, p(0));
    let mut lengths = Vec::new();
    while let Some(Arm(HeartbeatTimer::Round, bound)) = effects.last() {
        assert_eq!(Some(bound.lo()), bound.hi());
        lengths.push(bound.lo());
        effects = step(heartbeat, p(0), &mut state, &ROUND);
    }
    assert_eq!(effects, [Inactivated]);
    assert_eq!(state, HeartbeatState::Inactive);
    lengths
}

#[test]
fn the_first_round_lasts_tmax_and_the_first_beat_comes_after_it() {
    for heartbeat in both(HeartbeatVariant::Binary, 1, 10, 1) {
        let (state, effects) = start(&heartbeat, p(0));
        assert_eq!(effects, [round(10)]);
        assert_eq!((state.counted(), state.received()), (ProcSet::only(p(1)), ProcSet::only(p(1))));
        assert_eq!(state.wait(p(1)), Some(10));
    }
}

#[test]
fn a_participant_that_answers_keeps_the_rounds_long() {
    let beat = Event::Receive(p(1), Beat);
    for variant in [HeartbeatVariant::Binary, HeartbeatVariant::TwoPhase, HeartbeatVariant::Static] {
        let heartbeat = heartbeat(variant, 1, 10, 1);
        let next = vec![Send(p(1), Beat), round(10)];
        let [first, nothing, second] = effects(&heartbeat, [ROUND, beat, ROUND]);
        assert_eq!((first, nothing, second), (next.clone(), vec![], next), "{variant}");
    }
}

#[test]
fn silence_halves_the_rounds_until_they_would_be_too_short() {
    let of = |tmin, tmax| silent_rounds(&heartbeat(HeartbeatVariant::Binary, tmin, tmax, 1));
    // As if heard at first, so tmax comes twice.
    assert_eq!(of(1, 10), [10, 10, 5, 2, 1]);
    assert_eq!(of(2, 10), [10, 10, 5, 2]);
    assert_eq!(of(3, 10), [10, 10, 5]);
    assert_eq!(of(5, 10), [10, 10, 5]);
    assert_eq!(of(6, 10), [10, 10]);
    assert_eq!(of(10, 10), [10, 10]);
    assert_eq!(of(1, 1), [1, 1]);
    assert_eq!(of(1000, 10_000), [10_000, 10_000, 5000, 2500, 1250]);
}

#[test]
fn in_two_phases_silence_leads_to_tmin_at_once_and_then_to_the_end() {
    let of = |tmin, tmax| silent_rounds(&heartbeat(HeartbeatVariant::TwoPhase, tmin, tmax, 1));
    assert_eq!(of(1, 10), [10, 10, 1]);
    assert_eq!(of(5, 10), [10, 10, 5]);
    assert_eq!(of(6, 10), [10, 10], "where the binary protocol would stop, it stops");
    assert_eq!(of(7, 7), [7, 7]);
}

#[test]
fn an_answer_in_a_short_round_makes_the_next_one_long() {
    let beat = Event::Receive(p(1), Beat);
    for (variant, short) in [(HeartbeatVariant::Binary, 5), (HeartbeatVariant::TwoPhase, 2)] {
        let [.., shortened, _, long, again] =
            effects(&heartbeat(variant, 2, 10, 1), [ROUND, ROUND, beat, ROUND, ROUND]);
        assert_eq!(shortened, [Send(p(1), Beat), round(short)]);
        assert_eq!(long, [Send(p(1), Beat), round(10)]);
        assert_eq!(again, [Send(p(1), Beat), round(short)]);
    }
}

#[test]
fn the_revised_protocol_begins_with_a_beat() {
    for heartbeat in both(HeartbeatVariant::Revised, 1, 10, 1) {
        let (state, effects) = start(&heartbeat, p(0));
        assert_eq!(effects, [Send(p(1), Beat), round(10)]);
        assert!(state.received().is_empty());
        assert_eq!(silent_rounds(&heartbeat), [10, 5, 2, 1]);
    }
}

/// The most that p0 goes on without a beat, the last one having come just after a round began.
#[test]
fn without_a_beat_p0_stops_within_what_the_correction_promises() {
    for variant in [HeartbeatVariant::Binary, HeartbeatVariant::TwoPhase, HeartbeatVariant::Static] {
        for tmax in 1..=100u32 {
            for tmin in 1..=tmax {
                let published = heartbeat(variant, tmin, tmax, 1);
                let corrected = published.corrected();
                let silence: u32 = silent_rounds(&published).iter().sum();
                assert_eq!(silent_rounds(&corrected).iter().sum::<u32>(), silence);
                assert_eq!(published.coordinator_bound(), 2 * tmax);
                let promised = corrected.coordinator_bound();
                assert_eq!(promised, if 2 * tmin > tmax { 2 * tmax } else { 3 * tmax - tmin });
                assert!(silence <= promised, "{variant} {tmin} {tmax}: {silence} > {promised}");
                assert_eq!(silence <= published.coordinator_bound(), 2 * tmin > tmax, "table 3.1, R1");
                if variant == HeartbeatVariant::TwoPhase {
                    assert_eq!(silence, 2 * tmax + if 2 * tmin > tmax { 0 } else { tmin });
                    assert!(
                        silence
                            <= silent_rounds(&heartbeat(HeartbeatVariant::Binary, tmin, tmax, 1))
                                .iter()
                                .sum()
                    );
                }
            }
        }
    }
}

#[test]
fn the_least_wait_of_several_participants_is_the_length_of_the_round() {
    let heartbeat = heartbeat(HeartbeatVariant::Static, 2, 10, 3);
    let (mut state, _) = start(&heartbeat, p(0));
    let beats = [Send(p(1), Beat), Send(p(2), Beat), Send(p(3), Beat)];
    let mut rounds = |heard: &[usize]| {
        for &i in heard {
            assert_eq!(step(&heartbeat, p(0), &mut state, &Event::Receive(p(i), Beat)), []);
        }
        let effects = step(&heartbeat, p(0), &mut state, &ROUND);
        let waits: Vec<u32> = (1..=3).filter_map(|i| state.wait(p(i))).collect();
        (effects, waits)
    };
    let expect = |t, waits: [u32; 3]| ([&beats[..], &[round(t)]].concat(), waits.to_vec());
    assert_eq!(rounds(&[]), expect(10, [10, 10, 10]));
    assert_eq!(rounds(&[1, 3]), expect(5, [10, 5, 10]));
    assert_eq!(rounds(&[1]), expect(2, [10, 2, 5]));
    assert_eq!(rounds(&[2]), expect(2, [5, 10, 2]));
    assert_eq!(rounds(&[1, 3]), expect(5, [10, 5, 10]));
    assert_eq!(rounds(&[2, 2, 1]), expect(5, [10, 10, 5]));
    assert_eq!(rounds(&[1, 2]), expect(2, [10, 10, 2]));
    assert_eq!(rounds(&[1, 2]), (vec![Inactivated], vec![]), "one silent participant is enough");
}

#[test]
fn only_who_has_joined_is_counted() {
    for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        let heartbeat = heartbeat(variant, 2, 10, 2);
        let (state, first) = start(&heartbeat, p(0));
        assert_eq!(
            (state.counted(), state.received(), first),
            (ProcSet::EMPTY, ProcSet::EMPTY, vec![round(10)])
        );
        let [alone, joins, with_p2, silent, joins_too, both] = effects(
            &heartbeat,
            [ROUND, Event::Receive(p(2), Beat), ROUND, ROUND, Event::Receive(p(1), Beat), ROUND],
        );
        assert_eq!(alone, [round(10)], "nobody to ask, and nobody to stop for");
        assert_eq!((joins, joins_too), (vec![], vec![]), "a request to join is not answered at once");
        assert_eq!(with_p2, [Send(p(2), Beat), round(10)]);
        assert_eq!(silent, [Send(p(2), Beat), round(5)]);
        assert_eq!(both, [Send(p(1), Beat), Send(p(2), Beat), round(2)]);
    }
}

#[test]
fn who_leaves_is_counted_no_more_and_leaves_no_trace() {
    let heartbeat = heartbeat(HeartbeatVariant::Dynamic, 2, 10, 2);
    let (mut state, _) = start(&heartbeat, p(0));
    let fresh = state.clone();
    for event in [Event::Receive(p(1), Beat), ROUND, ROUND] {
        step(&heartbeat, p(0), &mut state, &event);
    }
    assert_eq!(state.wait(p(1)), Some(5));
    assert_eq!(step(&heartbeat, p(0), &mut state, &Event::Receive(p(1), Leave)), []);
    assert_eq!(state, fresh);
    assert_eq!(step(&heartbeat, p(0), &mut state, &ROUND), [round(10)]);
    step(&heartbeat, p(0), &mut state, &Event::Receive(p(1), Beat));
    assert_eq!(state.counted(), ProcSet::only(p(1)), "a beat that comes late counts");
}

#[test]
fn a_beat_makes_it_forget_how_long_the_participant_was_silent() {
    let heartbeat = heartbeat(HeartbeatVariant::Binary, 1, 10, 1);
    let (fresh, _) = start(&heartbeat, p(0));
    let mut state = fresh.clone();
    for event in [ROUND, ROUND, ROUND, Event::Receive(p(1), Beat)] {
        step(&heartbeat, p(0), &mut state, &event);
    }
    assert_eq!(state, fresh, "only the timer that runs tells them apart");
}

#[test]
fn once_stopped_it_does_nothing_any_more() {
    let heartbeat = heartbeat(HeartbeatVariant::Dynamic, 5, 10, 1);
    let mut state = HeartbeatState::Inactive;
    for event in [ROUND, Event::Receive(p(1), Beat), Event::Receive(p(1), Leave), Event::Leave] {
        assert_eq!(step(&heartbeat, p(0), &mut state, &event), []);
        assert_eq!(state, HeartbeatState::Inactive);
    }
    assert!(!state.is_active());
    assert_eq!((state.counted(), state.received(), state.wait(p(1))), (ProcSet::EMPTY, ProcSet::EMPTY, None));
}

#[test]
fn charts_show_its_state_in_the_terms_of_the_sources() {
    let mut tm = PerProc::new(3, 10);
    tm[p(2)] = 5;
    let counted = ProcSet::from_bits(0b110);
    let state = HeartbeatState::Coordinator { counted, received: ProcSet::only(p(1)), tm };
    let shown = "Coordinator { counted: {p1,p2}, received: {p1}, tm: [10, 5] }";
    assert_eq!(format!("{state:?}"), shown);
}
