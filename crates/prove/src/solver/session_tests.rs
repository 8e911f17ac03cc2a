//! Conversations with the real solvers, and with processes that do what no solver should.

use std::path::Path;
use std::time::Duration;

use super::fake::Fake;
use super::session::patience;
use super::{Backend, SmtValue, Solver, SolverAnswer, SolverError, SolverOptions, SolverSession, for_tests};

fn options() -> SolverOptions {
    SolverOptions { limit: Duration::from_secs(20), cores: true, ..SolverOptions::default() }
}

fn session(solver: &Solver) -> SolverSession {
    SolverSession::start(solver, &options()).unwrap()
}

fn hurried(milliseconds: u64) -> SolverOptions {
    SolverOptions { limit: Duration::from_millis(milliseconds), ..SolverOptions::default() }
}

/// One pigeon more than there are holes: unsatisfiable, and out of reach for what resolves clauses.
fn pigeons(holes: usize) -> String {
    let mut script = String::new();
    for pigeon in 0..=holes {
        let places: Vec<String> = (0..holes).map(|hole| format!("p{pigeon}_{hole}")).collect();
        for place in &places {
            script.push_str(&format!("(declare-const {place} Bool)"));
        }
        script.push_str(&format!("(assert (or {}))\n", places.join(" ")));
    }
    for hole in 0..holes {
        for (one, other) in (0..=holes).flat_map(|one| (0..one).map(move |other| (one, other))) {
            script.push_str(&format!("(assert (not (and p{one}_{hole} p{other}_{hole})))\n"));
        }
    }
    script
}

/// Whether a sum of three cubes can be 114, which nobody knows.
const CUBES: &str = "(declare-const x Int)(declare-const y Int)(declare-const z Int)
    (assert (= (+ (* x x x) (* y y y) (* z z z)) 114))";

#[test]
fn both_solvers_answer_in_the_same_words() {
    for solver in for_tests() {
        let mut session = session(&solver);
        session.tell("(declare-const x Int)(declare-const |a b| Bool)\n(declare-const r Real)").unwrap();
        session.tell("(assert (! (> x 5) :named low))").unwrap();
        session.tell("(assert (= (* 2.0 r) (- 1.0)))(assert |a b|)").unwrap();
        session.push().unwrap();
        session.tell("(assert (! (< x 3) :named |high up|))(assert (! (< r 9.0) :named idle))").unwrap();
        assert_eq!(session.check(), Ok(SolverAnswer::Unsat), "{solver}");
        let mut core = session.core().unwrap();
        core.sort();
        assert_eq!(core, ["high up", "low"], "{solver}");
        session.pop().unwrap();
        session.tell("(assert (< x 7))").unwrap();
        assert_eq!(session.check(), Ok(SolverAnswer::Sat));
        let values = session.values(&["x", "(- x 20)", "|a b|", "|x|", "r", "(- r)"]).unwrap();
        let expected = [
            ("x", SmtValue::Int(6)),
            ("(- x 20)", SmtValue::Int(-14)),
            ("|a b|", SmtValue::Bool(true)),
            ("|x|", SmtValue::Int(6)),
            ("r", SmtValue::Rational(-1, 2)),
            ("(- r)", SmtValue::Rational(1, 2)),
        ];
        assert_eq!(values, expected.map(|(term, value)| (term.to_string(), value)), "{solver}");
        assert_eq!(session.values(&[]), Ok(vec![]));
        assert!(session.ask("(get-model)").unwrap()[0].to_string().contains("define-fun x () Int 6"));
    }
}

#[test]
fn two_thousand_questions_fit_into_one_session() {
    for solver in for_tests() {
        let mut session = SolverSession::start(&solver, &hurried(20_000)).unwrap();
        session.tell("(declare-const x Int)(declare-const y Int)(assert (< x y))").unwrap();
        for i in 0..2000 {
            session.push().unwrap();
            session.tell(&format!("(assert (= x {i}))(assert (< y {}))", i + 1 + i % 2)).unwrap();
            let expected = if i % 2 == 0 { SolverAnswer::Unsat } else { SolverAnswer::Sat };
            assert_eq!(session.check(), Ok(expected), "{solver}, question {i}");
            if i % 2 == 1 {
                assert_eq!(session.values(&["y"]).unwrap()[0].1, SmtValue::Int(i + 1));
            }
            session.pop().unwrap();
        }
    }
}

