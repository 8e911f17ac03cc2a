//! `prove`: theorems about all parameters at once, by induction, with SMT solvers. The invariants are found, and every
//! solver that is asked has to discharge every obligation; without a solver nothing is proven and nothing is claimed.

mod certificates;
mod engines;
mod findings;
#[cfg(test)]
mod headline_tests;
mod listing;
mod point;
mod progress;
mod proving;
mod request;
mod runs;
pub(crate) mod solvers;
pub(crate) mod words;

use crate::clock::Showing;
use crate::command_line::CommandLine;
use crate::interrupt;
use crate::job::style;
use crate::outputs::{self, OutputTarget, to_stderr, to_stdout, unwritten};
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use certificates::Files;
use clap::Args;
use proving::Prover;
use request::ProofRequest;
use solvers::Chosen;
use std::path::PathBuf;
use std::time::Instant;
use watchkeeper::machine;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::parametric;
use watchkeeper_logic::ExitCode;
use watchkeeper_prove::{ProofGoal, ProofOptions};
use watchkeeper_report::{Proof, ProofStatus, RunFacts, Style, proofs_json, proofs_table, render_proof};

const CLAIM: &str = "What is claimed";
const PROOF: &str = "How it is proven";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";

/// All flags of `prove`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ProveArgs {
    /// The model of which something is proven; without it, all are listed with their theorems
    #[arg(value_name = "SUBJECT")]
    subject: Option<String>,

    /// The theorems to prove [default: all of the subject]
    #[arg(value_name = "THEOREM")]
    theorems: Vec<String>,

    /// List the theorems, a line each, and prove nothing
    #[arg(long, help_heading = CLAIM)]
    list: bool,

    /// Show the system: its parameters, variables and steps, and prove nothing
    #[arg(long, help_heading = CLAIM)]
    system: bool,

    /// A form of the model that is broken on purpose, by the name that --list shows
    #[arg(long, value_name = "NAME", help_heading = CLAIM)]
    broken: Option<String>,

    /// A property of your own, over the variables that --system shows, such as 'sus => to <= 3*Phi + Delta'
    ///
    /// Loosest first: if .. then .. else .., => (implies), or, and, not, <= < >= > = !=, + -, * with a number on one
    /// side; min(a, b), max(a, b); control points by their names.
    #[arg(long, value_name = "FORMULA", help_heading = CLAIM, verbatim_doc_comment)]
    property: Option<String>,

    /// Assume more of the parameters, such as 'Phi >= 2'; may be repeated
    #[arg(long, value_name = "FORMULA", help_heading = CLAIM)]
    assume: Vec<String>,

    /// Check just this invariant, of which each --invariant is a conjunct, and show where induction breaks
    #[arg(long, value_name = "FORMULA", help_heading = PROOF)]
    invariant: Vec<String>,

    /// A conjunct that may be used where the search finds none; may be repeated
    #[arg(long, value_name = "FORMULA", help_heading = PROOF)]
    lemma: Vec<String>,

    /// Use no conjunct that a person wrote
    #[arg(long, help_heading = PROOF, conflicts_with = "lemma")]
    no_lemmas: bool,

    /// The means of the proof [default: templates]
    ///
    /// templates    candidates from templates, true of small instances, sifted until they are inductive
    /// spacer       Z3's engine for Horn clauses; what it finds is checked like the rest
    /// k-induction  induction over up to --depth steps
    /// bounded      runs of up to --depth steps for any parameters; refutes, and never proves
    #[arg(long, value_name = "ENGINE", help_heading = PROOF, verbatim_doc_comment)]
    engine: Option<String>,

    /// The most steps of k-induction and of bounded search [default: 8]
    #[arg(long, value_name = "STEPS", help_heading = PROOF)]
    depth: Option<String>,

    /// Search the same system for these parameters, such as Delta=2,Phi=4; needs no solver
    #[arg(long, value_name = "NAME=VALUE,..", help_heading = PROOF)]
    at: Option<String>,

    /// Which solvers to ask: z3, cvc5, both apart by a comma, or all; the first finds, all judge [default: all that
    /// are found]
    #[arg(long, value_name = "NAMES", help_heading = PROOF)]
    solver: Option<String>,

    /// How long a solver may take for one question [default: 20s]
    #[arg(long, value_name = "TIME", help_heading = LIMITS)]
    limit: Option<String>,

    /// How long the search for an invariant of one theorem may take, or with --at the search
    /// [default: 2min] [env: WATCHKEEPER_TIMEOUT]
    #[arg(long, value_name = "TIME", help_heading = LIMITS)]
    timeout: Option<String>,

    /// Write each proof to a new file that `recheck` verifies; of several theorems each has a file with its name
    #[arg(long, value_name = "FILE|DIR", help_heading = OUTPUT)]
    certificate: Option<PathBuf>,

    /// Write everything as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// With --at, draw the violation: .svg, .mmd (Mermaid) or .txt; may be given more than once
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, requires = "at")]
    chart: Vec<PathBuf>,

    /// Print nothing but errors: the exit code and the output files tell the verdict
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,

    /// Draw text charts with plain characters instead of lines and arrows
    #[arg(long, help_heading = OUTPUT)]
    ascii: bool,
}

