//! `casebook`: published models, and what is found in them. Here are its flags and its cases; each case has a
//! file of its own, and the models themselves live in their own room.

mod heartbeats;
mod ring;
mod ring_timed;

use crate::arguments::{OutputArgs, SearchArgs};
use crate::clock::{Clock, Showing};
use crate::effort::Effort;
use crate::job::Job;
use crate::machine;
use crate::outputs::to_stdout;
use crate::problem::{Origin, Problem};
use crate::program::Program;
use crate::settings::{Given, Settings};
use clap::Args;
use std::path::PathBuf;
use watchkeeper_casebook::Table;
use watchkeeper_casebook::ring::{Crash, Model, WhenFull};
use watchkeeper_logic::ExitCode;
use watchkeeper_report::Run;

const RING: &str = "Case: ring";
const RING_TIMED: &str = "Case: ring-timed";
const HEARTBEATS: &str = "Case: heartbeats";

/// The cases.
const CASES: [&str; 3] = ["ring", "ring-timed", "heartbeats"];

/// All flags of `casebook`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CasebookArgs {
    /// The case: ring, ring-timed or heartbeats; without one, all are listed
    #[arg(value_name = "CASE")]
    case: Option<String>,

    /// The published model: process-algebra, csp, tasks, or tasks-atomic; for ring-timed the detector, such
    /// as weak-accuracy; without one, the published table is computed again
    #[arg(long, value_name = "MODEL", help_heading = RING)]
    model: Option<String>,

    /// What a full channel does: block, report or ignore [default: block]
    #[arg(long, value_name = "KIND", help_heading = RING, requires = "model")]
    channel: Option<String>,

    /// How many messages a channel has room for [default: 1]
    #[arg(long, value_name = "N", help_heading = RING, requires = "model")]
    buffer: Option<String>,

    /// When p1 crashes: never, any-time or at-start [default: any-time]
    #[arg(long, value_name = "WHEN", help_heading = RING, requires = "model")]
    crash: Option<String>,

    /// Ask whether p0 can stop suspecting the crashed p1 K times, instead of whether there is a deadlock
    #[arg(long, value_name = "K", help_heading = RING, requires = "model")]
    oscillations: Option<String>,

    /// Ask nothing: search the whole space, past deadlocks and errors, and count it
    #[arg(long, help_heading = RING, conflicts_with = "oscillations", requires = "model")]
    count: bool,

    /// Search the lines of the table with tens to hundreds of millions of states too
    #[arg(long, help_heading = RING, conflicts_with = "model")]
    heavy: bool,

    /// In what order messages arrive: any or fifo [default: any]
    #[arg(long, value_name = "ORDER", help_heading = RING_TIMED, requires = "model")]
    order: Option<String>,

    /// The bound on a round trip, and the longest timeout [default: 2]
    #[arg(long, value_name = "T", help_heading = RING_TIMED, requires = "model")]
    max_delta: Option<String>,

    /// From when the bound counts: every-resend or oldest-unanswered [default: every-resend]
    #[arg(long, value_name = "READING", help_heading = RING_TIMED, requires = "model")]
    clock: Option<String>,

    /// What to ask: mutual-block, deadlock, or the monitor of a figure: weak-accuracy, strong-accuracy or
    /// strong-completeness [default: mutual-block]
    #[arg(long, value_name = "QUESTION", help_heading = RING_TIMED, requires = "model")]
    ask: Option<String>,

    /// How time passes: ticks, dense, or both, to be compared cell by cell [default: both]
    #[arg(long, value_name = "MODEL", help_heading = HEARTBEATS)]
    time: Option<String>,

    /// Only the corrected protocols
    #[arg(long, help_heading = HEARTBEATS, conflicts_with = "original")]
    corrected: bool,

    /// Only the protocols as they were published
    #[arg(long, help_heading = HEARTBEATS)]
    original: bool,

    /// Only this protocol, or these, separated by commas
    #[arg(long, value_name = "NAMES", help_heading = HEARTBEATS)]
    protocol: Option<String>,

    /// The participants of static, expanding and dynamic [default: 2 for static, 1 for the others]
    #[arg(long, value_name = "N", help_heading = HEARTBEATS)]
    n: Option<String>,

    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// Write a table as comma-separated values; - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    csv: Option<PathBuf>,
}

