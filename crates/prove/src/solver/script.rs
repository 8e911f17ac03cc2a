//! A whole script at once: everything that a solver answers to it, or an error. A script may come from a file that
//! somebody else wrote, so commands that make a solver read or write files are refused before it hears of them.

use std::time::{Duration, Instant};

use super::session::{next, patience, start};
use super::{Solver, SolverError};
use crate::sexpr::{Sexpr, parse};

/// Runs a script to its end and gives back all that the solver answers. The limit is for each question and, with the
/// same patience as in a session, for the whole.
///
/// An `(error ..)` anywhere is [`SolverError::Reported`], also one that merely says that there is no model: ask for
/// models in a [`SolverSession`](super::SolverSession).
pub fn run_script(solver: &Solver, text: &str, limit: Duration) -> Result<Vec<Sexpr>, SolverError> {
    let commands = parse(text).map_err(SolverError::Malformed)?;
    if let Some(refused) = commands.iter().find(|command| !is_harmless(command)) {
        return Err(SolverError::Refused { command: refused.shortened() });
    }
    let mut process = start(solver, limit, 0)?;
    // The solver is told what was judged, expression by expression, and not the text that it was read from.
    let mut told = String::with_capacity(text.len());
    for command in &commands {
        told.push_str(&command.to_string());
        told.push('\n');
    }
    process.send(told);
    process.close();
    let deadline = Instant::now().checked_add(patience(limit));
    let mut answers = Vec::new();
    // Several questions may take their time each and be late together, which is no fault of the solver.
    let late = |error| match error {
        SolverError::Overran { solver } => SolverError::Late { solver, limit },
        other => other,
    };
    while let Some(answer) = next(&mut process, solver, limit, deadline).map_err(late)? {
        answers.push(answer);
    }
    // A solver that is done says how it went; one that fell over has not answered everything.
    match process.failure() {
        None => Ok(answers),
        Some(said) => Err(SolverError::Died { solver: solver.clone(), said }),
    }
}

/// Commands that only speak of formulas; the last four are of Z3's Horn clauses.
const HARMLESS: &str = "assert check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun \
    declare-sort define-const define-fun define-fun-rec define-funs-rec define-sort echo exit get-assertions \
    get-assignment get-info get-model get-proof get-unsat-core get-value pop push reset-assertions set-info set-logic \
    declare-rel declare-var rule query";

/// What the options are called that name a file to write.
const REACHING: [&str; 6] = ["channel", "dump", "file", "log", "profile", "trace"];

fn is_harmless(command: &Sexpr) -> bool {
    let Some([head, rest @ ..]) = command.list() else { return false };
    match (head.text(), rest) {
        (Some("set-option"), [key, value]) => {
            let key = key.name().unwrap_or_default();
            value.string().is_none()
                && value.list().is_none()
                && !REACHING.iter().any(|word| key.contains(word))
        }
        (Some(head), _) => HARMLESS.split(' ').any(|word| word == head),
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Backend, fake::Fake, for_tests};

    const LIMIT: Duration = Duration::from_secs(20);

    fn shown(answers: &[Sexpr]) -> Vec<String> {
        answers.iter().map(Sexpr::to_string).collect()
    }

    #[test]
    fn all_answers_come_back() {
        let script = "(set-logic QF_LIA) ; numbers\n(declare-const |a b| Int)(assert (> |a b| 5))\n(check-sat)
            (push 1)(assert (< |a b| 3))(check-sat)(pop 1)(assert (< |a b| 7))(check-sat)(get-value (|a b|))(exit)";
        for solver in for_tests() {
            let script =
                format!("(set-option :produce-models true)(set-option :global-declarations false){script}");
            let answers = run_script(&solver, &script, LIMIT).unwrap();
            assert_eq!(shown(&answers), ["sat", "unsat", "sat", "((|a b| 6))"], "{solver}");
        }
    }

    #[test]
    fn spacer_solves_horn_clauses() {
        let script = "(set-logic HORN)(declare-fun inv (Int) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (inv x))))
            (assert (forall ((x Int)) (=> (and (inv x) (< x 9)) (inv (+ x 1)))))
            (assert (forall ((x Int)) (=> (inv x) (<= x 9))))(check-sat)(get-model)";
        for solver in for_tests().iter().filter(|solver| solver.backend == Backend::Z3) {
            let answers = run_script(solver, script, LIMIT).unwrap();
            assert_eq!(shown(&answers[..1]), ["sat"]);
            assert!(answers[1].to_string().contains("define-fun inv"), "{}", answers[1]);
        }
    }

    #[test]
    fn an_error_is_no_answer() {
        for solver in for_tests() {
            let script = "(set-logic QF_LIA)(declare-const x Int)(assert (> x y))(check-sat)";
            let error = run_script(&solver, script, LIMIT).unwrap_err();
            assert!(matches!(error, SolverError::Reported { .. }), "{error}");
            let error = run_script(&solver, "(check-sat))", LIMIT).unwrap_err();
            assert!(matches!(error, SolverError::Malformed(_)), "{error}");
        }
    }

    #[test]
    fn a_script_does_not_reach_for_files() {
        let harmless = |text: &str| is_harmless(&parse(text).unwrap()[0]);
        for text in [
            "(include \"other\")",
            "(set-option :regular-output-channel \"out\")",
            "(set-option :|regular-output-channel| out)",
            "(set-option :solver.smtlib2_log out)",
            "(set-option :trace_file_name true)",
            "(set-option :x \"y\")",
            "(set-option :x)",
            "(reset)",
            "check-sat",
            "()",
            "((a) b)",
        ] {
            assert!(!harmless(text), "{text}");
        }
        for text in
            ["(set-option :timeout 5)", "(set-option :fp.engine spacer)", "(assert true)", "(rule (p))"]
        {
            assert!(harmless(text), "{text}");
        }
        let solver = Fake::new("exit 1").solver(Backend::Z3);
        let error = run_script(&solver, "(check-sat)(include \"other\")", LIMIT).unwrap_err();
        assert_eq!(error, SolverError::Refused { command: "(include \"other\")".to_string() });
    }

    #[test]
    fn a_solver_that_falls_over_has_not_answered() {
        let fake = Fake::new("cat >/dev/null; echo unsat; echo oops >&2; exit 3");
        let error = run_script(&fake.solver(Backend::Cvc5), "(check-sat)(check-sat)", LIMIT).unwrap_err();
        let SolverError::Died { said, .. } = &error else { panic!("{error}") };
        assert!(said.contains('3') && said.contains("oops"), "{said}");
    }

    #[test]
    fn a_script_that_takes_too_long_is_stopped() {
        let fake = Fake::new("echo unsat; exec sleep 1000");
        let limit = Duration::from_millis(10);
        let error = run_script(&fake.solver(Backend::Z3), "(check-sat)(check-sat)", limit).unwrap_err();
        assert!(matches!(error, SolverError::Late { .. }), "{error}");
    }
}
