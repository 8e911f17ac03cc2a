//! `simulate`: whole clusters of a protocol in virtual time, one for each seed, under faults of every kind; each run is held
//! against the model and the requirements of the protocol.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::clock::{ProgressScreen, Showing, is_over};
use crate::command_line::CommandLine;
use crate::commands::check::named;
use crate::commands::{cluster, reenact};
use crate::daemon::NodePlan;
use crate::job::style;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use crate::simulating::{SimulationReport, json, progress, text};
use crate::{inputs, recording_file};
use clap::Args;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::Duration;
use watchkeeper::search_options::{Deadline, SearchOptions};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{Chart, itf};
use watchkeeper_sim::{
    Campaign, CampaignOutcome, FaultFamily, Nanos, Nemesis, SimulatedRun, SimulatedSubject, SimulationDepth,
    SimulationPlan, SimulationSummary,
};

const SIMULATION: &str = "Simulation";
const OUTPUT: &str = "Output";

/// The seeds where nobody says otherwise.
const SEEDS: Range<u64> = 0..1000;

/// The most of a plan that is read.
const LONGEST_PLAN: u64 = 1 << 22;

/// All flags of `simulate`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,

    /// The seeds, the last one not included; each is one run [default: 0..1000]
    #[arg(long, value_name = "FROM..TO", help_heading = SIMULATION)]
    seeds: Option<String>,

    /// What goes wrong: all, none, or some of delay, loss, duplicate, reorder, partition, clock, stall, crash, disk, keys
    /// and flood [default: all]
    #[arg(long, value_name = "NAME,NAME,...", help_heading = SIMULATION)]
    nemesis: Option<String>,

    /// Simulate the protocol alone, without the sessions, keys and recordings of a node: faster
    #[arg(long, help_heading = SIMULATION)]
    bare: bool,

    /// How long one unit of time is [default: 50ms]
    #[arg(long, value_name = "TIME", help_heading = SIMULATION)]
    tick: Option<String>,

    /// How long each run lasts, such as 5s [default: some hundreds of messages]
    #[arg(long, value_name = "TIME", help_heading = SIMULATION)]
    lasts: Option<String>,

    /// Execute one plan instead of drawing plans from seeds; - is standard input
    #[arg(long, value_name = "FILE|-", help_heading = SIMULATION, conflicts_with_all = ["seeds", "nemesis", "lasts"])]
    plan: Option<PathBuf>,

    /// Execute a recorded run once more, with the delays, losses, crashes and moments of its recordings
    #[arg(long, value_name = "DIR", help_heading = SIMULATION,
        conflicts_with_all = ["seeds", "nemesis", "lasts", "plan", "bare", "tick", "record", "svg", "out_itf"])]
    from: Option<PathBuf>,

    /// How many threads simulate; auto is one for each core [default: auto]
    #[arg(long, value_name = "COUNT", help_heading = SIMULATION)]
    workers: Option<String>,

    /// Stop after this time, such as 90s, 5min or 2h
    #[arg(long, value_name = "TIME", help_heading = SIMULATION)]
    timeout: Option<String>,

    /// Write the recordings of the run that fails, or else of the last run, to a new directory, for `replay`
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    record: Option<PathBuf>,

    /// Write the answer as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Draw the run that fails as a sequence chart
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Write the run that fails as a trace in the Informal Trace Format (JSON); - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    out_itf: Option<PathBuf>,

    /// Print nothing but errors: the exit code and the output files tell the answer
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,

    /// Draw text charts with plain characters instead of lines and arrows
    #[arg(long, help_heading = OUTPUT)]
    ascii: bool,
}

/// What is written beside the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    Svg,
    Itf,
}

