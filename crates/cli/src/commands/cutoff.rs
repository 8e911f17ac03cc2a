//! `cutoff`: whether two processes are enough. The protocol is held against the class for which that is a theorem,
//! and what the theorem says is confirmed by direct search. What was checked and what was proved by others are
//! never told in one breath.

mod findings;
mod pairs;

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::asking::one;
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::job;
use crate::outlet::Outlet;
use crate::outputs::to_stderr;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use clap::Args;
use findings::{Confirmation, Cutoff};
use std::path::PathBuf;
use watchkeeper::plan::CheckPlan;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_world::{Capacity, CutoffMembership, WhenFull};

const CUTOFF: &str = "Cutoff";
const OUTPUT: &str = "Output";

/// The most processes for which a direct search is made where nobody says it.
const UP_TO: usize = 3;

/// The most that can be asked for.
const MOST: usize = 8;

/// The largest system whose steps are compared with all their renamings.
const RENAMED: usize = 4;

/// The most local states of processes that are looked at.
const LOCAL_STATES: u64 = 50_000;

/// All flags of `cutoff`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CutoffArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// The most processes for which the property is searched for directly, from 2 on [default: 3]
    #[arg(long, value_name = "N", help_heading = CUTOFF)]
    up_to: Option<String>,

    /// Write all direct searches as JSON; - is standard output
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

/// Finds out whether two processes are enough of what the arguments name.
pub(crate) fn run(program: &Program, args: &CutoffArgs) -> Result<ExitCode, Problem> {
    let up_to = up_to(&args.up_to)?;
    let (entry, settings) = named(program, &args.scenario, &args.search, "cutoff")?;
    refuse_names(&settings)?;
    let settings = supposed(entry, settings);
    let outlet = Outlet::new(args.quiet, [((), &args.json)])?;
    let (options, clock) = job::begin(&settings.read()?, args.quiet)?;
    let sizes: Vec<usize> = (2..=up_to.clamp(3, RENAMED)).collect();
    let class = entry.protocol.cutoff(&settings.read()?, &sizes, LOCAL_STATES)?;
    let mut cutoff = Cutoff { name: entry.name(), class, confirmations: Vec::new() };
    if cutoff.class.membership == CutoffMembership::InClass {
        let plan = entry.protocol.plan(&sized(&settings, 2).read()?)?;
        refuse_coupling(&plan, &settings)?;
        for asked in &plan.asked {
            for n in 2..=up_to {
                let plan = entry.protocol.plan(&sized(&settings, n).read()?)?;
                let (verdict, run) = one(program, entry, &plan, asked.clone(), &options, &clock)?;
                let confirmation = Confirmation { asked: asked.clone(), n, verdict, run };
                if !args.quiet {
                    to_stderr(&format!("{}\n", confirmation.line()));
                }
                cutoff.confirmations.push(confirmation);
            }
        }
    }
    let command = again(&program.name, entry, &settings, &args.up_to);
    let run = job::cost(command, clock.seconds());
    let style = job::style(args.no_color, args.ascii);
    outlet.leave(|| cutoff.report(&run, &style), |()| Ok(cutoff.table().json(&run)))?;
    Ok(cutoff.exit_code())
}

fn up_to(text: &Option<String>) -> Result<usize, Problem> {
    let Some(text) = text else { return Ok(UP_TO) };
    let given = RawValue { value: text.clone(), origin: SettingOrigin::Argument("--up-to".to_string()) };
    let n = text.trim().parse().ok().filter(|n| (2..=MOST).contains(n));
    n.ok_or_else(|| {
        given.refused(format!("`{text}` is not a number of processes; write one from 2 to {MOST}"))
    })
}

/// What would make one process unlike another, or the number of processes a thing of its own.
fn refuse_names(settings: &RawSettings) -> Result<(), Problem> {
    if let Some(given) = settings.given("n") {
        let why = "`cutoff` searches systems of 2 processes and more itself; leave this out, and say how many with \
                   --up-to";
        return Err(given.refused(why));
    }
    for name in ["crashable", "crashed-at-start"] {
        if let Some(given) = settings.given(name) {
            let why =
                "two processes are enough only where all are alike, and this names some; write --crashes K";
            return Err(given.refused(why));
        }
    }
    Ok(())
}

/// Channels that make a process wait for one peer before it turns to the next.
fn refuse_coupling(plan: &CheckPlan, settings: &RawSettings) -> Result<(), Problem> {
    let network = &plan.scenario.network;
    let bounded = matches!(network.capacity, Capacity::Bounded(_));
    if !bounded || network.when_full == WhenFull::Drop {
        return Ok(());
    }
    let why = "where a full channel makes its sender wait, or ends the run, one peer decides what another hears, and \
               two processes are not enough; choose drop:N or unbounded:N";
    Err(settings
        .given("channel")
        .map_or_else(|| Problem::Usage(format!("--channel: {why}")), |g| g.refused(why)))
}

/// These settings, and what goes without saying: that accuracy is asked, in a world with time, on channels that
/// are large enough, and that every state is searched and counted.
fn supposed(entry: &ProtocolEntry, mut settings: RawSettings) -> RawSettings {
    let asked = |name: &str| entry.outline().properties.iter().any(|(known, _)| known.starts_with(name));
    let said = |settings: &RawSettings, name| settings.given(name).is_some();
    if !said(&settings, "symmetry") {
        settings.set("symmetry", "false", SettingOrigin::Argument("--symmetry=false".to_string()));
    }
    if said(&settings, "property") || said(&settings, "ltl") || !asked("accuracy") {
        return settings;
    }
    settings.set("property", "accuracy", SettingOrigin::Argument("--property accuracy".to_string()));
    if !said(&settings, "time") {
        settings.set("time", "ticks", SettingOrigin::Argument("--time ticks".to_string()));
        if !said(&settings, "delay") && !said(&settings, "round-trip") {
            settings.set("delay", "0..1", SettingOrigin::Argument("--delay 0..1".to_string()));
        }
        if !said(&settings, "channel") {
            settings.set(
                "channel",
                "unbounded:4",
                SettingOrigin::Argument("--channel unbounded:4".to_string()),
            );
        }
    }
    settings
}

/// These settings for so many processes.
fn sized(settings: &RawSettings, n: usize) -> RawSettings {
    let mut settings = settings.clone();
    settings.set("n", n.to_string(), SettingOrigin::Argument(format!("--n {n}")));
    settings
}

/// The command that says all this again: everything that was said or goes without saying, whether or not the
/// protocol is in the class and any of it was looked at.
fn again(program: &str, entry: &ProtocolEntry, settings: &RawSettings, up_to: &Option<String>) -> String {
    let mut line = CommandLine::new(program, &["cutoff", entry.name()]);
    line.raw_settings(settings, |_| true);
    line.maybe("up-to", up_to.as_ref());
    line.to_string()
}
