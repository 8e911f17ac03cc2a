//! `bound`: the least time within which a failure detector finds out about a crash, proved by a check and
//! held against the run that refutes the next lower one.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::asking::one;
use crate::commands::check::named;
use crate::job;
use crate::outlet::Outlet;
use crate::outputs::to_stderr;
use crate::program::Program;
use crate::raw_settings::RawValue;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::bound::{BoundAnswer, MOST, hunt, supposed};
use watchkeeper::{ExitCode, Problem, SettingOrigin, Settings};
use watchkeeper_report::{duration, headline};
use watchkeeper_world::MAX_DURATION;

const BOUND: &str = "Bound";
const OUTPUT: &str = "Output";

/// All flags of `bound`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct BoundArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// How long one unit of time is, such as 20ms: the bound is then told in seconds too
    #[arg(long, value_name = "TIME", help_heading = BOUND)]
    tick: Option<String>,

    /// How long after the first the last process may begin; what reaches a process before is kept. With 0
    /// all begin at once, and their rounds stay in step [default: 0]
    #[arg(long, value_name = "T", help_heading = BOUND)]
    stagger: Option<String>,

    /// The highest bound to try [default: 10000]
    #[arg(long, value_name = "T", help_heading = BOUND)]
    most: Option<String>,

    /// Write all steps as JSON, the bound in the first row; - is standard output
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

/// Finds the bound of what the arguments name.
pub(crate) fn run(program: &Program, args: &BoundArgs) -> Result<ExitCode, Problem> {
    if args.scenario.has("property") {
        let why = "`bound` asks for detection and accuracy itself; leave --property out";
        return Err(Problem::Usage(why.to_string()));
    }
    let tick = args.tick.as_ref().map(|text| given("--tick", text).parsed()).transpose()?;
    let (most, stagger) = (span("--most", &args.most, MOST)?, span("--stagger", &args.stagger, 0)?);
    let (entry, settings) = named(program, &args.scenario, &args.search, "bound")?;
    let settings = supposed(Settings { stagger, ..settings.read()? });
    let outlet = Outlet::new(args.quiet, [((), &args.json)])?;
    let (options, clock) = job::begin(&settings, args.quiet)?;
    let plan = entry.protocol.plan(&settings)?;
    let mut command = String::new();
    let found = hunt(&plan, most, |asked| {
        let (verdict, run) = one(program, entry, &plan, asked, &options, &clock)?;
        if !args.quiet {
            to_stderr(&format!("{} ({})\n", headline(&verdict), duration(run.seconds)));
        }
        command.clone_from(&run.command);
        Ok((verdict, run))
    })?;
    let flags = [("most", &args.most), ("stagger", &args.stagger), ("tick", &args.tick)];
    let run = job::cost(again(&command, &flags), clock.seconds());
    let mut answer = BoundAnswer { tick, ..found };
    if stagger > 0 {
        // `check` starts all processes together, so no such command repeats a step.
        answer.steps.iter_mut().for_each(|step| step.run.command.clear());
    }
    let style = job::style(args.no_color, args.ascii);
    outlet.leave(|| answer.report(&run, &style), |()| Ok(answer.table().json(&run)))?;
    Ok(answer.exit_code())
}

/// A number of units of time.
fn span(flag: &str, text: &Option<String>, usual: u32) -> Result<u32, Problem> {
    let Some(text) = text else { return Ok(usual) };
    let units = text.trim().replace('_', "").parse().ok().filter(|units| *units <= MAX_DURATION);
    let why = || format!("`{text}` is not a number of units of time; write one up to {MAX_DURATION}");
    units.ok_or_else(|| given(flag, text).refused(why()))
}

fn given(flag: &str, text: &str) -> RawValue {
    RawValue { value: text.to_string(), origin: SettingOrigin::Argument(flag.to_string()) }
}

/// The command that finds the bound again, from the one that checks its last step, with these flags if they
/// were given.
fn again(check: &str, flags: &[(&str, &Option<String>)]) -> String {
    let words = check.replacen(" check ", " bound ", 1);
    let (before, rest) = words.split_once(" --property ").unwrap_or((&words, ""));
    let after = rest.split_once(' ').map_or(String::new(), |(_, after)| format!(" {after}"));
    let flag = |(name, text): &(&str, &Option<String>)| text.as_ref().map(|text| format!(" --{name} {text}"));
    let flags: String = flags.iter().filter_map(flag).collect();
    format!("{before}{after}{flags}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_step_becomes_that_of_the_hunt() {
        let check = "w check ring --n 3 --time dense --property detection:8 --param round=4 --symmetry";
        assert_eq!(
            again(check, &[("tick", &None)]),
            "w bound ring --n 3 --time dense --param round=4 --symmetry"
        );
        let end = again("w check ring --property accuracy", &[("tick", &Some("20ms".to_string()))]);
        assert_eq!(end, "w bound ring --tick 20ms");
    }
}
