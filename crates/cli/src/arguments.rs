//! The flags that several commands share. Those of a check are built from the table of settings, so that a flag, an
//! environment variable and a key of a file have one definition; a flag stays text until all sources have been merged.

use crate::checkpoint::CheckpointArgs;
use crate::commands::specification::ENDING;
use crate::fleet::FleetArgs;
use crate::formula_check::FormulaArgs;
use crate::help;
use crate::raw_settings::{RawSettings, RawValue};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::collections::BTreeMap;
use std::path::PathBuf;
use watchkeeper::settings::{Heading, SettingRow, ValueShape};
use watchkeeper::{PARAM_FLAGS, Problem, SettingOrigin, Settings};

const OUTPUT: &str = "Output";

/// The name of the first argument.
const SCENARIO: &str = "scenario";

/// The flag for a parameter of the protocol.
const PARAM: &str = "param";

/// The protocol or scenario file that a command names, and the flags that describe the scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScenarioArgs {
    pub(crate) scenario: Option<String>,
    flags: RawSettings,
    params: Vec<String>,
}

/// The flags that describe the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchArgs(RawSettings);

/// Of every command that searches: what to leave behind.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Write the verdict as JSON; - is standard output, and everything else then goes to standard error
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,

    /// Draw the violation as a sequence chart, in the format of the ending: .svg, .mmd (Mermaid) or
    /// .txt; may be given more than once
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) chart: Vec<PathBuf>,

    /// Write the violation as a trace in the Informal Trace Format (JSON); - is standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) out_itf: Option<PathBuf>,

    /// Write the whole state space as a graph for Graphviz; for small spaces only
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out_dot: Option<PathBuf>,

    /// Write the whole state space in the Aldebaran format
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out_aut: Option<PathBuf>,

    /// Print nothing but errors: the exit code and the output files tell the verdict
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,

    /// Print without colours, as when NO_COLOR is set
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) no_color: bool,

    /// Draw text charts with plain characters instead of lines and arrows
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) ascii: bool,
}

/// All flags of `check`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) formula: FormulaArgs,
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Whether a setting belongs to the search; the others, and those that only some protocols have, to the scenario.
pub(crate) fn of_search(row: &SettingRow) -> bool {
    matches!(row.heading, Heading::Search | Heading::Limits) && row.only.is_none()
}

fn flag(name: &'static str, value_name: &'static str, shape: ValueShape) -> Arg {
    let arg = Arg::new(name).long(name).value_name(value_name).action(ArgAction::Set);
    match shape {
        ValueShape::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        ValueShape::One | ValueShape::List => arg,
    }
}

/// The flags of the settings of the scenario, or of the search. A flag that only some protocols have is hidden; the help
/// of such a protocol shows it.
fn with_flags(command: Command, search: bool) -> Command {
    let rows = Settings::TABLE.iter().filter(|row| of_search(row) == search);
    command.args(rows.map(|row| {
        let arg = flag(row.name, row.value_name, row.shape).help_heading(<&str>::from(row.heading));
        arg.help(help::short(row)).long_help(help::long(row)).hide(row.only.is_some())
    }))
}

/// The settings of the scenario, or of the search, that have a flag on this command line.
fn flags_of(matches: &ArgMatches, search: bool) -> RawSettings {
    let mut given = RawSettings::default();
    for row in Settings::TABLE.iter().filter(|row| of_search(row) == search) {
        given.flag(row.name, &matches.get_one::<String>(row.name).cloned());
    }
    given
}

impl Args for ScenarioArgs {
    fn augment_args(command: Command) -> Command {
        let scenario = Arg::new(SCENARIO)
            .value_name("PROTOCOL|FILE")
            .help("The name of a protocol; or a file: a scenario (.toml); for `check` alone also a specification of mCRL2 (.mcrl2), or, with --mcf or --query, a state space (.aut)");
        let param = Arg::new(PARAM)
            .long(PARAM)
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .help_heading("Parameters")
            .help("A parameter of the protocol; may be repeated");
        let params =
            PARAM_FLAGS.iter().map(|param| flag(param.name, param.value_name, param.shape).hide(true));
        with_flags(command.arg(scenario).arg(param).args(params), false)
    }

    fn augment_args_for_update(command: Command) -> Command {
        ScenarioArgs::augment_args(command)
    }
}

