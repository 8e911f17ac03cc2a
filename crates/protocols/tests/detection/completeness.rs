//! CompletenessObserver in time: what is late, what is early enough, and what a later crash changes.

use crate::observations::Seen::{self, Crashes, Deadline, Recovers, Suspects, Trusts};
use crate::observations::{beats, followed, p, ring, said, said_of_beats};
use watchkeeper_core::Completeness;
use watchkeeper_core::{Deadlines, Observer, Pack, Perm, ProcSet, Symmetry};
use watchkeeper_protocols::detection::CompletenessObserver;
use watchkeeper_protocols::ring::Ring;

fn weak() -> CompletenessObserver<Ring> {
    CompletenessObserver::new(ring(4), 4, Completeness::Weak, 9)
}

fn strong() -> CompletenessObserver<Ring> {
    CompletenessObserver::new(ring(4), 4, Completeness::Strong, 9)
}

#[test]
fn somebody_is_enough_for_weak_completeness_and_nobody_is_not() {
    assert_eq!(said(&weak(), &[Crashes(2), Suspects(1, 2), Deadline]), None);
    assert_eq!(
        said(&weak(), &[Crashes(2), Deadline]).as_deref(),
        Some("more than 9 after the last crash nobody suspects p2")
    );
    // Suspecting another, or the suspicion of one that is up, does not help.
    assert!(said(&weak(), &[Crashes(2), Suspects(1, 3), Deadline]).is_some());
}

#[test]
fn everybody_who_is_up_is_needed_for_strong_completeness() {
    let two = [Crashes(2), Suspects(1, 2), Suspects(3, 2)];
    let late = [&two[..], &[Deadline]].concat();
    assert_eq!(
        said(&strong(), &late).as_deref(),
        Some("more than 9 after the last crash p0 neither suspects p2 nor has stopped")
    );
    assert_eq!(said(&strong(), &[&two[..], &[Suspects(0, 2), Deadline]].concat()), None);
    assert_eq!(
        said(&strong(), &[Crashes(2), Suspects(1, 2), Deadline]).as_deref(),
        Some("more than 9 after the last crash p0 and p3 neither suspect p2 nor have stopped")
    );
}

#[test]
fn a_suspicion_from_before_the_crash_counts() {
    assert_eq!(said(&weak(), &[Suspects(1, 2), Crashes(2), Deadline]), None);
}

#[test]
fn what_is_withdrawn_before_the_deadline_may_come_back_in_time() {
    let withdrawn = [Suspects(1, 2), Crashes(2), Trusts(1, 2)];
    assert!(said(&weak(), &[&withdrawn[..], &[Deadline]].concat()).is_some());
    assert_eq!(said(&weak(), &[&withdrawn[..], &[Suspects(1, 2), Deadline]].concat()), None);
}

#[test]
fn what_is_withdrawn_after_the_deadline_is_wrong() {
    let found = [Crashes(2), Suspects(0, 2), Suspects(1, 2), Suspects(3, 2), Deadline];
    assert_eq!(
        said(&strong(), &[&found[..], &[Trusts(3, 2)]].concat()).as_deref(),
        Some("more than 9 after the last crash p3 neither suspects p2 nor has stopped")
    );
    // Weak completeness needs one that stays, and whoever comes later is not one of those.
    let weakly = [&found[..], &[Trusts(3, 2), Trusts(0, 2)]].concat();
    assert_eq!(said(&weak(), &weakly), None);
    assert!(said(&weak(), &[&weakly[..], &[Suspects(3, 2), Trusts(1, 2)]].concat()).is_some());
    // Of a process that is up everything may be thought.
    assert_eq!(said(&strong(), &[&found[..], &[Suspects(1, 0), Trusts(1, 0)]].concat()), None);
}