/// Proves what the arguments name.
pub(crate) fn run(program: &Program, args: &ProveArgs) -> Result<ExitCode, Problem> {
    let subjects = parametric::subjects();
    let Some(name) = &args.subject else {
        return print(&listing::all(&program.name, &subjects));
    };
    if args.list {
        return print(&listing::of(&request::found(name, subjects)?));
    }
    let request = ProofRequest::of(args, name, subjects)?;
    if args.system {
        return match request.cases.first() {
            Some(case) => print(&listing::system(case.system())),
            None => Err(Problem::Usage(format!("{name} has no system yet"))),
        };
    }
    let mut settings = RawSettings::default();
    settings.flag("timeout", &args.timeout);
    let settings = settings.over(RawSettings::environment(|name| std::env::var(name).ok()));
    let command = again(program, args, &settings);
    if let Some(at) = &args.at {
        return point::run(args, &request, at, &settings, &command);
    }
    prove(args, &request, effort(args, &settings)?, command)
}

/// Proves one theorem after the other, and reports each as soon as it is done.
fn prove(
    args: &ProveArgs,
    request: &ProofRequest,
    effort: ProofOptions,
    command: String,
) -> Result<ExitCode, Problem> {
    let started = Instant::now();
    let json = args.json.as_deref().map(OutputTarget::new);
    json.as_ref().map_or(Ok(()), OutputTarget::probe)?;
    let names: Vec<&str> = request.cases.iter().map(ProofGoal::name).collect();
    let files =
        args.certificate.as_deref().map(|path| Files::for_theorems(path, &request.subject.name, &names));
    let files = files.transpose()?;
    let Chosen { solvers, missing } = Chosen::of(&args.solver)?;
    let showing = Showing::fitting(args.quiet);
    let prover =
        Prover { request, solvers: &solvers, missing: &missing, effort, showing, command: command.clone() };
    let page = Report {
        quiet: args.quiet,
        to_stderr: json == Some(OutputTarget::Stdout),
        style: style(args.no_color, args.ascii),
    };
    let (mut proofs, mut failures): (Vec<Proof>, Vec<String>) = (Vec::new(), Vec::new());
    for (place, case) in request.cases.iter().enumerate() {
        if interrupt::asked() {
            let mut proof = prover.blank(case);
            proof.extent = "; interrupted before its turn".to_string();
            proofs.push(proof);
            continue;
        }
        let mut answer = prover.answer(case)?;
        if let (Some(files), Some(certificate)) = (&files, answer.certificate) {
            match files.write(place, certificate) {
                Ok(path) => answer.proof.certificate = Some(path),
                Err(why) => failures.push(why),
            }
        }
        let first = if proofs.is_empty() { "" } else { "\n" };
        failures.extend(page.print(&format!("{first}{}", render_proof(&answer.proof, &page.style))));
        proofs.push(answer.proof);
    }
    let code = worst(&proofs);
    let run = RunFacts {
        command,
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: machine::peak_bytes().unwrap_or(0),
    };
    failures.extend(page.print(&ending(request, &proofs, &run)));
    if let Some(target) = json {
        let content = proofs_json(&request.subject.name, &request.subject.notes, &proofs, code.0, &run);
        failures.extend(target.write(&content).err().map(|why| format!("{target}: {why}")));
    }
    if failures.is_empty() { Ok(code) } else { Err(unwritten(&failures)) }
}

