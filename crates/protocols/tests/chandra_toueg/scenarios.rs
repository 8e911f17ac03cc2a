//! The runs that the paper describes, seen from one process.

use crate::script::{Effect::*, Event, NEXT_BEAT, TIMEOUT, detector, p, start, state, step, wait};
use watchkeeper_core::Suspicion::{Suspect, Trust};
use watchkeeper_core::{
    Kind, MAX_PROCESSES, Meaning, PeerState, ProcSet, Promises, Protocol, Tone, packed, unpacked,
};
use watchkeeper_protocols::chandra_toueg::ChandraTouegMsg::Alive;
use watchkeeper_protocols::chandra_toueg::{
    ChandraToueg, ChandraTouegError, ChandraTouegMsg, ChandraTouegTimer,
};

#[test]
fn at_first_everyone_tells_all_others_and_waits_for_each() {
    for n in 2..=MAX_PROCESSES {
        let detector = detector(n);
        for me in (0..n).map(p) {
            let (state, effects) = start(&detector, me);
            let others = || (0..n).filter(|&q| q != me.index());
            let mut expected: Vec<_> = others().map(|q| Send(p(q), Alive)).collect();
            expected.push(NEXT_BEAT);
            expected.extend(others().map(|q| wait(q, TIMEOUT)));
            assert_eq!(effects, expected);
            assert_eq!(detector.suspects(me, &state), ProcSet::EMPTY);
        }
    }
}

#[test]
fn a_beat_goes_to_all_others_and_changes_nothing() {
    let detector = detector(3);
    let mut now = state(&[2], &[5, 5, 7]);
    assert_eq!(
        step(&detector, p(0), &mut now, Event::Beat),
        [Send(p(1), Alive), Send(p(2), Alive), NEXT_BEAT]
    );
    assert_eq!(now, state(&[2], &[5, 5, 7]), "suspects are told too: that is how they are heard of");
}

#[test]
fn a_peer_that_is_heard_in_time_is_waited_for_anew() {
    let detector = detector(3);
    let (mut now, _) = start(&detector, p(0));
    let first = now.clone();
    assert_eq!(step(&detector, p(0), &mut now, Event::Hear(p(1))), [wait(1, TIMEOUT)]);
    assert_eq!(now, first);
}

#[test]
fn a_peer_that_is_not_heard_in_time_is_suspected_and_no_longer_waited_for() {
    let detector = detector(3);
    let (mut now, _) = start(&detector, p(0));
    assert_eq!(step(&detector, p(0), &mut now, Event::Late(p(2))), [Emit(Suspect(p(2)))]);
    assert_eq!(detector.suspects(p(0), &now), ProcSet::only(p(2)));
    assert_eq!(now, state(&[2], &[5, 5, 5]), "patience is not lost by waiting in vain, nor gained");
}

#[test]
fn a_suspect_that_is_heard_is_trusted_with_more_patience_up_to_the_cap() {
    let detector = detector(2);
    let (mut now, _) = start(&detector, p(0));
    for (timeout, full) in [(7, false), (8, true), (8, true)] {
        step(&detector, p(0), &mut now, Event::Late(p(1)));
        let effects = step(&detector, p(0), &mut now, Event::Hear(p(1)));
        assert_eq!(effects, [Emit(Trust(p(1))), wait(1, timeout)]);
        assert_eq!(detector.at_cap(p(0), &now).contains(p(1)), full, "a cap that is reached can be seen");
    }
    assert_eq!(detector.timeout(p(1), &now), 8);
    assert_eq!(step(&detector, p(0), &mut now, Event::Hear(p(1))), [wait(1, 8)], "and the patience stays");
}

