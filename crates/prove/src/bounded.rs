//! Bounded model checking and k-induction. A run of k steps is a formula in which every state has its own copies of
//! the variables (`wt@3` is `wt` after three steps), and all parameters stay open. Bounded model checking refutes a
//! property for some parameters and never proves it. k-induction proves a property, and never calls it refuted
//! because a proof failed.

mod run;
mod unrolled;

pub use run::{BoundedRun, BoundedState};
pub use unrolled::BoundedError;

use crate::obligation::{Claim, Obligation, ObligationKind};
use crate::smtlib::{SmtQuery, SmtWriter};
use crate::solver::{Solver, SolverAnswer, SolverOptions, SolverSession};
use crate::{System, Term, TermSort};
use std::time::Duration;
use unrolled::Unrolled;

/// What a bounded search found.
#[derive(Clone, PartialEq, Debug)]
pub enum BoundedResult {
    /// A run that violates the property, for some parameters; no run for any parameters is shorter.
    Violated(Box<BoundedRun>),
    /// No run of at most so many steps violates the property, whatever the parameters.
    NoneUpTo(usize),
    /// The solver did not decide whether a run of so many steps can violate the property; no shorter one can.
    Undecided {
        /// The number of steps.
        steps: usize,
        /// The reason that the solver gave.
        why: String,
    },
}

/// What k-induction found.
#[derive(Clone, PartialEq, Debug)]
pub enum KInductionResult {
    /// The property holds in every state that can be reached, for all parameters, by induction over so many steps.
    Proven(usize),
    /// A shortest run that violates the property.
    Violated(Box<BoundedRun>),
    /// Steps through states with the property and the lemmas, the last of them to one without the property. The
    /// first state need not be reachable.
    NotInductive(Box<BoundedRun>),
    /// The solver did not decide, for this number of steps.
    Undecided {
        /// The number of steps.
        steps: usize,
        /// The reason that the solver gave.
        why: String,
    },
}

/// Searches for a shortest run of at most `depth` steps that ends where `property` is false, for some parameters.
/// Parameters are fixed by further assumptions ([`System::under`]). The parameters of the run are made small.
pub fn bounded(
    system: &System,
    property: &Term,
    depth: usize,
    solver: &Solver,
    limit: Duration,
) -> Result<BoundedResult, BoundedError> {
    let unrolled = Unrolled::new(system, &[property])?;
    let mut asked = UnrolledSession::new(&unrolled, solver, limit)?;
    for steps in 0..=depth {
        asked.arrive(steps, true)?;
        match asked.violated(property, steps, true)? {
            Reached::Run(run) => return Ok(BoundedResult::Violated(run)),
            Reached::Unknown(why) => return Ok(BoundedResult::Undecided { steps, why }),
            Reached::None => asked.hold(property, steps)?,
        }
    }
    Ok(BoundedResult::NoneUpTo(depth))
}

