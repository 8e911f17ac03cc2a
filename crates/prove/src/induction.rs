//! Obligations put to a solver. The result is "discharged", a counterexample to induction in the words of the
//! model, or "undecided". Only the answer "unsat" discharges an obligation; no answer is guessed.

use crate::obligation::{Claim, Obligation, ObligationKind};
use crate::smtlib::{SmtQuery, SmtWriter};
use crate::solver::{
    CheckedCommand, SmtValue, Solver, SolverAnswer, SolverError, SolverOptions, SolverSession,
};
use crate::{Path, System, Term, TermSort, Variable};
use std::time::{Duration, Instant};

/// The status of an obligation.
#[derive(Clone, PartialEq, Debug)]
pub enum ObligationStatus {
    /// It is shown.
    Discharged,
    /// It is false, and this is why.
    Refuted(Box<Counterexample>),
    /// The solver did not decide, for this reason.
    Undecided(String),
}

/// An obligation with its status.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedObligation {
    /// What it is about.
    pub kind: ObligationKind,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub outcome: ObligationStatus,
    /// How long the solver took.
    pub time: Duration,
}

/// A state that breaks an obligation: for consecution one that need not be reachable, but that the invariant does
/// not exclude.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counterexample {
    /// The step that is taken, if there is one.
    pub path: Option<String>,
    /// The values of the parameters.
    pub parameters: Vec<(String, String)>,
    /// The state before; for initiation there is none.
    pub before: Vec<(String, String)>,
    /// What is chosen in the step.
    pub picks: Vec<(String, String)>,
    /// The state after; for safety there is none.
    pub after: Vec<(String, String)>,
    /// The formula that is false in the state after, or for safety before.
    pub broken: String,
}

/// A solver that checks the obligations of one system.
pub struct ObligationChecker<'a> {
    system: &'a System,
    solver: Solver,
    options: SolverOptions,
    session: SolverSession,
    script: SmtWriter,
    /// Whether the question that is open stands on a level of its own.
    pushed: bool,
}

