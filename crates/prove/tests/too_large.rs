//! Numbers that are too large: a term means exactly what it was built from, and what cannot be worked out is refused.
//! Nothing is rounded, so that no two numbers become the same one.

use std::time::Duration;
use watchkeeper_prove::solver::for_tests;
use watchkeeper_prove::{
    Claim, InstanceError, ObligationChecker, ObligationStatus, System, SystemInstance, SystemSpace,
    SystemSpaceError, Term, assign, assume, check_all, redraw,
};

const HALF: i64 = 1 << 62;

fn x() -> Term {
    Term::name("x")
}

fn times(k: i64, term: Term) -> Term {
    Term::Times(k, Box::new(term))
}

/// A number that stays what it is.
fn still() -> System {
    System::new("still")
        .parameter("n", "what it is")
        .assuming("1 <= n")
        .number("x", 0, "the number")
        .initially([assign("x", "n")])
        .step("nothing happens", [assume("x >= 0")])
        .finished()
        .expect("a system")
}

/// Whether a formula about `x`, which is 1 at least, is valid, by every solver.
fn is_valid(formula: &Term) -> bool {
    let system = still();
    let claims = [Claim::new("positive", Term::Number(1).le(x())), Claim::new("goal", formula.clone())];
    let obligations = system.obligations(&claims[..1], &claims[1]);
    let answers: Vec<bool> = for_tests()
        .iter()
        .map(|solver| {
            let judged = check_all(&system, &obligations, solver, Duration::from_secs(20), |_| {});
            judged.expect("answers").iter().all(|judged| judged.outcome == ObligationStatus::Discharged)
        })
        .collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "the solvers agree");
    answers.first().copied().unwrap_or(false)
}

#[test]
fn a_sum_that_does_not_fit_stays_what_it_is() {
    let doubled = times(HALF, x()).plus(times(HALF, x()));
    assert_eq!(doubled.to_string(), "4611686018427387904*x + 4611686018427387904*x");
    let largest = times(i64::MAX, x());
    assert_ne!(doubled, largest, "2^63*x is not (2^63 - 1)*x");
    // 2^80*x and 2^81*x, built of factors that fit.
    let power = |k: i64| times(k, times(1 << 40, x()));
    let (small, large) = (power(1 << 40), power(1 << 41));
    assert_eq!(small.clone().plus(small.clone()), large.clone().plus(Term::Number(0)));
    assert_ne!(small.clone().times(1), large.clone().times(1));
    assert_eq!(large.clone().minus(small.clone()), small.clone().times(1));
    assert_eq!(small.clone().minus(small.clone()), Term::Number(0));
    let numbers = Term::sum([Term::Number(i64::MAX), Term::Number(1)]);
    assert_eq!(numbers.to_string(), "1 + 9223372036854775807");
    let opposite = x().plus(times(-1, Term::Number(i64::MIN)));
    assert_eq!(opposite.to_string(), "x - (-9223372036854775808)");
    assert_eq!(x().plus(Term::Number(i64::MIN)).to_string(), "x - 9223372036854775808");
    assert_eq!(x().plus(times(i64::MIN, Term::name("y"))).to_string(), "x - 9223372036854775808*y");
}

#[test]
fn a_solver_tells_numbers_apart_that_do_not_fit() {
    if for_tests().is_empty() {
        return;
    }
    let power = |k: i64| times(k, times(1 << 40, x()));
    let (small, large) = (power(1 << 40), power(1 << 41));
    assert!(is_valid(&small.clone().lt(large.clone())));
    assert!(!is_valid(&small.clone().equals(large.clone())));
    assert!(is_valid(&Term::Eq(Box::new(small.clone().plus(small)), Box::new(large))));
    let doubled = times(HALF, x()).plus(times(HALF, x()));
    assert!(is_valid(&times(i64::MAX, x()).lt(doubled.clone())));
    assert!(!is_valid(&doubled.le(times(i64::MAX, x()))));
}

