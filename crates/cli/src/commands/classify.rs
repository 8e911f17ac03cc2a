//! `classify`: the classes of Chandra and Toueg that a failure detector belongs to in a world, with the runs that
//! refute the next stronger ones.

use crate::again::add_to;
use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::clock::Clock;
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::job;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::registry::ProtocolEntry;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::classify::{Classified, classify, supposed};
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{ExitCode, Problem, Settings};
use watchkeeper_report::RunFacts;

const OUTPUT: &str = "Output";

/// All flags of `classify`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ClassifyArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// Write every property with its verdict, and the class, as JSON; - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,

    /// Draw charts with plain characters
    #[arg(long, help_heading = OUTPUT)]
    ascii: bool,
}

/// Classifies what the arguments name.
pub(crate) fn run(program: &Program, args: &ClassifyArgs) -> Result<ExitCode, Problem> {
    if args.scenario.has("property") || args.scenario.has("ltl") {
        let why = "`classify` asks for all properties of detectors itself; leave --property and --ltl out, or use \
                   `check`";
        return Err(Problem::Usage(why.to_string()));
    }
    let (entry, settings) = named(program, &args.scenario, &args.search, "classify")?;
    let settings = supposed(settings.read()?);
    let outlet = Outlet::new(args.quiet, [((), &args.json)])?;
    let (options, clock) = job::begin(&settings, args.quiet)?;
    let (found, run) = classified(program, entry, &settings, &options, &clock)?;
    let style = job::style(args.no_color, args.ascii);
    let json = || found.table(&format!("classes of {}", entry.name())).json(&run);
    outlet.leave(|| found.text(entry.name(), &run, &style), |()| Ok(json()))?;
    Ok(found.exit_code())
}

/// The classes of a detector, and what it took to find them.
pub(crate) fn classified(
    program: &Program,
    entry: &ProtocolEntry,
    settings: &Settings,
    options: &SearchOptions,
    clock: &Clock,
) -> Result<(Classified, RunFacts), Problem> {
    // Everything is asked of a detector, whatever else a plan would ask.
    let plan = CheckPlan { asked: Vec::new(), ..entry.protocol.plan(settings)? };
    let began = clock.seconds();
    let found = classify(&*entry.protocol, &plan, options, clock);
    clock.finish();
    let found = found?;
    let mut line = CommandLine::new(&program.name, &["classify", entry.name()]);
    add_to(&mut line, entry.outline(), &plan, options);
    Ok((found, job::cost(line.to_string(), clock.seconds() - began)))
}