/// Tries to prove `property` by induction over 1, 2, ... `most` steps. The `lemmas` must hold in every reachable
/// state: a proof rests on them. With `simple`, only runs without a repeated state are looked at, which loses no
/// violation and proves more.
pub fn k_induction(
    system: &System,
    property: &Term,
    lemmas: &[Claim],
    most: usize,
    simple: bool,
    solver: &Solver,
    limit: Duration,
) -> Result<KInductionResult, BoundedError> {
    let formulas: Vec<&Term> = lemmas.iter().map(|lemma| &lemma.formula).chain([property]).collect();
    let unrolled = Unrolled::new(system, &formulas)?;
    let mut base = UnrolledSession::new(&unrolled, solver, limit)?;
    let mut step = UnrolledSession::new(&unrolled, solver, limit)?;
    let known = Term::and(lemmas.iter().map(|lemma| lemma.formula.clone()));
    step.arrive(0, false)?;
    step.hold(&known, 0)?;
    let mut last = KInductionResult::Undecided { steps: 0, why: "no step was allowed".to_string() };
    for steps in 1..=most.max(1) {
        // A run of k steps to a violation is a base case of everything above k.
        base.arrive(steps - 1, true)?;
        match base.violated(property, steps - 1, true)? {
            Reached::Run(run) => return Ok(KInductionResult::Violated(run)),
            Reached::Unknown(why) => return Ok(KInductionResult::Undecided { steps: steps - 1, why }),
            Reached::None => base.hold(property, steps - 1)?,
        }
        step.hold(property, steps - 1)?;
        step.arrive(steps, false)?;
        step.hold(&known, steps)?;
        if simple {
            for earlier in 0..steps {
                step.tell(&unrolled.differs(earlier, steps))?;
            }
        }
        last = match step.violated(property, steps, false)? {
            // A system that cannot begin has every property, and none that is worth the name.
            Reached::None if !asked_to_begin(&unrolled, solver, limit)? => {
                let why = "the system cannot begin under these assumptions".to_string();
                return Ok(KInductionResult::Undecided { steps, why });
            }
            Reached::None => return Ok(KInductionResult::Proven(steps)),
            Reached::Run(run) => KInductionResult::NotInductive(run),
            Reached::Unknown(why) => return Ok(KInductionResult::Undecided { steps, why }),
        };
    }
    Ok(last)
}

/// Whether there is an initial state for some parameters.
fn asked_to_begin(unrolled: &Unrolled<'_>, solver: &Solver, limit: Duration) -> Result<bool, BoundedError> {
    let mut asked = UnrolledSession::new(unrolled, solver, limit)?;
    asked.arrive(0, true)?;
    Ok(matches!(asked.violated(&Term::Bool(false), 0, true)?, Reached::Run(_)))
}

/// A proof by k-induction as questions that must have no answer: one for each number of steps below `steps` from
/// the beginning, and one for the step. They speak of copies of the variables, so they are for a certificate and
/// not for a judge of the system.
pub fn k_induction_obligations(
    system: &System,
    property: &Claim,
    lemmas: &[Claim],
    steps: usize,
    simple: bool,
) -> Result<Vec<Obligation>, BoundedError> {
    let formulas: Vec<&Term> = lemmas.iter().chain([property]).map(|claim| &claim.formula).collect();
    let unrolled = Unrolled::new(system, &formulas)?;
    let at = |formula: &Term, k: usize| unrolled.at(formula, k);
    let question = |name: String, last: usize, asserted: Vec<Term>| {
        let mut unknowns = unrolled.parameters();
        (0..=last).for_each(|k| unknowns.extend(unrolled.unknowns(k)));
        let all: Vec<Term> = system.assumptions.iter().cloned().chain(asserted).collect();
        let query = SmtQuery { unknowns, draws: Vec::new(), asserted: all };
        Obligation { kind: ObligationKind::Lemma, name, path: None, goal: property.clone(), query }
    };
    let mut all = Vec::new();
    for last in 0..steps {
        let mut asserted: Vec<Term> = (0..=last).flat_map(|k| unrolled.arrival(k)).collect();
        asserted.push(at(&property.formula, last).negated());
        all.push(question(
            format!("{} after {last} steps from the beginning", property.name),
            last,
            asserted,
        ));
    }
    let mut asserted = Vec::new();
    for k in 0..=steps {
        asserted.extend(lemmas.iter().map(|lemma| at(&lemma.formula, k)));
        if k > 0 {
            asserted.extend(unrolled.arrival(k));
            asserted.push(at(&property.formula, k - 1));
        }
        if simple {
            asserted.extend((0..k).map(|earlier| unrolled.differs(earlier, k)));
        }
    }
    asserted.push(at(&property.formula, steps).negated());
    all.push(question(
        format!("{} after {steps} steps through states with it", property.name),
        steps,
        asserted,
    ));
    Ok(all)
}

/// The answer to one question.
enum Reached {
    Run(Box<BoundedRun>),
    None,
    Unknown(String),
}

/// A solver that is told of one state after the other.
struct UnrolledSession<'a> {
    unrolled: &'a Unrolled<'a>,
    script: SmtWriter,
    session: SolverSession,
}

