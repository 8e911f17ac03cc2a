//! The theorems put to the solvers with the invariants that a person wrote, and the witnesses of the refutations;
//! each with controls that must fail. That invariants are found without a person is tested where it is done.

use super::*;
use std::time::Duration;
use watchkeeper_prove::solver::{self, Solver, SolverAnswer};
use watchkeeper_prove::{
    Claim, Obligation, ObligationChecker, ObligationStatus, System, SystemInstance, Term, check_all,
};

const LIMIT: Duration = Duration::from_secs(20);

fn forms(variants: &[HeartbeatVariant]) -> impl Iterator<Item = HeartbeatForm> {
    HeartbeatForm::all().filter(|form| variants.contains(&form.variant))
}

fn all_theorems(variants: &[HeartbeatVariant]) -> Vec<HeartbeatTheorem> {
    forms(variants)
        .flat_map(|form| HeartbeatQuestion::ALL.into_iter().flat_map(move |q| theorems(form, q)))
        .collect()
}

fn all_refutations() -> Vec<HeartbeatRefutation> {
    HeartbeatForm::all()
        .flat_map(|form| HeartbeatQuestion::ALL.into_iter().flat_map(move |q| refutations(form, q)))
        .collect()
}

/// The names of the obligations that a solver does not discharge.
fn open(system: &System, obligations: &[Obligation], solver: &Solver) -> Vec<String> {
    let judged = check_all(system, obligations, solver, LIMIT, |_| {}).expect("a solver that answers");
    let left = judged.into_iter().filter(|judged| judged.outcome != ObligationStatus::Discharged);
    left.map(|judged| judged.name).collect()
}

fn invariant(theorem: &HeartbeatTheorem) -> Vec<Claim> {
    [theorem.written.clone(), vec![theorem.property.clone()]].concat()
}

/// Whether the written invariant is inductive: one question for each path, about all conjuncts at once. The property
/// is one of them.
fn assert_proven(theorem: &HeartbeatTheorem, system: &System, solver: &Solver) {
    let invariant = invariant(theorem);
    let goal = Term::and(invariant.iter().map(|claim| claim.formula.clone()));
    let mut judge = ObligationChecker::new(system, solver, LIMIT).expect("a solver");
    let begin = system.beginnings().into_iter().map(|path| (path, false));
    for (path, from_state) in begin.chain(system.paths().into_iter().map(|path| (path, true))) {
        let answer =
            judge.ask(&system.step_query(&path, &invariant, Some(&goal), from_state)).expect("an answer");
        judge.done().expect("a solver that goes on");
        assert_eq!(
            answer,
            SolverAnswer::Unsat,
            "{}, dense: {}, {solver}: {}",
            theorem.name,
            system.dense,
            path.name
        );
    }
}

#[test]
fn what_holds_of_the_binary_protocol_is_proven_by_all_solvers_in_integers_and_in_dense_time() {
    for solver in solver::for_tests() {
        for theorem in all_theorems(&[HeartbeatVariant::Binary]) {
            assert_proven(&theorem, &theorem.system, &solver);
            assert_proven(&theorem, &theorem.system.clone().dense(), &solver);
        }
    }
}

#[test]
fn what_holds_of_the_other_protocols_without_joins_is_proven_in_dense_time() {
    for solver in solver::for_tests().into_iter().take(1) {
        for theorem in
            all_theorems(&[HeartbeatVariant::Revised, HeartbeatVariant::TwoPhase, HeartbeatVariant::Static])
        {
            assert_proven(&theorem, &theorem.system.clone().dense(), &solver);
        }
    }
}

#[test]
fn what_holds_of_the_protocols_with_joins_is_proven_in_dense_time() {
    for solver in solver::for_tests().into_iter().take(1) {
        for theorem in all_theorems(&[HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic]) {
            assert_proven(&theorem, &theorem.system.clone().dense(), &solver);
        }
    }
}

#[test]
fn every_requirement_fails_wherever_its_condition_is_false() {
    let (solvers, refutations) = (solver::for_tests(), all_refutations());
    assert_eq!(refutations.len(), 6 * 3, "R1, R2 and R3 of all six protocols as published");
    for refutation in &refutations {
        for witness in &refutation.witnesses {
            assert!(witness.condition.is_empty(), "one run covers all parameters");
            let obligations = witness.obligations(&refutation.system, &refutation.property).expect("a run");
            // Only that a number has a half is said with a quantifier, on which a solver may give up.
            let (half, plain): (Vec<_>, Vec<_>) =
                obligations.into_iter().partition(|obligation| obligation.query.is_quantified());
            assert!(half.len() <= 1, "{}", refutation.name);
            for solver in &solvers {
                let left = open(&refutation.system, &plain, solver);
                assert!(left.is_empty(), "{}, {solver}: {left:#?}", refutation.name);
            }
            let halved =
                solvers.iter().rev().any(|solver| open(&refutation.system, &half, solver).is_empty());
            assert!(halved || solvers.len() < 2, "{}: {half:#?}", refutation.name);
        }
    }
}

