//! Solvers that should not be believed, and systems that are not whole: none of them leads to a proof.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use watchkeeper_prove::solver::{Backend, Solver, SolverError, TimeLimitRecord, for_tests};
use watchkeeper_prove::{
    BoundedError, Claim, KInductionResult, ObligationStatus, ProofError, ProofOptions, System, SystemError,
    Theorem, assign, assume, k_induction, recheck,
};

/// A program in a directory of its own, which is removed with it.
struct Fake(PathBuf);

impl Fake {
    fn new(name: &str, commands: &str) -> Fake {
        let directory =
            std::env::temp_dir().join(format!("watchkeeper-untrusted-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let fake = Fake(directory);
        // Written by another process: while this one had it open it could not be executed.
        let mut writer = Command::new("sh");
        writer.args(["-c", "cat >\"$0\" && chmod +x \"$0\""]).arg(fake.program()).stdin(Stdio::piped());
        let mut writer = writer.spawn().expect("sh");
        let script = format!("#!/bin/sh\n{commands}\n");
        writer.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
        assert!(writer.wait().expect("an end").success());
        fake
    }

    /// One that repeats every mark, and says this to every question.
    fn saying(name: &str, answer: &str) -> Fake {
        let commands = format!(
            "while read -r line; do case \"$line\" in\n*'(check-sat)'*) printf '%s\\n' '{answer}';;\n*echo*) line=${{line#*\\\"}}; \
             echo \"${{line%%\\\"*}}\";;\nesac; done"
        );
        Fake::new(name, &commands)
    }

    fn program(&self) -> PathBuf {
        self.0.join("solver")
    }

    fn solver(&self) -> Solver {
        let (path, version) = (self.program(), "0".to_string());
        Solver { backend: Backend::Z3, path, version, conduct: TimeLimitRecord::default() }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn effort() -> ProofOptions {
    ProofOptions { limit: Duration::from_secs(20), total: Duration::from_secs(5), ..ProofOptions::default() }
}

/// Something that grows for ever, and is claimed not to.
fn growing() -> System {
    System::new("growing")
        .parameter("n", "where it begins")
        .assuming("0 <= n")
        .number("x", 0, "a number")
        .initially([assign("x", "n")])
        .step("grow", [assign("x", "x + 1")])
}

fn claim(system: System) -> Theorem {
    let property = Claim::new("small", system.formula("x <= n").expect("a formula"));
    let (name, statement) = ("small".to_string(), "x stays small".to_string());
    Theorem { name, statement, system, property, lemmas: Vec::new(), points: vec![vec![1]] }
}

#[test]
fn a_solver_that_says_unsat_to_everything_proves_nothing() {
    let fake = Fake::saying("unsat", "unsat");
    let theorem = claim(growing().finished().expect("a system"));
    let shown = theorem.judged(vec![theorem.property.clone()], None, &[fake.solver()], &effort());
    let shown = shown.expect("answers");
    assert!(shown.judged[0].1.iter().all(|judged| judged.outcome == ObligationStatus::Discharged));
    assert!(!shown.begins && !shown.is_shown(), "it also says that nothing can begin");
    let inducted = k_induction(
        &theorem.system,
        &theorem.property.formula,
        &[],
        3,
        true,
        &fake.solver(),
        Duration::from_secs(20),
    );
    assert!(matches!(inducted, Ok(KInductionResult::Undecided { .. })), "{inducted:?}");
}

#[test]
fn an_answer_after_an_error_is_none() {
    for answer in
        ["(error \"line 1: no\")\nunsat", "unsat\n(error \"no\")", "unsupported\nunsat", "unsat unsat"]
    {
        let fake = Fake::saying("error", answer);
        let theorem = claim(growing().finished().expect("a system"));
        let shown = theorem.judged(vec![theorem.property.clone()], None, &[fake.solver()], &effort());
        let told = shown.map(|shown| shown.is_shown());
        assert!(
            matches!(
                told,
                Err(ProofError::Solver(SolverError::Reported { .. } | SolverError::Unexpected { .. }))
            ),
            "{answer}: {told:?}"
        );
    }
}

#[test]
fn nothing_is_proven_of_a_system_with_a_statement_that_was_not_read() {
    // Without what could not be read its only step changes nothing, and the claim would be true.
    let mut torn = growing();
    torn.steps.clear();
    let torn = torn.step("grow", [assume("x >= 0"), assign("x", "x +")]);
    let theorem = claim(torn.clone());
    let missing = |error: &SystemError| matches!(error, SystemError::Text { .. });
    for solver in for_tests() {
        let solvers = [solver.clone()];
        let proven = theorem.prove(&solvers, &effort(), |_| {});
        assert!(matches!(&proven, Err(ProofError::System(error)) if missing(error)), "{proven:?}");
        let judged = theorem.judged(vec![theorem.property.clone()], None, &solvers, &effort());
        assert!(matches!(&judged, Err(ProofError::System(error)) if missing(error)), "{judged:?}");
        let formula = &theorem.property.formula;
        let inducted = k_induction(&torn, formula, &[], 3, true, &solver, Duration::from_secs(20));
        assert!(matches!(&inducted, Err(BoundedError::System(error)) if missing(error)), "{inducted:?}");
    }
}

#[test]
fn as_many_answers_as_obligations_are_not_enough() {
    for solver in for_tests() {
        let mut still = growing();
        still.steps.clear();
        let theorem = claim(still.finished().expect("a system"));
        let shown = theorem.judged(vec![theorem.property.clone()], None, &[solver], &effort());
        let shown = shown.expect("answers");
        assert!(shown.is_shown());
        let mut twice = shown.clone();
        let first = twice.judged[0].1[0].clone();
        let last = twice.judged[0].1.len() - 1;
        twice.judged[0].1[last] = first;
        assert!(!twice.is_shown(), "the last obligation was not asked");
        let mut fewer = shown.clone();
        fewer.judged[0].1.pop();
        assert!(!fewer.is_shown());
        let mut nobody = shown.clone();
        nobody.judged.clear();
        assert!(!nobody.is_shown());
    }
}

#[test]
fn a_solver_that_discharges_everything_verifies_nothing() {
    let text = include_str!("counter.smt2");
    let fake = Fake::saying("verify", "unsat");
    let rechecked = recheck(text, &fake.solver(), Duration::from_secs(20)).expect("answers");
    assert_eq!(rechecked.open().count(), 0);
    assert!(rechecked.is_vacuous() && !rechecked.begins() && !rechecked.is_verified());
}
