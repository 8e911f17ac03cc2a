//! Certificates of small systems: written, run as they are, rechecked by every solver, and tampered with.

#[path = "systems/counter.rs"]
mod systems;

use std::time::Duration;
use systems::counter;
use watchkeeper_prove::solver::{SolverAnswer, for_tests, run_script};
use watchkeeper_prove::{
    Certificate, CertificateError, CertificateKind, CertificateOrigin, Claim, ObligationKind, RecheckResult,
    System, assign, assume, choose, k_induction_obligations, property_differences, recheck, redraw,
    system_differences, term,
};

const LIMIT: Duration = Duration::from_secs(10);

fn claims(system: &System, formulas: &[&str]) -> Vec<Claim> {
    let named = formulas.iter().enumerate();
    named
        .map(|(i, text)| Claim::new(&format!("c{}", i + 1), system.formula(text).expect("a formula")))
        .collect()
}

fn origin() -> CertificateOrigin {
    CertificateOrigin {
        found: "by hand".to_string(),
        solver: "none".to_string(),
        command: "watchkeeper prove \"counter\"".to_string(),
    }
}

fn certificate(system: &System, invariant: &[&str], property: &str) -> Certificate {
    let property = Claim::new("bounded", system.formula(property).expect("a formula"));
    Certificate::induction(system, &claims(system, invariant), &property, origin()).expect("a certificate")
}

fn good() -> String {
    certificate(&counter(), &["x <= n", "done => x = n"], "x <= n").write()
}

fn refused(text: &str) -> CertificateError {
    Certificate::read(text).expect_err("refused")
}

fn open(rechecked: &RecheckResult) -> Vec<&str> {
    rechecked.open().map(|answered| answered.name.as_str()).collect()
}

#[test]
fn the_file_is_read_by_people_first() {
    assert_eq!(good(), include_str!("counter.smt2"));
}

#[test]
fn a_good_certificate_is_verified_by_every_solver() {
    for solver in for_tests() {
        let rechecked = recheck(&good(), &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_verified() && !rechecked.is_vacuous(), "{rechecked:?}");
        assert_eq!(
            (rechecked.certificate.kind(), rechecked.certificate.conjuncts(), rechecked.obligations.len()),
            (CertificateKind::Induction, 2, 9)
        );
        assert_eq!(*rechecked.certificate.origin(), origin());
        assert_eq!((rechecked.certificate.system(), rechecked.certificate.claim()), ("counter", "bounded"));
        // The assumptions, a beginning, three paths: all possible.
        assert!(
            rechecked.premises.len() == 5
                && rechecked.impossible().count() + rechecked.undecided().count() == 0
        );
    }
}

#[test]
fn the_file_runs_as_it_is() {
    for solver in for_tests() {
        let answers = run_script(&solver, &good(), LIMIT).expect("answers");
        let unsat = answers.iter().filter(|answer| answer.text() == Some("unsat")).count();
        let sat = answers.iter().filter(|answer| answer.text() == Some("sat")).count();
        assert_eq!((unsat, sat), (9, 0), "{}", solver.backend);
    }
}

#[test]
fn a_bound_that_is_off_by_one_fails() {
    let system = counter();
    let wrong = certificate(&system, &["x < n", "done => x = n"], "x <= n").write();
    let too_strong = certificate(&system, &["x <= n"], "x <= n - 1").write();
    let not_inductive = certificate(&system, &["done => x = n"], "x <= n").write();
    for solver in for_tests() {
        let rechecked = recheck(&wrong, &solver, LIMIT).expect("an answer");
        assert!(!rechecked.is_verified());
        // An end at x = n contradicts the wrong bound, so only the count breaks it.
        assert_eq!(open(&rechecked), ["consecution of c1 under \"count\""]);
        let rechecked = recheck(&too_strong, &solver, LIMIT).expect("an answer");
        assert_eq!(open(&rechecked), ["safety: the invariant implies bounded"]);
        let rechecked = recheck(&not_inductive, &solver, LIMIT).expect("an answer");
        assert_eq!(open(&rechecked), ["safety: the invariant implies bounded"]);
    }
}

