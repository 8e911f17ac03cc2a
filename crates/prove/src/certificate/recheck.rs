//! A certificate put to a solver again: every obligation, built anew from the definitions in the file, and the
//! premises, lest the proof be about nothing. Whatever is not "unsat" verifies nothing.

use super::definitions::Definitions;
use super::lemmas::Lemma;
use super::questions::{self, Question};
use super::{Certificate, CertificateError, Contents, Kind, Origin};
use crate::obligation::Duty;
use crate::solver::{Answer, Options, Session, Solver, SolverError, TIME};
use std::time::{Duration, Instant};

/// An obligation, and what the solver said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// What it is about.
    pub duty: Duty,
    /// Its name.
    pub name: String,
    /// The answer: only "unsat" discharges it.
    pub answer: Answer,
    /// How long the solver took.
    pub time: Duration,
}

/// Something that must be possible for the proof to be about anything, and what the solver said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Premise {
    /// What it is about: [`Duty::Lemma`] the assumptions, or what a lemma supposes; [`Duty::Initiation`] a
    /// beginning; [`Duty::Consecution`] a path.
    pub duty: Duty,
    /// What must be possible.
    pub name: String,
    /// The answer: "unsat" says that it is impossible.
    pub answer: Answer,
}

/// What became of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rechecked {
    /// What it claims.
    pub kind: Kind,
    /// What it calls its system.
    pub system: String,
    /// What it calls its claim.
    pub claim: String,
    /// Where it says that it comes from.
    pub origin: Origin,
    /// The number of conjuncts of the invariant; 0 for lemmas.
    pub conjuncts: usize,
    /// All obligations.
    pub obligations: Vec<Answered>,
    /// All premises.
    pub premises: Vec<Premise>,
}

impl Rechecked {
    /// Whether every obligation is discharged, and the proof is about something.
    pub fn is_verified(&self) -> bool {
        !self.obligations.is_empty()
            && self.obligations.iter().all(|answered| answered.answer == Answer::Unsat)
            && !self.is_vacuous()
            && self.begins()
    }

    /// Whether it is known that the system of an invariant can begin. Lemmas have no system.
    pub fn begins(&self) -> bool {
        let begins = |premise: &Premise| premise.duty == Duty::Initiation && premise.answer == Answer::Sat;
        self.kind != Kind::Induction || self.premises.iter().any(begins)
    }

    /// Whether an invariant is one of nothing: the assumptions contradict each other, or no run can begin.
    pub fn is_vacuous(&self) -> bool {
        let impossible = |premise: &&Premise| premise.answer == Answer::Unsat;
        let of = |duty: Duty| self.premises.iter().filter(move |premise| premise.duty == duty);
        self.kind == Kind::Induction
            && (of(Duty::Lemma).any(|premise| impossible(&premise))
                || of(Duty::Initiation).all(|premise| impossible(&premise)))
    }

    /// The obligations that are not discharged.
    pub fn open(&self) -> impl Iterator<Item = &Answered> {
        self.obligations.iter().filter(|answered| answered.answer != Answer::Unsat)
    }

    /// The premises that are impossible: paths that never happen, lemmas that suppose what cannot be.
    pub fn impossible(&self) -> impl Iterator<Item = &Premise> {
        self.premises.iter().filter(|premise| premise.answer == Answer::Unsat)
    }

    /// The premises of which the solver does not know whether they are possible.
    pub fn undecided(&self) -> impl Iterator<Item = &Premise> {
        self.premises.iter().filter(|premise| matches!(premise.answer, Answer::Unknown(_)))
    }
}

