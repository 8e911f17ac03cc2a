//! `casebook`: published models, and what is found in them. Here are its flags and its cases; each case has a
//! file of its own, and the models themselves live in their own room.

mod chandra_toueg;
mod classes;
mod consensus;
mod heartbeats;
mod membership;
mod refinement;
mod ring;
mod ring_timed;

use crate::arguments::{OutputArgs, SearchArgs};
use crate::clock::{Clock, Showing};
use crate::job::{Job, cost};
use crate::outputs;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use clap::Args;
use std::path::PathBuf;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::TextTable;
use watchkeeper_casebook::ring::{Crash, FullChannel, RingModel};
use watchkeeper_logic::ExitCode;

const RING: &str = "Case: ring";
const RING_TIMED: &str = "Case: ring-timed";
const HEARTBEATS: &str = "Case: heartbeats";
const CHANDRA_TOUEG: &str = "Case: chandra-toueg";
const CONSENSUS: &str = "Cases: consensus, membership";

/// The cases.
const CASES: [&str; 8] = [
    "ring",
    "ring-timed",
    "ring-refinement",
    "heartbeats",
    "chandra-toueg",
    "classes",
    "consensus",
    "membership",
];

/// All flags of `casebook`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CasebookArgs {
    /// The case: ring, ring-timed, ring-refinement, heartbeats, chandra-toueg, classes, consensus or
    /// membership; without one, all are listed
    #[arg(value_name = "CASE")]
    case: Option<String>,

    /// The published model: process-algebra, csp, tasks, or tasks-atomic; for ring-timed the detector, such
    /// as weak-accuracy; for ring-refinement the claim; for membership a planted reading, such as one-by-one;
    /// without one, the whole table is computed again
    #[arg(long, value_name = "MODEL", help_heading = RING)]
    model: Option<String>,

    /// What a full channel does: block, report or ignore [default: block]
    #[arg(long, value_name = "KIND", help_heading = RING, requires = "model")]
    channel: Option<String>,

    /// How many messages a channel has room for [default: 1]
    #[arg(long, value_name = "N", help_heading = RING, requires = "model")]
    buffer: Option<String>,

    /// When p1 crashes: never, any-time or at-start [default: any-time]; for chandra-toueg, when the sender
    /// does: never or any-time
    #[arg(long, value_name = "WHEN", help_heading = RING)]
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

    /// The bound on the delay of a message, in global steps; with --least a range, such as 0..8
    #[arg(long, value_name = "D", help_heading = CHANDRA_TOUEG)]
    delta: Option<String>,

    /// The bound on the relative speed of processes; with --least a range, such as 1..8
    #[arg(long, value_name = "F", help_heading = CHANDRA_TOUEG)]
    phi: Option<String>,

    /// The first timeout of the receiver, in its own steps; --timeout with a plain number says the same
    /// [default: 6*phi + delta]
    #[arg(long, value_name = "N", help_heading = CHANDRA_TOUEG)]
    initial_timeout: Option<String>,

    /// What to ask: strong-accuracy, eventual-strong-accuracy, strong-completeness or bounded-completeness
    /// [default: strong-accuracy]
    #[arg(long, value_name = "NAME", help_heading = CHANDRA_TOUEG)]
    property: Option<String>,

    /// How the messages under way are written down: predicate or counter [default: predicate; with --least
    /// counter]
    #[arg(long, value_name = "NAME", help_heading = CHANDRA_TOUEG)]
    encoding: Option<String>,

    /// Find the least first timeout for strong accuracy, for every pair of delta and phi: timeout
    #[arg(long, value_name = "WHAT", help_heading = CHANDRA_TOUEG)]
    least: Option<String>,

    /// Only this part, or these, separated by commas: for consensus table, four, four-all, limits, mistakes,
    /// composed [default: all but four and four-all]; for membership faults, more, join, join-all, reductions,
    /// readings, returns [default: all but more and join-all]
    #[arg(long, value_name = "PARTS", help_heading = CONSENSUS)]
    part: Option<String>,

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
    if !CASES.contains(&case) {
        return Err(Problem::Unknown {
            origin: SettingOrigin::Argument(String::new()),
            what: "case",
            name: case.to_string(),
            known: CASES.map(str::to_string).to_vec(),
        });
    }
    let (ring, timed, published) = (&["ring"][..], &["ring-timed"][..], &["heartbeats"][..]);
    let chandra_toueg = &["chandra-toueg"][..];
    let flags = [
        ("--part", args.part.is_some(), &["consensus", "membership"][..]),
        ("--model", args.model.is_some(), &["ring", "ring-timed", "ring-refinement", "membership"]),
        ("--buffer", args.buffer.is_some(), &["ring", "ring-timed"]),
        ("--crash", args.crash.is_some(), &["ring", "ring-timed", "chandra-toueg"]),
        ("--heavy", args.heavy, &["ring", "ring-timed", "ring-refinement", "chandra-toueg"]),
        ("--time", args.time.is_some(), published),
        ("--corrected", args.corrected, published),
        ("--original", args.original, published),
        ("--protocol", args.protocol.is_some(), &["heartbeats", "classes"]),
        ("--n", args.n.is_some(), published),
        ("--channel", args.channel.is_some(), ring),
        ("--oscillations", args.oscillations.is_some(), ring),
        ("--count", args.count, ring),
        ("--order", args.order.is_some(), timed),
        ("--max-delta", args.max_delta.is_some(), timed),
        ("--clock", args.clock.is_some(), timed),
        ("--ask", args.ask.is_some(), timed),
        ("--delta", args.delta.is_some(), chandra_toueg),
        ("--phi", args.phi.is_some(), chandra_toueg),
        ("--initial-timeout", args.initial_timeout.is_some(), chandra_toueg),
        ("--property", args.property.is_some(), chandra_toueg),
        ("--encoding", args.encoding.is_some(), chandra_toueg),
        ("--least", args.least.is_some(), chandra_toueg),
    ];
    let foreign = flags.iter().find(|(_, given, cases)| *given && !cases.contains(&case));
    if let Some((flag, ..)) = foreign {
        return Err(Problem::Usage(format!("{flag} does not belong to the case {case}; leave it out")));
    }
    if args.crash.is_some() && args.model.is_none() && case != "chandra-toueg" {
        return Err(Problem::Usage(format!("--crash is for one model of {case}; give its --model too")));
    }
    let mut args = args.clone();
    let first_timeout = match case {
        "chandra-toueg" => chandra_toueg::first_timeout(&mut args)?,
        _ => None,
    };
    let args = &args;
    let mut settings = RawSettings::default();
    args.search.add_to(&mut settings);
    let environment = RawSettings::environment(|name| std::env::var(name).ok());
    let settings = settings.over(environment);
    let job = Job::new(SearchOptions::of(&settings.read()?)?, &args.output)?.and_csv(args.csv.as_deref())?;
    match (case, &args.model) {
        ("heartbeats", _) => heartbeats::run(program, args, &job),
        ("chandra-toueg", _) => chandra_toueg::run(program, args, first_timeout, &job),
        ("classes", _) => classes::run(program, args, &job),
        ("consensus", _) => consensus::run(program, args, &job),
        ("membership", _) => match said("model", &args.model) {
            Some(reading) => membership::one(program, args, &reading, &job),
            None => membership::all(program, args, &job),
        },
        ("ring-refinement", _) => refinement::one(program, args, &job),
        ("ring-timed", Some(_)) => ring_timed::one(program, args, &job),
        ("ring-timed", None) => ring_timed::all(program, args, &job),
        (_, Some(_)) => ring::one(program, args, &job),
        (_, None) => ring::all(program, args, &job),
    }
}

