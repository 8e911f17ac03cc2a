//! `casebook`: published models, and what is found in them. It chooses the model and asks the published
//! question; the models themselves live in their own room.

use crate::arguments::{OutputArgs, SearchArgs};
use crate::clock::{Clock, Showing};
use crate::command_line::CommandLine;
use crate::effort::Effort;
use crate::job::Job;
use crate::machine;
use crate::outputs::to_stdout;
use crate::problem::{Origin, Problem};
use crate::program::Program;
use crate::settings::{Given, Settings};
use clap::Args;
use watchkeeper_casebook::ring::{Case, Crash, Model, Network, WhenFull, table};
use watchkeeper_logic::{ExitCode, Invariant, Monitor, Question};
use watchkeeper_report::Run;
use watchkeeper_space::{AtomId, Space};

const CASE: &str = "Case";

/// All flags of `casebook`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CasebookArgs {
    /// The case: ring; without one, all are listed
    #[arg(value_name = "CASE")]
    case: Option<String>,

    /// The published model: process-algebra, csp, tasks, or tasks-atomic; without one, the published
    /// table is computed again
    #[arg(long, value_name = "MODEL", help_heading = CASE)]
    model: Option<String>,

    /// What a full channel does: block, report or ignore [default: block]
    #[arg(long, value_name = "KIND", help_heading = CASE, requires = "model")]
    channel: Option<String>,

    /// How many messages a channel has room for [default: 1]
    #[arg(long, value_name = "N", help_heading = CASE, requires = "model")]
    buffer: Option<String>,

    /// When p1 crashes: never, any-time or at-start [default: any-time]
    #[arg(long, value_name = "WHEN", help_heading = CASE, requires = "model")]
    crash: Option<String>,

    /// Ask whether p0 can stop suspecting the crashed p1 K times, instead of whether there is a deadlock
    #[arg(long, value_name = "K", help_heading = CASE, requires = "model")]
    oscillations: Option<String>,

    /// Ask nothing: search the whole space, past deadlocks and errors, and count it
    #[arg(long, help_heading = CASE, conflicts_with = "oscillations", requires = "model")]
    count: bool,

    /// Search the lines of the table with tens to hundreds of millions of states too
    #[arg(long, help_heading = CASE, conflicts_with = "model")]
    heavy: bool,

    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Does what the arguments say.
pub(crate) fn run(program: &Program, args: &CasebookArgs) -> Result<ExitCode, Problem> {
    match args.case.as_deref() {
        None => print(&cases(program)),
        Some("ring") => {
            let mut settings = Settings::default();
            args.search.add_to(&mut settings);
            let settings = settings.over(Settings::environment(|name| std::env::var(name).ok()));
            let job = Job::new(Effort::of(&settings)?, &args.output)?;
            if args.model.is_some() { one(program, args, &job) } else { all(program, args, &job) }
        }
        Some(other) => Err(Problem::Unknown {
            origin: Origin::Argument(String::new()),
            what: "case",
            name: other.to_string(),
            known: vec!["ring".to_string()],
        }),
    }
}

/// Searches one model.
fn one(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let case = Case::new(
        given("model", &args.model, Model::ProcessAlgebra)?,
        given("channel", &args.channel, WhenFull::Block)?,
        given("buffer", &args.buffer, 1)?,
        given("crash", &args.crash, Crash::AnyTime)?,
    )
    .map_err(|why| Problem::Value {
        origin: Origin::Argument("--buffer".to_string()),
        why: why.to_string(),
    })?;
    let times: Option<u32> =
        args.oscillations.as_ref().map(|_| given("oscillations", &args.oscillations, 1)).transpose()?;
    if times == Some(0) {
        let why = "no oscillation at all is no question; give a number from 1 on".to_string();
        return Err(Problem::Value { origin: Origin::Argument("--oscillations".to_string()), why });
    }
    let mut line = CommandLine::new(&program.name, &["casebook", "ring"]);
    line.flag("model", case.model());
    line.flag("channel", case.when_full());
    line.flag("buffer", case.buffer());
    line.flag("crash", case.crash());
    line.maybe("oscillations", times);
    if args.count {
        line.switch("count");
    }
    job.effort.add_to(&mut line, false);
    let space = case.space();
    let question = if args.count { Question::default() } else { question(&space, times) };
    job.solve(&[(&space, &question)], false, &line.to_string())
}

/// The published question: an overflow where channels report, a deadlock elsewhere, unless oscillations
/// are asked for.
fn question(space: &Network, times: Option<u32>) -> Question {
    let atom = |name: &str| -> AtomId {
        space.shape().atom(name).unwrap_or_else(|| panic!("a published model without the atom {name}"))
    };
    if let Some(times) = times {
        let monitor = Monitor::oscillation(atom("crashed(p1)"), atom("suspects(p0,p1)"), times);
        return Question { monitor: Some(monitor), ..Question::default() };
    }
    if space.case().when_full() != WhenFull::Report {
        return Question::no_deadlock();
    }
    let name = "within-capacity";
    let invariant = Invariant { name: name.to_string(), when: None, then: atom(name) };
    Question { invariants: vec![invariant], ..Question::default() }
}

/// Computes the published table again.
fn all(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut line = CommandLine::new(&program.name, &["casebook", "ring"]);
    if args.heavy {
        line.switch("heavy");
    }
    job.effort.add_to(&mut line, false);
    let clock = Clock::start(job.effort.timeout, Showing::fitting(args.output.quiet));
    let found = table(&job.effort.search, &clock, args.heavy);
    clock.finish();
    let found = found?;
    let run = Run {
        command: line.to_string(),
        seconds: clock.seconds(),
        peak_bytes: machine::peak_bytes().unwrap_or(0),
    };
    job.leave_table(&found.text(), || found.json(&run))?;
    Ok(ExitCode::HOLDS)
}

/// What the casebook has.
fn cases(program: &Program) -> String {
    let names = |all: &[&str]| all.join(", ");
    format!(
        "ring\n    The ring detector for weak completeness as it was modelled three times (Atif, Mousavi and \
         Osaiweran 2011),\n    and their Table 6.1: three processes, p1 may crash, channels of a few places\n  \
         --model     {}\n  --channel   {}\n  --crash     {}\n\nTry: {} casebook ring --model {} --channel block \
         --buffer 1\n",
        names(&Model::ALL.map(Model::name)),
        names(&WhenFull::ALL.map(WhenFull::name)),
        names(&Crash::ALL.map(Crash::name)),
        program.name,
        Model::ProcessAlgebra.name(),
    )
}

fn print(text: &str) -> Result<ExitCode, Problem> {
    to_stdout(text).map_err(|why| Problem::Unwritten(vec![format!("standard output: {why}")]))?;
    Ok(ExitCode::HOLDS)
}

/// The value of a flag.
fn given<T>(flag: &str, text: &Option<String>, default: T) -> Result<T, Problem>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let Some(text) = text else { return Ok(default) };
    Given { text: text.clone(), origin: Origin::Argument(format!("--{flag} {text}")) }.parsed()
}
