//! Certificates of regions, verified: the models are built anew from the command line in the file, and every obligation
//! is put to every solver. Nothing of the search for regions is used.

use crate::commands::regions::models_of;
use crate::program::Program;
use std::path::Path;
use std::time::{Duration, Instant};
use watchkeeper::regions::Condition;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_prove::solver::{Solver, SolverAnswer, SolverError, SolverOptions, SolverSession};
use watchkeeper_regions::{Model, RegionCertificate, RegionCertificateError, RegionDuty, RegionObligation};
use watchkeeper_report::{CertifiedClaim, Recheck, SolverRecheck};

/// The logic of the obligations.
const LOGIC: &str = "QF_LRA";

/// A certificate that was read, with the models that it is about.
pub(super) struct CertifiedRegion {
    certificate: RegionCertificate,
    name: String,
    models: Vec<Model>,
}

impl CertifiedRegion {
    /// The certificate in the text of a file.
    pub(super) fn read(program: &Program, path: &Path, text: &str) -> Result<CertifiedRegion, Problem> {
        let certificate = RegionCertificate::read(text).map_err(|error| refused(path, &error))?;
        let (name, models) = models_of(program, certificate.command()).map_err(|problem| {
            let why = format!(
                "the command in this certificate, `{}`, asks for no regions of this program: {problem}",
                certificate.command()
            );
            refused(path, &why)
        })?;
        Ok(CertifiedRegion { certificate, name, models })
    }

    /// What the solvers say of it. `missed` is the theorem that it should be of: then none is asked.
    pub(super) fn recheck(
        &self,
        path: &Path,
        solvers: &[Solver],
        limit: Duration,
        missed: Option<String>,
    ) -> Result<(Recheck, ExitCode), Problem> {
        let certificate = &self.certificate;
        let asked = if missed.is_some() { &[] } else { solvers };
        let found = recheck_regions(certificate, &self.models, asked, limit);
        let found = found.map_err(|error| refused(path, &error))?;
        let code = if missed.is_some() { ExitCode::ANOTHER_CLAIM } else { found.code };
        let parameters = certificate.parameters().to_vec();
        let condition = Condition::any(parameters.len(), certificate.claims().to_vec()).text(&parameters);
        let known = format!(
            "the model was built anew from `{}`; {} polyhedra in {} discrete states hold all that it reaches",
            certificate.command(),
            certificate.polyhedra(),
            certificate.states()
        );
        let report = Recheck {
            file: path.display().to_string(),
            kind: "regions".to_string(),
            obligations: found.obligations,
            verified: code == ExitCode::HOLDS,
            about: CertifiedClaim::Region {
                name: self.name.clone(),
                parameters,
                condition,
                command: certificate.command().to_string(),
            },
            missed,
            system: String::new(),
            claim: String::new(),
            found: String::new(),
            written_with: String::new(),
            command: String::new(),
            conjuncts: 0,
            known,
            checks: found.checks,
        };
        Ok((report, code))
    }
}

fn refused(path: &Path, why: &impl ToString) -> Problem {
    Problem::Value { origin: SettingOrigin::Argument(path.display().to_string()), why: why.to_string() }
}

/// What the solvers say of a certificate.
struct RegionRecheck {
    obligations: usize,
    checks: Vec<SolverRecheck>,
    /// 0 if every solver verifies all of it, 12 if one refutes some of it, 153 if one does not know.
    code: ExitCode,
}

/// Puts every obligation of a certificate about these models to every solver.
fn recheck_regions(
    certificate: &RegionCertificate,
    models: &[Model],
    solvers: &[Solver],
    limit: Duration,
) -> Result<RegionRecheck, RegionCertificateError> {
    let options = SolverOptions { limit, logic: Some(LOGIC.to_string()), ..SolverOptions::default() };
    let mut asked: Vec<AskedSolver> =
        solvers.iter().map(|solver| AskedSolver::new(solver, &options)).collect();
    let mut obligations = 0;
    certificate.for_each_obligation(models, &mut |obligation| {
        obligations += 1;
        asked.iter_mut().for_each(|solver| solver.ask(&obligation));
        Ok::<(), RegionCertificateError>(())
    })?;
    let code = if asked.iter().any(|solver| solver.refuted) {
        ExitCode::SAFETY
    } else if obligations > 0 && !asked.is_empty() && asked.iter().all(AskedSolver::verifies) {
        ExitCode::HOLDS
    } else {
        ExitCode::UNKNOWN
    };
    Ok(RegionRecheck { obligations, checks: asked.into_iter().map(AskedSolver::told).collect(), code })
}

/// A solver, and what it said so far.
struct AskedSolver {
    solver: String,
    session: Option<SolverSession>,
    duties: [usize; RegionDuty::ALL.len()],
    open: Vec<String>,
    refuted: bool,
    time: Duration,
    failed: Option<String>,
}

impl AskedSolver {
    fn new(solver: &Solver, options: &SolverOptions) -> AskedSolver {
        let (session, failed) = match SolverSession::start(solver, options) {
            Ok(session) => (Some(session), None),
            Err(error) => (None, Some(error.to_string())),
        };
        AskedSolver {
            solver: solver.to_string(),
            session,
            duties: [0; RegionDuty::ALL.len()],
            open: Vec::new(),
            refuted: false,
            time: Duration::ZERO,
            failed,
        }
    }

    /// A solver that has failed is asked nothing more.
    fn ask(&mut self, obligation: &RegionObligation) {
        let Some(session) = &mut self.session else { return };
        let started = Instant::now();
        let answer = answer(session, &obligation.script);
        self.time += started.elapsed();
        if let Some(at) = RegionDuty::ALL.iter().position(|duty| *duty == obligation.duty) {
            self.duties[at] += 1;
        }
        match answer {
            Ok(SolverAnswer::Unsat) => {}
            Ok(SolverAnswer::Sat) => {
                self.refuted = true;
                self.open.push(format!("refuted: {}", obligation.name));
            }
            Ok(SolverAnswer::Unknown(why)) => {
                self.open.push(format!("undecided ({why}): {}", obligation.name));
            }
            Err(error) => {
                self.session = None;
                self.failed = Some(error.to_string());
            }
        }
    }

    fn verifies(&self) -> bool {
        self.failed.is_none() && self.open.is_empty()
    }

    fn told(self) -> SolverRecheck {
        let duties = RegionDuty::ALL.iter().zip(self.duties).filter(|(_, count)| *count > 0);
        SolverRecheck {
            verified: self.verifies(),
            duties: duties.map(|(duty, count)| (duty.to_string(), count)).collect(),
            solver: self.solver,
            open: self.open,
            seconds: self.time.as_secs_f64(),
            failed: self.failed,
            ..SolverRecheck::default()
        }
    }
}

fn answer(session: &mut SolverSession, script: &str) -> Result<SolverAnswer, SolverError> {
    session.push()?;
    session.tell(script)?;
    let answer = session.check()?;
    if matches!(answer, SolverAnswer::Unknown(_)) {
        // A solver that was cut short is not to be relied on for the next question.
        session.restart()?;
    } else {
        session.pop()?;
    }
    Ok(answer)
}