#[test]
fn an_error_ends_the_session_and_is_no_answer() {
    for solver in for_tests() {
        for wrong in ["(assert (> x nobody))", "(assert (+ x 1))", "(no-such-command)", "(pop 5)"] {
            let mut session = session(&solver);
            session.tell("(declare-const x Int)").unwrap();
            session.tell(wrong).unwrap();
            session.tell("(assert false)").unwrap();
            let error = session.check().unwrap_err();
            assert!(matches!(error, SolverError::Reported { .. }), "{solver}, {wrong}: {error}");
            assert!(!session.is_alive());
            let ended = SolverError::Ended { solver: solver.clone() };
            assert_eq!(session.tell("(assert true)"), Err(ended.clone()));
            assert_eq!(session.check(), Err(ended.clone()));
            assert_eq!(session.pop(), Err(ended.clone()));
            assert_eq!(session.values(&["x"]), Err(ended));
            session.restart().unwrap();
            assert_eq!(session.check(), Ok(SolverAnswer::Sat), "the false assertion is forgotten");
        }
    }
}

#[test]
fn text_that_would_swallow_the_next_question_is_not_handed_over() {
    for solver in for_tests() {
        let mut session = session(&solver);
        for text in ["(assert (> 1 2)", "(assert |x)", "(echo \"x)", "(a))"] {
            assert!(matches!(session.tell(text), Err(SolverError::Malformed(_))), "{text}");
        }
        session.tell("; a comment at the end is harmless").unwrap();
        assert_eq!(session.check(), Ok(SolverAnswer::Sat));
        assert!(matches!(session.values(&["(+ 1"]), Err(SolverError::Malformed(_))));
        assert!(matches!(session.values(&["1 2"]), Err(SolverError::OutOfOrder { .. })));
        assert_eq!(session.values(&["7 ; a comment"]).unwrap()[0].1, SmtValue::Int(7));
        assert!(session.is_alive());
    }
}

#[test]
fn an_answer_is_never_that_of_another_question() {
    for solver in for_tests() {
        let mut session = session(&solver);
        session.tell("(check-sat)(assert false)").unwrap();
        let error = session.check().unwrap_err();
        assert_eq!(
            error,
            SolverError::Unexpected { solver: solver.clone(), answer: "sat unsat".to_string() }
        );
    }
}

#[test]
fn questions_out_of_order_do_not_reach_the_solver() {
    for solver in for_tests() {
        let mut session = session(&solver);
        let early = |error| matches!(error, SolverError::OutOfOrder { .. });
        assert!(early(session.values(&["1"]).unwrap_err()));
        assert!(early(session.pop().unwrap_err()));
        assert_eq!(session.check(), Ok(SolverAnswer::Sat));
        assert!(early(session.core().unwrap_err()));
        session.tell("(assert false)").unwrap();
        assert!(early(session.values(&["1"]).unwrap_err()), "what is told ends the model");
        assert_eq!(session.check(), Ok(SolverAnswer::Unsat));
        assert_eq!(session.core(), Ok(vec![]));
        let mut coreless = SolverSession::start(&solver, &hurried(9000)).unwrap();
        assert!(early(coreless.core().unwrap_err()));
        assert!(session.is_alive() && coreless.is_alive());
    }
}

#[test]
fn a_limit_ends_a_question_and_not_the_session() {
    for solver in for_tests() {
        let mut session = SolverSession::start(&solver, &hurried(300)).unwrap();
        session.tell(&pigeons(12)).unwrap();
        let answer = session.check().unwrap();
        assert!(answer.is_timeout(), "{solver}: {answer}");
        assert!(session.is_alive(), "{solver}");
        session.tell("(assert false)").unwrap();
        assert_eq!(session.check(), Ok(SolverAnswer::Unsat), "{solver}");
    }
}

#[test]
fn a_limit_holds_where_the_solver_does_not_keep_it() {
    // Z3 4.8.12 stops working on this one in time and then waits for itself for ever.
    for solver in for_tests() {
        let mut session = SolverSession::start(&solver, &hurried(300)).unwrap();
        session.tell(CUBES).unwrap();
        match session.check() {
            Ok(answer) => assert!(matches!(answer, SolverAnswer::Unknown(_)), "{solver}: {answer}"),
            Err(error) => {
                let overran = SolverError::Overran { solver: solver.clone() };
                assert_eq!(error, overran);
                assert_eq!(session.restart(), Err(overran), "nothing more is asked of it");
            }
        }
    }
}

