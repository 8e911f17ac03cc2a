//! `casebook`: published models, and what is found in them. Every case is a subcommand with flags of its own and has
//! a file here; the models themselves are in the crate `casebook`.

mod chandra_toueg;
mod classes;
mod consensus;
mod heartbeats;
mod mcrl2;
mod membership;
mod refinement;
mod ring;
mod ring_timed;
mod specifications;

use crate::again;
use crate::arguments::{OutputArgs, SearchArgs};
use crate::checkpoint::{CheckpointArgs, unlimited};
use crate::clock::{Clock, Showing};
use crate::command_line::CommandLine;
use crate::fleet::{self, FleetArgs, SearchProcess};
use crate::job::{Job, cost};
use crate::outputs;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use strum::VariantNames;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::chandra_toueg::{ChandraTouegProperty, Encoding};
use watchkeeper_casebook::consensus::ConsensusPart;
use watchkeeper_casebook::membership::MembershipPart;
use watchkeeper_casebook::ring::{Crash, FullChannel, RingModel};
use watchkeeper_casebook::ring_timed::{TimedQuestion, TimedVariant};
use watchkeeper_casebook::table::{PublishedTable, TableSearch};
use watchkeeper_explore::ExploreError;
use watchkeeper_logic::{ExitCode, Question, Verdict};
use watchkeeper_report::TextTable;
use watchkeeper_space::Space;

/// The flags of `casebook`. Those that all cases share may stand before or after the case.
#[derive(Args, Clone, Debug)]
pub(crate) struct CasebookArgs {
    #[command(subcommand)]
    case: Option<CaseArgs>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Write a table as comma-separated values; - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = "Output")]
    csv: Option<PathBuf>,
}

/// The cases, each with its flags.
#[derive(Subcommand, Clone, Debug)]
enum CaseArgs {
    /// Table 6.1 of Atif's thesis: the untimed ring detector in three models
    Ring(ring::RingArgs),
    /// Figures 6.13 to 6.16 of Atif's thesis: the timed ring detectors
    RingTimed(ring_timed::RingTimedArgs),
    /// The deployable ring detector against the published automata of its tasks
    RingRefinement(refinement::RefinementArgs),
    /// Tables 3.1 and 3.2 of Atif's thesis: six heartbeat protocols, in ticks and in dense time
    Heartbeats(heartbeats::HeartbeatsArgs),
    /// Tables 1 and 2 of Tran, Konnov and Widder: the detector of Chandra and Toueg
    ChandraToueg(chandra_toueg::ChandraTouegArgs),
    /// Every failure detector in four worlds, with its class after Chandra and Toueg
    Classes(classes::ClassesArgs),
    /// Chapter 4 of Atif's thesis: consensus on failure detectors
    Consensus(consensus::ConsensusArgs),
    /// Chapter 5 of Atif's thesis: group membership on causal multicast
    Membership(membership::MembershipArgs),
    /// The documents' own specifications and formulas, as texts
    Specs(specifications::SpecsArgs),
    /// Specifications of mCRL2 in a folder, beside what the tools of mCRL2 found in them
    Mcrl2(mcrl2::Mcrl2Args),
}

/// Does what the arguments say.
pub(crate) fn run(program: &Program, args: &CasebookArgs) -> Result<ExitCode, Problem> {
    run_around(program, args, RawSettings::environment(|name| std::env::var(name).ok()))
}

