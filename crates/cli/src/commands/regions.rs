//! `regions`: for which values of its parameters a property of a protocol holds, as a formula. What fails is checked
//! again with whole numbers, so that it comes with a chart.

mod picture;
mod points;
mod report;

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::clock::{ProgressScreen, Showing};
use crate::command_line::{CommandLine, words};
use crate::commands::check::named_around;
use crate::interrupt;
use crate::job;
use crate::outlet::Outlet;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry::ProtocolEntry;
use clap::Args;
use picture::{drawable, picture, pieces};
use points::compared;
use report::{Asked, reported};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use watchkeeper::regions::{Model, RegionAnswer, RegionLimits, RegionProgress, RegionQuestion};
use watchkeeper::search_options::{Deadline, SearchOptions};
use watchkeeper::{ExitCode, Problem, SettingOrigin, Sourced};
use watchkeeper_report::{RegionReport, regions_json, render_regions, thousands};

const REGIONS: &str = "Regions";
const OUTPUT: &str = "Output";

/// All flags of `regions`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RegionsArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    search: SearchArgs,

    /// A condition on the parameters, such as 'tmax <= 16*tmin'; may be repeated
    #[arg(long = "where", value_name = "CONDITION", help_heading = REGIONS)]
    given: Vec<String>,

    /// Write the regions as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Check up to N points of whole numbers on each side of every facet of the regions with `check` in dense time, and
    /// exit with 255 if one disagrees. Where whole units round a half, 16 or 256 times the point is checked instead:
    /// regions without constants are the same there
    #[arg(long, value_name = "N", help_heading = REGIONS)]
    points: Option<usize>,

    /// Draw the regions of two parameters as SVG, or of three in slices
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Write a certificate of the good side, which `recheck` verifies with an SMT solver
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    certificate: Option<PathBuf>,

    /// Print nothing but errors: the output files tell the answer
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    no_color: bool,

    /// Draw text charts with plain characters instead of lines and arrows
    #[arg(long, help_heading = OUTPUT)]
    ascii: bool,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Json,
    Svg,
    Certificate,
}

/// Finds the regions of what the arguments name.
pub(crate) fn run(program: &Program, args: &RegionsArgs) -> Result<ExitCode, Problem> {
    let environment = RawSettings::environment(|name| std::env::var(name).ok());
    let (entry, question, properties) = asked(program, args, environment)?;
    let files = [(Form::Json, &args.json), (Form::Svg, &args.svg), (Form::Certificate, &args.certificate)];
    let outlet = Outlet::new(args.quiet, files)?;
    let options = SearchOptions::of(&question.settings)?;
    let properties = properties.map_or_else(|| usual(entry, &question), Ok)?;
    if args.certificate.is_some() && properties.len() != 1 {
        let known = properties.join(", ");
        return Err(Problem::Usage(format!(
            "a certificate is of one property; name it with --property, one of {known}"
        )));
    }
    let watch = Watch {
        deadline: Deadline::new(options.timeout),
        screen: ProgressScreen::new(Showing::fitting(args.quiet)),
    };
    let style = job::style(args.no_color, args.ascii);
    if args.svg.is_some() {
        drawable(&question)?;
    }
    let mut reports: Vec<RegionReport> = Vec::new();
    let mut certificate = None;
    let mut drawn = Vec::new();
    for property in &properties {
        let began = watch.deadline.seconds();
        let models = entry.protocol.models(&question, property)?;
        let states = question.settings.max_states.as_ref().map(|given| given.value as usize);
        let limits = RegionLimits::default();
        let limits = RegionLimits { states: states.unwrap_or(limits.states), ..limits };
        let found = RegionAnswer::of(&models, limits, &mut |progress| watch.on_progress(property, progress));
        watch.screen.finish();
        let found = found.map_err(|trouble| Problem::Undecided(trouble.to_string()))?;
        let seconds = watch.deadline.seconds() - began;
        let asked = Asked { program, entry, question: &question, property, options: &options, style: &style };
        if args.certificate.is_some() && !found.holds.is_empty() {
            let again = again(program, entry, &question, std::slice::from_ref(property));
            let written = found.certificate(&models, &again);
            certificate = Some(written.map_err(|why| Problem::Undecided(why.to_string()))?.write());
        }
        let mut report = reported(&asked, &models, &found)?;
        report.seconds = seconds;
        if let Some(count) = args.points {
            report.points = Some(compared(&asked, &found, count, &watch.screen)?);
        }
        drawn.push(pieces(&found));
        reports.push(report);
    }
    let run = job::cost(again(program, entry, &question, &properties), watch.deadline.seconds());
    let content = |form: Form| match form {
        Form::Json => Ok(regions_json(&reports, &run)),
        Form::Svg => Ok(picture(&reports, &drawn)),
        Form::Certificate => certificate.clone().ok_or("region in which the property holds"),
    };
    outlet.leave(|| render_regions(&reports, &run, &style), content)?;
    let worst = reports.iter().map(RegionReport::exit_code).max();
    Ok(worst.map_or(ExitCode::HOLDS, ExitCode))
}

