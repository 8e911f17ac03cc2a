//! `recheck`: a proof from a file, verified by a solver of the user's choice and nothing else from the run that wrote it.
//! What the file says of itself is told as what it is: words.

use crate::commands::prove::solvers::Chosen;
use crate::commands::prove::span;
use crate::inputs;
use crate::job::style;
use crate::outputs::{Target, to_stderr, to_stdout};
use crate::problem::{Origin, Problem};
use crate::program::Program;
use crate::quantities::Span;
use clap::Args;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watchkeeper_casebook::parametric;
use watchkeeper_logic::ExitCode;
use watchkeeper_prove::solver::Answer;
use watchkeeper_prove::{
    Case, Certificate, CertificateError, Duty, Kind, Rechecked, property_differences, recheck,
    system_differences,
};
use watchkeeper_report::{Check, Recheck, recheck_json, render_recheck};

const OUTPUT: &str = "Output";

/// The largest file that is read: a certificate is text that a person can read.
const LARGEST: u64 = 64 << 20;

/// All flags of `recheck`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RecheckArgs {
    /// A certificate that `prove --certificate` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

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
pub(crate) fn run(_: &Program, args: &RecheckArgs) -> Result<ExitCode, Problem> {
    let limit = span("--limit", &args.limit)?.map_or(Duration::from_secs(60), |Span(limit)| limit);
    let text = read(&args.file)?;
    let refused = |error: CertificateError| Problem::Value {
        origin: Origin::Argument(args.file.display().to_string()),
        why: error.to_string(),
    };
    let certificate = Certificate::read(&text).map_err(refused)?;
    let json = args.json.as_deref().map(Target::new);
    json.as_ref().map_or(Ok(()), Target::probe)?;
    let chosen = Chosen::of(&args.solver)?;
    let mut answers = Vec::new();
    for solver in &chosen.solvers {
        match recheck(&text, solver, limit) {
            Ok(found) => answers.push((solver.to_string(), Ok(found))),
            Err(CertificateError::Solver(error)) => {
                answers.push((solver.to_string(), Err(error.to_string())))
            }
            Err(error) => return Err(refused(error)),
        }
    }
    let of_lemmas = certificate.kind() != Kind::Induction;
    let refutation = if of_lemmas { refutation(&certificate) } else { None };
    let inconclusive = of_lemmas && refutation.is_none();
    let known = match refutation {
        Some(name) => format!("the lemmas are all that `{name}` needs, and no others"),
        None if of_lemmas => OF_LEMMAS.to_string(),
        None => known(&certificate),
    };
    let mut report = told(&args.file, &certificate, &answers, known);
    report.inconclusive = inconclusive;
    let text = render_recheck(&report, &style(args.no_color, false));
    let mut failures = Vec::new();
    if args.quiet {
        // The exit code tells everything.
    } else if json == Some(Target::Stdout) {
        to_stderr(&text);
    } else if let Err(why) = to_stdout(&text) {
        failures.push(format!("standard output: {why}"));
    }
    // Lemmas that belong to nothing known are true and show nothing.
    let code = match exit_code(&answers) {
        ExitCode::HOLDS if inconclusive => ExitCode::UNKNOWN,
        code => code,
    };
    if let Some(target) = json {
        let content = recheck_json(&report, code.0);
        failures.extend(target.write(&content).err().map(|why| format!("{target}: {why}")));
    }
    if failures.is_empty() { Ok(code) } else { Err(Problem::Unwritten(failures)) }
}

const OF_LEMMAS: &str = "the file has lemmas, and no system that could be compared: what follows from them is for the \
                         reader to judge";

fn read(path: &Path) -> Result<String, Problem> {
    let wrong = |why: String| Problem::Value { origin: Origin::Argument(path.display().to_string()), why };
    let bytes = inputs::whole(path, LARGEST).map_err(|why| match why.kind() {
        ErrorKind::FileTooLarge => wrong("this is no certificate: it has more than 64 MiB".to_string()),
        ErrorKind::Interrupted => Problem::Interrupted(format!("waiting for {}", path.display())),
        _ => wrong(format!("cannot read the certificate: {why}")),
    })?;
    String::from_utf8(bytes).map_err(|_| wrong("this is no certificate: it is not text".to_string()))
}

