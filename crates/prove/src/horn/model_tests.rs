//! Models as Z3 writes them, and as nobody should, read back as terms.

use super::{conjuncts, read};
use crate::sexpr::parse;
use crate::{System, assign};

fn system() -> System {
    let system = System::new("three")
        .parameter("n", "bound")
        .number("x", 0, "a number")
        .flag("b", "a flag")
        .initially([assign("x", "0"), assign("b", "true")]);
    system.finished().expect("a system")
}

/// The conjuncts of a predicate with this body over `x!0` (n), `x!1` (x) and `x!2` (b).
fn told(body: &str) -> Result<Vec<String>, String> {
    let model = format!("((define-fun |p q| ((x!0 Int) (x!1 Int) (x!2 Bool)) Bool {body}))");
    let answers = parse(&model).map_err(|error| error.to_string())?;
    let formula = read(&system(), "p q", &answers)?;
    Ok(conjuncts(formula).iter().map(ToString::to_string).collect())
}

#[test]
fn terms_are_read_as_a_person_would_write_them() {
    for (body, expected) in [
        ("(<= (+ x!1 (* (- 1) x!0)) 0)", vec!["x <= n"]),
        ("(and (>= x!1 0) (not (>= (+ x!1 (* (- 2) x!0)) 3)))", vec!["0 <= x", "x < 2*n + 3"]),
        ("(let ((a!1 (+ x!0 (- 1)))) (or (not x!2) (= x!1 a!1)))", vec!["not b or x + 1 = n"]),
        ("(not (or x!2 (let ((a!1 (< x!1 5))) (and a!1 x!2))))", vec!["not b", "5 <= x or not b"]),
        ("(=> x!2 (> (ite x!2 x!1 (- x!0)) 4))", vec!["b => 4 < (if b then x else -n)"]),
        ("(not (=> x!2 (distinct x!0 x!1)))", vec!["b", "n = x"]),
        ("(<= (* (/ 1.0 2.0) (to_real x!1)) (- x!0 0.25))", vec!["2*x + 1 <= 4*n"]),
        ("(= x!2 true)", vec!["b"]),
        ("true", vec![]),
        ("false", vec!["false"]),
    ] {
        assert_eq!(told(body), Ok(expected.into_iter().map(String::from).collect()), "{body}");
    }
}

#[test]
fn a_name_of_a_let_is_not_known_to_its_own_values() {
    // The inner x!1 is the argument, and after the let it is again.
    let body = "(and (let ((x!1 (+ x!1 1)) (y x!1)) (<= x!1 y)) (<= x!1 7))";
    assert_eq!(told(body), Ok(vec!["false".to_string()]));
    let body = "(and (let ((x!1 (+ x!1 1)) (y x!1)) (< y x!1)) (<= x!1 7))";
    assert_eq!(told(body), Ok(vec!["x <= 7".to_string()]));
}

#[test]
fn what_is_not_of_the_language_is_unreadable() {
    for body in [
        "(= (mod x!1 2) 0)",
        "(<= (div x!1 2) 0)",
        "(forall ((z Int)) (<= z x!1))",
        "(<= (* x!0 x!1) 0)",
        "(<= (/ x!0 x!1) 0)",
        "(/ 1 0)",
        "(<= x!0 9999999999999999999999)",
        "(<= x!0 (* 1099511627776 (* 1099511627776 x!1)))",
        "(and x!0 x!2)",
        "(<= x!2 1)",
        "(+ x!0 1)",
        "(<= x!9 1)",
        "()",
        "(())",
        "((_ divisible 2) x!0)",
        "(let x!0 true)",
        "(let ((a)) true)",
        "\"text\"",
    ] {
        assert!(told(body).is_err(), "{body}: {:?}", told(body));
    }
    let other = parse("((define-fun other () Bool true))").expect("a model");
    assert!(read(&system(), "p q", &other).is_err());
    let fewer = parse("((define-fun |p q| ((x!0 Int)) Bool true))").expect("a model");
    assert!(read(&system(), "p q", &fewer).is_err());
}

#[test]
fn abbreviations_that_explode_are_refused() {
    let mut body = String::from("(<= a!60 0)");
    for i in (0..60).rev() {
        let next = i + 1;
        body = format!("(let ((a!{next} (ite x!2 a!{i} (+ a!{i} x!1)))) {body})");
    }
    let body = format!("(let ((a!0 x!1)) {body})");
    assert!(told(&body).is_err_and(|why| why.contains("parts")));
    // Deep, and not large.
    let deep = format!("{}x!2{}", "(not (and ".repeat(450), " true))".repeat(450));
    assert!(told(&deep).is_err_and(|why| why.contains("levels")));
}

#[test]
fn the_deepest_answers_are_read_back_from_their_text() {
    for level in ["(not (and BODY x!2))", "(not (ite BODY x!2 (<= x!1 2)))", "(<= (+ x!1 (ite BODY 1 7)) 2)"]
    {
        let nested =
            |depth: usize| (0..depth).fold("(<= x!1 1)".to_string(), |body, _| level.replace("BODY", &body));
        let deepest =
            (1..210).rev().step_by(10).find_map(|depth| told(&nested(depth)).ok()).expect("some are read");
        for shown in deepest {
            assert_eq!(crate::term(&shown).map(|again| again.to_string()), Ok(shown), "{level}");
        }
        assert!(told(&nested(400)).is_err(), "{level}");
    }
}