#[test]
fn a_later_crash_starts_the_time_anew_and_takes_its_suspicions_along() {
    let (_, running) = followed(&weak(), &[Crashes(2), Suspects(1, 2), Deadline]);
    assert!(!running);
    let again = [Crashes(2), Suspects(1, 2), Deadline, Crashes(1)];
    assert!(followed(&weak(), &again).1);
    assert_eq!(said(&weak(), &again), None);
    assert_eq!(
        said(&weak(), &[&again[..], &[Suspects(0, 1), Deadline]].concat()).as_deref(),
        Some("more than 9 after the last crash nobody suspects p2")
    );
    assert_eq!(said(&weak(), &[&again[..], &[Suspects(0, 1), Suspects(0, 2), Deadline]].concat()), None);
}

#[test]
fn whoever_recovers_has_all_to_learn_and_need_not_be_suspected() {
    let back = [Crashes(2), Suspects(1, 2), Recovers(2)];
    assert!(!followed(&strong(), &back).1, "nobody is down");
    let other = [&back[..], &[Crashes(3), Suspects(0, 3), Suspects(1, 3)]].concat();
    assert!(
        said(&strong(), &[&other[..], &[Deadline]].concat()).is_some_and(|how| how.contains("p2 neither"))
    );
    assert_eq!(said(&strong(), &[&other[..], &[Suspects(2, 3), Deadline]].concat()), None);
}

#[test]
fn the_time_runs_only_where_there_is_something_to_find_out() {
    let pair = weak().between(p(1), p(2));
    assert_eq!(Observer::<Ring>::name(&pair), "detection:9:p1:p2");
    assert!(!followed(&pair, &[Crashes(3)]).1, "that is not asked");
    assert!(followed(&pair, &[Crashes(3), Crashes(2)]).1);
    assert!(!followed(&pair, &[Crashes(2), Crashes(1)]).1, "nobody is left to find out");
    assert!(said(&pair, &[Crashes(2), Suspects(0, 2), Deadline]).is_some());
    assert!(!followed(&weak(), &[]).1);
    let down: Vec<Seen> = (0..4).map(Crashes).collect();
    assert!(!followed(&strong(), &down).1, "nobody is up");
}

#[test]
fn those_who_have_crashed_before_the_start_are_to_be_found_out_from_the_start() {
    let from_start = weak().crashed_at_start(ProcSet::only(p(2)));
    assert!(followed(&from_start, &[]).1);
    assert!(said(&from_start, &[Deadline]).is_some());
    assert_eq!(said(&from_start, &[Suspects(1, 2), Deadline]), None);
}

#[test]
fn to_stop_is_to_have_found_out() {
    let all = CompletenessObserver::new(beats(3), 4, Completeness::Strong, 22);
    assert_eq!(said_of_beats(&all, &[1], &[0, 2, 3], true), None);
    assert_eq!(
        said_of_beats(&all, &[1], &[0], true).as_deref(),
        Some("more than 22 after the last crash p2 and p3 neither suspect p1 nor have stopped")
    );
    assert_eq!(said_of_beats(&all, &[1], &[], false), None);
}

#[test]
fn renaming_processes_renames_what_is_remembered() {
    assert_eq!(Observer::<Ring>::symmetry(&strong()), Symmetry::Full);
    let fixed = Symmetry::FixingAll(ProcSet::only(p(1)).with(p(2)));
    assert_eq!(Observer::<Ring>::symmetry(&weak().between(p(1), p(2))), fixed);
    let run =
        [Suspects(0, 3), Crashes(2), Suspects(1, 2), Trusts(0, 3), Deadline, Crashes(0), Suspects(3, 0)];
    for perm in Perm::all(4) {
        for end in 0..=run.len() {
            let turned: Vec<Seen> = run[..end].iter().map(|seen| seen.renamed(&perm)).collect();
            let (plain, turned) = (followed(&weak(), &run[..end]), followed(&weak(), &turned));
            assert_eq!((plain.0.rename(&perm), plain.1), turned);
        }
    }
}

#[test]
fn the_watch_has_the_bound() {
    let mut deadlines = Deadlines::default();
    Observer::<Ring>::start(&weak().crashed_at_start(ProcSet::only(p(0))), &mut deadlines);
    assert_eq!(deadlines.orders(), [(0, Some(9))]);
}
