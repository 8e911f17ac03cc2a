//! `bound`: the least time within which a failure detector finds out about a crash, proved by a check and
//! held against the run that refutes the next lower one.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::bound::answer::{Answer, Ending, Step};
use crate::bound::{Found, Reply, least};
use crate::clock::{Clock, Showing};
use crate::commands::check::named;
use crate::effort::Effort;
use crate::job;
use crate::machine;
use crate::outputs::{Target, to_stderr, to_stdout};
use crate::plan::Asked;
use crate::problem::{Origin, Problem};
use crate::program::Program;
use crate::registry::{Asking, Entry};
use crate::settings::{Given, Settings};
use clap::Args;
use std::path::PathBuf;
use watchkeeper_logic::{ExitCode, Outcome};
use watchkeeper_report::Run;
use watchkeeper_world::MAX_DURATION;

const BOUND: &str = "Bound";
const OUTPUT: &str = "Output";

/// The highest bound that is tried where nobody says it.
const MOST: u32 = 10_000;

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
    if args.scenario.property.is_some() {
        let why = "`bound` asks for detection and accuracy itself; leave --property out";
        return Err(Problem::Usage(why.to_string()));
    }
    let tick = args.tick.as_ref().map(|text| given("--tick", text).parsed()).transpose()?;
    let (most, stagger) = (span("--most", &args.most, MOST)?, span("--stagger", &args.stagger, 0)?);
    let (entry, settings) = named(program, &args.scenario, &args.search, "bound")?;
    let settings = supposed(settings);
    let target = args.json.as_deref().map(Target::new);
    target.as_ref().map_or(Ok(()), Target::probe)?;
    let effort = Effort::of(&settings)?;
    effort.announce(args.quiet);
    let clock = Clock::start(effort.timeout, Showing::fitting(args.quiet));
    let hunt =
        Hunt { program: &program.name, entry, settings: &settings, effort: &effort, clock: &clock, stagger };
    let mut steps = Vec::new();
    let ending = hunt.go(most, &mut |step| {
        if !args.quiet {
            to_stderr(&format!("{}\n", step.line()));
        }
        steps.push(step);
    })?;
    let command = steps.last().map_or(String::new(), |step: &Step| step.run.command.clone());
    let run = Run {
        command: again(&command, &[("most", &args.most), ("stagger", &args.stagger), ("tick", &args.tick)]),
        seconds: clock.seconds(),
        peak_bytes: machine::peak_bytes().unwrap_or(0),
    };
    if stagger > 0 {
        // `check` starts all processes together, so no such command repeats a step.
        steps.iter_mut().for_each(|step| step.run.command.clear());
    }
    let answer = Answer { name: entry.name(), ending, steps, tick };
    leave(args, target, &answer, &run)?;
    Ok(answer.exit_code())
}

/// A number of units of time.
fn span(flag: &str, text: &Option<String>, usual: u32) -> Result<u32, Problem> {
    let Some(text) = text else { return Ok(usual) };
    let units = text.trim().replace('_', "").parse().ok().filter(|units| *units <= MAX_DURATION);
    let why = || format!("`{text}` is not a number of units of time; write one up to {MAX_DURATION}");
    units.ok_or_else(|| given(flag, text).refused(why()))
}

fn given(flag: &str, text: &str) -> Given {
    Given { text: text.to_string(), origin: Origin::Argument(flag.to_string()) }
}

/// These settings, and what goes without saying where a bound is looked for: that there is time, and that
/// somebody can crash.
fn supposed(mut settings: Settings) -> Settings {
    let supposition = |name: &str, text: &str| Origin::Argument(format!("--{name} {text}"));
    settings.set("property", "detection:1", Origin::Argument(String::new()));
    if settings.given("time").is_none() {
        settings.set("time", "dense", supposition("time", "dense"));
    }
    let crash = ["crashes", "crashable", "crashed-at-start"];
    if crash.iter().all(|name| settings.given(name).is_none()) {
        settings.set("crashes", "1", supposition("crashes", "1"));
    }
    settings
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

/// The hunt for the bound.
struct Hunt<'a> {
    program: &'a str,
    entry: &'a Entry,
    settings: &'a Settings,
    effort: &'a Effort,
    clock: &'a Clock,
    stagger: u32,
}

impl Hunt<'_> {
    /// All steps. A world in which time can be locked, or a channel is too small, is none in which a bound
    /// would mean anything, so that is asked first.
    fn go(&self, most: u32, done: &mut impl FnMut(Step)) -> Result<Ending, Problem> {
        let asked = self.entry.outline(self.settings)?.asked;
        for asked in asked.into_iter().filter(|asked| matches!(asked, Asked::Named(_))) {
            let step = self.ask(asked)?;
            let holds = matches!(step.verdict.outcome, Outcome::Holds(_));
            done(step);
            if !holds {
                return Ok(Ending::Broken);
            }
        }
        let found = least(most, |within| {
            let step = self.ask(Asked::Detection { within, pair: None })?;
            let reply = match step.verdict.outcome {
                Outcome::Holds(_) => Reply::Holds,
                Outcome::Violated(_) => Reply::Refuted,
                Outcome::Unknown(_) => Reply::Unknown,
            };
            done(step);
            Ok::<_, Problem>(reply)
        })?;
        if let Found::Least(_) = found {
            done(self.ask(Asked::Accuracy { of: None })?);
        }
        Ok(Ending::Found(found))
    }

    fn ask(&self, asked: Asked) -> Result<Step, Problem> {
        let Hunt { stagger, effort, clock, .. } = *self;
        let asking = Asking { asked: asked.clone(), stagger, effort, clock };
        let (mut verdict, run) = self.entry.ask(self.program, self.settings, &asking)?;
        verdict.assumptions.push(match stagger {
            0 => "whoever is up at the start begins at once, and rounds that begin together stay in step"
                .to_string(),
            _ => format!("processes begin within {stagger} of the start, and keep what arrives before"),
        });
        Ok(Step { asked, verdict, run })
    }
}

/// Prints the report and writes the table.
fn leave(args: &BoundArgs, target: Option<Target>, answer: &Answer, run: &Run) -> Result<(), Problem> {
    let mut failures = Vec::new();
    if let Some(target) = &target {
        failures.extend(target.write(&answer.table().json(run)).err().map(|why| format!("{target}: {why}")));
    }
    if !args.quiet {
        let report = answer.report(run, &job::style(args.no_color, args.ascii));
        if target == Some(Target::Stdout) {
            to_stderr(&report);
        } else if let Err(why) = to_stdout(&report) {
            failures.push(format!("standard output: {why}"));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Problem::Unwritten(failures)) }
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

    #[test]
    fn what_somebody_says_is_not_supposed() {
        let said = |settings: &Settings, name| settings.given(name).map(|given| given.text.clone());
        let nothing = supposed(Settings::default());
        assert_eq!(said(&nothing, "crashes").as_deref(), Some("1"));
        assert_eq!(said(&nothing, "time").as_deref(), Some("dense"));
        let mut some = Settings::default();
        some.set("crashable", "p1,p2", Origin::Call("test"));
        some.set("time", "ticks", Origin::Call("test"));
        let some = supposed(some);
        assert_eq!(said(&some, "crashes"), None);
        assert_eq!(said(&some, "time").as_deref(), Some("ticks"));
    }
}