/// The same, with these settings instead of those in the environment of the process.
pub(crate) fn run_around(
    program: &Program,
    args: &CasebookArgs,
    environment: RawSettings,
) -> Result<ExitCode, Problem> {
    let begun = |args: &CasebookArgs, case| CaseRun::new(program, args, case, environment.clone());
    let Some(case) = &args.case else {
        outputs::print(&cases(program))?;
        return Ok(ExitCode::HOLDS);
    };
    match case {
        CaseArgs::Ring(case) => case.run(begun(args, "ring")?),
        CaseArgs::RingTimed(case) => case.run(begun(args, "ring-timed")?),
        CaseArgs::RingRefinement(case) => case.run(begun(args, "ring-refinement")?),
        CaseArgs::Heartbeats(case) => case.run(begun(args, "heartbeats")?),
        CaseArgs::ChandraToueg(case) => {
            let mut args = args.clone();
            let timeout = case.first_timeout(&mut args.search)?;
            case.run(timeout, begun(&args, "chandra-toueg")?)
        }
        CaseArgs::Classes(case) => case.run(begun(args, "classes")?),
        CaseArgs::Consensus(case) => case.run(begun(args, "consensus")?),
        CaseArgs::Membership(case) => case.run(begun(args, "membership")?),
        CaseArgs::Specs(case) => case.run(program),
        CaseArgs::Mcrl2(case) => case.run(begun(args, "mcrl2")?),
    }
}

/// The space of one model of a case, for commands about spaces.
pub(crate) fn space(args: &CasebookArgs) -> Result<Box<dyn Space>, Problem> {
    match &args.case {
        Some(CaseArgs::Ring(case)) => case.space(),
        Some(CaseArgs::RingTimed(case)) => case.space(),
        _ => Err(Problem::Usage(
            "of the casebook, these are single spaces: casebook ring --model MODEL, casebook ring-timed --model MODEL"
                .to_string(),
        )),
    }
}

/// The problem that no model is named where a space is wanted.
fn modelless(case: &str) -> Problem {
    Problem::Usage(format!("the case {case} has several models; name one with --model"))
}

/// A case that runs: its search and outputs, and the command line that repeats it.
struct CaseRun<'a> {
    program: &'a Program,
    job: Job,
    quiet: bool,
    line: CommandLine,
    checkpoint: CheckpointArgs,
    fleet: FleetArgs,
}

impl CaseRun<'_> {
    fn new<'a>(
        program: &'a Program,
        args: &CasebookArgs,
        case: &str,
        environment: RawSettings,
    ) -> Result<CaseRun<'a>, Problem> {
        let settings = args.search.settings().over(environment);
        let options = SearchOptions::of(&settings.read()?)?;
        let silent = OutputArgs { quiet: true, ..OutputArgs::default() };
        let (output, csv) = match args.fleet.is_silent() {
            true => (&silent, None),
            false => (&args.output, args.csv.as_deref()),
        };
        let job = Job::new(options, output)?.and_csv(csv)?;
        let line = CommandLine::new(&program.name, &["casebook", case]);
        let (checkpoint, fleet) = (args.checkpoint.clone(), args.fleet.clone());
        Ok(CaseRun { program, job, quiet: args.output.quiet, line, checkpoint, fleet })
    }

    /// The clock of a case that is more than one search of one space, and so leaves no checkpoints and has one process.
    fn clock(&self) -> Result<Clock, Problem> {
        self.checkpoint.refuse("this case")?;
        self.fleet.refuse("this case")?;
        Ok(Clock::start(self.job.options.timeout, Showing::fitting(self.quiet)))
    }

    /// Adds a flag without a value to the command line, if it is on.
    fn switch(&mut self, flag: &str, on: bool) {
        if on {
            self.line.switch(flag);
        }
    }

    /// The command line with the flags of the search.
    fn command(mut self) -> (Job, String) {
        again::search_flags(&mut self.line, &self.job.options);
        (self.job, self.line.to_string())
    }

    /// Computes a published table again, and leaves it behind.
    fn tabulate(
        self,
        compute: impl FnOnce(&TableSearch<'_, Clock>) -> Result<PublishedTable, ExploreError>,
    ) -> Result<ExitCode, Problem> {
        let clock = self.clock()?;
        let search = &self.job.options.search;
        let found = compute(&TableSearch { search, watch: &clock, seconds: &|| clock.seconds() });
        clock.finish();
        let found = found?;
        self.leave(&found.table(), &clock)?;
        Ok(found.exit_code())
    }

    /// Leaves a table behind.
    fn leave(self, table: &TextTable, clock: &Clock) -> Result<(), Problem> {
        clock.finish();
        let (job, command) = self.command();
        job.leave_table(table, &cost(command, clock.seconds()))
    }

    /// Asks one question of one model.
    fn solve(self, space: impl Space + 'static, question: Question) -> Result<ExitCode, Problem> {
        self.fleet.refuse_store(&self.job.options.search.store)?;
        let mut begun = self.line.clone();
        again::search_flags(&mut begun, &unlimited(&self.job.options));
        let begin = || self.checkpoint.begin(self.program, &begun.to_string(), &self.fleet);
        if let Some(code) = fleet::supervise(&self.fleet, begin)? {
            return Ok(code);
        }
        let worker = SearchProcess::new(&self.fleet, &self.checkpoint, &begun.to_string())?;
        let checkpointing = begin()?;
        let (mut job, command) = self.command();
        if let Some(worker) = &worker {
            job.options = worker.options(&job.options);
        }
        job.leave_checkpoints(checkpointing);
        SearchProcess::answered(worker, job.solve(space, question, &command))
    }

    /// Reports the verdict of one search.
    fn report(
        self,
        search: impl FnOnce(&Job, &Clock) -> Result<Verdict, ExploreError>,
    ) -> Result<ExitCode, Problem> {
        let clock = self.clock()?;
        let verdict = search(&self.job, &clock);
        clock.finish();
        let (job, command) = self.command();
        job.tell(verdict?, clock.seconds(), &command)
    }
}

