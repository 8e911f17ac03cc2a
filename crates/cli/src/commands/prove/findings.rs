//! What the prover found, in words: why there is no proof, which conjuncts, what each solver made of the obligations and
//! where induction breaks. It asks nobody anything.

use super::words::told;
use std::time::Duration;
use watchkeeper_prove::solver::{Solver, SolverError};
use watchkeeper_prove::{
    CheckedObligation, Claim, NoInvariant, ObligationKind, ObligationStatus, ProofError, ProofOptions, System,
};
use watchkeeper_report::{Conjunct, OpenObligation, OpenVariable, SolverCheck};

/// How a warning begins that says that one solver is wrong.
pub(super) const DISAGREE: &str = "the solvers disagree";

/// Why there is no proof, and what to do next.
pub(super) fn why(trouble: &ProofError, effort: &ProofOptions) -> (String, String) {
    let (why, next) = match trouble {
        ProofError::NoInvariant(NoInvariant::Nothing { candidates }) => (
            format!("no invariant among {candidates} candidates"),
            "help with a --lemma that excludes the state below, or try --engine spacer or k-induction"
                .to_string(),
        ),
        ProofError::NoInvariant(NoInvariant::Time) => (
            format!("no invariant was found in {}", watchkeeper::quantities::TimeSpan(effort.total)),
            "give it longer with --timeout, or help with a --lemma".to_string(),
        ),
        ProofError::NoInvariant(other) => {
            (other.to_string(), "choose other small instances with --assume".to_string())
        }
        ProofError::Solver(SolverError::Stopped) => {
            ("interrupted".to_string(), "run it again, and let it come to its end".to_string())
        }
        ProofError::Solver(error) => (error.to_string(), "ask another solver with --solver".to_string()),
        ProofError::System(error) => {
            (error.to_string(), "the system has to be mended before anything is proven of it".to_string())
        }
        ProofError::Witness(error) => {
            (error.to_string(), "the run in the casebook has to be mended".to_string())
        }
    };
    (format!("; {why}"), next)
}

/// The conjuncts in words.
pub(super) fn conjuncts(
    system: &System,
    claims: &[Claim],
    written: impl Fn(&Claim) -> bool,
) -> Vec<Conjunct> {
    let conjunct = |claim: &Claim| Conjunct {
        name: claim.name.clone(),
        formula: told(system, &claim.formula),
        written: written(claim),
    };
    claims.iter().map(conjunct).collect()
}

/// The figures of one solver.
pub(super) fn check(solver: &Solver, all: &[CheckedObligation]) -> SolverCheck {
    SolverCheck {
        solver: solver.to_string(),
        duties: ObligationKind::counted(all.iter().map(|judged| judged.kind)),
        refuted: all.iter().filter(|judged| matches!(judged.outcome, ObligationStatus::Refuted(_))).count(),
        undecided: all
            .iter()
            .filter(|judged| matches!(judged.outcome, ObligationStatus::Undecided(_)))
            .count(),
        seconds: all.iter().map(|judged| judged.time).sum::<Duration>().as_secs_f64(),
    }
}

/// Obligations that one solver discharges and another refutes.
pub(super) fn disagreements(judged: &[(Solver, Vec<CheckedObligation>)]) -> Vec<String> {
    let mut found = Vec::new();
    let Some((first, all)) = judged.first() else { return found };
    for (other, others) in &judged[1..] {
        for (one, two) in all.iter().zip(others) {
            let differ = matches!(
                (&one.outcome, &two.outcome),
                (ObligationStatus::Discharged, ObligationStatus::Refuted(_))
                    | (ObligationStatus::Refuted(_), ObligationStatus::Discharged)
            );
            if differ {
                found.push(format!(
                    "{DISAGREE} about \"{}\": {first} and {other}; one of them is wrong",
                    one.name
                ));
            }
        }
    }
    found
}

/// An obligation that was not discharged, in the words of the model.
pub(super) fn open(system: &System, solver: &Solver, judged: &CheckedObligation) -> Option<OpenObligation> {
    let name = OpenObligation {
        obligation: judged.name.clone(),
        solver: solver.to_string(),
        ..OpenObligation::default()
    };
    let example = match &judged.outcome {
        ObligationStatus::Discharged => return None,
        ObligationStatus::Undecided(why) => {
            return Some(OpenObligation { undecided: Some(why.clone()), ..name });
        }
        ObligationStatus::Refuted(example) => example,
    };
    let step = example.path.as_ref().map(|path| taken(path, &example.picks));
    let broken =
        watchkeeper_prove::term(&example.broken).map_or(example.broken.clone(), |term| told(system, &term));
    Some(OpenObligation {
        step,
        parameters: example.parameters.clone(),
        variables: variables(system, &example.before, &example.after)
            .into_iter()
            .filter(|variable| variable.before.is_some() || variable.after.is_some())
            .collect(),
        broken,
        ..name
    })
}

/// A step with the numbers that are chosen in it.
pub(super) fn taken(path: &str, picks: &[(String, String)]) -> String {
    let picks: Vec<String> = picks.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if picks.is_empty() { path.to_string() } else { format!("{path} ({})", picks.join(", ")) }
}

/// The variables with their values before and after a step, as far as there are any.
pub(super) fn variables(
    system: &System,
    before: &[(String, String)],
    after: &[(String, String)],
) -> Vec<OpenVariable> {
    let value = |state: &[(String, String)], name: &str| {
        state.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let shown = system.variables.iter().map(|variable| OpenVariable {
        name: variable.name.clone(),
        before: value(before, &variable.name),
        after: value(after, &variable.name),
        meaning: variable.meaning.clone(),
    });
    shown.collect()
}