/// Simulates what the arguments name.
pub(crate) fn run(program: &Program, args: &SimulateArgs) -> Result<ExitCode, Problem> {
    if let Some(dir) = &args.from {
        return reenact::run(program, &args.scenario, dir, (args.quiet, &args.json));
    }
    let files = [(Form::Json, &args.json), (Form::Svg, &args.svg), (Form::Itf, &args.out_itf)];
    let outlet = Outlet::new(args.quiet, files)?;
    let (entry, mut settings) = named(program, &args.scenario, &SearchArgs::default(), "simulate")?;
    let plan = args.plan.as_ref().map(|path| read_plan(path)).transpose()?;
    let sizes = sizes(&mut settings, plan.as_ref())?;
    settings = cluster::supposed(entry, supposed(entry, settings))?;
    settings.flag("workers", &args.workers);
    settings.flag("timeout", &args.timeout);
    let tick = cluster::tick(args.tick.as_deref())?.as_nanos() as u64;
    let setup = Setup { entry, settings, tick };
    // Whatever is wrong with the settings is told now.
    let node_plan = setup.node_plan(sizes.as_deref().and_then(|sizes| sizes.first().copied()))?;
    let sizes = sizes.unwrap_or_else(|| vec![node_plan.plan.usual.n]);
    for size in &sizes {
        setup.node_plan(Some(*size))?;
    }
    let options = SearchOptions::of(&setup.settings.read()?)?;
    let campaign = Campaign {
        seeds: args.seeds.as_deref().map_or(Ok(SEEDS), seeds)?,
        sizes,
        nemesis: nemesis(args)?,
        lasts: args.lasts.as_deref().map(|text| span("--lasts", text)).transpose()?,
        depth: if args.bare { SimulationDepth::Bare } else { SimulationDepth::Nodes },
        workers: options.search.workers,
    };
    let deadline = Deadline::new(options.timeout);
    let make = |n: usize| setup.subject(n);
    let outcome = match plan {
        Some(plan) => one(&campaign, &make, plan)?,
        None => many(&campaign, &make, &deadline, args.quiet)?,
    };
    let report = SimulationReport {
        protocol: entry.name(),
        campaign: &campaign,
        outcome: &outcome,
        seconds: deadline.seconds(),
        cpu_seconds: cpu_seconds(),
        limit: is_over(&deadline),
        again: again(program, args, &setup, &outcome),
        bare: args.bare,
    };
    if let Some(dir) = &args.record {
        let (run, n) = recorded(&campaign, &make, &outcome)?;
        recording_file::write(dir, &setup.node_plan(Some(n))?.model, tick, &run.recordings)?;
    }
    let trace = outcome.failure.as_ref().map(|failed| &failed.shortest.trace);
    let content = |form| match (form, trace) {
        (Form::Json, _) => Ok(json(&report)),
        (Form::Svg, Some(trace)) => Ok(Chart::of(trace).svg(&report.headline())),
        (Form::Itf, Some(trace)) => Ok(itf(trace, &report.again)),
        (_, None) => Err("violation"),
    };
    outlet.leave(|| text(&report, &style(args.no_color, args.ascii)), content)?;
    Ok(report.exit_code())
}

/// A protocol with its settings, of which only the size is open.
struct Setup<'a> {
    entry: &'a ProtocolEntry,
    settings: RawSettings,
    tick: u64,
}

impl Setup<'_> {
    fn sized(&self, n: Option<usize>) -> RawSettings {
        let mut settings = self.settings.clone();
        if let Some(n) = n {
            settings.set("n", n.to_string(), SettingOrigin::Argument("--n".to_string()));
        }
        settings
    }

    fn node_plan(&self, n: Option<usize>) -> Result<NodePlan, Problem> {
        NodePlan::of(&*self.entry.protocol, &self.sized(n))
    }

    fn subject(&self, n: usize) -> Result<SimulatedSubject, Problem> {
        let NodePlan { plan, assumptions, .. } = self.node_plan(Some(n))?;
        let subject = self.entry.protocol.simulated(&plan, self.tick)?;
        Ok(SimulatedSubject { assumptions, ..subject })
    }
}

/// The settings with parameters under which the requirements hold in the model, where the usual ones are too tight for them.
fn supposed(entry: &ProtocolEntry, mut settings: RawSettings) -> RawSettings {
    let params = &entry.outline().params;
    let usual = |name: &str| params.iter().find(|param| param.name == name).map(|param| param.default);
    let tight = usual("timeout") == Some("3");
    let beats = usual("corrected").is_some();
    let supposed = [
        ("period", "3", tight),
        ("timeout", "12", tight),
        ("tmin", "4", beats),
        ("corrected", "true", beats),
    ];
    let said = supposed.iter().any(|(name, _, needed)| *needed && settings.params.contains_key(*name));
    for (name, text, _) in supposed.iter().filter(|(_, _, needed)| *needed && !said) {
        let given = RawValue { value: text.to_string(), origin: SettingOrigin::Call("simulate") };
        settings.params.insert(name.to_string(), given);
    }
    settings
}

