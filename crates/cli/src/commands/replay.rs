//! `replay`: whether the recorded run of a node or of a cluster is a path of the model, and where it leaves the
//! model if it is not.

use crate::arguments::ScenarioArgs;
use crate::job::style;
use crate::outlet::Outlet;
use crate::outputs::to_stderr;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::recording_file::{self, Recordings};
use crate::registry::{self, ProtocolEntry};
use crate::replaying::{ReplayReport, json, text};
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use watchkeeper::erased::Replayed;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;
use watchkeeper_report::{Chart, itf};
use watchkeeper_world::{FaultLimits, RecordedRun};

const OUTPUT: &str = "Output";

/// All flags of `replay`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ReplayArgs {
    /// Its first argument is the first recording, and its flags go over what the recordings say of the model.
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// More recordings
    #[arg(value_name = "FILE|DIR", index = 2)]
    more: Vec<PathBuf>,

    /// How much later than in the model a step may have been taken, such as 5ms or 500us
    /// [default: half a tick]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    precision: Option<String>,

    /// How many steps up to the end, or up to the first that is not possible, are drawn and written
    #[arg(long, value_name = "STEPS", default_value_t = 20, help_heading = OUTPUT)]
    last: usize,

    /// Write the answer as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    json: Option<PathBuf>,

    /// Draw the last steps as a sequence chart
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,

    /// Write the last steps as a trace in the Informal Trace Format (JSON); - is standard output
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

/// Replays what the arguments name.
pub(crate) fn run(program: &Program, args: &ReplayArgs) -> Result<ExitCode, Problem> {
    let files = [(Form::Json, &args.json), (Form::Svg, &args.svg), (Form::Itf, &args.out_itf)];
    let outlet = Outlet::new(args.quiet, files)?;
    let first = args.scenario.scenario.iter().map(PathBuf::from);
    let paths: Vec<PathBuf> = first.chain(args.more.iter().cloned()).collect();
    let recordings = recording_file::read(&paths)?;
    for warning in recordings.warnings.iter().filter(|_| !args.quiet) {
        to_stderr(&format!("warning: {warning}\n"));
    }
    let flags = args.scenario.model_settings()?;
    let Recordings { header, path, list, .. } = recordings;
    let settings = header.below(flags, &path)?;
    let settings = match settings.given("protocol") {
        Some(given) => (registry::find(&program.entries, &given.value, &given.origin)?, settings),
        None => return Err(Problem::Usage("the recording does not say which protocol it is of".to_string())),
    };
    let (entry, settings) = settings;
    let precision = match &args.precision {
        None => header.tick / 2,
        Some(text) => text.parse::<Precision>().map(|Precision(ns)| ns).map_err(|why| {
            let origin = SettingOrigin::Argument("--precision".to_string());
            Problem::Value { origin, why }
        })?,
    };
    let mut run = RecordedRun {
        recordings: list,
        tick: header.tick,
        precision,
        limits: FaultLimits::default(),
        shown: args.last.max(1),
        confirm: RecordedRun::CONFIRM,
    };
    if run.recordings.iter().all(|incarnation| incarnation.steps.is_empty()) {
        return Err(Problem::Usage(
            "nothing happened in these recordings; let the nodes run for longer".into(),
        ));
    }
    let found = followed(entry, &settings, &mut run)?;
    let answer = ReplayReport { run: &run, found, again: again(program, args, &paths) };
    let content = |form| match form {
        Form::Json => json(&answer),
        Form::Svg => Chart::of(answer.trace()).svg(&answer.headline()),
        Form::Itf => itf(answer.trace(), &answer.again),
    };
    outlet.leave(|| text(&answer, &style(args.no_color, args.ascii)), |form| Ok(content(form)))?;
    Ok(answer.exit_code())
}

/// Holds a recorded run against a protocol. Faults are as many as happened where nobody says how many may.
pub(crate) fn followed(
    entry: &ProtocolEntry,
    texts: &RawSettings,
    run: &mut RecordedRun,
) -> Result<Replayed, Problem> {
    let settings = texts.read()?;
    let plan = entry.protocol.plan(&settings)?;
    let faults = &plan.scenario.faults;
    run.limits = FaultLimits {
        crashes: settings.crashes.is_some().then_some(faults.crashes),
        crashable: settings.crashable.is_some().then_some(faults.crashable),
        recoveries: settings.recoveries.is_some().then_some(faults.recoveries),
    };
    entry.protocol.follow(&plan, run)
}

/// The command that gives the answer again.
fn again(program: &Program, args: &ReplayArgs, paths: &[PathBuf]) -> String {
    let words: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut all = vec!["replay"];
    all.extend(words.iter().map(String::as_str));
    let mut line = crate::command_line::CommandLine::new(&program.name, &all);
    // They were read before, so they can be read again.
    let flags = args.scenario.model_settings().unwrap_or_default();
    line.raw_settings(&flags, |name| flags.scenario().any(|(given, _)| given == name));
    line.maybe("precision", args.precision.as_ref());
    line.to_string()
}

/// A short span of time, in nanoseconds.
struct Precision(u64);

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Precision, String> {
        let wrong = || format!("`{text}` is not a span of time; write one like 500us, 5ms or 1s");
        let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        let unit: u64 = match unit.trim() {
            "ns" => 1,
            "us" | "µs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().map_err(|_| wrong())?;
        number.checked_mul(unit).filter(|ns| *ns <= 1 << 50).map(Precision).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_may_be_shorter_than_a_millisecond() {
        let ns = |text: &str| text.parse::<Precision>().map(|Precision(ns)| ns);
        assert_eq!(
            (ns("5ms"), ns("500us"), ns("0ms"), ns("1s")),
            (Ok(5_000_000), Ok(500_000), Ok(0), Ok(1_000_000_000))
        );
        for wrong in ["", "5", "ms", "-1ms", "1.5ms", "5 min", "99999999999999999999s", "9999999999s"] {
            assert!(ns(wrong).is_err(), "{wrong}");
        }
    }
}