impl<'a> ObligationChecker<'a> {
    /// Asks this solver, with a time limit for each question.
    pub fn new(
        system: &'a System,
        solver: &Solver,
        limit: Duration,
    ) -> Result<ObligationChecker<'a>, SolverError> {
        ObligationChecker::started(system, solver, SolverOptions { limit, ..SolverOptions::default() })
    }

    /// The same, with unsatisfiable cores: it can say which of the asserted claims were needed.
    pub(crate) fn with_cores(
        system: &'a System,
        solver: &Solver,
        limit: Duration,
    ) -> Result<ObligationChecker<'a>, SolverError> {
        ObligationChecker::started(
            system,
            solver,
            SolverOptions { limit, cores: true, ..SolverOptions::default() },
        )
    }

    fn started(
        system: &'a System,
        solver: &Solver,
        options: SolverOptions,
    ) -> Result<ObligationChecker<'a>, SolverError> {
        let session = SolverSession::start(solver, &options)?;
        let (solver, script) = (solver.clone(), SmtWriter::of(system));
        Ok(ObligationChecker { system, solver, options, session, script, pushed: false })
    }

    /// The solver that is asked.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// A new process of the solver in the place of one that was cut short.
    pub fn renew(&mut self) -> Result<(), SolverError> {
        self.session = SolverSession::start(&self.solver, &self.options)?;
        Ok(())
    }

    /// The answer to a question. One with quantifiers gets a process of its own: after a push, solvers leave out the
    /// methods that eliminate quantifiers.
    pub fn ask(&mut self, query: &SmtQuery) -> Result<SolverAnswer, SolverError> {
        self.pushed = !query.is_quantified();
        if self.pushed {
            self.session.push()?;
        } else {
            self.renew()?;
        }
        for line in query.lines(self.script) {
            self.session.tell(&line)?;
        }
        self.session.check()
    }

    /// The answer to a question that is over with it: nothing more is asked of its model.
    pub fn decide(&mut self, query: &SmtQuery) -> Result<SolverAnswer, SolverError> {
        let answer = self.ask(query)?;
        self.end(&answer)?;
        Ok(answer)
    }

    /// The end of a question with this answer. A process that was cut short is not relied on for the next question.
    pub(crate) fn end(&mut self, answer: &SolverAnswer) -> Result<(), SolverError> {
        if matches!(answer, SolverAnswer::Unknown(_)) { self.renew() } else { self.done() }
    }

    /// The end of a question: what it declared and asserted is forgotten.
    pub fn done(&mut self) -> Result<(), SolverError> {
        if self.pushed { self.session.pop() } else { self.renew() }
    }

    /// The values of terms in the answer to a question that was not unsatisfiable.
    pub fn values(&mut self, terms: &[Term]) -> Result<Vec<SmtValue>, SolverError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = terms.iter().map(|term| self.script.term(term)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(self.session.values(&texts)?.into_iter().map(|(_, value)| value).collect())
    }

    /// The command that asserts a claim under a name that [`ObligationChecker::core_of`] knows.
    pub(crate) fn naming(&self, number: usize, claim: &Claim) -> Result<CheckedCommand, SolverError> {
        let formula = self.script.term(&claim.formula);
        CheckedCommand::new(format!("(assert (! {formula} :named |needed {number}|))"))
    }

    /// The answer to a question, with some claims asserted by [`ObligationChecker::naming`].
    pub(crate) fn ask_with<'c>(
        &mut self,
        query: &SmtQuery,
        told: impl Iterator<Item = &'c CheckedCommand>,
    ) -> Result<SolverAnswer, SolverError> {
        self.pushed = true;
        self.session.push()?;
        for line in query.lines(self.script) {
            self.session.tell(&line)?;
        }
        self.ask_also(told)
    }

    /// The answer to the same question with more claims asserted.
    pub(crate) fn ask_also<'c>(
        &mut self,
        told: impl Iterator<Item = &'c CheckedCommand>,
    ) -> Result<SolverAnswer, SolverError> {
        for command in told {
            self.session.tell_checked(command)?;
        }
        self.session.check()
    }

    /// The numbers of the claims that make the question unanswerable, as far as the solver can say.
    pub(crate) fn core_of(&mut self) -> Result<Vec<usize>, SolverError> {
        let core = self.session.core()?;
        let number = |name: &String| name.trim_matches('|').strip_prefix("needed ")?.parse().ok();
        let mut numbers: Vec<usize> = core.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// Checks one obligation.
    pub fn judge(&mut self, obligation: &Obligation) -> Result<CheckedObligation, SolverError> {
        let started = Instant::now();
        let answer = self.ask(&obligation.query)?;
        let time = started.elapsed();
        let outcome = match &answer {
            SolverAnswer::Unsat => ObligationStatus::Discharged,
            SolverAnswer::Unknown(why) => ObligationStatus::Undecided(why.clone()),
            SolverAnswer::Sat => ObligationStatus::Refuted(Box::new(self.counterexample(obligation)?)),
        };
        self.end(&answer)?;
        Ok(CheckedObligation { kind: obligation.kind, name: obligation.name.clone(), outcome, time })
    }

    fn counterexample(&mut self, obligation: &Obligation) -> Result<Counterexample, SolverError> {
        let system = self.system;
        if obligation.kind == ObligationKind::Lemma {
            return self.exception(obligation);
        }
        let variables: Vec<&Variable> =
            system.variables.iter().filter(|variable| variable.sort != TermSort::Set).collect();
        let parameters: Vec<Term> = system.parameters.iter().map(|p| Term::name(&p.name)).collect();
        let parameters = self.values(&parameters)?;
        let parameters =
            system.parameters.iter().zip(parameters).map(|(p, value)| (p.name.clone(), value.to_string()));
        let parameters = parameters.collect();
        let told = |values: Vec<SmtValue>| {
            let named = variables.iter().zip(values);
            named.map(|(variable, value)| (variable.name.clone(), shown(variable, &value))).collect()
        };
        let from_state = obligation.kind != ObligationKind::Initiation;
        let now: Vec<Term> = variables.iter().map(|variable| Term::name(&variable.name)).collect();
        let before = if from_state { told(self.values(&now)?) } else { Vec::new() };
        let (mut picks, mut after) = (Vec::new(), Vec::new());
        if let Some(path) = &obligation.path {
            let names: Vec<Term> = path.choices.iter().map(|choice| Term::name(&choice.name)).collect();
            let values = self.values(&names)?;
            picks.extend(
                path.choices.iter().zip(values).map(|(c, value)| (c.name.clone(), value.to_string())),
            );
            let then: Vec<Term> = variables.iter().map(|variable| path.after(&variable.name)).collect();
            after = told(self.values(&then)?);
        }
        let path = obligation.path.as_ref().map(|path: &Path| path.name.clone());
        let broken = obligation.goal.formula.to_string();
        Ok(Counterexample { path, parameters, before, picks, after, broken })
    }

    /// The unknowns for which a lemma is false: it need not be about states.
    fn exception(&mut self, obligation: &Obligation) -> Result<Counterexample, SolverError> {
        let unknowns = obligation.query.unknowns.iter().filter(|(_, sort)| *sort != TermSort::Set);
        let names: Vec<String> = unknowns.map(|(name, _)| name.clone()).collect();
        let terms: Vec<Term> = names.iter().map(|name| Term::name(name)).collect();
        let values = self.values(&terms)?.into_iter().map(|value| value.to_string());
        let told = names.into_iter().zip(values);
        let is_parameter = |name: &str| self.system.parameters.iter().any(|p| p.name == name);
        let (parameters, before) = told.partition(|(name, _)| is_parameter(name));
        let broken = obligation.goal.formula.to_string();
        Ok(Counterexample { parameters, before, broken, ..Counterexample::default() })
    }
}

/// A value that a solver gave to a variable, as a person reads it.
fn shown(variable: &Variable, value: &SmtValue) -> String {
    match value {
        SmtValue::Int(n) => i64::try_from(*n).map_or_else(|_| n.to_string(), |n| variable.told(n)),
        other => other.to_string(),
    }
}

/// All obligations, each put to the solver. `heard` is told of each when it is judged.
pub fn check_all(
    system: &System,
    obligations: &[Obligation],
    solver: &Solver,
    limit: Duration,
    mut heard: impl FnMut(&CheckedObligation),
) -> Result<Vec<CheckedObligation>, SolverError> {
    let mut judge = ObligationChecker::new(system, solver, limit)?;
    let mut all = Vec::with_capacity(obligations.len());
    for obligation in obligations {
        let judged = judge.judge(obligation)?;
        heard(&judged);
        all.push(judged);
    }
    Ok(all)
}