/// Does what the arguments say.
pub(crate) fn run(program: &Program, args: &CasebookArgs) -> Result<ExitCode, Problem> {
    let Some(case) = args.case.as_deref() else { return print(&cases(program)) };
    let of_ring = [
        ("--channel", args.channel.is_some()),
        ("--oscillations", args.oscillations.is_some()),
        ("--count", args.count),
    ];
    let of_ring_timed = [
        ("--order", args.order.is_some()),
        ("--max-delta", args.max_delta.is_some()),
        ("--clock", args.clock.is_some()),
        ("--ask", args.ask.is_some()),
    ];
    let of_both = [
        ("--model", args.model.is_some()),
        ("--buffer", args.buffer.is_some()),
        ("--crash", args.crash.is_some()),
        ("--heavy", args.heavy),
    ];
    let of_heartbeats = [
        ("--time", args.time.is_some()),
        ("--corrected", args.corrected),
        ("--original", args.original),
        ("--protocol", args.protocol.is_some()),
        ("--n", args.n.is_some()),
    ];
    let foreign = match case {
        "ring" => foreign(&[&of_heartbeats[..], &of_ring_timed].concat()),
        "ring-timed" => foreign(&[&of_heartbeats[..], &of_ring].concat()),
        "heartbeats" => foreign(&[&of_both[..], &of_ring, &of_ring_timed].concat()),
        other => {
            return Err(Problem::Unknown {
                origin: Origin::Argument(String::new()),
                what: "case",
                name: other.to_string(),
                known: CASES.map(str::to_string).to_vec(),
            });
        }
    };
    if let Some(flag) = foreign {
        return Err(Problem::Usage(format!("{flag} does not belong to the case {case}; leave it out")));
    }
    let mut settings = Settings::default();
    args.search.add_to(&mut settings);
    let environment = Settings::environment(|name| std::env::var(name).ok());
    let settings = settings.over(environment);
    let job = Job::new(Effort::of(&settings)?, &args.output)?.and_csv(args.csv.as_deref())?;
    match (case, &args.model) {
        ("heartbeats", _) => heartbeats::run(program, args, &job),
        ("ring-timed", Some(_)) => ring_timed::one(program, args, &job),
        ("ring-timed", None) => ring_timed::all(program, args, &job),
        (_, Some(_)) => ring::one(program, args, &job),
        (_, None) => ring::all(program, args, &job),
    }
}

/// The first flag that is given.
fn foreign(flags: &[(&'static str, bool)]) -> Option<&'static str> {
    flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
}

/// Leaves the table of a case behind.
fn leave(job: &Job, table: &Table, clock: &Clock, command: String) -> Result<(), Problem> {
    clock.finish();
    let run = Run { command, seconds: clock.seconds(), peak_bytes: machine::peak_bytes().unwrap_or(0) };
    job.leave_table(table, &run)
}

/// The exit code of a table: a cell that is not what was found before is a failure, and one that a limit ended
/// is unknown.
fn code(changed: bool, open: bool) -> ExitCode {
    match (changed, open) {
        (true, _) => ExitCode::SAFETY,
        (false, true) => ExitCode::UNKNOWN,
        (false, false) => ExitCode::HOLDS,
    }
}

/// The clock of a case.
fn clock(args: &CasebookArgs, job: &Job) -> Clock {
    Clock::start(job.effort.timeout, Showing::fitting(args.output.quiet))
}

/// What the casebook has.
fn cases(program: &Program) -> String {
    let names = |all: &[&str]| all.join(", ");
    let name = &program.name;
    format!(
        "ring\n    The ring detector for weak completeness as it was modelled three times (Atif, Mousavi and \
         Osaiweran 2011),\n    and their Table 6.1: three processes, p1 may crash, channels of a few places\n  \
         --model     {}\n  --channel   {}\n  --crash     {}\n\nring-timed\n    The timed ring detectors as \
         automata of tasks, and what figures 6.13 to 6.16 of Atif's thesis (2011) claim of them\n  --model     \
         {}\n  --ask       {}\n\nheartbeats\n    Tables 3.1 and 3.2 of Atif's thesis: six heartbeat protocols, \
         five pairs of tmin and tmax, R1 to R3,\n    as printed and as found in ticks and in zones, original \
         and corrected\n  --time      ticks, dense, both\n  --protocol  {}\n\nTry: {name} casebook ring --model \
         {} --channel block --buffer 1\n     {name} casebook ring-timed\n     {name} casebook heartbeats\n",
        names(&Model::ALL.map(Model::name)),
        names(&WhenFull::ALL.map(WhenFull::name)),
        names(&Crash::ALL.map(Crash::name)),
        names(&ring_timed::DETECTORS),
        names(&ring_timed::QUESTIONS.map(|(name, _)| name)),
        names(&heartbeats::NAMES),
        Model::ProcessAlgebra.name(),
    )
}

fn print(text: &str) -> Result<ExitCode, Problem> {
    to_stdout(text).map_err(|why| Problem::Unwritten(vec![format!("standard output: {why}")]))?;
    Ok(ExitCode::HOLDS)
}

/// What a flag says, if it was given.
fn said(flag: &str, text: &Option<String>) -> Option<Given> {
    let text = text.clone()?;
    Some(Given { origin: Origin::Argument(format!("--{flag} {text}")), text })
}

/// The value of a flag.
fn given<T>(flag: &str, text: &Option<String>, default: T) -> Result<T, Problem>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    said(flag, text).map_or(Ok(default), |given| given.parsed())
}
