//! `resume`: goes on with the searches of a command that left checkpoints.

use crate::arguments::{CheckArgs, OutputArgs};
use crate::checkpoint::{CheckpointArgs, STORE, resumed, without};
use crate::command_line::words as words_of;
use crate::commands::casebook::CasebookArgs;
use crate::commands::{casebook, check};
use crate::fleet::FleetArgs;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::{Problem, Settings};
use watchkeeper_logic::ExitCode;

/// The limits that may differ from those of the command that began.
const LIMITS: [&str; 3] = ["timeout", "max-memory", "workers"];

/// The flags of `resume`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ResumeArgs {
    /// The directory of the checkpoints
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The time between two checkpoints [default: 5min]
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    checkpoint_every: Option<TimeSpan>,

    /// Stop after this time, counted from now; none of the first run is kept
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    timeout: Option<String>,

    /// Stop when the search would hold more than this, or `auto`
    #[arg(long, value_name = "SIZE|auto", help_heading = "Limits")]
    max_memory: Option<String>,

    /// The number of threads, or `auto`
    #[arg(long, value_name = "COUNT|auto", help_heading = "Limits")]
    workers: Option<String>,

    /// Where to keep the states from now on, as for `check` [default: as the command says]
    #[arg(long, value_name = "STORE", help_heading = "Limits")]
    store: Option<String>,

    /// The most bytes of files of a store on disk [default: as the command says, unless --store is given]
    #[arg(long, value_name = "SIZE", help_heading = "Limits")]
    max_disk: Option<String>,

    #[command(flatten)]
    fleet: FleetArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Goes on with what is in a directory.
pub(crate) fn run(program: &Program, args: &ResumeArgs) -> Result<ExitCode, Problem> {
    let resumed = resumed(program, &args.dir, &args.fleet)?;
    let mut words = words_of(&resumed.command).unwrap_or_default();
    // What is said now goes over what was said then.
    if args.store.is_some() {
        words = without(words, &STORE);
    } else if args.max_disk.is_some() {
        words = without(words, &STORE[1..]);
    }
    words.extend(resumed.team.as_deref().and_then(words_of).unwrap_or_default());
    let limits = args.limits();
    let checkpoint = CheckpointArgs::of(resumed, args.checkpoint_every);
    if words.get(1).is_some_and(|command| command == "casebook") {
        let mut case: CasebookArgs = program.args_of("casebook", &words)?;
        (case.checkpoint, case.output) = (checkpoint, args.output.clone());
        return casebook::run_around(program, &case, limits);
    }
    let mut check: CheckArgs = program.args_of("check", &words)?;
    (check.checkpoint, check.output) = (checkpoint, args.output.clone());
    check::run_around(program, &check, limits)
}

impl ResumeArgs {
    /// The limits of this run, by its flags or else by the environment.
    fn limits(&self) -> RawSettings {
        let mut limits = RawSettings::default();
        for (name, given) in LIMITS.into_iter().zip([&self.timeout, &self.max_memory, &self.workers]) {
            limits.flag(name, given);
        }
        let variables = LIMITS.map(|name| Settings::row(name).and_then(|row| row.variable));
        let lookup = |name: &str| variables.contains(&Some(name)).then(|| std::env::var(name).ok())?;
        limits.flag("store", &self.store);
        limits.flag("max-disk", &self.max_disk);
        limits.over(RawSettings::environment(lookup))
    }
}