#[test]
fn a_definition_changed_in_the_file_is_judged_as_it_stands() {
    // The obligations call the definitions by name, so they stay the same; the guard now lets the count go beyond n.
    let text = good().replace("(<= (+ x d) n)", "(<= x n)");
    assert_ne!(text, good());
    for solver in for_tests() {
        let rechecked = recheck(&text, &solver, LIMIT).expect("an answer");
        assert_eq!(open(&rechecked), ["consecution of c1 under \"count\""]);
    }
    let read = Certificate::read(&text).expect("a certificate");
    let differences = system_differences(&read, &counter()).expect("a comparison");
    assert_eq!(differences, ["The path \"count\" is another one in the file."]);
}

#[test]
fn a_proof_about_nothing_is_not_verified() {
    let system = counter().under(term("n <= 1").expect("a term"));
    let text = certificate(&system, &["x <= n", "done => x = n"], "x <= n").write();
    let never = System::new("never")
        .parameter("n", "bound")
        .assuming("n >= 0")
        .number("x", 0, "a number")
        .initially([assume("n < 0"), assign("x", "0")])
        .step("go", [assign("x", "x + 1")])
        .finished()
        .expect("a system");
    let no_run = certificate(&never, &["x <= n", "n < 0"], "x <= n").write();
    for solver in for_tests() {
        let rechecked = recheck(&text, &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_vacuous() && !rechecked.is_verified());
        assert_eq!(rechecked.open().count(), 0);
        assert_eq!(rechecked.impossible().next().map(|premise| premise.kind), Some(ObligationKind::Lemma));
        let rechecked = recheck(&no_run, &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_vacuous() && !rechecked.is_verified());
        let names: Vec<&str> = rechecked.impossible().map(|premise| premise.name.as_str()).collect();
        assert_eq!(names, ["\"initially\" can begin", "\"go\" can happen"]);
    }
}

#[test]
fn a_path_that_never_happens_is_named() {
    let system = counter();
    let text = certificate(&system, &["x <= n", "not done or x = n", "x >= 0"], "x <= n").write();
    let text = text.replace(
        "(define-fun path.2 () Bool (and (= x n) (not done)))",
        "(define-fun path.2 () Bool (< x 0))",
    );
    for solver in for_tests() {
        let rechecked = recheck(&text, &solver, LIMIT).expect("an answer");
        let names: Vec<&str> = rechecked.impossible().map(|premise| premise.name.as_str()).collect();
        assert_eq!(names, ["\"end: stop\" can happen"]);
        assert!(rechecked.is_verified());
    }
}

#[test]
fn the_system_of_a_file_is_compared_with_the_one_that_is_known() {
    let system = counter();
    let read = Certificate::read(&good()).expect("a certificate");
    assert_eq!(system_differences(&read, &system), Ok(Vec::new()));
    let property = |text: &str| Claim::new("any name", system.formula(text).expect("a formula"));
    assert_eq!(property_differences(&read, &system, &property("x <= n")), Ok(Vec::new()));
    let other = property_differences(&read, &system, &property("x <= n + 1")).expect("a comparison");
    assert_eq!(other, ["The property is not x <= n + 1."]);
    let mut fewer = system.clone();
    fewer.steps.pop();
    let text = certificate(&fewer, &["x <= n", "done => x = n"], "x <= n").write();
    let read = Certificate::read(&text).expect("a certificate");
    assert_eq!(
        system_differences(&read, &system).expect("a comparison"),
        ["The path \"end: stop\" is not in the file.", "The path \"end: again\" is not in the file."]
    );
    let narrowed = system.under(term("n <= 5").expect("a term"));
    let text = certificate(&narrowed, &["x <= n", "done => x = n"], "x <= n").write();
    let read = Certificate::read(&text).expect("a certificate");
    assert_eq!(system_differences(&read, &system).expect("a comparison"), ["The assumptions are others."]);
}

