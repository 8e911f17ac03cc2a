//! Spacer asked for invariants of small systems: what it finds must pass induction, like anything that a person
//! wrote.

use std::time::Duration;
use watchkeeper_prove::solver::{Backend, Solver, for_tests};
use watchkeeper_prove::{
    Claim, HornError, HornResult, ObligationChecker, Spacer, System, Term, assign, assume, choose, either,
    horn, horn_clauses, is_proof, numbered, redraw, when,
};

const LIMIT: Duration = Duration::from_secs(10);

fn z3() -> Option<Solver> {
    for_tests().into_iter().find(|solver| solver.backend == Backend::Z3)
}

/// Two phases; the second takes back what the first gave.
fn clock() -> System {
    let system = System::new("two-phase clock")
        .parameter("low", "length of the first phase")
        .parameter("high", "length of the second phase")
        .assuming("low >= 1")
        .assuming("high >= low")
        .control("phase", &["up", "down"], "the phase")
        .number("t", 0, "time in the phase")
        .number("credit", 0, "what was given and not yet taken back")
        .initially([assign("phase", "0"), assign("t", "0"), assign("credit", "0")])
        .step("give", [assume("phase = 0 and t < low"), assign("t", "t + 1"), assign("credit", "credit + 1")])
        .step("turn", [assume("phase = 0"), assign("phase", "1"), assign("t", "0")])
        .step(
            "take",
            [
                assume("phase = 1 and t < high"),
                assign("t", "t + 1"),
                when("credit > 0", vec![assign("credit", "credit - 1")], vec![]),
            ],
        )
        .step("again", [assume("phase = 1 and t = high"), assign("phase", "0"), assign("t", "0")]);
    system.finished().expect("a system")
}

fn proves(system: &System, invariant: Vec<Term>, property: &Term, solver: &Solver) {
    let claims = numbered("s", invariant);
    let property = Claim::new("the property", property.clone());
    let mut judge = ObligationChecker::new(system, solver, LIMIT).expect("a judge");
    assert!(is_proof(&mut judge, system, &claims, &property).expect("an answer"), "{claims:?}");
}

/// What one has the other has not; only together do they stay bounded.
fn transfer() -> System {
    let system = System::new("transfer")
        .parameter("n", "what there is")
        .assuming("n >= 3")
        .number("a", 0, "what is left")
        .number("b", 0, "what is given")
        .initially([assign("a", "n"), assign("b", "0")])
        .step("give", [assume("a >= 1"), assign("a", "a - 1"), assign("b", "b + 1")])
        .step("return", [assume("b >= 2"), assign("a", "a + 2"), assign("b", "b - 2")]);
    system.finished().expect("a system")
}

#[test]
fn what_is_found_is_an_invariant_to_every_solver() {
    let Some(z3) = z3() else { return };
    for (system, property) in [
        (transfer(), "b <= n"),
        (transfer(), "a + b = n"),
        (clock(), "0 <= t and t <= high"),
        (clock(), "phase = 1 => low <= high"),
    ] {
        let property = system.formula(property).expect("a formula");
        let found = horn(&system, &property, &Spacer::LADDER, &z3, LIMIT).expect("an answer");
        let HornResult::Candidate { invariant, .. } = found else { panic!("{property}: {found:?}") };
        for solver in for_tests() {
            proves(&system, invariant.clone(), &property, &solver);
        }
    }
}