/// Where the report goes.
struct Report {
    quiet: bool,
    to_stderr: bool,
    style: Style,
}

impl Report {
    fn print(&self, text: &str) -> Option<String> {
        match (self.quiet, self.to_stderr) {
            (true, _) => None,
            (false, true) => {
                to_stderr(text);
                None
            }
            (false, false) => to_stdout(text).err().map(|why| format!("standard output: {why}")),
        }
    }
}

/// What is said of all theorems together.
fn ending(request: &ProofRequest, proofs: &[Proof], run: &RunFacts) -> String {
    let mut out = String::new();
    if proofs.len() > 1 {
        out.push_str(&format!("\n{}", proofs_table("All theorems", proofs).text()));
    }
    if !request.subject.notes.is_empty() {
        out.push_str("\nBeside the proofs\n");
        request.subject.notes.iter().for_each(|note| out.push_str(&format!("  - {note}\n")));
    }
    format!("{out}\nAgain\n  {}\n", run.command)
}

/// The exit code of the worst: what is wrong before what is not known, and both before what is as claimed.
fn worst(proofs: &[Proof]) -> ExitCode {
    let code = |proof: &Proof| match proof.standing {
        ProofStatus::Proven => ExitCode::HOLDS,
        ProofStatus::Refuted if proof.claimed => ExitCode::HOLDS,
        ProofStatus::Refuted | ProofStatus::NotInductive => ExitCode::SAFETY,
        ProofStatus::Unknown => ExitCode::UNKNOWN,
    };
    let has = |wanted: ExitCode| proofs.iter().any(|proof| code(proof) == wanted);
    [ExitCode::SAFETY, ExitCode::UNKNOWN].into_iter().find(|code| has(*code)).unwrap_or(ExitCode::HOLDS)
}

fn effort(args: &ProveArgs, settings: &RawSettings) -> Result<ProofOptions, Problem> {
    let usual = ProofOptions::default();
    let limit = span("--limit", &args.limit)?.map_or(usual.limit, |TimeSpan(limit)| limit);
    let total = settings.given("timeout").map(RawValue::parsed::<TimeSpan>).transpose()?;
    let total = total.map_or(usual.total, |TimeSpan(total)| total);
    Ok(ProofOptions { limit, total, lemmas: !args.no_lemmas, ..usual })
}

/// A span of time that a flag gives, if it does.
pub(crate) fn span(flag: &str, text: &Option<String>) -> Result<Option<TimeSpan>, Problem> {
    let given = text
        .as_ref()
        .map(|text| RawValue { value: text.clone(), origin: SettingOrigin::Argument(flag.to_string()) });
    given.map(|given| given.parsed()).transpose()
}

/// The command that gives this again.
fn again(program: &Program, args: &ProveArgs, settings: &RawSettings) -> String {
    let mut words = vec!["prove"];
    words.extend(args.subject.as_deref());
    words.extend(args.theorems.iter().map(String::as_str));
    let mut line = CommandLine::new(&program.name, &words);
    line.maybe("broken", args.broken.as_ref());
    line.maybe("property", args.property.as_ref());
    for (name, texts) in [("assume", &args.assume), ("invariant", &args.invariant), ("lemma", &args.lemma)] {
        texts.iter().for_each(|text| line.flag(name, text));
    }
    if args.no_lemmas {
        line.switch("no-lemmas");
    }
    line.maybe("engine", args.engine.as_ref());
    line.maybe("depth", args.depth.as_ref());
    line.maybe("at", args.at.as_ref());
    line.maybe("solver", args.solver.as_ref());
    line.maybe("limit", args.limit.as_ref());
    line.maybe("timeout", settings.given("timeout").map(|given| &given.value));
    line.to_string()
}

fn print(text: &str) -> Result<ExitCode, Problem> {
    outputs::print(text)?;
    Ok(ExitCode::HOLDS)
}