#[test]
fn options_reach_the_solver() {
    for solver in for_tests() {
        let settings = vec![("produce-assertions".to_string(), "true".to_string())];
        let options = SolverOptions { seed: 7, logic: Some("QF_LIA".to_string()), settings, ..options() };
        let mut session = SolverSession::start(&solver, &options).unwrap();
        session.tell("(assert (> 2 1))").unwrap();
        assert_eq!(session.check(), Ok(SolverAnswer::Sat));
        assert_eq!(session.ask("(get-assertions)").unwrap()[0].to_string(), "((> 2 1))");
        let options = SolverOptions { logic: Some("QF_LIA (".to_string()), ..options };
        assert!(matches!(SolverSession::start(&solver, &options), Err(SolverError::Malformed(_))));
    }
}

#[test]
fn more_than_a_pipe_holds_is_told_and_answered() {
    for solver in for_tests() {
        let mut session = session(&solver);
        let names: Vec<String> = (0..6000).map(|i| format!("a_rather_long_name_{i}")).collect();
        for name in &names {
            session.tell(&format!("(declare-const {name} Int)(assert (= {name} 1234567))")).unwrap();
        }
        assert_eq!(session.check(), Ok(SolverAnswer::Sat));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let values = session.values(&names).unwrap();
        assert!(values.len() == 6000 && values.iter().all(|(_, value)| *value == SmtValue::Int(1234567)));
    }
}

#[test]
fn a_process_that_never_answers_is_stopped() {
    // It does not even read: what it is told fills its pipe.
    let fake = Fake::new("exec sleep 1000");
    let mut session = SolverSession::start(&fake.solver(Backend::Z3), &hurried(10)).unwrap();
    for _ in 0..30_000 {
        session.tell("(assert (> 2 1))").unwrap();
    }
    let id = session.process_id().unwrap();
    let solver = fake.solver(Backend::Z3);
    assert_eq!(session.check(), Err(SolverError::Overran { solver }));
    assert!(!session.is_alive());
    assert!(is_gone(id));
    assert!(matches!(session.check(), Err(SolverError::Ended { .. })));
}

#[test]
fn a_solver_that_ignores_its_limit_is_ended_with_all_it_started_and_paid_for_once() {
    // A script around a program: it ignores what it is asked to do, and leaves a child to do the waiting.
    let fake = Fake::new(
        "echo x >>\"${0%/*}/starts\"; trap '' TERM INT HUP; sleep 1000 & echo $! >\"${0%/*}/child\"; wait; sleep 1000",
    );
    let solver = fake.solver(Backend::Cvc5);
    assert!(!solver.conduct.overran());
    let mut session = SolverSession::start(&solver, &hurried(10)).unwrap();
    let id = session.process_id().unwrap();
    let error = session.check().unwrap_err();
    assert_eq!(error, SolverError::Overran { solver: solver.clone() });
    let told = error.to_string();
    assert!(told.contains("does not keep its time limit") && told.contains("WATCHKEEPER_CVC5"), "{told}");
    let child = std::fs::read_to_string(fake.directory.join("child")).expect("it began");
    assert!(is_gone(id) && ends(child.trim().parse().expect("a number")), "nothing of it is left");
    // What every copy of the solver knows is not paid for again.
    for _ in 0..100 {
        assert_eq!(session.restart(), Err(error.clone()));
        assert_eq!(SolverSession::start(&solver, &hurried(10)).err(), Some(error.clone()));
    }
    let starts = std::fs::read_to_string(fake.directory.join("starts")).expect("it began");
    assert_eq!(starts.lines().count(), 1);
}

#[test]
fn what_a_solver_leaves_behind_ends_with_it() {
    for commands in ["exit 0", "cat", "exit 3"] {
        let fake = Fake::new(&format!(
            "sleep 1000 >/dev/null 2>&1 & echo $! >\"${{0%/*}}/child\"; echo unsat; echo watchkeeper-mark-1; {commands}"
        ));
        let mut session = SolverSession::start(&fake.solver(Backend::Z3), &options()).unwrap();
        // The answer is that of a solver which is there; a script that ends first has none, and either may be seen.
        let _ = session.check();
        let _ = session.check();
        drop(session);
        let child = std::fs::read_to_string(fake.directory.join("child")).expect("it began");
        assert!(ends(child.trim().parse().expect("a number")), "{commands}");
    }
}