/// The refutation of this program whose lemmas these are: all of them, built again from its definition.
fn refutation(certificate: &Certificate) -> Option<String> {
    for subject in parametric::subjects() {
        for case in &subject.cases {
            let Case::Fails(refutation) = case else { continue };
            let Ok(obligations) = refutation.obligations() else { continue };
            let origin = watchkeeper_prove::Origin::default();
            let again = Certificate::lemmas(&refutation.system, "", &obligations, origin);
            if again.is_ok_and(|again| certificate.says_the_same_as(&again)) {
                return Some(format!("{} {}", subject.name, refutation.name));
            }
        }
    }
    None
}

/// Which theorem of this program the file is about, or in what it differs from the nearest.
fn known(certificate: &Certificate) -> String {
    let mut nearest: Option<(usize, String)> = None;
    let subjects = parametric::subjects();
    for subject in &subjects {
        for case in &subject.cases {
            let Case::Holds(theorem) = case else { continue };
            let Ok(differences) = system_differences(certificate, &theorem.system) else { continue };
            let property = property_differences(certificate, &theorem.system, &theorem.property);
            let name = format!("{} {}", subject.name, theorem.name);
            let same_property = property.is_ok_and(|differences| differences.is_empty());
            let (distance, told) = match (&differences[..], same_property) {
                ([], true) => return format!("the system and the property are those of `{name}`"),
                ([], false) => (0, format!("the system is that of `{name}`, and the property is another")),
                (some, _) => {
                    let some = some[..some.len().min(3)].join(" ");
                    (
                        differences.len(),
                        format!(
                            "the system is none of this program; from that of `{name}` it differs: {some}"
                        ),
                    )
                }
            };
            if nearest.as_ref().is_none_or(|(least, _)| distance < *least) {
                nearest = Some((distance, told));
            }
        }
    }
    nearest.map_or_else(|| "this program has no theorems to compare it with".to_string(), |(_, told)| told)
}

type Answered = (String, Result<Rechecked, String>);

fn told(path: &Path, certificate: &Certificate, answers: &[Answered], known: String) -> Recheck {
    let first = answers.iter().find_map(|(_, found)| found.as_ref().ok());
    let (system, claim, origin, conjuncts) = first.map_or_else(Default::default, |found| {
        (found.system.clone(), found.claim.clone(), found.origin.clone(), found.conjuncts)
    });
    let check = |(solver, found): &Answered| match found {
        Ok(found) => of_solver(solver, found),
        Err(why) => Check { solver: solver.clone(), failed: Some(why.clone()), ..Check::default() },
    };
    Recheck {
        file: path.display().to_string(),
        kind: certificate.kind().name().to_string(),
        obligations: certificate.obligations(),
        verified: exit_code(answers) == ExitCode::HOLDS,
        inconclusive: false,
        system,
        claim,
        found: origin.found,
        written_with: origin.solver,
        command: origin.command,
        conjuncts,
        known,
        checks: answers.iter().map(check).collect(),
    }
}

fn of_solver(solver: &str, found: &Rechecked) -> Check {
    let duties = [Duty::Initiation, Duty::Consecution, Duty::Safety, Duty::Lemma];
    let of = |duty: Duty| found.obligations.iter().filter(|answered| answered.duty == duty).count();
    let duties = duties.map(|duty| (duty.name().to_string(), of(duty)));
    let open = found.open().map(|answered| match &answered.answer {
        Answer::Unknown(why) => format!("undecided ({why}): {}", answered.name),
        _ => format!("refuted: {}", answered.name),
    });
    let impossible = found.impossible().map(|premise| format!("never possible: {}", premise.name));
    let undecided = found.undecided().map(|premise| format!("not known to be possible: {}", premise.name));
    Check {
        solver: solver.to_string(),
        verified: found.is_verified(),
        duties: duties.into_iter().filter(|(_, count)| *count > 0).collect(),
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
                || found.open().any(|answered| answered.answer == Answer::Sat)
        })
    };
    let verifies = |(_, found): &Answered| found.as_ref().is_ok_and(Rechecked::is_verified);
    if answers.iter().any(refutes) {
        ExitCode::SAFETY
    } else if !answers.is_empty() && answers.iter().all(verifies) {
        ExitCode::HOLDS
    } else {
        ExitCode::UNKNOWN
    }
}
