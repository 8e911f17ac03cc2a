//! The claims that are quick to compare, with exact sizes; the beginning of those that are not.

use super::{Environment, Pairing, ProofMethod, RefinementClaim, Spec1, claims, table};
use crate::ring::Crash;
use crate::table::{RowStatus, TableAnswer, TableSearch};
use watchkeeper_explore::{NoCallback, Search, Strategy};
use watchkeeper_logic::{Limit, Outcome, Refinement, RefinementFailure, RefinementSizes, Semantics};
use watchkeeper_space::{Narration, StatePath, steps};

fn compared(name: &str) -> Refinement {
    RefinementClaim::named(name).expect(name).compare(&Search::default(), &NoCallback).expect("an answer")
}

fn sizes(implementation: u64, specification: u64, sets: u64, pairs: u64) -> RefinementSizes {
    RefinementSizes { implementation, specification, sets, pairs }
}

#[test]
fn claims_have_names_of_their_own() {
    let mut names: Vec<&str> = claims().iter().map(|claim| claim.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), claims().len());
    assert_eq!(RefinementClaim::named("none"), None);
}

#[test]
fn quick_claims_are_answered_as_before() {
    let quick = [
        "lossy-dead-failures",
        "double-wide-dead",
        "double-dead",
        "reverse-dead",
        "reverse-dead-failures",
        "hasty",
        "spec1",
        "spec1-failures",
    ];
    for name in quick {
        let (claim, found) = (RefinementClaim::named(name).expect(name), compared(name));
        assert_eq!(TableAnswer::of(&found.verdict), claim.expected, "{name}: {found:?}");
    }
}

#[test]
fn with_p1_dead_the_ring_refines_the_tasks_whatever_is_lost_or_shared() {
    let found = compared("shared-dead");
    assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
    assert_eq!(found.sizes, sizes(356, 35_186, 333, 13_794));
    let found = compared("lossy-dead");
    assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
    assert_eq!(found.sizes, sizes(804, 35_186, 430, 40_884));
    let missing = found.verdict.warnings.iter().filter(|warning| warning.contains("never happens")).count();
    assert_eq!(missing, 6, "{:?}", found.verdict.warnings);
}

/// A claim about the ring within the tasks, shown in another way.
fn by(name: &str, method: ProofMethod, semantics: Semantics) -> Refinement {
    let claim = RefinementClaim::named(name).expect(name);
    let Pairing::RingInTasks { environment, tasks, .. } = claim.pairing else { panic!("{claim:?}") };
    let pairing = Pairing::RingInTasks { environment, tasks, method };
    RefinementClaim { pairing, semantics, ..claim }
        .compare(&Search::default(), &NoCallback)
        .expect("an answer")
}

#[test]
fn the_witness_and_the_normal_form_agree_with_p1_dead() {
    for semantics in [Semantics::Traces, Semantics::StableFailures] {
        let found = by("dead", ProofMethod::Witness, semantics);
        assert!(matches!(found.verdict.outcome, Outcome::Holds(_)));
        assert_eq!(found.sizes, sizes(544, 169, 0, 610));
    }
    for name in ["shared-dead", "lossy-dead"] {
        let found = by(name, ProofMethod::WitnessWithSurplus, Semantics::Traces);
        assert!(matches!(found.verdict.outcome, Outcome::Holds(_)), "{name}: {:?}", found.violation);
        // What is lost cannot be matched by channels that hold the same.
        let found = by(name, ProofMethod::Witness, Semantics::Traces);
        assert!(matches!(found.verdict.outcome, Outcome::Unknown(Limit::Incomplete(_))), "{name}");
    }
}

#[test]
fn the_witness_matches_the_first_steps_with_a_crash_at_any_time() {
    let search = Search { strategy: Strategy::Breadth { max_depth: Some(6) }, ..Search::default() };
    let found =
        RefinementClaim::named("ring").expect("a claim").compare(&search, &NoCallback).expect("an answer");
    assert!(matches!(found.verdict.outcome, Outcome::Unknown(Limit::Depth(6))), "{:?}", found.violation);
    // The states of the world up to that depth.
    assert_eq!(found.sizes.implementation, [1, 7, 31, 106, 302, 744, 1617].iter().sum::<u64>());
}

#[test]
fn a_ring_that_loses_messages_rests_where_the_tasks_never_do() {
    let violation = compared("lossy-dead-failures").violation.expect("a violation");
    assert!(violation.trace.is_empty());
    let offered = ["suspect(p0,p1)", "suspect(p2,p0)"].map(str::to_string).to_vec();
    assert_eq!(violation.wrong, RefinementFailure::Refusal { offered, required: Vec::new() });
}

#[test]
fn spec1_counts_the_suspicions_after_the_crash() {
    let spec = Spec1::new(2);
    let count = |state: u32| steps(&spec, &[state]).next.len();
    assert_eq!([0, 1, 2, 3].map(count), [2, 1, 1, 0]);
    let step = steps(&spec, &[1]).next.remove(0);
    let right = StatePath { rows: vec![vec![1], step.1.clone()], actions: vec![step.0] };
    assert_eq!(spec.replay(&right).map(|trace| trace.steps.len()), Ok(1));
    let wrong = StatePath { rows: vec![vec![3], vec![4]], actions: vec![step.0] };
    assert!(spec.replay(&wrong).is_err());
}

#[test]
fn a_limit_leaves_everything_open_and_the_table_has_a_line_for_each_claim() {
    let search = Search { max_states: Some(20), ..Search::default() };
    let search = TableSearch { search: &search, watch: &NoCallback, seconds: &|| 0.0 };
    let found = table(false, &search).expect("a table");
    let heavy = claims().iter().filter(|claim| claim.heavy).count();
    assert_eq!(found.count(RowStatus::NotSearched), heavy);
    assert_eq!(found.count(RowStatus::Open), claims().len() - heavy);
    assert_eq!(found.rows.len(), claims().len());
    assert_eq!(Environment::published(Crash::Never).to_string(), "drop 1 per-kind");
}
