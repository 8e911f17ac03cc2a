//! `check`: a protocol, by name or from a scenario file, on a network of the user's choice.

use crate::again;
use crate::arguments::{CheckArgs, OutputArgs, ScenarioArgs, SearchArgs};
use crate::checkpoint::unlimited;
use crate::commands::specification;
use crate::fleet::{self, SearchProcess};
use crate::formula_check;
use crate::job::Job;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use crate::{registry, scenario_file};
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{JointSearch, Problem};
use watchkeeper_logic::ExitCode;

/// Checks what the arguments name.
pub(crate) fn run(program: &Program, args: &CheckArgs) -> Result<ExitCode, Problem> {
    run_around(program, args, RawSettings::environment(|name| std::env::var(name).ok()))
}

/// The same, with these settings instead of those in the environment of the process.
pub(crate) fn run_around(
    program: &Program,
    args: &CheckArgs,
    environment: RawSettings,
) -> Result<ExitCode, Problem> {
    if let Some(path) = args.scenario.specification() {
        return specification::check(program, args, &path, environment);
    }
    if args.formula.is_asked()
        && let Some(code) = formula_check::of_listed(program, args, &environment)?
    {
        return Ok(code);
    }
    let (entry, settings) = named_around(program, &args.scenario, &args.search, "check", environment)?;
    if args.formula.is_asked() {
        return formula_check::of_protocol(program, args, (entry, settings));
    }
    let settings = settings.read()?;
    let options = SearchOptions::of(&settings)?;
    let plan = entry.protocol.plan(&settings)?;
    args.fleet.refuse_store(&options.search.store)?;
    let command = |options: &SearchOptions| again::check(&program.name, entry.outline(), &plan, options);
    let begin =
        |options: &SearchOptions| args.checkpoint.begin(program, &command(&unlimited(options)), &args.fleet);
    if let Some(code) = fleet::supervise(&args.fleet, || begin(&options))? {
        return Ok(code);
    }
    let worker = SearchProcess::new(&args.fleet, &args.checkpoint, &command(&options))?;
    let silent = OutputArgs { quiet: true, ..OutputArgs::default() };
    let (options, output) = match &worker {
        None => (options, &args.output),
        Some(worker) => (worker.options(&options), if worker.reports { &args.output } else { &silent }),
    };
    let mut job = Job::new(options, output)?;
    let queries = entry.protocol.pose(&plan, JointSearch::AsFarAsPossible)?;
    job.leave_checkpoints(begin(&job.options)?);
    let answer = job.ask_all(queries, &plan.report_options, &command(&job.options));
    SearchProcess::answered(worker, answer)
}

/// The protocol that the arguments of a command name, and all that is said about it.
pub(crate) fn named<'a>(
    program: &'a Program,
    scenario: &ScenarioArgs,
    search: &SearchArgs,
    command: &str,
) -> Result<(&'a ProtocolEntry, RawSettings), Problem> {
    named_around(
        program,
        scenario,
        search,
        command,
        RawSettings::environment(|name| std::env::var(name).ok()),
    )
}

/// The same, with these settings instead of those in the environment of the process.
pub(crate) fn named_around<'a>(
    program: &'a Program,
    scenario: &ScenarioArgs,
    search: &SearchArgs,
    command: &str,
    environment: RawSettings,
) -> Result<(&'a ProtocolEntry, RawSettings), Problem> {
    let settings = search.settings().over(scenario.settings()?);
    let mut settings = settings.over(environment);
    if let Some(path) = scenario.file() {
        settings = settings.over(scenario_file::read(&path)?);
    }
    let entry = match (settings.given("protocol"), program.entries.as_slice()) {
        (Some(given), entries) => registry::find(entries, &given.value, &given.origin)?,
        (None, [only]) if program.alone => only,
        _ => return Err(Problem::Usage(nameless(program, scenario, command))),
    };
    refuse_foreign(program, entry, &settings)?;
    Ok((entry, settings))
}

/// Refuses an oracle below a protocol that hears none, and a parameter that only other protocols have.
fn refuse_foreign(program: &Program, entry: &ProtocolEntry, settings: &RawSettings) -> Result<(), Problem> {
    let refused = |given: &RawValue, what: &str, has: &dyn Fn(&ProtocolEntry) -> bool| {
        let others: Vec<&str> =
            program.entries.iter().filter(|entry| has(entry)).map(ProtocolEntry::name).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!("; these protocols have it: {}", others.join(", ")),
        };
        given.refused(format!("{} has no {what}, so leave it out{others}", entry.name()))
    };
    let hears = |entry: &ProtocolEntry| entry.outline().hears_oracle();
    if let Some(given) = settings.given("oracle").filter(|_| !hears(entry)) {
        return Err(refused(given, "oracle", &hears));
    }
    for (name, given) in settings.params.iter().filter(|(name, _)| !entry.has_param(name)) {
        let has = |entry: &ProtocolEntry| entry.has_param(name);
        if program.entries.iter().any(has) {
            return Err(refused(given, &format!("parameter {name}"), &has));
        }
    }
    Ok(())
}

/// What to do if no protocol is named.
fn nameless(program: &Program, scenario: &ScenarioArgs, command: &str) -> String {
    let names: Vec<&str> = program.entries.iter().map(|entry| entry.name()).collect();
    let known = names.join(", ");
    match &scenario.scenario {
        Some(file) => {
            format!("{file} does not say which protocol to check; add the key protocol, one of: {known}")
        }
        None => format!(
            "which protocol? Name one of: {known}; or a scenario file whose name ends in .toml\n  \
             Try: {} {command} {}",
            program.name,
            names.first().unwrap_or(&"")
        ),
    }
}