impl FromArgMatches for ScenarioArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ScenarioArgs, clap::Error> {
        let mut flags = flags_of(matches, false);
        for name in PARAM_FLAGS.iter().map(|param| param.name) {
            if let Some(text) = matches.get_one::<String>(name) {
                let origin = SettingOrigin::Argument(format!("--{name}"));
                flags.params.insert(name.to_string(), RawValue { value: text.clone(), origin });
            }
        }
        let params = matches.get_many::<String>(PARAM).into_iter().flatten().cloned().collect();
        Ok(ScenarioArgs { scenario: matches.get_one::<String>(SCENARIO).cloned(), flags, params })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ScenarioArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SearchArgs {
    fn augment_args(command: Command) -> Command {
        with_flags(command, true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        with_flags(command, true)
    }
}

impl FromArgMatches for SearchArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<SearchArgs, clap::Error> {
        Ok(SearchArgs(flags_of(matches, true)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = SearchArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ScenarioArgs {
    /// A scenario of which nothing is said but its name.
    pub(crate) fn named(name: &str) -> ScenarioArgs {
        ScenarioArgs { scenario: Some(name.to_string()), ..ScenarioArgs::default() }
    }

    /// The parameters that are named without a value; they are then forgotten.
    pub(crate) fn take_unknown(&mut self) -> Vec<RawValue> {
        let (given, unknown) =
            std::mem::take(&mut self.params).into_iter().partition(|pair| pair.contains('='));
        self.params = given;
        let unknown: Vec<String> = unknown;
        let value = |name: String| {
            let origin = SettingOrigin::Argument(format!("--param {name}"));
            RawValue { value: name.trim().to_string(), origin }
        };
        unknown.into_iter().map(value).collect()
    }

    /// The scenario file, if the first argument is one.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.scenario.as_ref().filter(|name| name.ends_with(".toml")).map(PathBuf::from)
    }

    /// Whether anything is given at all.
    pub(crate) fn is_given(&self) -> bool {
        self.scenario.is_some() || self.flags != RawSettings::default() || !self.params.is_empty()
    }

    /// The specification, if the first argument is one.
    pub(crate) fn specification(&self) -> Option<PathBuf> {
        self.scenario.as_ref().filter(|name| name.ends_with(ENDING)).map(PathBuf::from)
    }

    /// Whether this flag is given.
    pub(crate) fn has(&self, name: &'static str) -> bool {
        self.flags.given(name).is_some()
    }

    /// All flags. The first argument, unless it is a file, names the protocol.
    pub(crate) fn settings(&self) -> Result<RawSettings, Problem> {
        let mut settings = self.model_settings()?;
        if let (Some(name), None) = (&self.scenario, self.file()) {
            settings.set("protocol", name.as_str(), SettingOrigin::Argument(String::new()));
        }
        Ok(settings)
    }

    /// The flags alone, where the first argument is something else.
    pub(crate) fn model_settings(&self) -> Result<RawSettings, Problem> {
        let mut settings = self.flags.clone();
        for (name, given) in params_of(&self.params)? {
            let origin = given.origin.clone();
            if let Some(other) = settings.params.insert(name.clone(), given) {
                return Err(twice(&origin, &other, &name));
            }
        }
        Ok(settings)
    }
}

/// The parameters of pairs NAME=VALUE, each of which is given once.
pub(crate) fn params_of(pairs: &[String]) -> Result<BTreeMap<String, RawValue>, Problem> {
    let mut params = BTreeMap::new();
    for pair in pairs {
        let origin = SettingOrigin::Argument(format!("--param {pair}"));
        let Some((name, text)) = pair.split_once('=') else {
            return Err(origin.refused("expected NAME=VALUE, such as round=2"));
        };
        let given = RawValue { value: text.trim().to_string(), origin: origin.clone() };
        if let Some(other) = params.insert(name.trim().to_string(), given) {
            return Err(twice(&origin, &other, name.trim()));
        }
    }
    Ok(params)
}

fn twice(origin: &SettingOrigin, other: &RawValue, name: &str) -> Problem {
    let other = other.origin.to_string();
    origin.refused(format!("{} sets {name} too; leave one of them out", other.trim_end_matches([':', ' '])))
}

impl SearchArgs {
    /// All flags.
    pub(crate) fn settings(&self) -> RawSettings {
        self.0.clone()
    }

    /// The text of a flag, if it is given and passes a test; the flag is then forgotten.
    pub(crate) fn take(&mut self, name: &'static str, test: impl Fn(&str) -> bool) -> Option<RawValue> {
        let given = self.0.given(name).filter(|given| test(&given.value)).cloned();
        if given.is_some() {
            self.0.forget(name);
        }
        given
    }
}