/// Tries all seeds, under the eyes of the user.
fn many(
    campaign: &Campaign,
    make: &(dyn Fn(usize) -> Result<SimulatedSubject, Problem> + Sync),
    deadline: &Deadline,
    quiet: bool,
) -> Result<CampaignOutcome, Problem> {
    let screen = ProgressScreen::new(Showing::fitting(quiet));
    let watch = |summary: &SimulationSummary| {
        screen.draw(Duration::from_millis(500), |_| progress(summary, deadline.seconds()));
        if is_over(deadline).is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcome = campaign.run(make, &watch);
    screen.finish();
    outcome
}

/// Executes one plan.
fn one(
    campaign: &Campaign,
    make: &(dyn Fn(usize) -> Result<SimulatedSubject, Problem> + Sync),
    plan: SimulationPlan,
) -> Result<CampaignOutcome, Problem> {
    let subject = make(plan.n)?;
    if subject.processes() != plan.starts.len() {
        let (processes, starts) = (subject.processes(), plan.starts.len());
        let why = format!("the plan starts {starts} processes, and with n={} there are {processes}", plan.n);
        return Err(Problem::Usage(why));
    }
    let summary = campaign.count(make, &plan)?;
    let failure = campaign.examine(make, plan)?;
    Ok(CampaignOutcome { summary, failure, stopped: false })
}

/// The run that fails, or else the last one, and the size of its cluster.
fn recorded(
    campaign: &Campaign,
    make: &(dyn Fn(usize) -> Result<SimulatedSubject, Problem> + Sync),
    outcome: &CampaignOutcome,
) -> Result<(SimulatedRun, usize), Problem> {
    if let Some(failed) = &outcome.failure {
        return Ok((failed.run.clone(), failed.shortened.n));
    }
    let last = campaign.seeds.end.saturating_sub(1);
    let plan = campaign.plan_of(make, last)?;
    campaign.once(make, &plan).map(|(run, _)| (run, plan.n))
}

/// The sizes to draw from, if anybody says: those of `--n 3..7`, or that of the plan.
fn sizes(settings: &mut RawSettings, plan: Option<&SimulationPlan>) -> Result<Option<Vec<usize>>, Problem> {
    if let Some(plan) = plan {
        settings.forget("n");
        return Ok(Some(vec![plan.n]));
    }
    let Some(given) = settings.given("n").cloned() else { return Ok(None) };
    let Some((from, to)) = given.value.split_once("..") else {
        let alone = given.value.trim().parse().ok();
        return Ok(alone.map(|n| vec![n]));
    };
    let bound = |text: &str| text.trim().parse::<usize>().ok().filter(|n| (1..=64).contains(n));
    match (bound(from), bound(to)) {
        (Some(from), Some(to)) if from <= to => {
            settings.forget("n");
            Ok(Some((from..=to).collect()))
        }
        _ => Err(given.refused(format!("`{}` is not a range of sizes; write one like 3..7", given.value))),
    }
}

fn seeds(text: &str) -> Result<Range<u64>, Problem> {
    let wrong =
        || flag("--seeds", text).refused(format!("`{text}` is not a range of seeds; write one like 0..1000"));
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().map_err(|_| wrong());
    let seeds = number(from)?..number(to)?;
    if seeds.is_empty() { Err(wrong()) } else { Ok(seeds) }
}

fn nemesis(args: &SimulateArgs) -> Result<Nemesis, Problem> {
    let fits = |family: &FaultFamily| !args.bare || family.concerns_bare();
    let Some(text) = args.nemesis.as_deref().filter(|text| *text != "all") else {
        return Ok(Nemesis::new(FaultFamily::ALL.iter().copied().filter(fits)));
    };
    let mut families = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| *name != "none" && !name.is_empty()) {
        let family: FaultFamily = name.parse().map_err(|_| {
            let known: Vec<&str> = FaultFamily::ALL.iter().map(|family| family.name()).collect();
            let why =
                format!("`{name}` is no family of faults; write all, none, or some of {}", known.join(", "));
            flag("--nemesis", text).refused(why)
        })?;
        if !fits(&family) {
            let why = format!("{name} does nothing to the protocol alone; leave it out, or --bare");
            return Err(flag("--nemesis", text).refused(why));
        }
        families.push(family);
    }
    Ok(Nemesis::new(families))
}

fn span(name: &str, text: &str) -> Result<u64, Problem> {
    let Nanos(ns) =
        text.parse().map_err(|why: watchkeeper_sim::QuantityError| flag(name, text).refused(why))?;
    if (1_000_000..=86_400_000_000_000).contains(&ns) {
        Ok(ns)
    } else {
        Err(flag(name, text).refused("a run lasts from 1ms to a day"))
    }
}

fn flag(name: &str, text: &str) -> RawValue {
    RawValue { value: text.to_string(), origin: SettingOrigin::Argument(name.to_string()) }
}

fn read_plan(path: &std::path::Path) -> Result<SimulationPlan, Problem> {
    let named = path.display();
    let source = if path.as_os_str() == "-" { PathBuf::from("/dev/stdin") } else { path.to_path_buf() };
    let text = inputs::text(&source, LONGEST_PLAN)
        .map_err(|why| Problem::Usage(format!("{named} cannot be read: {why}")))?;
    text.parse().map_err(|why| Problem::Usage(format!("{named}: {why}")))
}

/// The command that gives the answer again; if a run fails, that run alone.
fn again(program: &Program, args: &SimulateArgs, setup: &Setup<'_>, outcome: &CampaignOutcome) -> String {
    let mut line = CommandLine::new(&program.name, &["simulate", setup.entry.name()]);
    // They were read before, so they can be read again.
    let flags = args.scenario.model_settings().unwrap_or_default();
    line.raw_settings(&flags, |name| flags.scenario().any(|(given, _)| given == name));
    if let Some(plan) = &args.plan {
        line.flag("plan", plan.display());
    }
    match &outcome.failure {
        Some(failed) if args.plan.is_none() => {
            line.flag("seeds", format!("{}..{}", failed.seed, failed.seed + 1));
        }
        _ => line.maybe("seeds", args.seeds.as_ref()),
    }
    line.maybe("nemesis", args.nemesis.as_ref());
    line.maybe("tick", args.tick.as_ref());
    line.maybe("lasts", args.lasts.as_ref());
    if args.bare {
        line.switch("bare");
    }
    line.to_string()
}

/// The seconds that all threads of this process have computed.
fn cpu_seconds() -> f64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}
