//! `recheck`: a proof or a region from a file, verified by a solver of the user's choice and nothing else from the run that
//! wrote it.
//! What the file says of itself is told as what it is: words.

mod known;
mod regions;

use crate::commands::prove::solvers::Chosen;
use crate::commands::prove::span;
use crate::inputs;
use crate::job::style;
use crate::outputs::{OutputTarget, to_stderr, to_stdout, unwritten};
use crate::program::Program;
use clap::Args;
use known::{Known, Matter};
use regions::CertifiedRegion;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_prove::solver::SolverAnswer;
use watchkeeper_prove::{Certificate, CertificateError, ObligationKind, RecheckResult, recheck};
use watchkeeper_regions::RegionCertificate;
use watchkeeper_report::{CertifiedClaim, Recheck, SolverRecheck, recheck_json, render_recheck};

const OUTPUT: &str = "Output";

/// The largest file that is read: a certificate is text that a person can read.
const LARGEST: u64 = 64 << 20;

/// All flags of `recheck`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RecheckArgs {
    /// A certificate that `prove --certificate` or `regions --certificate` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The theorem that the file must be a certificate of, such as 'binary R1': anything else is exit code 20
    ///
    /// Its system, assumptions and property are compared with those of the file, and not the names. Without this flag,
    /// the first line tells which theorem was verified, and a system that is none of this program's is exit code 20.
    #[arg(long, value_name = "'SUBJECT THEOREM'", verbatim_doc_comment)]
    theorem: Option<String>,

    /// Which solvers to ask: z3, cvc5, both apart by a comma, or all [default: all that are found]
    #[arg(long, value_name = "NAMES")]
    solver: Option<String>,

    /// How long a solver may take for one question [default: 60s]
    #[arg(long, value_name = "TIME")]
    limit: Option<String>,

    /// Write the answer as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Print nothing but errors: the exit code tells the answer
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,
}

/// Verifies a certificate.
pub(crate) fn run(program: &Program, args: &RecheckArgs) -> Result<ExitCode, Problem> {
    let limit = span("--limit", &args.limit)?.map_or(Duration::from_secs(60), |TimeSpan(limit)| limit);
    let expected = args.theorem.as_deref().map(Known::named).transpose()?;
    let text = read(&args.file)?;
    let json = args.json.as_deref().map(OutputTarget::new);
    let (report, code) = if RegionCertificate::is_begun_by(&text) {
        let region = CertifiedRegion::read(program, &args.file, &text)?;
        json.as_ref().map_or(Ok(()), OutputTarget::probe)?;
        // A region is never one of the theorems, which say more or something else.
        let missed = expected.map(|known| known.name);
        let solvers = if missed.is_none() { Chosen::of(&args.solver)?.solvers } else { Vec::new() };
        region.recheck(&args.file, &solvers, limit, missed)?
    } else {
        let certificate = Certificate::read(&text).map_err(|error| refused(&args.file, &error))?;
        json.as_ref().map_or(Ok(()), OutputTarget::probe)?;
        of_proof(args, &text, &certificate, expected, limit)?
    };
    let text = render_recheck(&report, &style(args.no_color, false));
    let mut failures = Vec::new();
    if args.quiet {
        // The exit code tells everything.
    } else if json == Some(OutputTarget::Stdout) {
        to_stderr(&text);
    } else if let Err(why) = to_stdout(&text) {
        failures.push(format!("standard output: {why}"));
    }
    if let Some(target) = json {
        let content = recheck_json(&report, code.0);
        failures.extend(target.write(&content).err().map(|why| format!("{target}: {why}")));
    }
    if failures.is_empty() { Ok(code) } else { Err(unwritten(&failures)) }
}

fn refused(path: &Path, error: &CertificateError) -> Problem {
    Problem::Value { origin: SettingOrigin::Argument(path.display().to_string()), why: error.to_string() }
}