#[test]
fn an_instance_refuses_what_it_cannot_work_out() {
    let instance = SystemInstance::new(&still(), &[3]).expect("possible");
    let doubled = times(HALF, x()).plus(times(HALF, x()));
    let too_large = |found: Result<bool, InstanceError>| {
        let error = found.expect_err("too large").to_string();
        assert!(error.contains("too large"), "{error}");
    };
    too_large(instance.holds(&doubled.clone().le(times(i64::MAX, x())), &[1]));
    too_large(instance.holds(&times(HALF, x()).equals(times(HALF, x().plus(Term::Number(1)))), &[3]));
    assert_eq!(instance.holds(&times(2, x()).le(Term::Number(6)), &[3]), Ok(true));
    let assumed = still().under(times(HALF, Term::name("n")).le(times(HALF, Term::name("n"))));
    assert!(matches!(SystemInstance::new(&assumed, &[3]), Err(InstanceError::TooLarge(_))));
    let atom = ("doubled".to_string(), doubled.le(Term::Number(0)));
    let refused = SystemSpace::new(instance, &[atom]).err();
    assert!(matches!(refused, Some(SystemSpaceError::Instance(InstanceError::TooLarge(_)))), "{refused:?}");
}

#[test]
fn a_state_that_has_no_place_in_a_search_is_not_left_out() {
    let begins = |value: &str| {
        System::new("far")
            .number("x", 0, "a number")
            .initially([assign("x", value)])
            .step("nothing happens", [])
            .finished()
            .expect("a system")
    };
    for value in ["-1", "1073741825"] {
        let instance = SystemInstance::new(&begins(value), &[]).expect("possible");
        let refused = SystemSpace::new(instance, &[]).err().expect("it begins outside").to_string();
        assert!(refused.contains(&format!("x = {value}")), "{refused}");
    }
    let instance = SystemInstance::new(&begins("1073741824"), &[]).expect("possible");
    assert_eq!(SystemSpace::new(instance, &[]).expect("a space").reachable(9).map(|all| all.len()), Some(1));
}

#[test]
fn a_set_with_elements_that_it_cannot_hold_is_not_drawn_without_them() {
    let drawing = |low: &str, high: &str| {
        System::new("draw")
            .set("buf", "a set")
            .initially([assign("buf", "{}")])
            .step("draw", [redraw("buf", low, high, "i", "i in buf' => i = 70")])
            .finished()
            .expect("a system")
    };
    for (low, high) in [("0", "70"), ("-3", "2")] {
        let instance = SystemInstance::new(&drawing(low, high), &[]).expect("possible");
        assert!(matches!(instance.turns(&[0]), Err(InstanceError::Elements { .. })), "{low} .. {high}");
        // The search is cut there, and so has no full answer.
        let space = SystemSpace::new(instance, &[]).expect("a space");
        assert_eq!(space.reachable(100), None);
    }
    let instance = SystemInstance::new(&drawing("0", "5"), &[]).expect("possible");
    assert_eq!(instance.turns(&[0]).expect("sets").len(), 1);
    let stored = System::new("store")
        .set("buf", "a set")
        .initially([assign("buf", "{}")])
        .step("store", [assign("buf", "{70}")])
        .finished()
        .expect("a system");
    let instance = SystemInstance::new(&stored, &[]).expect("possible");
    assert!(matches!(instance.turns(&[0]), Err(InstanceError::TooLarge(_))));
}

#[test]
fn a_judge_shows_numbers_as_large_as_they_are() {
    let system = still();
    for solver in for_tests() {
        let mut judge = ObligationChecker::new(&system, &solver, Duration::from_secs(20)).expect("a solver");
        let claims = [Claim::new(
            "goal",
            Term::Not(Box::new(times(1 << 40, times(1 << 40, Term::Number(1))).lt(x()))),
        )];
        let obligations = system.obligations(&[], &claims[0]);
        let judged = judge.judge(&obligations[0]).expect("an answer");
        let ObligationStatus::Refuted(example) = judged.outcome else { panic!("{:?}", judged.outcome) };
        let value: i128 = example.before[0].1.parse().expect("a number");
        assert!(value > 1 << 80, "{value}");
    }
}