impl<'a> UnrolledSession<'a> {
    fn new(
        unrolled: &'a Unrolled<'a>,
        solver: &Solver,
        limit: Duration,
    ) -> Result<UnrolledSession<'a>, BoundedError> {
        let session = SolverSession::start(solver, &SolverOptions { limit, ..SolverOptions::default() })?;
        let script = SmtWriter::of(unrolled.system);
        let mut asked = UnrolledSession { unrolled, script, session };
        for (name, sort) in unrolled.parameters() {
            asked.declare(&name, sort)?;
        }
        for assumption in &unrolled.system.assumptions {
            asked.tell(assumption)?;
        }
        Ok(asked)
    }

    fn declare(&mut self, name: &str, sort: TermSort) -> Result<(), BoundedError> {
        Ok(self.session.tell(&self.script.declared(name, sort))?)
    }

    fn tell(&mut self, term: &Term) -> Result<(), BoundedError> {
        Ok(self.session.tell(&format!("(assert {})", self.script.term(term)))?)
    }

    /// State `k`: how it comes from the one before, or how a run begins. Without `begun` the first state is any.
    fn arrive(&mut self, k: usize, begun: bool) -> Result<(), BoundedError> {
        for (name, sort) in self.unrolled.unknowns(k) {
            self.declare(&name, sort)?;
        }
        if k > 0 || begun {
            for term in self.unrolled.arrival(k) {
                self.tell(&term)?;
            }
        }
        Ok(())
    }

    /// From now on a formula holds in state `k`.
    fn hold(&mut self, formula: &Term, k: usize) -> Result<(), BoundedError> {
        self.tell(&self.unrolled.at(formula, k))
    }

    /// Whether state `k` can be one without the property.
    fn violated(&mut self, property: &Term, k: usize, begun: bool) -> Result<Reached, BoundedError> {
        self.session.push()?;
        self.tell(&self.unrolled.at(property, k).negated())?;
        let found = match self.session.check()? {
            SolverAnswer::Unknown(why) => return Ok(Reached::Unknown(why)),
            SolverAnswer::Unsat => Reached::None,
            SolverAnswer::Sat => {
                let mut run = run::read(self.unrolled, &mut self.session, k, begun)?;
                if begun {
                    run = self.smaller(run, k)?;
                }
                run.check(self.unrolled, property, begun)?;
                if begun {
                    // Nobody asks on after a violation, and the search for a smaller one may have ended the session.
                    return Ok(Reached::Run(Box::new(run)));
                }
                Reached::Run(Box::new(run))
            }
        };
        self.session.pop()?;
        Ok(found)
    }

    /// A run of the same length in which each parameter, in turn, is as near to 0 as it can be: small numbers are
    /// read sooner. An undecided question ends the search for smaller ones, and with it the session.
    fn smaller(&mut self, mut run: BoundedRun, k: usize) -> Result<BoundedRun, BoundedError> {
        for place in 0..self.unrolled.system.parameters.len() {
            let mut low = 0;
            while let Some(size) = run.size(place).filter(|size| low < *size) {
                let middle = low + (size - low) / 2;
                let name = Term::name(&self.unrolled.system.parameters[place].name);
                self.session.push()?;
                self.tell(&name.within(Term::Number(-middle), Term::Number(middle)))?;
                match self.session.check()? {
                    SolverAnswer::Sat => run = run::read(self.unrolled, &mut self.session, k, true)?,
                    SolverAnswer::Unsat => low = middle + 1,
                    SolverAnswer::Unknown(_) => return Ok(run),
                }
                self.session.pop()?;
            }
            if let Some(size) = run.size(place) {
                let name = Term::name(&self.unrolled.system.parameters[place].name);
                let pinned =
                    Term::or([name.clone().equals(Term::Number(size)), name.equals(Term::Number(-size))]);
                self.tell(&pinned)?;
            }
        }
        Ok(run)
    }
}