/// Reads a certificate and asks a solver about all of it, at most so long for each question.
pub fn recheck(text: &str, solver: &Solver, limit: Duration) -> Result<Rechecked, CertificateError> {
    let certificate = Certificate::read(text)?;
    let (conjuncts, (obligations, premises)) = match &certificate.contents {
        Contents::Induction(definitions) => {
            (definitions.conjuncts.len(), induction(definitions, solver, limit)?)
        }
        Contents::Lemmas(lemmas) => (0, of_lemmas(lemmas, solver, limit)?),
    };
    Ok(Rechecked {
        kind: certificate.kind(),
        system: certificate.system,
        claim: certificate.claim,
        origin: certificate.origin,
        conjuncts,
        obligations,
        premises,
    })
}

/// A solver that knows some definitions.
struct Told {
    session: Session,
    opening: String,
}

impl Told {
    fn new(solver: &Solver, limit: Duration, opening: String) -> Result<Told, SolverError> {
        let mut session = Session::start(solver, &Options { limit, ..Options::default() })?;
        session.tell(&opening)?;
        Ok(Told { session, opening })
    }

    fn ask(&mut self, declared: &[String], asserted: &[String]) -> Result<(Answer, Duration), SolverError> {
        self.session.push()?;
        for declaration in declared {
            self.session.tell(declaration)?;
        }
        for formula in asserted {
            self.session.tell(&format!("(assert {formula})"))?;
        }
        let started = Instant::now();
        let answer = self.session.check()?;
        let time = started.elapsed();
        if matches!(answer, Answer::Unknown(_)) {
            // A solver that was cut short is not to be relied on for the next question.
            self.session.restart()?;
            self.session.tell(&self.opening)?;
        } else {
            self.session.pop()?;
        }
        Ok((answer, time))
    }
}

type Found = (Vec<Answered>, Vec<Premise>);

fn induction(definitions: &Definitions, solver: &Solver, limit: Duration) -> Result<Found, SolverError> {
    let mut opening = String::new();
    definitions.write(&mut opening);
    let (mut obligations, mut premises) = (Vec::new(), Vec::new());
    for stage in questions::stages(definitions) {
        for known in &stage.known {
            opening.push_str(&format!("(assert {known})\n"));
        }
        let mut told = Told::new(solver, limit, opening.clone())?;
        for Question { duty, name, asserted } in stage.obligations {
            let (answer, time) = told.ask(&[], &asserted)?;
            obligations.push(Answered { duty, name, answer, time });
        }
        for Question { duty, name, asserted } in stage.premises {
            let (answer, _) = told.ask(&[], &asserted)?;
            premises.push(Premise { duty, name, answer });
        }
    }
    Ok((obligations, premises))
}

/// Whether what a lemma supposes is possible is worth so much time and no more: with quantifiers a solver seldom
/// finds out, and nothing rests on it.
const GLANCE: Duration = Duration::from_secs(1);

fn of_lemmas(lemmas: &[Lemma], solver: &Solver, limit: Duration) -> Result<Found, SolverError> {
    let mut told = Told::new(solver, limit, String::new())?;
    let mut glance = Some(Told::new(solver, limit.min(GLANCE), String::new())?);
    let (mut obligations, mut premises) = (Vec::new(), Vec::new());
    for lemma in lemmas {
        let (duty, name, declared) = (Duty::Lemma, lemma.name.clone(), lemma.declarations());
        let (answer, time) = told.ask(&declared, &lemma.asserted)?;
        obligations.push(Answered { duty, name: name.clone(), answer, time });
        let supposed = lemma.asserted.split_last().map_or(&[][..], |(_, supposed)| supposed);
        let glanced = glance.as_mut().map(|glance| glance.ask(&declared, supposed)).transpose();
        let answer = match glanced {
            Ok(Some((answer, _))) => answer,
            // Nothing rests on it, so a solver that cannot be hurried is not hurried again.
            Ok(None) | Err(SolverError::Overran { .. }) => {
                glance = None;
                Answer::Unknown(TIME.to_string())
            }
            Err(error) => return Err(error),
        };
        premises.push(Premise { duty, name: format!("what \"{name}\" supposes"), answer });
    }
    Ok((obligations, premises))
}