#[test]
fn sets_and_draws_are_part_of_the_definitions() {
    let system = System::new("ages")
        .parameter("Delta", "the largest age")
        .assuming("Delta >= 0")
        .set("buf", "ages")
        .initially([assign("buf", "{}")])
        .step("send", [redraw("buf", "0", "Delta", "i", "(i in buf') = (i = 0 or i in buf)")])
        .step("lose", [redraw("buf", "0", "Delta", "i", "i in buf' => i in buf")])
        .finished()
        .expect("a system");
    let certificate = certificate(&system, &["not (Delta + 1 in buf)"], "not (Delta + 1 in buf)");
    for solver in for_tests() {
        let rechecked = recheck(&certificate.write(), &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_verified(), "{}: {:?}", solver.backend, open(&rechecked));
    }
}

#[test]
fn real_numbers_stay_real() {
    let system = System::new("dense")
        .dense()
        .parameter("n", "bound")
        .assuming("n > 0")
        .number("x", 0, "time")
        .initially([assign("x", "0")])
        .step("pass", [choose("d", "0", "n"), assume("2*x + 2*d <= n"), assign("x", "x + d")])
        .finished()
        .expect("a system");
    let text = certificate(&system, &["2*x <= n"], "x < n").write();
    assert!(text.contains("(declare-const x Real)"));
    for solver in for_tests() {
        assert!(recheck(&text, &solver, LIMIT).expect("an answer").is_verified());
    }
}

#[test]
fn lemmas_are_questions_of_their_own() {
    let system = counter();
    let property = Claim::new("bounded", system.formula("x <= n").expect("a formula"));
    let obligations = k_induction_obligations(&system, &property, &[], 2, true).expect("obligations");
    let certificate =
        Certificate::lemmas(&system, "bounded, by induction over two steps", &obligations, origin())
            .expect("a certificate");
    assert_eq!((certificate.kind(), certificate.obligations()), (CertificateKind::Lemmas, 3));
    let weaker = Claim::new("bounded", system.formula("x < n").expect("a formula"));
    let wrong = k_induction_obligations(&system, &weaker, &[], 2, true).expect("obligations");
    let wrong = Certificate::lemmas(&system, "wrong", &wrong, origin()).expect("a certificate");
    for solver in for_tests() {
        let rechecked = recheck(&certificate.write(), &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_verified() && rechecked.impossible().count() == 0, "{:?}", open(&rechecked));
        let rechecked = recheck(&wrong.write(), &solver, LIMIT).expect("an answer");
        assert!(!rechecked.is_verified());
        // With n = 2 one step of two ends at n.
        assert_eq!(open(&rechecked)[0], "bounded after 1 steps from the beginning");
        assert!(run_script(&solver, &certificate.write(), LIMIT).is_ok());
    }
    let read = Certificate::read(&certificate.write()).expect("a certificate");
    assert!(read.says_the_same_as(&certificate) && !read.says_the_same_as(&wrong));
    assert_eq!(
        system_differences(&read, &system).expect("a comparison"),
        ["The file has lemmas, and no system."]
    );
}

#[test]
fn an_obligation_left_out_or_weakened_is_not_accepted() {
    let text = good();
    let block = text.find("(push 1)").expect("an obligation");
    let second = text[block + 1..].find("(push 1)").expect("two obligations") + block + 1;
    let without = format!("{}{}", &text[..block], &text[second..]);
    assert_eq!(refused(&without), CertificateError::Obligations { stated: 8, required: 9 });
    let cut = &text[..second];
    assert_eq!(refused(cut), CertificateError::Obligations { stated: 1, required: 9 });
    for (from, to) in [
        ("(assert (not (conjunct.1 path.1.x)))", "(assert (not (conjunct.1 x)))"),
        ("(assert path.1)\n", ""),
        ("(assert path.1)", "(assert false)"),
        ("(assert path.1)", "(assert path.1)\n(assert false)"),
        ("(assert assumption.1)\n", ""),
        ("(assert assumption.1)\n", "(assert false)\n"),
        ("(assert (conjunct.1 x))\n", "(assert false)\n"),
        ("(assert (conjunct.1 x))\n", "(assert (conjunct.1 x))\n(assert (< x n))\n"),
        ("(echo \"safety: the invariant implies bounded\")\n", ""),
    ] {
        assert!(text.contains(from), "{from}");
        let error = refused(&text.replace(from, to));
        assert!(matches!(error, CertificateError::Command { .. }), "{from}: {error}");
    }
    assert!(matches!(refused(&format!("{text}(exit)")), CertificateError::Command { .. }));
}