/// What a line that this command once wrote asks: the protocol with the property, and the models. Neither a file nor the
/// environment of this process has a say in it.
pub(crate) fn models_of(program: &Program, line: &str) -> Result<(String, Vec<Model>), Problem> {
    let words = words(line).ok_or_else(|| Problem::Usage("a quotation does not end".to_string()))?;
    let args: RegionsArgs = program.args_of("regions", &words)?;
    if args.scenario.file().is_some() {
        return Err(Problem::Usage("it names a scenario file, and not what is in it".to_string()));
    }
    let (entry, question, properties) = asked(program, &args, RawSettings::default())?;
    match properties.as_deref() {
        Some([property]) => {
            let models = entry.protocol.models(&question, property)?;
            Ok((format!("{} {property}", entry.name()), models))
        }
        _ => Err(Problem::Usage("it does not name one property".to_string())),
    }
}

/// The protocol, the question, and the properties that are named, if some are.
fn asked<'a>(
    program: &'a Program,
    args: &RegionsArgs,
    environment: RawSettings,
) -> Result<(&'a ProtocolEntry, RegionQuestion, Option<Vec<String>>), Problem> {
    let mut scenario = args.scenario.clone();
    let unknown = scenario.take_unknown();
    let (entry, mut settings) = named_around(program, &scenario, &args.search, "regions", environment)?;
    // `detection` has no bound here if its bound is unknown, so properties are read by the protocol.
    let properties = settings.given("property").map(|given| {
        given.value.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
    });
    settings.forget("property");
    let given = args.given.iter().map(|text| {
        let origin = SettingOrigin::Argument(format!("--where '{text}'"));
        Sourced { value: text.clone(), origin }
    });
    let question = RegionQuestion { settings: settings.read()?, unknown, given: given.collect() };
    Ok((entry, question, properties))
}

/// The properties that are asked where nobody names one.
fn usual(entry: &ProtocolEntry, question: &RegionQuestion) -> Result<Vec<String>, Problem> {
    match entry.protocol.parametric(question) {
        Some(usual) if usual.is_empty() => {
            Err(Problem::Usage(format!("which property of {}? Name one with --property", entry.name())))
        }
        Some(usual) => Ok(usual),
        // The models say why there are none.
        None => Ok(vec![String::new()]),
    }
}

/// The command that gives this answer again.
fn again(
    program: &Program,
    entry: &ProtocolEntry,
    question: &RegionQuestion,
    properties: &[String],
) -> String {
    let mut line = CommandLine::new(&program.name, &["regions", entry.name()]);
    for unknown in &question.unknown {
        line.flag("param", &unknown.value);
    }
    for (name, given) in &question.settings.params {
        line.param(name, &given.value);
    }
    line.settings(&question.settings, |_| true);
    line.flag("property", properties.join(","));
    for given in &question.given {
        line.flag("where", &given.value);
    }
    line.to_string()
}

/// Watches a search for regions.
struct Watch {
    deadline: Deadline,
    screen: ProgressScreen,
}

impl Watch {
    fn on_progress(&self, property: &str, progress: &RegionProgress) -> ControlFlow<()> {
        if interrupt::asked() || self.deadline.passed().is_some() {
            return ControlFlow::Break(());
        }
        self.screen.draw(Duration::from_millis(500), |_| {
            format!(
                "{property}: {} symbolic states of {} discrete ones, {} queued, depth {}, {} bad pieces",
                thousands(progress.states as u64),
                thousands(progress.discrete as u64),
                thousands(progress.queue as u64),
                progress.depth,
                progress.bad
            )
        });
        ControlFlow::Continue(())
    }
}