/// Leaves the table of a case behind.
fn leave(job: &Job, table: &TextTable, clock: &Clock, command: String) -> Result<(), Problem> {
    clock.finish();
    job.leave_table(table, &cost(command, clock.seconds()))
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
    Clock::start(job.options.timeout, Showing::fitting(args.output.quiet))
}

/// What the casebook has.
fn cases(program: &Program) -> String {
    let names = |all: &[&str]| all.join(", ");
    let name = &program.name;
    format!(
        "ring\n    The ring detector for weak completeness as it was modelled three times (Atif, Mousavi and \
         Osaiweran 2011),\n    and their TextTable 6.1: three processes, p1 may crash, channels of a few places\n  \
         --model     {}\n  --channel   {}\n  --crash     {}\n\nring-timed\n    The timed ring detectors as \
         automata of tasks, and what figures 6.13 to 6.16 of Atif's thesis (2011) claim of them\n  --model     \
         {}\n  --ask       {}\n\nring-refinement\n    The deployable ring detector held against the automata of \
         its tasks, and the FDR2 check of the authors again\n  --model     {}\n\nheartbeats\n    Tables 3.1 and \
         3.2 of Atif's thesis: six heartbeat protocols, \
         five pairs of tmin and tmax, R1 to R3,\n    as printed and as found in ticks and in zones, original \
         and corrected\n  --time      ticks, dense, both\n  --protocol  {}\n\nchandra-toueg\n    The detector of \
         Chandra and Toueg as one sender and one receiver under partial synchrony (Tran, Konnov and\n    Widder), \
         their Tables 1 and 2, and the least timeouts for strong accuracy\n  --property  {}\n  --encoding  \
         {}\n  --least     timeout\n\nclasses\n    Every failure detector in asynchrony, in partial synchrony of \
         both forms and in synchrony, with its class\n    after Chandra and Toueg (1996)\n  --protocol  some of \
         them\n\nconsensus\n    Chapter 4 of Atif's thesis: the consensus protocols of Chandra and Toueg on abstract \
         detectors, TextTable 4.1\n    beside what is found, where the theorems end, and planted mistakes\n  --part      \
         {}\n\nmembership\n    Chapter 5 of Atif's thesis: group membership on causal multicast, the faults protocol \
         and the join protocol,\n    what each reduction is worth, and readings of the original text that fail\n  --model     \
         {}\n  --part      {}\n\nTry: {name} casebook ring --model {} --channel block --buffer 1\n     \
         {name} casebook ring-timed\n     {name} casebook ring-refinement\n     {name} casebook heartbeats\n     \
         {name} casebook chandra-toueg \
         --delta 2 --phi 4 --timeout 3\n",
        names(&RingModel::ALL.map(RingModel::name)),
        names(&FullChannel::ALL.map(FullChannel::name)),
        names(&Crash::ALL.map(Crash::name)),
        names(&ring_timed::DETECTORS),
        names(&ring_timed::QUESTIONS.map(|(name, _)| name)),
        names(&refinement::names()),
        names(&heartbeats::NAMES),
        names(&chandra_toueg::PROPERTIES),
        names(&chandra_toueg::ENCODINGS),
        names(&consensus::PARTS),
        names(&membership::readings()),
        names(&membership::PARTS),
        RingModel::ProcessAlgebra.name(),
    )
}

fn print(text: &str) -> Result<ExitCode, Problem> {
    outputs::print(text)?;
    Ok(ExitCode::HOLDS)
}

/// What a flag says, if it was given.
fn said(flag: &str, text: &Option<String>) -> Option<RawValue> {
    let text = text.clone()?;
    Some(RawValue { origin: SettingOrigin::Argument(format!("--{flag} {text}")), value: text })
}

/// The value of a flag.
fn given<T>(flag: &str, text: &Option<String>, default: T) -> Result<T, Problem>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    said(flag, text).map_or(Ok(default), |given| given.parsed())
}