#[test]
fn what_is_hidden_among_definitions_is_an_error() {
    let text = good();
    let marks = [
        "(set-info :section assumptions)",
        "(set-info :section paths)",
        "(set-info :section invariant)",
        "(set-logic ALL)",
    ];
    for mark in marks {
        for hidden in [
            "(assert false)",
            "(set-option :timeout 1)",
            "(check-sat)",
            "(push 1)",
            "(exit)",
            "(define-fun-rec f () Bool false)",
            "(define-sort Int () Bool)",
            "(declare-fun f (Int) Bool)",
            "(include \"other\")",
            "(set-info :section assumptions)",
            "(define-fun other () Bool true)",
            "atom",
            "()",
            "(())",
        ] {
            let error = refused(&text.replacen(mark, &format!("{hidden}\n{mark}"), 1));
            assert!(matches!(error, CertificateError::Command { .. }), "{hidden}: {error}");
            refused(&text.replacen(mark, &format!("{mark}\n{hidden}"), 1));
        }
    }
}

#[test]
fn names_and_sorts_are_checked() {
    let text = good();
    for (from, to, why) in [
        ("(declare-const x Int)", "(declare-const x Int)\n(declare-const x Int)", "`x` is there twice"),
        ("(declare-const x Int)", "(declare-const n Int)", "`n` is there twice"),
        ("(declare-const x Int)", "(declare-const |n| Int)", "`n` is there twice"),
        ("(declare-const n Int)", "(declare-const true Int)", "a meaning of its own"),
        ("(declare-const n Int)", "(declare-const |n\nm| Int)", "characters that no name may have"),
        ("(declare-const n Int)", "(declare-const |n m| Int)", "`n` stands for nothing here"),
        ("(declare-const n Int)", "(declare-const .n Int)", "a meaning of its own"),
        ("Bool (<= 2 n))", "Bool (forall ((and Int)) (= and n)))", "a meaning of its own"),
        ("(declare-const n Int)", "(declare-const n Bool)", "cannot be of this sort"),
        ("(declare-const n Int)", "(declare-const n Real)", "a sort that is not of the format"),
        (
            "(declare-const n Int)",
            "(declare-const path.1 Int)\n(declare-const n Int)",
            "`path.1` is there twice",
        ),
        ("Bool (<= 2 n))", "Bool (<= 2 m))", "`m` stands for nothing here"),
        ("Bool (<= 2 n))", "Bool (<= 2 x))", "`x` stands for nothing here"),
        ("Bool (<= 2 n))", "Int (<= 2 n))", "not of sort Bool"),
        ("Bool (<= 2 n))", "Bool (+ 2 n))", "not of sort Bool"),
        ("Bool (<= 2 n))", "Bool (<= 2 2.0))", "not of the language"),
        ("Bool (<= 2 n))", "Bool (|<=| 2 n))", "not of the language"),
        ("Bool (<= 2 n))", "Bool (<= 02 n))", "`02` stands for nothing"),
        ("Bool (<= 2 n))", "Bool (<= (* n n) n))", "not of the language"),
        ("Bool (<= 2 n))", "Bool (exists ((i Int)) (= i n)))", "not of the language"),
        ("Bool (<= 2 n))", "Bool (let ((n 3)) (= 3 n)))", "not of the language"),
        ("Bool (<= 2 n))", "Bool (! (<= 2 n) :named a))", "`:named` stands for nothing"),
        ("Bool (<= 2 n))", "Bool \"true\")", "stands for nothing"),
        ("beginning.1.x () Int 0", "beginning.1.x () Int x", "`x` stands for nothing here"),
        ("beginning.1.x () Int 0", "beginning.1.x ((x Int)) Int x", "has arguments"),
        ("conjunct.1 ((x Int))", "conjunct.1 ((y Int))", "is no variable"),
        ("conjunct.1 ((x Int))", "conjunct.1 ((x Bool))", "is no variable"),
        ("conjunct.1 ((x Int))", "conjunct.1 ((x Int) (x Int))", "is no variable"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = refused(&text.replacen(from, to, 1));
        assert!(error.to_string().contains(why), "{to}: {error}");
    }
    let without = text.replace("(define-fun beginning.1.x () Int 0)\n", "");
    assert_eq!(refused(&without), CertificateError::Beginning("initially".to_string()));
}

#[test]
fn no_cut_and_no_garbage_makes_a_reader_fall_over() {
    let text = good();
    let is_end = |at: usize| text[at..].trim().is_empty();
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at) && !is_end(*at)) {
        refused(&text[..at]);
    }
    for garbage in [
        "",
        "(",
        ")",
        "nonsense",
        "(set-info :watchkeeper-certificate 1)",
        "\u{0}",
        "(set-info)",
        "(set-info :kind)",
    ] {
        refused(garbage);
    }
    let newer = text.replace(":watchkeeper-certificate 1", ":watchkeeper-certificate 2");
    assert_eq!(refused(&newer), CertificateError::Format("2".to_string()));
    let kind = text.replace(":kind induction", ":kind magic");
    assert_eq!(refused(&kind), CertificateError::Kind("magic".to_string()));
    for deep in [900, 5_000, 1_000_000] {
        let nested = format!("{}true{}", "(not ".repeat(deep), ")".repeat(deep));
        refused(&text.replace("Bool (<= 2 n))", &format!("Bool {nested})")));
    }
}

