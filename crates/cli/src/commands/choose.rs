//! `choose`: the parameters of a failure detector that meet a target at least cost, or that none of a range does.

use crate::arguments::params_of;
use crate::choosing::{Candidates, ChoiceReport, Judged, MistakeRate, Target, json, text};
use crate::clock::{ProgressScreen, Showing, is_over};
use crate::command_line::CommandLine;
use crate::measuring::{MeasurementFlags, NetworkFlags, given, span};
use crate::outlet::Outlet;
use crate::program::Program;
use crate::registry;
use clap::Args;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper::choice::{ChoiceEnding, ParameterChoice, TargetMet, choose};
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::Deadline;
use watchkeeper::{ExitCode, Problem, TunedParams};
use watchkeeper_sim::Nanos;

const TARGET: &str = "Target";
const SEARCH: &str = "Search";
const OUTPUT: &str = "Output";

/// How long it may take where nobody says.
const USUAL_LIMIT: Duration = Duration::from_secs(300);

/// The least and the most of steps: more than a model counts are of no use.
const STEPS: RangeInclusive<u64> = 2..=1000;

/// The most patience that is tried where it is a plain number.
const MOST_PATIENCE: u32 = 100;

/// All flags of `choose`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ChooseArgs {
    /// The name of a failure detector
    protocol: Option<String>,

    /// Within which time every crash shall be detected, such as 5s
    #[arg(long, value_name = "TIME", help_heading = TARGET)]
    detect: Option<String>,

    /// How often a process may suspect another one wrongly, such as 1/month or 2/day
    #[arg(long, value_name = "COUNT/SPAN", help_heading = TARGET)]
    mistakes: Option<String>,

    /// The number of processes [default: the protocol chooses]
    #[arg(long, value_name = "N")]
    n: Option<String>,

    /// A parameter that is settled; a duration may have a unit, such as window=100; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,

    #[command(flatten)]
    network: NetworkFlags,

    /// The range of a parameter that is chosen, such as eta=100ms..2s; may be repeated [default: one step to --detect]
    #[arg(long, value_name = "NAME=FROM..TO", help_heading = SEARCH)]
    range: Vec<String>,

    /// Durations are chosen in so many steps up to --detect [default: 50]
    #[arg(long, value_name = "COUNT", help_heading = SEARCH)]
    steps: Option<String>,

    /// How often the intervals shall hold the truth [default: 99%]
    #[arg(long, value_name = "SHARE", help_heading = SEARCH)]
    confidence: Option<String>,

    /// Where all randomness comes from [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = SEARCH)]
    seed: Option<String>,

    /// Stop after this time [default: 5min]
    #[arg(long, value_name = "TIME", help_heading = SEARCH)]
    timeout: Option<String>,

    /// How many threads simulate; auto is one for each core [default: auto]
    #[arg(long, value_name = "COUNT", help_heading = SEARCH)]
    workers: Option<String>,

    /// Write the answer as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

/// Chooses what the arguments ask for.
pub(crate) fn run(program: &Program, args: &ChooseArgs) -> Result<ExitCode, Problem> {
    let outlet = Outlet::new(args.quiet, [((), &args.json)])?;
    let entry = registry::named(program, args.protocol.as_deref(), "choose")?;
    let target = target(args)?;
    let Some(tuned) = entry.outline().tuned else {
        let known: Vec<&str> = program
            .entries
            .iter()
            .filter(|entry| entry.outline().tuned.is_some())
            .map(|entry| entry.name())
            .collect();
        let why =
            format!("{} does not say which of its parameters are its period and its patience", entry.name());
        return Err(Problem::Usage(format!("{why}; those that do: {}", known.join(", "))));
    };
    let steps = args.steps.as_ref().map_or(Ok(50), |text| steps(text))?;
    if target.detect < u64::from(steps) {
        let why = format!("it cannot be divided into {steps} steps; give a longer time, or --steps less");
        return Err(given("--detect", args.detect.as_deref().unwrap_or_default()).refused(why));
    }
    let timeout = args.timeout.as_ref().map(|text| given("--timeout", text).parsed()).transpose()?;
    let deadline = Deadline::new(Some(timeout.unwrap_or(TimeSpan(USUAL_LIMIT))));
    let measurement = MeasurementFlags {
        confidence: args.confidence.clone(),
        seed: args.seed.clone(),
        workers: args.workers.clone(),
        bound: Some("none".to_string()),
        ..MeasurementFlags::default()
    };
    let mut settled = params_of(&args.param)?;
    for name in [tuned.period, tuned.patience] {
        if let Some(given) = settled.remove(name) {
            return Err(
                given.refused(format!("`choose` chooses {name}; bound it with --range {name}=FROM..TO"))
            );
        }
    }
    let candidates = Candidates {
        program,
        entry,
        tick: (target.detect / u64::from(steps)).max(1),
        target,
        tuned,
        given: settled,
        n: args.n.as_ref().map(|text| given("--n", text)),
        network: &args.network,
        profile: Arc::new(args.network.profile()?),
        measurement,
        steps,
        deadline: &deadline,
    };
    let report = answered(args, &candidates, &deadline)?;
    outlet.leave(|| text(&report), |()| Ok(format!("{:#}\n", json(&report))))?;
    Ok(report.exit_code())
}

