//! MistakesObserver: which suspicions count, for whom, and until when.

use crate::observations::Seen::{Crashes, Recovers, Suspects, Trusts};
use crate::observations::{Seen, followed, p, ring, said};
use watchkeeper_core::{Judgement, Observation, Observer, Pack, Perm, ProcSet, Suspicion};
use watchkeeper_protocols::detection::MistakesObserver;
use watchkeeper_protocols::ring::Ring;

fn mistakes(most: u32) -> MistakesObserver<Ring> {
    MistakesObserver::new(ring(3), 3, most)
}

/// These many mistakes of p0 about p1, one after the other.
fn wrong(times: usize) -> Vec<Seen> {
    [Suspects(0, 1), Trusts(0, 1)].repeat(times)
}

#[test]
fn one_more_than_allowed_is_too_many() {
    for most in 0..4 {
        assert_eq!(Observer::<Ring>::name(&mistakes(most)), format!("mistakes:{most}"));
        assert_eq!(said(&mistakes(most), &wrong(most as usize)), None);
        assert!(said(&mistakes(most), &wrong(most as usize + 1)).is_some());
    }
    assert_eq!(
        said(&mistakes(2), &wrong(3)).as_deref(),
        Some("p0 has suspected p1, which has not crashed, 3 times")
    );
    assert_eq!(
        said(&mistakes(0), &wrong(1)).as_deref(),
        Some("p0 has suspected p1, which has not crashed, once")
    );
}

#[test]
fn every_ordered_pair_has_its_own_count() {
    let all =
        [Suspects(0, 1), Suspects(1, 0), Suspects(0, 2), Suspects(2, 1), Suspects(1, 2), Suspects(2, 0)];
    assert_eq!(said(&mistakes(1), &all), None);
    for again in all {
        assert!(said(&mistakes(1), &[&all[..], &[again]].concat()).is_some(), "{again:?}");
    }
}

#[test]
fn a_suspicion_of_a_crashed_process_is_no_mistake() {
    assert_eq!(said(&mistakes(0), &[Crashes(1), Suspects(0, 1), Trusts(0, 1), Suspects(2, 1)]), None);
    assert_eq!(said(&mistakes(0), &[Crashes(1), Recovers(1), Suspects(0, 1)]), None);
    assert!(said(&mistakes(0), &[Crashes(1), Suspects(0, 2)]).is_some());
    assert_eq!(said(&mistakes(0).crashed_at_start(ProcSet::only(p(1))), &[Suspects(0, 1)]), None);
}

#[test]
fn what_can_no_longer_matter_is_forgotten() {
    let state = |seen: &[Seen]| followed(&mistakes(2), seen).0;
    assert_eq!(state(&[Suspects(0, 1), Crashes(1)]), state(&[Crashes(1)]));
    assert_eq!(state(&[Suspects(0, 1), Crashes(0)]), state(&[Crashes(0)]));
    let judged = |seen: &[Seen]| Observer::<Ring>::judge(&mistakes(2), &state(seen));
    assert_eq!(judged(&[Crashes(0), Crashes(1)]), Judgement::Open);
    assert_eq!(judged(&[Crashes(0), Crashes(1), Crashes(2)]), Judgement::Settled);
}

#[test]
fn whoever_starts_again_begins_a_new_count() {
    let again = [&wrong(2)[..], &[Crashes(0), Recovers(0)], &wrong(2)].concat();
    assert_eq!(said(&mistakes(2), &again), None);
    assert!(said(&mistakes(2), &[&again[..], &[Suspects(0, 1)]].concat()).is_some());
}

#[test]
fn renamed_observations_lead_to_the_renamed_state() {
    let seen = [Suspects(0, 1), Trusts(0, 1), Suspects(0, 1), Suspects(2, 0), Crashes(2), Suspects(1, 0)];
    for until in 0..=seen.len() {
        let (state, _) = followed(&mistakes(1), &seen[..until]);
        for perm in Perm::all(3) {
            let renamed: Vec<Seen> = seen[..until].iter().map(|one| one.renamed(&perm)).collect();
            assert_eq!(followed(&mistakes(1), &renamed).0, state.rename(&perm));
        }
    }
}

#[test]
fn only_crashes_and_suspicions_are_visible() {
    let (suspects, trusts) = (Suspicion::Suspect(p(1)), Suspicion::Trust(p(1)));
    let visible = |observation: Observation<'_, Ring>| mistakes(1).visible(&observation);
    assert!(visible(Observation::Emitted { by: p(0), output: &suspects }));
    assert!(visible(Observation::Crashed { process: p(0) }));
    assert!(!visible(Observation::Emitted { by: p(0), output: &trusts }));
    assert!(!visible(Observation::Recovered { process: p(0) }));
}
