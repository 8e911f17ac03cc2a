//! Invariants from Spacer, the engine of Z3 for constrained Horn clauses. There is one unknown predicate over
//! parameters and variables, and one clause for each path. Spacer's answer is only a candidate: the caller checks
//! it by induction, as if a person had written it.

mod model;

use crate::houdini::is_proof;
use crate::induction::ObligationChecker;
use crate::obligation::{Claim, numbered};
use crate::sexpr::symbol;
use crate::smtlib::{SmtQuery, SmtWriter};
use crate::solver::{Backend, Solver, SolverAnswer, SolverError, SolverOptions, SolverSession};
use crate::{Path, System, Term, TermSort};
use std::fmt;
use std::time::Duration;

/// The name of the predicate that is looked for. No parameter, variable or choice that is read from text has a dot.
const PREDICATE: &str = "reachable.states";

/// How Spacer is run. It is unstable: what one setting finds in a second another never finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spacer {
    /// Settings of the engine and their values.
    pub settings: &'static [(&'static str, &'static str)],
    /// The seed; 0 leaves it to the solver.
    pub seed: u32,
}

/// Generalisation from all that was learnt at once; only newer versions have it.
const GLOBAL: &[(&str, &str)] = &[("fp.spacer.global", "true")];

/// Generalisation by equalities.
const EQUALITIES: &[(&str, &str)] = &[("fp.spacer.use_euf_gen", "true")];

impl Spacer {
    /// Ways to be tried in turn.
    pub const LADDER: [Spacer; 6] = [
        Spacer { settings: &[], seed: 0 },
        Spacer { settings: GLOBAL, seed: 0 },
        Spacer { settings: EQUALITIES, seed: 0 },
        Spacer { settings: GLOBAL, seed: 1 },
        Spacer { settings: &[], seed: 1 },
        Spacer { settings: GLOBAL, seed: 2 },
    ];

    fn options(self, limit: Duration) -> SolverOptions {
        let settings = [("fp.engine", "spacer")].iter().chain(self.settings);
        let settings = settings.map(|(name, value)| (name.to_string(), value.to_string())).collect();
        SolverOptions { limit, seed: self.seed, logic: Some("HORN".to_string()), cores: false, settings }
    }
}

impl fmt::Display for Spacer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spacer")?;
        for (i, (name, value)) in self.settings.iter().enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { " with " } else { " " })?;
        }
        if self.seed == 0 { Ok(()) } else { write!(f, ", seed {}", self.seed) }
    }
}

/// The result of asking Spacer.
#[derive(Clone, PartialEq, Debug)]
pub enum HornResult {
    /// Formulas that are inductive together and imply the property, by one judge; others may be asked as well.
    Candidate {
        /// The conjuncts.
        invariant: Vec<Term>,
        /// What found them.
        by: Spacer,
    },
    /// A run violates the property, for some parameters, if Spacer is right; a bounded search shows it.
    Refuted {
        /// What found it.
        by: Spacer,
    },
    /// There is an invariant, but it cannot be written as terms of the system.
    Unreadable {
        /// What is not of the language.
        why: String,
        /// The answer, as the solver wrote it.
        model: String,
        /// What found it.
        by: Spacer,
    },
    /// Nothing was found: why, for each way that was tried.
    Undecided(Vec<(Spacer, String)>),
}

/// What the answer to `(get-model)` defines a predicate of this name as: the reader of a foreign process's words, for those
/// who attack it.
#[doc(hidden)]
pub fn spacer_answer(
    system: &System,
    predicate: &str,
    answers: &[crate::sexpr::Sexpr],
) -> Result<Term, String> {
    model::read(system, predicate, answers)
}

