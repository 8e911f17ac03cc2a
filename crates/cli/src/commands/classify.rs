//! `classify`: the classes of Chandra and Toueg that a failure detector belongs to in a world, with the runs that
//! refute the next stronger ones.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::clock::{Clock, Showing};
use crate::commands::check::named;
use crate::effort::Effort;
use crate::job;
use crate::outputs::{Target, to_stderr, to_stdout};
use crate::problem::Problem;
use crate::program::Program;
use crate::settings::Settings;
use clap::Args;
use std::path::PathBuf;
use watchkeeper_logic::ExitCode;

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
    if args.scenario.property.is_some() || args.scenario.ltl.is_some() {
        let why = "`classify` asks for all properties of detectors itself; leave --property and --ltl out, or use \
                   `check`";
        return Err(Problem::Usage(why.to_string()));
    }
    let (entry, settings) = named(program, &args.scenario, &args.search, "classify")?;
    let settings = supposed(settings);
    let target = args.json.as_deref().map(Target::new);
    target.as_ref().map_or(Ok(()), Target::probe)?;
    let effort = Effort::of(&settings)?;
    effort.announce(args.quiet);
    let clock = Clock::start(effort.timeout, Showing::fitting(args.quiet));
    let (found, run) = entry.classify(&program.name, &settings, &effort, &clock)?;
    let text = found.text(entry.name(), &run, &job::style(args.no_color, args.ascii));
    let to_screen = !args.quiet && target != Some(Target::Stdout);
    if to_screen {
        to_stdout(&text).map_err(|why| Problem::Unwritten(vec![format!("standard output: {why}")]))?;
    } else if !args.quiet {
        to_stderr(&text);
    }
    if let Some(target) = target {
        let json = found.table(&format!("classes of {}", entry.name())).json(&run);
        target.write(&json).map_err(|why| Problem::Unwritten(vec![format!("{target}: {why}")]))?;
    }
    Ok(found.exit_code())
}

/// These settings, and what goes without saying where a class is asked for: that somebody can crash.
fn supposed(settings: Settings) -> Settings {
    let mut usual = Settings::default();
    let said = |name| settings.given(name).is_some();
    if !said("crashes") && !said("crashable") && !said("crashed-at-start") {
        usual.set("crashes", "1", crate::problem::Origin::Argument("--crashes".to_string()));
    }
    settings.over(usual)
}
