//! `check`: a protocol, by name or from a scenario file, on a network of the user's choice.

use crate::again;
use crate::arguments::{CheckArgs, ScenarioArgs, SearchArgs};
use crate::job::Job;
use crate::program::Program;
use crate::raw_settings::RawSettings;
use crate::registry::ProtocolEntry;
use crate::{registry, scenario_file};
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{JointSearch, Problem};
use watchkeeper_logic::ExitCode;

/// Checks what the arguments name.
pub(crate) fn run(program: &Program, args: &CheckArgs) -> Result<ExitCode, Problem> {
    let (entry, settings) = named(program, &args.scenario, &args.search, "check")?;
    let settings = settings.read()?;
    let job = Job::new(SearchOptions::of(&settings)?, &args.output)?;
    let plan = entry.protocol.plan(&settings)?;
    let command = again::check(&program.name, entry.outline(), &plan, &job.options);
    job.ask_all(entry.protocol.pose(&plan, JointSearch::AsFarAsPossible)?, &plan.report_options, &command)
}

/// The protocol that the arguments of a command name, and all that is said about it.
pub(crate) fn named<'a>(
    program: &'a Program,
    scenario: &ScenarioArgs,
    search: &SearchArgs,
    command: &str,
) -> Result<(&'a ProtocolEntry, RawSettings), Problem> {
    let mut settings = RawSettings::default();
    scenario.add_to(&mut settings)?;
    search.add_to(&mut settings);
    let mut settings = settings.over(RawSettings::environment(|name| std::env::var(name).ok()));
    if let Some(path) = scenario.file() {
        settings = settings.over(scenario_file::read(&path)?);
    }
    let entry = match (settings.given("protocol"), program.entries.as_slice()) {
        (Some(given), entries) => registry::find(entries, &given.value, &given.origin)?,
        (None, [only]) if program.alone => only,
        _ => return Err(Problem::Usage(nameless(program, scenario, command))),
    };
    if let Some(given) = settings.given("oracle").filter(|_| !entry.hears()) {
        return Err(given.refused(deaf(program, entry)));
    }
    Ok((entry, settings))
}

/// What to say of an oracle below a protocol that is not told what one thinks.
fn deaf(program: &Program, entry: &ProtocolEntry) -> String {
    let hear: Vec<&str> =
        program.entries.iter().filter(|entry| entry.hears()).map(|entry| entry.name()).collect();
    let others =
        if hear.is_empty() { String::new() } else { format!("; those that are: {}", hear.join(", ")) };
    format!("{} is not told what a failure detector thinks, so leave the oracle out{others}", entry.name())
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
