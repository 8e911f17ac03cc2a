//! AccuracyObserver: which suspicions are wrong.

use crate::observations::Seen::{Crashes, Recovers, Suspects, Trusts};
use crate::observations::{beats, followed, p, ring, said, said_of_beats};
use watchkeeper_core::{Judgement, Observer, ProcSet};
use watchkeeper_protocols::detection::AccuracyObserver;
use watchkeeper_protocols::ring::Ring;

fn accuracy() -> AccuracyObserver<Ring> {
    AccuracyObserver::new(ring(3), 3)
}

#[test]
fn a_suspicion_is_wrong_before_a_crash_and_right_after_it() {
    assert_eq!(
        said(&accuracy(), &[Suspects(0, 1)]).as_deref(),
        Some("p0 suspects p1, which has not crashed")
    );
    assert_eq!(said(&accuracy(), &[Crashes(1), Suspects(0, 1), Trusts(0, 1), Suspects(2, 1)]), None);
    assert!(said(&accuracy(), &[Crashes(1), Suspects(0, 2)]).is_some());
    assert_eq!(said(&accuracy().crashed_at_start(ProcSet::only(p(1))), &[Suspects(0, 1)]), None);
}

#[test]
fn who_has_ever_crashed_may_be_suspected() {
    assert_eq!(said(&accuracy(), &[Crashes(1), Recovers(1), Suspects(0, 1)]), None);
}

#[test]
fn it_can_be_asked_of_one_process() {
    let one = accuracy().only(p(1));
    assert_eq!(Observer::<Ring>::name(&one), "accuracy:p1");
    assert_eq!(said(&one, &[Suspects(0, 2)]), None);
    assert!(said(&one, &[Suspects(0, 1)]).is_some());
    // Nothing can be wrong any more once it has crashed.
    assert_eq!(one.judge(&followed(&one, &[Crashes(1)]).0), Judgement::Settled);
    assert_eq!(accuracy().judge(&followed(&accuracy(), &[Crashes(1)]).0), Judgement::Open);
}

#[test]
fn to_stop_before_any_crash_is_wrong() {
    let beats = AccuracyObserver::new(beats(2), 3);
    assert_eq!(said_of_beats(&beats, &[], &[2], false).as_deref(), Some("p2 stops, and nobody has crashed"));
    assert_eq!(said_of_beats(&beats, &[1], &[2, 0], false), None);
}