#[test]
fn the_witnesses_are_runs_at_every_small_point() {
    let mut shown = 0;
    for refutation in all_refutations() {
        let points = (1..=7).flat_map(|tmax| (1..=tmax).map(move |tmin| [tmin, tmax]));
        for point in points {
            let Ok(instance) = SystemInstance::new(&refutation.system, &point) else { continue };
            for witness in &refutation.witnesses {
                let run = witness
                    .run(&instance)
                    .unwrap_or_else(|why| panic!("{} {point:?}: {why}", refutation.name));
                let holds =
                    |state| instance.holds(&refutation.property.formula, state).expect("small numbers");
                let (last, before) = run.split_last().expect("a run");
                assert!(!holds(&last.1), "{} {point:?}", refutation.name);
                assert!(before.iter().all(|(_, state)| holds(state)), "{} {point:?}", refutation.name);
                shown += 1;
            }
        }
    }
    // R1 fails for 12 of the 28 pairs, R3 for 7, R2 for 7, or for 19 where participants join.
    assert_eq!(shown, 6 * (12 + 7) + 4 * 7 + 2 * 19);
}

#[test]
fn where_a_theorem_ends_a_refutation_begins() {
    for form in forms(&HeartbeatVariant::ALL).filter(|form| !form.corrected) {
        for question in [HeartbeatQuestion::R1, HeartbeatQuestion::R2, HeartbeatQuestion::R3] {
            let (holds, fails) = (&theorems(form, question)[0], &refutations(form, question)[0]);
            for tmax in 1..=9 {
                for tmin in 1..=tmax {
                    let is = |system: &System| SystemInstance::new(system, &[tmin, tmax]).is_ok();
                    assert_ne!(is(&holds.system), is(&fails.system), "{} at {tmin}, {tmax}", holds.name);
                }
            }
        }
    }
}

#[test]
fn there_are_points_enough_to_sample() {
    for theorem in all_theorems(&HeartbeatVariant::ALL) {
        let points = theorem.points(4);
        assert!((8..=16).contains(&points.len()), "{}: {points:?}", theorem.name);
    }
    let rarest = theorems(
        HeartbeatForm { variant: HeartbeatVariant::Expanding, corrected: false },
        HeartbeatQuestion::R2,
    )
    .remove(0);
    let expected = [[1, 3], [1, 4], [1, 5], [2, 5], [1, 6], [2, 6], [1, 7], [2, 7], [3, 7]];
    assert_eq!(rarest.points(4), expected);
}

/// The proofs need their conditions, their bounds and all that is corrected.
#[test]
fn a_theorem_that_says_more_is_not_proven() {
    let z3 = solver::for_tests().into_iter().take(1);
    let binary = |corrected| HeartbeatForm { variant: HeartbeatVariant::Binary, corrected };
    for solver in z3 {
        for question in [HeartbeatQuestion::R1, HeartbeatQuestion::R2, HeartbeatQuestion::R3] {
            let theorem = theorems(binary(false), question).remove(0);
            let anywhere = system(binary(false), question);
            let obligations = anywhere.obligations(&invariant(&theorem), &theorem.property);
            assert_ne!(
                open(&anywhere, &obligations, &solver),
                Vec::<String>::new(),
                "{question} without a condition"
            );
        }
        for (theorem, bound) in
            theorems(binary(true), HeartbeatQuestion::R1).into_iter().zip(["2*tmax", "3*tmax - tmin"])
        {
            let tighter = theorem.system.formula(&format!("silence <= {bound} - 1")).expect("a formula");
            let tighter = Claim::new("R1, a moment sooner", tighter);
            let obligations = theorem.system.obligations(&invariant(&theorem), &tighter);
            assert_eq!(open(&theorem.system, &obligations, &solver).len(), 1, "{}", theorem.name);
        }
        // Without priority for due deliveries the corrected patience is not enough.
        let corrected = theorems(binary(true), HeartbeatQuestion::R2).remove(0);
        let point =
            SystemInstance::new(&system(binary(false), HeartbeatQuestion::R2), &[3, 3]).expect("an instance");
        let wrong = point.reachable(10_000).expect("small numbers").expect("all states");
        assert!(
            wrong
                .iter()
                .any(|state| !point.holds(&corrected.property.formula, state).expect("small numbers"))
        );
    }
}

/// What cannot happen where an invariant holds: no room is never wanting, and where p0 may not halve its wait, it
/// does not.
#[test]
fn no_proof_is_about_nothing() {
    for solver in solver::for_tests().into_iter().take(1) {
        for theorem in all_theorems(&[HeartbeatVariant::Binary]) {
            let mut judge = ObligationChecker::new(&theorem.system, &solver, LIMIT).expect("a solver");
            let mut impossible = Vec::new();
            for (name, query) in theorem.system.premises(&invariant(&theorem)) {
                let answer = judge.ask(&query).expect("an answer");
                judge.done().expect("a solver that goes on");
                if answer != SolverAnswer::Sat {
                    impossible.push(name);
                }
            }
            let shorter = "p0 has not heard p1 and begins a shorter round";
            let known = |name: &String| {
                name.contains("without room")
                    || name.contains(shorter) && theorem.condition == "2*tmin > tmax"
            };
            impossible.retain(|name| !known(name));
            assert!(impossible.is_empty(), "{}: {impossible:#?}", theorem.name);
        }
    }
}