#[test]
fn names_of_paths_may_be_anything() {
    let name = "a \"quoted\" |bar|\nnew line \\ (assert false) \u{1b}[31m Δ";
    let mut system = counter();
    system.steps[0].name = name.to_string();
    system.name = name.to_string();
    let text = certificate(&system, &["x <= n", "done => x = n"], "x <= n").write();
    for solver in for_tests() {
        let rechecked = recheck(&text, &solver, LIMIT).expect("an answer");
        assert!(rechecked.is_verified());
        let shown = "consecution of c1 under \"a \"quoted\" |bar| new line \\ (assert false)  [31m Δ\"";
        assert!(rechecked.obligations.iter().any(|answered| answered.name == shown));
        let answers = run_script(&solver, &text, LIMIT);
        assert!(answers.is_ok(), "{answers:?}");
    }
    let read = Certificate::read(&text).expect("a certificate");
    assert_eq!(system_differences(&read, &system), Ok(Vec::new()));
}

#[test]
fn a_time_limit_leaves_an_obligation_open() {
    for solver in for_tests() {
        // A millisecond may be enough for some questions, and what it is not enough for is never called discharged.
        let rechecked = recheck(&good(), &solver, Duration::from_millis(1)).expect("an answer");
        let is_open = |answer: &SolverAnswer| matches!(answer, SolverAnswer::Unknown(_));
        assert!(rechecked.open().all(|answered| is_open(&answered.answer)));
    }
}

#[test]
fn where_it_is_not_known_that_the_system_begins_nothing_is_verified() {
    let solvers = for_tests();
    let Some(solver) = solvers.first() else { return };
    let mut rechecked = recheck(&good(), solver, LIMIT).expect("answers");
    assert!(rechecked.begins() && rechecked.is_verified());
    for premise in &mut rechecked.premises {
        premise.answer = SolverAnswer::Unknown("time".to_string());
    }
    assert!(!rechecked.is_vacuous(), "nobody says that it cannot");
    assert!(!rechecked.is_verified());
}