/// Some candidates are built, so that whatever is wrong with the settings is told at once; a protocol may refuse the others.
fn checked(candidates: &Candidates<'_>, ranges: &Ranges) -> Result<(), Problem> {
    let some = |range: &RangeInclusive<u32>| {
        let (least, most) = (*range.start(), *range.end());
        [least + (most - least) / 2, least, most]
    };
    let mut refused = Ok(());
    for (period, patience) in
        some(&ranges.periods).into_iter().flat_map(|period| some(&ranges.patience).map(|it| (period, it)))
    {
        match candidates.contender(period, patience) {
            Ok(_) => return Ok(()),
            Err(why) => refused = refused.and(Err(why)),
        }
    }
    refused
}

fn answered<'a>(
    args: &ChooseArgs,
    candidates: &'a Candidates<'a>,
    deadline: &Deadline,
) -> Result<ChoiceReport<'a>, Problem> {
    let detect = candidates.target.detect;
    let ranges = Ranges::of(args, candidates)?;
    checked(candidates, &ranges)?;
    let nothing = ParameterChoice {
        ending: ChoiceEnding::TooSlow,
        tried: Vec::new(),
        undecided: false,
        refused: false,
    };
    let mut report = ChoiceReport {
        candidates,
        choice: nothing,
        judged: BTreeMap::new(),
        confirmed: None,
        impossible: None,
        again: again(args, candidates),
        seconds: 0.0,
    };
    if candidates.profile.shortest_delay() > detect {
        report.impossible = Some(format!(
            "No failure detector can: every message takes longer than {}, so that nobody can tell by then a crash from \
             a message on its way; whoever always finds a crash in time suspects everybody always",
            Nanos(detect)
        ));
        report.seconds = deadline.seconds();
        return Ok(report);
    }
    let screen = ProgressScreen::new(Showing::fitting(args.quiet));
    let judged: RefCell<BTreeMap<(u32, u32), Judged>> = RefCell::default();
    let mut confirmed = None;
    let detects = |period, patience| {
        screen.draw(Duration::from_millis(500), |_| progress(candidates, period, patience, "searching"));
        candidates.detects(period, patience)
    };
    let accurate = |period, patience| {
        screen.draw(Duration::from_millis(500), |_| progress(candidates, period, patience, "measuring"));
        let found = candidates.judge(period, patience)?;
        judged.borrow_mut().insert((period, patience), found);
        if found.met != TargetMet::Yes {
            return Ok(found.met);
        }
        // The first that seems to do may owe it to chance: another seed has to say the same.
        screen.finish();
        let measured = candidates.confirmed(period, patience, args.quiet)?;
        let again = candidates.judged(&measured.found).met;
        confirmed = Some(measured);
        Ok(again)
    };
    let periods = ranges.periods.rev().take_while(|_| is_over(deadline).is_none());
    let choice = choose(periods, ranges.patience, detects, accurate);
    screen.finish();
    report.choice = choice?;
    if is_over(deadline).is_some() && !matches!(report.choice.ending, ChoiceEnding::Chosen { .. }) {
        report.choice.ending = ChoiceEnding::Unknown;
    }
    report.judged = judged.into_inner();
    report.confirmed = confirmed;
    report.seconds = deadline.seconds();
    Ok(report)
}