#[test]
fn what_is_not_inductive_is_not_called_so() {
    let Some(z3) = z3() else { return };
    let system = clock();
    let property = system.formula("credit <= low").expect("a formula");
    // A setting that is known to answer with what is no invariant.
    let unsound =
        [Spacer { settings: &[("fp.spacer.iuc.arith", "2"), ("fp.spacer.use_euf_gen", "true")], seed: 0 }];
    match horn(&system, &property, &unsound, &z3, LIMIT).expect("an answer") {
        HornResult::Candidate { invariant, .. } => proves(&system, invariant, &property, &z3),
        HornResult::Undecided(tried) => {
            let known = ["what it found is not inductive", "time", "unknown"];
            assert!(known.contains(&tried[0].1.as_str()), "{tried:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn truth_values_and_choices_are_part_of_the_clauses() {
    let Some(z3) = z3() else { return };
    let system = System::new("door")
        .parameter("most", "how many go in at once")
        .assuming("most >= 1")
        .flag("open", "whether it is open")
        .number("inside", 0, "how many are inside")
        .initially([assign("open", "false"), assign("inside", "0")])
        .step("open", [assign("open", "true")])
        .step(
            "enter",
            [assume("open"), choose("k", "1", "most"), assume("inside = 0"), assign("inside", "k")],
        )
        .step(
            "close",
            [either([
                ("empty", vec![assume("inside = 0"), assign("open", "false")]),
                ("leave", vec![assign("inside", "0")]),
            ])],
        )
        .finished()
        .expect("a system");
    let property = system.formula("not open => inside = 0").expect("a formula");
    let found = horn(&system, &property, &Spacer::LADDER, &z3, LIMIT).expect("an answer");
    let HornResult::Candidate { invariant, .. } = found else { panic!("{found:?}") };
    proves(&system, invariant, &property, &z3);
    // One clause for each way to begin, for each path, and for the property; and the declaration.
    assert_eq!(horn_clauses(&system, &property).expect("clauses").len(), 1 + 1 + 4 + 1);
}

#[test]
fn a_violation_is_told_as_one() {
    let Some(z3) = z3() else { return };
    let system = clock();
    let property = system.formula("credit < low").expect("a formula");
    let found = horn(&system, &property, &Spacer::LADDER, &z3, LIMIT).expect("an answer");
    assert_eq!(found, HornResult::Refuted { by: Spacer::LADDER[0] });
}

#[test]
fn real_numbers_keep_their_fractions() {
    let Some(z3) = z3() else { return };
    let system = System::new("halves")
        .dense()
        .parameter("n", "bound")
        .assuming("n > 0")
        .number("x", 0, "time")
        .number("y", 0, "twice the time")
        .initially([assign("x", "0"), assign("y", "0")])
        .step(
            "pass",
            [choose("d", "0", "n"), assume("2*x + 2*d <= n"), assign("x", "x + d"), assign("y", "y + 2*d")],
        )
        .finished()
        .expect("a system");
    let property = system.formula("y <= n").expect("a formula");
    let found = horn(&system, &property, &Spacer::LADDER, &z3, LIMIT).expect("an answer");
    let HornResult::Candidate { invariant, .. } = found else { panic!("{found:?}") };
    for solver in for_tests() {
        proves(&system, invariant.clone(), &property, &solver);
    }
}

#[test]
fn a_setting_that_a_version_does_not_know_is_passed_over() {
    let Some(z3) = z3() else { return };
    let system = clock();
    let property = system.formula("t <= high").expect("a formula");
    let unknown = Spacer { settings: &[("fp.spacer.no_such_setting", "true")], seed: 0 };
    let ways = [unknown, Spacer { settings: &[], seed: 3 }];
    let found = horn(&system, &property, &ways, &z3, LIMIT).expect("an answer");
    assert!(matches!(&found, HornResult::Candidate { by, .. } if *by == ways[1]), "{found:?}");
    let found = horn(&system, &property, &ways[..1], &z3, LIMIT).expect("an answer");
    let HornResult::Undecided(tried) = found else { panic!("{found:?}") };
    assert_eq!(tried[0].1, format!("{} does not know this setting", z3.version));
    assert_eq!(ways[1].to_string(), "Spacer, seed 3");
    let told = "Spacer with fp.spacer.global=true, seed 1";
    assert_eq!(Spacer::LADDER[3].to_string(), told);
    // Without a way to try, nothing is decided.
    let none = horn(&system, &property, &[], &z3, LIMIT).expect("an answer");
    assert_eq!(none, HornResult::Undecided(Vec::new()));
}

#[test]
fn what_spacer_cannot_be_asked_is_refused() {
    let sets = System::new("sets")
        .parameter("n", "bound")
        .set("ages", "a set")
        .initially([assign("ages", "{}")])
        .step("draw", [redraw("ages", "0", "n", "i", "i in ages' => i <= 3")])
        .finished()
        .expect("a system");
    assert_eq!(horn_clauses(&sets, &Term::Bool(true)), Err(HornError::Sets("ages".to_string())));
    let quantified = clock().formula("all i in 0 .. low: t != i - 1").expect("a formula");
    assert_eq!(horn_clauses(&clock(), &quantified), Err(HornError::Quantified));
    for solver in for_tests().iter().filter(|solver| solver.backend == Backend::Cvc5) {
        let refused = horn(&clock(), &Term::Bool(true), &Spacer::LADDER, solver, LIMIT);
        assert_eq!(refused, Err(HornError::Backend(Backend::Cvc5)));
    }
}