/// Looks for an invariant that implies `property`, in each of these ways until one finds it or refutes the property.
/// What is found is tried by induction, and if that fails the next way is tried. The limit is for each way.
pub fn horn(
    system: &System,
    property: &Term,
    ways: &[Spacer],
    solver: &Solver,
    limit: Duration,
) -> Result<HornResult, HornError> {
    if solver.backend != Backend::Z3 {
        return Err(HornError::Backend(solver.backend));
    }
    let commands = horn_clauses(system, property)?;
    let claim = Claim::new("the property", property.clone());
    let mut unreadable = None;
    let mut tried = Vec::new();
    for &by in ways {
        let mut session = SolverSession::start(solver, &by.options(limit))?;
        for command in &commands {
            session.tell(command)?;
        }
        let answer = match session.check() {
            Ok(answer) => answer,
            // An older version does not know every setting.
            Err(SolverError::Reported { message, .. }) if message.contains("unknown parameter") => {
                tried.push((by, format!("{} does not know this setting", solver.version)));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        match answer {
            SolverAnswer::Unsat => return Ok(HornResult::Refuted { by }),
            SolverAnswer::Unknown(why) => tried.push((by, why)),
            SolverAnswer::Sat => {
                let answers = session.ask("(get-model)")?;
                match model::read(system, PREDICATE, &answers) {
                    Ok(formula) => {
                        let invariant = model::conjuncts(formula);
                        let claims = numbered("s", invariant.iter().cloned());
                        let mut judge = ObligationChecker::new(system, solver, limit)?;
                        let inductive = is_proof(&mut judge, system, &claims, &claim)?;
                        if inductive {
                            return Ok(HornResult::Candidate { invariant, by });
                        }
                        // Some settings (`fp.spacer.iuc.arith=2` is one) answer so, in old versions and in new ones.
                        tried.push((by, "what it found is not inductive".to_string()));
                    }
                    Err(why) => {
                        let model = answers.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
                        unreadable.get_or_insert(HornResult::Unreadable { why, model, by });
                    }
                }
            }
        }
    }
    Ok(unreadable.unwrap_or(HornResult::Undecided(tried)))
}

/// The Horn clauses of a system and a property, as commands: what is reachable in the beginning, what by each path,
/// and that the property holds there.
pub fn horn_clauses(system: &System, property: &Term) -> Result<Vec<String>, HornError> {
    if let Some(set) = system.variables.iter().find(|variable| variable.sort == TermSort::Set) {
        return Err(HornError::Sets(set.name.clone()));
    }
    let script = SmtWriter::of(system);
    let unknowns = system.unknowns(None, true);
    let sorts: Vec<&str> = unknowns.iter().map(|(_, sort)| script.sort(*sort)).collect();
    let predicate = symbol(PREDICATE);
    let mut all = vec![format!("(declare-fun {predicate} ({}) Bool)", sorts.join(" "))];
    let reached = |path: Option<&Path>| {
        let parameters = system.parameters.iter().map(|parameter| Term::name(&parameter.name));
        let after = |name: &str| path.map_or_else(|| Term::name(name), |path| path.after(name));
        let variables = system.variables.iter().map(|variable| after(&variable.name));
        let parts: Vec<String> = parameters.chain(variables).map(|term| script.term(&term)).collect();
        if parts.is_empty() { predicate.clone() } else { format!("({predicate} {})", parts.join(" ")) }
    };
    let mut clause =
        |unknowns: Vec<(String, TermSort)>, before: Option<String>, known: Vec<Term>, then: String| {
            let quantified = SmtQuery { asserted: known, ..SmtQuery::default() };
            if quantified.is_quantified() {
                return Err(HornError::Quantified);
            }
            let mut body: Vec<String> = before.into_iter().collect();
            body.extend(quantified.asserted.iter().map(|term| script.term(term)));
            let implied =
                if body.is_empty() { then } else { format!("(=> (and true {}) {then})", body.join(" ")) };
            let bound: Vec<String> = unknowns
                .iter()
                .map(|(name, sort)| format!("({} {})", symbol(name), script.sort(*sort)))
                .collect();
            all.push(if bound.is_empty() {
                format!("(assert {implied})")
            } else {
                format!("(assert (forall ({}) {implied}))", bound.join(" "))
            });
            Ok(())
        };
    let known = |path: &Path| system.assumptions.iter().chain(&path.guard).cloned().collect::<Vec<Term>>();
    for path in system.beginnings() {
        clause(system.unknowns(Some(&path), false), None, known(&path), reached(Some(&path)))?;
    }
    for path in system.paths() {
        clause(system.unknowns(Some(&path), true), Some(reached(None)), known(&path), reached(Some(&path)))?;
    }
    let mut wrong = system.assumptions.clone();
    wrong.push(property.clone().negated());
    clause(unknowns, Some(reached(None)), wrong, "false".to_string())?;
    Ok(all)
}

/// Why Spacer cannot be asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HornError {
    /// Another solver has no such engine.
    #[error("Spacer is an engine of Z3, not of {0}: ask z3")]
    Backend(Backend),
    /// A variable is a set.
    #[error("`{0}` is a set, and Spacer is asked about numbers only: take an abstraction without sets")]
    Sets(String),
    /// A formula has a quantifier.
    #[error("a formula has a quantifier, and Spacer is asked without: write it without `all`")]
    Quantified,
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}