/// What the solvers say of a proof that `prove` wrote.
fn of_proof(
    args: &RecheckArgs,
    text: &str,
    certificate: &Certificate,
    expected: Option<Known>,
    limit: Duration,
) -> Result<(Recheck, ExitCode), Problem> {
    let missed = expected.and_then(|known| Some((known.differences(certificate).err()?, known.name)));
    let mut answers = Vec::new();
    // What a solver says of another claim answers nothing that was asked.
    if missed.is_none() {
        for solver in &Chosen::of(&args.solver)?.solvers {
            match recheck(text, solver, limit) {
                Ok(found) => answers.push((solver.to_string(), Ok(found))),
                Err(CertificateError::Solver(error)) => {
                    answers.push((solver.to_string(), Err(error.to_string())))
                }
                Err(error) => return Err(refused(&args.file, &error)),
            }
        }
    }
    let mut matter = Matter::of(certificate);
    if let Some((why, _)) = &missed {
        matter.told = format!("{why}; what it is: {}", matter.told);
    }
    let report = told(&args.file, certificate, &answers, matter, missed.map(|(_, name)| name));
    let code = match (&report.missed, exit_code(&answers), &report.about) {
        (Some(_), _, _) => ExitCode::ANOTHER_CLAIM,
        (None, ExitCode::HOLDS, CertifiedClaim::Foreign) => ExitCode::ANOTHER_CLAIM,
        // Lemmas that belong to nothing known are true and show nothing.
        (None, ExitCode::HOLDS, CertifiedClaim::Lemmas) => ExitCode::UNKNOWN,
        (None, code, _) => code,
    };
    Ok((report, code))
}

fn read(path: &Path) -> Result<String, Problem> {
    let wrong =
        |why: String| Problem::Value { origin: SettingOrigin::Argument(path.display().to_string()), why };
    let bytes = inputs::whole(path, LARGEST).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => wrong("this is no certificate: it has more than 64 MiB".to_string()),
        ErrorKind::Interrupted => inputs::interrupted(path),
        _ => wrong(format!("cannot read the certificate: {why}")),
    })?;
    String::from_utf8(bytes).map_err(|_| wrong("this is no certificate: it is not text".to_string()))
}

type Answered = (String, Result<RecheckResult, String>);

fn told(
    path: &Path,
    certificate: &Certificate,
    answers: &[Answered],
    Matter { about, told: known }: Matter,
    missed: Option<String>,
) -> Recheck {
    let origin = certificate.origin().clone();
    let check = |(solver, found): &Answered| match found {
        Ok(found) => of_solver(solver, found),
        Err(why) => {
            SolverRecheck { solver: solver.clone(), failed: Some(why.clone()), ..SolverRecheck::default() }
        }
    };
    Recheck {
        file: path.display().to_string(),
        kind: certificate.kind().to_string(),
        obligations: certificate.obligations(),
        verified: exit_code(answers) == ExitCode::HOLDS,
        about,
        missed,
        system: certificate.system().to_string(),
        claim: certificate.claim().to_string(),
        found: origin.found,
        written_with: origin.solver,
        command: origin.command,
        conjuncts: certificate.conjuncts(),
        known,
        checks: answers.iter().map(check).collect(),
    }
}

fn of_solver(solver: &str, found: &RecheckResult) -> SolverRecheck {
    let open = found.open().map(|answered| match &answered.answer {
        SolverAnswer::Unknown(why) => format!("undecided ({why}): {}", answered.name),
        _ => format!("refuted: {}", answered.name),
    });
    let impossible = found.impossible().map(|premise| format!("never possible: {}", premise.name));
    let undecided = found.undecided().map(|premise| format!("not known to be possible: {}", premise.name));
    SolverRecheck {
        solver: solver.to_string(),
        verified: found.is_verified(),
        duties: ObligationKind::counted(found.obligations.iter().map(|answered| answered.kind)),
        open: open.collect(),
        vacuous: found.is_vacuous(),
        premises: impossible.chain(undecided).collect(),
        seconds: found.obligations.iter().map(|answered| answered.time).sum::<Duration>().as_secs_f64(),
        failed: None,
    }
}

/// 0 if every solver verifies all of it, 12 if one refutes some of it, 153 if one does not know.
fn exit_code(answers: &[Answered]) -> ExitCode {
    let refutes = |(_, found): &Answered| {
        found.as_ref().is_ok_and(|found| {
            found.is_vacuous()
                || found.obligations.is_empty()
                || found.open().any(|answered| answered.answer == SolverAnswer::Sat)
        })
    };
    let verifies = |(_, found): &Answered| found.as_ref().is_ok_and(RecheckResult::is_verified);
    if answers.iter().any(refutes) {
        ExitCode::SAFETY
    } else if !answers.is_empty() && answers.iter().all(verifies) {
        ExitCode::HOLDS
    } else {
        ExitCode::UNKNOWN
    }
}