#[test]
fn values_that_never_come_are_an_error() {
    let fake = Fake::new("echo sat; echo watchkeeper-mark-1; exec sleep 1000");
    let mut session = SolverSession::start(&fake.solver(Backend::Z3), &hurried(10)).unwrap();
    assert_eq!(session.check(), Ok(SolverAnswer::Sat));
    let error = session.values(&["x"]).unwrap_err();
    assert!(matches!(error, SolverError::Overran { .. }), "{error}");
    assert!(!session.is_alive());
}

#[test]
fn garbage_is_no_answer() {
    for (commands, expected) in [
        ("echo 'unsat]'; exec sleep 1000", "line 1, column 6"),
        ("echo Segmentation fault; exec sleep 1000", "\"Segmentation\""),
        ("echo unsat; echo unsat; echo watchkeeper-mark-1; exec sleep 1000", "\"unsat unsat\""),
        ("echo watchkeeper-mark-1; exec sleep 1000", "answered \"\""),
        ("echo watchkeeper-mark-2; exec sleep 1000", "watchkeeper-mark-2"),
        ("exec yes unsat", "\"unsat\""),
        ("printf '\\377\\376\\n'; exec sleep 1000", "UTF-8"),
    ] {
        let fake = Fake::new(commands);
        let mut session = SolverSession::start(&fake.solver(Backend::Z3), &options()).unwrap();
        let error = session.check().unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("set WATCHKEEPER_Z3"), "{commands}: {error}");
        assert!(!session.is_alive());
    }
}

#[test]
fn a_process_that_dies_gives_no_answer_and_its_last_words() {
    for commands in ["echo out of memory >&2; exit 9", "echo unsat; echo out of memory >&2; exit 9"] {
        let fake = Fake::new(commands);
        let mut session = SolverSession::start(&fake.solver(Backend::Cvc5), &options()).unwrap();
        let error = session.check().unwrap_err();
        let SolverError::Died { said, .. } = &error else { panic!("{error}") };
        assert!(said.contains("out of memory") && said.contains('9'), "{said}");
    }
    // What it writes to the side, and how much, holds nobody up.
    let fake = Fake::new("yes noise | head -c 1000000 >&2; exit 9");
    let mut session = SolverSession::start(&fake.solver(Backend::Cvc5), &options()).unwrap();
    let said = session.check().unwrap_err().to_string();
    assert!(said.contains("noise") && said.len() < 5000, "{}", said.len());
}

#[test]
fn what_cannot_be_started_is_an_error() {
    let fake = Fake::new("");
    let solver = Solver { path: fake.directory.join("absent"), ..fake.solver(Backend::Z3) };
    let error = SolverSession::start(&solver, &options()).unwrap_err();
    assert!(matches!(error, SolverError::Start { .. }), "{error}");
}

#[test]
fn no_process_is_left_behind() {
    for solver in for_tests() {
        let mut session = session(&solver);
        let first = session.process_id().unwrap();
        assert!(!is_gone(first));
        session.restart().unwrap();
        assert!(is_gone(first));
        let second = session.process_id().unwrap();
        drop(session);
        assert!(is_gone(second));
    }
}

#[test]
fn a_panic_leaves_no_process_behind() {
    let fake = Fake::new("exec sleep 1000");
    let id = std::sync::Mutex::new(0);
    let unwound = std::panic::catch_unwind(|| {
        let session = SolverSession::start(&fake.solver(Backend::Z3), &options()).unwrap();
        *id.lock().unwrap() = session.process_id().unwrap();
        // As a panic, but without its message in the output of the test.
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(unwound.is_err());
    let id = *id.lock().unwrap();
    assert!(id != 0 && is_gone(id));
}

#[test]
fn patience_is_longer_than_the_limit() {
    let seconds = |limit| patience(Duration::from_secs(limit)).as_secs();
    assert_eq!([seconds(0), seconds(1), seconds(6), seconds(60)], [3, 4, 9, 90]);
    assert_eq!(patience(Duration::MAX), Duration::MAX);
}

/// Whether a process has ended and been waited for. Where there is no `/proc` nobody can tell.
fn is_gone(id: u32) -> bool {
    !Path::new("/proc").join(id.to_string()).exists()
}

/// Whether a process ends that was killed a moment ago. It is no child of ours: whoever inherits it waits for it.
fn ends(id: u32) -> bool {
    let status = Path::new("/proc").join(id.to_string()).join("stat");
    for _ in 0..5_000 {
        match std::fs::read_to_string(&status) {
            // The state stands after the name, which is in parentheses.
            Ok(stat) if !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z') => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => return true,
        }
    }
    false
}