/// The list of the cases.
fn cases(program: &Program) -> String {
    let names = |all: &[&str]| all.join(", ");
    let name = &program.name;
    format!(
        "ring\n    The ring detector for weak completeness as it was modelled three times (Atif, Mousavi and \
         Osaiweran 2011),\n    and their Table 6.1: three processes, p1 may crash, channels of a few places\n  \
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
         detectors, Table 4.1\n    beside what is found, where the theorems end, and planted mistakes\n  --part      \
         {}\n\nmembership\n    Chapter 5 of Atif's thesis: group membership on causal multicast, the faults protocol \
         and the join protocol,\n    what each reduction is worth, and readings of the original text that fail\n  --model     \
         {}\n  --part      {}\n\nspecs\n    The documents' own specifications in the language of mCRL2, and their requirements as formulas\n  \
         [NAME]      the text of one of them\n\nTry: {name} casebook ring --model {} --channel block --buffer 1\n     \
         {name} casebook ring --help\n     {name} casebook ring-timed\n     {name} casebook heartbeats\n     \
         {name} casebook chandra-toueg --delta 2 --phi 4 --timeout 3\n",
        names(RingModel::VARIANTS),
        names(FullChannel::VARIANTS),
        names(Crash::VARIANTS),
        names(TimedVariant::VARIANTS),
        names(TimedQuestion::VARIANTS),
        names(&refinement::names()),
        names(&heartbeats::NAMES),
        names(ChandraTouegProperty::VARIANTS),
        names(Encoding::VARIANTS),
        names(ConsensusPart::VARIANTS),
        names(&membership::readings()),
        names(MembershipPart::VARIANTS),
        RingModel::ProcessAlgebra,
    )
}

/// The value of a flag with its origin, if it was given.
fn said(flag: &str, text: &Option<String>) -> Option<RawValue> {
    let text = text.clone()?;
    Some(RawValue { origin: SettingOrigin::Argument(format!("--{flag} {text}")), value: text })
}

/// The parts that a flag names, separated by commas, or else the usual ones.
fn parts<T>(text: &Option<String>, usual: &[T]) -> Result<Vec<T>, Problem>
where
    T: Copy + VariantNames + std::str::FromStr<Err: std::fmt::Display>,
{
    let Some(given) = said("part", text) else { return Ok(usual.to_vec()) };
    let parts = given.parsed_list::<T>()?;
    if parts.is_empty() {
        return Err(given.refused(format!("no part is named; choose from {}", T::VARIANTS.join(", "))));
    }
    Ok(parts)
}

/// The problem that a parameter of a case is out of its range.
fn out_of_range(error: watchkeeper_casebook::OutOfRange) -> Problem {
    let origin = SettingOrigin::Argument(format!("--{}", error.parameter));
    Problem::Value { origin, why: error.to_string() }
}