fn progress(candidates: &Candidates<'_>, period: u32, patience: u32, what: &str) -> String {
    let params = candidates.params(period, patience);
    let TunedParams { period, patience } = candidates.tuned;
    let text = |name: &str| params.get(name).map_or("", |given| given.value.as_str()).to_string();
    format!("{what} {period}={} {patience}={}", text(period), text(patience))
}

/// The values that are tried.
struct Ranges {
    periods: RangeInclusive<u32>,
    patience: RangeInclusive<u32>,
}

impl Ranges {
    fn of(args: &ChooseArgs, candidates: &Candidates<'_>) -> Result<Ranges, Problem> {
        let TunedParams { period, patience } = candidates.tuned;
        let most = if candidates.patience_is_time() { candidates.steps } else { MOST_PATIENCE };
        let mut ranges = Ranges { periods: 1..=candidates.steps, patience: 1..=most };
        for text in &args.range {
            let given = given("--range", text);
            let wrong = || given.refused(format!("write NAME=FROM..TO, such as {period}=100ms..2s"));
            let (name, ends) = text.split_once('=').ok_or_else(wrong)?;
            let (from, to) = ends.split_once("..").ok_or_else(wrong)?;
            let (time, range) = match name.trim() {
                name if name == period => (true, &mut ranges.periods),
                name if name == patience => (candidates.patience_is_time(), &mut ranges.patience),
                name => {
                    let why = format!("`{name}` is not chosen; {period} and {patience} are");
                    return Err(given.refused(why));
                }
            };
            let end = |text: &str, up: bool| {
                if !time {
                    return text.trim().parse::<u32>().map_err(|_| wrong());
                }
                let ns = span("--range", text.trim())?;
                let units = if up { ns.div_ceil(candidates.tick) } else { ns / candidates.tick };
                Ok(units.min(u64::from(u32::MAX)) as u32)
            };
            let found = end(from, true)?.max(1)..=end(to, false)?;
            if found.is_empty() {
                let tick = Nanos(candidates.tick);
                let why =
                    format!("there is nothing between {from} and {to} in steps of {tick}; give --steps more");
                return Err(given.refused(why));
            }
            *range = found;
        }
        Ok(ranges)
    }
}

fn target(args: &ChooseArgs) -> Result<Target, Problem> {
    let missing = |what: &str| Problem::Usage(format!("`choose` needs a target: give {what}"));
    let detect = args.detect.as_ref().ok_or_else(|| missing("--detect, such as --detect 5s"))?;
    let mistakes = args.mistakes.as_ref().ok_or_else(|| missing("--mistakes, such as --mistakes 1/month"))?;
    let ns = span("--detect", detect)?;
    if ns == 0 {
        let why = "no crash is found in no time; give a time above 0, such as 5s";
        return Err(given("--detect", detect).refused(why));
    }
    let mistakes: MistakeRate = given("--mistakes", mistakes).parsed()?;
    Ok(Target { detect: ns, mistakes })
}

fn steps(text: &str) -> Result<u32, Problem> {
    let given = given("--steps", text);
    let number = given.value.parse::<u64>().ok().filter(|number| STEPS.contains(number));
    let why = || format!("`{text}` is not a number of steps from {} to {}", STEPS.start(), STEPS.end());
    number.map(|number| number as u32).ok_or_else(|| given.refused(why()))
}

/// The command that chooses again.
fn again(args: &ChooseArgs, candidates: &Candidates<'_>) -> String {
    let mut line = CommandLine::new(&candidates.program.name, &["choose", candidates.entry.name()]);
    line.maybe("detect", args.detect.as_ref());
    line.maybe("mistakes", args.mistakes.as_ref());
    line.maybe("n", args.n.as_ref());
    args.param.iter().for_each(|param| line.flag("param", param));
    args.network.add_to(&mut line);
    args.range.iter().for_each(|range| line.flag("range", range));
    line.maybe("steps", args.steps.as_ref());
    line.maybe("confidence", args.confidence.as_ref());
    line.maybe("seed", args.seed.as_ref());
    line.to_string()
}
