//! A certificate put to a solver again: every obligation, built anew from the definitions in the file, and the
//! premises, without which the proof would be about nothing. Only the answer "unsat" verifies an obligation.

use super::definitions::Definitions;
use super::lemmas::Lemma;
use super::questions::{self, CertificateQuery};
use super::{Certificate, CertificateError, CertificateKind, Contents};
use crate::obligation::ObligationKind;
use crate::solver::{Solver, SolverAnswer, SolverError, SolverOptions, SolverSession, TIME};
use std::time::{Duration, Instant};

/// An obligation, and what the solver said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecheckedObligation {
    /// What it is about.
    pub kind: ObligationKind,
    /// Its name.
    pub name: String,
    /// The answer: only "unsat" discharges it.
    pub answer: SolverAnswer,
    /// How long the solver took.
    pub time: Duration,
}

/// Something that must be possible for the proof to be about anything, and what the solver said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecheckedPremise {
    /// What it is about: [`ObligationKind::Lemma`] the assumptions, or what a lemma supposes; [`ObligationKind::Initiation`] a
    /// beginning; [`ObligationKind::Consecution`] a path.
    pub kind: ObligationKind,
    /// What must be possible.
    pub name: String,
    /// The answer: "unsat" says that it is impossible.
    pub answer: SolverAnswer,
}

/// The result of rechecking a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecheckResult {
    /// The certificate as it was read.
    pub certificate: Certificate,
    /// All obligations.
    pub obligations: Vec<RecheckedObligation>,
    /// All premises.
    pub premises: Vec<RecheckedPremise>,
}

impl RecheckResult {
    /// Whether every obligation is discharged, and the proof is about something.
    pub fn is_verified(&self) -> bool {
        !self.obligations.is_empty()
            && self.obligations.iter().all(|answered| answered.answer == SolverAnswer::Unsat)
            && !self.is_vacuous()
            && self.begins()
    }

    /// Whether it is known that the system of an invariant can begin. Lemmas have no system.
    pub fn begins(&self) -> bool {
        let begins = |premise: &RecheckedPremise| {
            premise.kind == ObligationKind::Initiation && premise.answer == SolverAnswer::Sat
        };
        self.certificate.kind() != CertificateKind::Induction || self.premises.iter().any(begins)
    }

    /// Whether an invariant is one of nothing: the assumptions contradict each other, or no run can begin.
    pub fn is_vacuous(&self) -> bool {
        let impossible = |premise: &&RecheckedPremise| premise.answer == SolverAnswer::Unsat;
        let of = |kind: ObligationKind| self.premises.iter().filter(move |premise| premise.kind == kind);
        self.certificate.kind() == CertificateKind::Induction
            && (of(ObligationKind::Lemma).any(|premise| impossible(&premise))
                || of(ObligationKind::Initiation).all(|premise| impossible(&premise)))
    }

    /// The obligations that are not discharged.
    pub fn open(&self) -> impl Iterator<Item = &RecheckedObligation> {
        self.obligations.iter().filter(|answered| answered.answer != SolverAnswer::Unsat)
    }

    /// The premises that are impossible: paths that never happen, lemmas that suppose what cannot be.
    pub fn impossible(&self) -> impl Iterator<Item = &RecheckedPremise> {
        self.premises.iter().filter(|premise| premise.answer == SolverAnswer::Unsat)
    }

    /// The premises of which the solver does not know whether they are possible.
    pub fn undecided(&self) -> impl Iterator<Item = &RecheckedPremise> {
        self.premises.iter().filter(|premise| matches!(premise.answer, SolverAnswer::Unknown(_)))
    }
}

/// Reads a certificate and asks a solver about all of it, at most so long for each question.
pub fn recheck(text: &str, solver: &Solver, limit: Duration) -> Result<RecheckResult, CertificateError> {
    let certificate = Certificate::read(text)?;
    let (obligations, premises) = match &certificate.contents {
        Contents::Induction(definitions) => induction(definitions, solver, limit)?,
        Contents::Lemmas(lemmas) => of_lemmas(lemmas, solver, limit)?,
    };
    Ok(RecheckResult { certificate, obligations, premises })
}

/// A solver that knows some definitions.
struct Told {
    session: SolverSession,
    opening: String,
}

impl Told {
    fn new(solver: &Solver, limit: Duration, opening: String) -> Result<Told, SolverError> {
        let mut session = SolverSession::start(solver, &SolverOptions { limit, ..SolverOptions::default() })?;
        session.tell(&opening)?;
        Ok(Told { session, opening })
    }

    fn ask(
        &mut self,
        declared: &[String],
        asserted: &[String],
    ) -> Result<(SolverAnswer, Duration), SolverError> {
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
        if matches!(answer, SolverAnswer::Unknown(_)) {
            // A solver that was cut short is not to be relied on for the next question.
            self.session.restart()?;
            self.session.tell(&self.opening)?;
        } else {
            self.session.pop()?;
        }
        Ok((answer, time))
    }
}

type RecheckAnswers = (Vec<RecheckedObligation>, Vec<RecheckedPremise>);

fn induction(
    definitions: &Definitions,
    solver: &Solver,
    limit: Duration,
) -> Result<RecheckAnswers, SolverError> {
    let mut opening = String::new();
    definitions.write(&mut opening);
    let (mut obligations, mut premises) = (Vec::new(), Vec::new());
    for stage in questions::stages(definitions) {
        for known in &stage.known {
            opening.push_str(&format!("(assert {known})\n"));
        }
        let mut told = Told::new(solver, limit, opening.clone())?;
        for CertificateQuery { kind, name, asserted } in stage.obligations {
            let (answer, time) = told.ask(&[], &asserted)?;
            obligations.push(RecheckedObligation { kind, name, answer, time });
        }
        for CertificateQuery { kind, name, asserted } in stage.premises {
            let (answer, _) = told.ask(&[], &asserted)?;
            premises.push(RecheckedPremise { kind, name, answer });
        }
    }
    Ok((obligations, premises))
}

/// Whether what a lemma supposes is possible is worth so much time and no more: with quantifiers a solver seldom
/// finds out, and nothing rests on it.
const GLANCE: Duration = Duration::from_secs(1);

fn of_lemmas(lemmas: &[Lemma], solver: &Solver, limit: Duration) -> Result<RecheckAnswers, SolverError> {
    let mut told = Told::new(solver, limit, String::new())?;
    let mut glance = Some(Told::new(solver, limit.min(GLANCE), String::new())?);
    let (mut obligations, mut premises) = (Vec::new(), Vec::new());
    for lemma in lemmas {
        let (kind, name, declared) = (ObligationKind::Lemma, lemma.name.clone(), lemma.declarations());
        let (answer, time) = told.ask(&declared, &lemma.asserted)?;
        obligations.push(RecheckedObligation { kind, name: name.clone(), answer, time });
        let supposed = lemma.asserted.split_last().map_or(&[][..], |(_, supposed)| supposed);
        let glanced = glance.as_mut().map(|glance| glance.ask(&declared, supposed)).transpose();
        let answer = match glanced {
            Ok(Some((answer, _))) => answer,
            // Nothing rests on it, so a solver that cannot be hurried is not hurried again.
            Ok(None) | Err(SolverError::Overran { .. }) => {
                glance = None;
                SolverAnswer::Unknown(TIME.to_string())
            }
            Err(error) => return Err(error),
        };
        premises.push(RecheckedPremise { kind, name: format!("what \"{name}\" supposes"), answer });
    }
    Ok((obligations, premises))
}
