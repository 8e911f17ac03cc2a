//! Obligations put to a solver, and what it answers: discharged, or a counterexample to induction in the words of
//! the model, or undecided. An answer is never guessed: whatever is not "unsat" discharges nothing.

use crate::obligation::{Claim, Duty, Obligation};
use crate::smtlib::{Query, Script};
use crate::solver::{Answer, Options, Session, Solver, SolverError, Value};
use crate::{Path, Sort, System, Term, Variable};
use std::time::{Duration, Instant};

/// What became of an obligation.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// It is shown.
    Discharged,
    /// It is false, and this is why.
    Refuted(Box<Counterexample>),
    /// The solver did not decide, for this reason.
    Undecided(String),
}

/// An obligation and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// What it is about.
    pub duty: Duty,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
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

/// A solver at work on the questions of one system.
pub struct Judge<'a> {
    system: &'a System,
    solver: Solver,
    options: Options,
    session: Session,
    script: Script,
    /// Whether the question that is open stands on a level of its own.
    pushed: bool,
}

impl<'a> Judge<'a> {
    /// A judge who asks this solver, at most so long for each question.
    pub fn new(system: &'a System, solver: &Solver, limit: Duration) -> Result<Judge<'a>, SolverError> {
        Judge::started(system, solver, Options { limit, ..Options::default() })
    }

    /// A judge who can also say which of the claims it was told were needed.
    pub(crate) fn with_cores(
        system: &'a System,
        solver: &Solver,
        limit: Duration,
    ) -> Result<Judge<'a>, SolverError> {
        Judge::started(system, solver, Options { limit, cores: true, ..Options::default() })
    }

    fn started(system: &'a System, solver: &Solver, options: Options) -> Result<Judge<'a>, SolverError> {
        let session = Session::start(solver, &options)?;
        let (solver, script) = (solver.clone(), Script::of(system));
        Ok(Judge { system, solver, options, session, script, pushed: false })
    }

    /// The solver that is asked.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// A new process of the solver in the place of one that was cut short.
    pub fn renew(&mut self) -> Result<(), SolverError> {
        self.session = Session::start(&self.solver, &self.options)?;
        Ok(())
    }

    /// The answer to a question. One with quantifiers gets a process of its own: after a push, solvers leave out the
    /// methods that eliminate quantifiers.
    pub fn ask(&mut self, query: &Query) -> Result<Answer, SolverError> {
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

    /// The end of a question: what it declared and asserted is forgotten.
    pub fn done(&mut self) -> Result<(), SolverError> {
        if self.pushed { self.session.pop() } else { self.renew() }
    }

    /// The values of terms in the answer to a question that was not unsatisfiable.
    pub fn values(&mut self, terms: &[Term]) -> Result<Vec<Value>, SolverError> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = terms.iter().map(|term| self.script.term(term)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(self.session.values(&texts)?.into_iter().map(|(_, value)| value).collect())
    }

    /// The answer to a question, with some of the claims asserted under names that [`Judge::core_of`] knows.
    pub(crate) fn ask_with(
        &mut self,
        query: &Query,
        claims: &[Claim],
        told: &[usize],
    ) -> Result<Answer, SolverError> {
        self.pushed = true;
        self.session.push()?;
        for line in query.lines(self.script) {
            self.session.tell(&line)?;
        }
        for &i in told {
            let formula = self.script.term(&claims[i].formula);
            self.session.tell(&format!("(assert (! {formula} :named |needed {i}|))"))?;
        }
        self.session.check()
    }

    /// Which of the claims that were told make the question unanswerable, as far as the solver can say.
    pub(crate) fn core_of(&mut self, told: &[usize]) -> Result<Vec<usize>, SolverError> {
        let core = self.session.core()?;
        let named = |i: &usize| core.iter().any(|name| name.trim_matches('|') == format!("needed {i}"));
        Ok(told.iter().copied().filter(named).collect())
    }

    /// What becomes of an obligation.
    pub fn judge(&mut self, obligation: &Obligation) -> Result<Judged, SolverError> {
        let started = Instant::now();
        let answer = self.ask(&obligation.query)?;
        let time = started.elapsed();
        let outcome = match answer {
            Answer::Unsat => Outcome::Discharged,
            Answer::Unknown(why) => Outcome::Undecided(why),
            Answer::Sat => Outcome::Refuted(Box::new(self.counterexample(obligation)?)),
        };
        // A session that was cut short may be dead; whoever goes on after an undecided question starts anew.
        if !matches!(outcome, Outcome::Undecided(_)) {
            self.done()?;
        }
        Ok(Judged { duty: obligation.duty, name: obligation.name.clone(), outcome, time })
    }

    fn counterexample(&mut self, obligation: &Obligation) -> Result<Counterexample, SolverError> {
        let system = self.system;
        if obligation.duty == Duty::Lemma {
            return self.exception(obligation);
        }
        let variables: Vec<&Variable> =
            system.variables.iter().filter(|variable| variable.sort != Sort::Set).collect();
        let parameters: Vec<Term> = system.parameters.iter().map(|p| Term::name(&p.name)).collect();
        let parameters = self.values(&parameters)?;
        let parameters =
            system.parameters.iter().zip(parameters).map(|(p, value)| (p.name.clone(), value.to_string()));
        let parameters = parameters.collect();
        let told = |values: Vec<Value>| {
            let named = variables.iter().zip(values);
            named.map(|(variable, value)| (variable.name.clone(), shown(variable, &value))).collect()
        };
        let from_state = obligation.duty != Duty::Initiation;
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
}

impl Judge<'_> {
    /// The unknowns for which a lemma is false: it need not be about states.
    fn exception(&mut self, obligation: &Obligation) -> Result<Counterexample, SolverError> {
        let unknowns = obligation.query.unknowns.iter().filter(|(_, sort)| *sort != Sort::Set);
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
fn shown(variable: &Variable, value: &Value) -> String {
    match value {
        Value::Int(n) => i64::try_from(*n).map_or_else(|_| n.to_string(), |n| variable.told(n)),
        other => other.to_string(),
    }
}

/// All obligations, each put to the solver. `heard` is told of each when it is judged.
pub fn judge_all(
    system: &System,
    obligations: &[Obligation],
    solver: &Solver,
    limit: Duration,
    mut heard: impl FnMut(&Judged),
) -> Result<Vec<Judged>, SolverError> {
    let mut judge = Judge::new(system, solver, limit)?;
    let mut all = Vec::with_capacity(obligations.len());
    for obligation in obligations {
        let judged = judge.judge(obligation)?;
        heard(&judged);
        if matches!(judged.outcome, Outcome::Undecided(_)) {
            // A solver that was cut short is not to be relied on for the next question.
            judge = Judge::new(system, solver, limit)?;
        }
        all.push(judged);
    }
    Ok(all)
}