#[test]
fn what_happens_to_one_peer_says_nothing_about_another() {
    let detector = detector(4);
    let mut now = state(&[1, 3], &[5, 7, 5, 8]);
    step(&detector, p(0), &mut now, Event::Hear(p(3)));
    step(&detector, p(0), &mut now, Event::Late(p(2)));
    assert_eq!(now, state(&[1, 2], &[5, 7, 5, 8]));
    let part = |whom| detector.about(p(0), &now, p(whom)).expect("peers are kept apart");
    let about =
        |suspected: u8, timeout, timer| PeerState { state: vec![suspected, 1, timeout], timers: vec![timer] };
    assert_eq!(part(0), about(0, 5, ChandraTouegTimer::Beat));
    assert_eq!(part(1), about(1, 7, ChandraTouegTimer::Wait(p(1))));
    assert_eq!(part(3), about(0, 8, ChandraTouegTimer::Wait(p(3))));
}

#[test]
fn without_a_cap_a_timeout_grows_for_as_long_as_there_are_numbers() {
    let detector = ChandraToueg::new(2, 1, u32::MAX - 1).expect("a detector");
    assert_eq!(detector.timeout_cap(), None, "no search of it can be whole");
    let (mut now, _) = start(&detector, p(0));
    for timeout in [u32::MAX, u32::MAX] {
        step(&detector, p(0), &mut now, Event::Late(p(1)));
        step(&detector, p(0), &mut now, Event::Hear(p(1)));
        assert_eq!(detector.timeout(p(1), &now), timeout);
    }
    assert!(detector.at_cap(p(0), &now).is_empty(), "there is no cap to stand at");
}

#[test]
fn a_cap_that_is_the_first_timeout_makes_it_fixed_and_can_be_seen() {
    let fixed = ChandraToueg::new(3, 2, 5).and_then(|detector| detector.capped(5)).expect("a detector");
    let (mut now, _) = start(&fixed, p(1));
    let first = now.clone();
    step(&fixed, p(1), &mut now, Event::Late(p(0)));
    step(&fixed, p(1), &mut now, Event::Hear(p(0)));
    assert_eq!(now, first);
    assert_eq!(fixed.at_cap(p(1), &now).to_string(), "{p0,p2}");
}

#[test]
fn detectors_that_cannot_be_are_refused_with_advice() {
    let told = |error: ChandraTouegError| error.to_string();
    for n in [0, 1, MAX_PROCESSES + 1] {
        assert_eq!(ChandraToueg::new(n, 1, 1), Err(ChandraTouegError::Size { n }));
    }
    assert_eq!(
        ChandraToueg::new(65, 1, 1).map_err(told),
        Err("65 processes are not possible: choose from 2 to 64".to_string())
    );
    assert_eq!(ChandraToueg::new(2, 0, 1), Err(ChandraTouegError::NoPeriod));
    assert_eq!(ChandraToueg::new(2, 1, 0), Err(ChandraTouegError::NoTimeout));
    assert_eq!(detector(2).growing_by(0), Err(ChandraTouegError::NoGrowth));
    assert_eq!(
        detector(2).capped(4).map_err(told),
        Err("a cap of 4 is below the first timeout: choose 5 or more".to_string())
    );
}

#[test]
fn what_is_announced_means_what_it_says() {
    let detector = detector(2);
    assert_eq!(detector.meaning(&Suspect(p(1))), Meaning::Suspects(p(1)));
    assert_eq!(detector.meaning(&Trust(p(1))), Meaning::Trusts(p(1)));
    assert_eq!(
        (detector.meaning(&Suspect(p(1))).tone(), detector.meaning(&Trust(p(1))).tone()),
        (Tone::Alarm, Tone::Relief)
    );
}

#[test]
fn what_is_sent_and_stored_is_short_and_can_be_read_again() {
    assert_eq!(ChandraTouegMsg::KINDS, ["ALIVE"]);
    assert_eq!(packed(&Alive), [0]);
    let now = state(&[1], &[5, 7, 5]);
    assert_eq!(packed(&now), [0b10, 3, 5, 7, 5], "suspects, and three timeouts");
    assert_eq!(unpacked(&packed(&now)), Ok(now));
}
