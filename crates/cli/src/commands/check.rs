//! `check`: a protocol, by name or from a scenario file, on a network of the user's choice.

use crate::again;
use crate::arguments::{CheckArgs, ScenarioArgs, SearchArgs};
use crate::job::Job;
use crate::program::Program;
use crate::registry::Entry;
use crate::texts::Texts;
use crate::{registry, scenario_file};
use watchkeeper::effort::Effort;
use watchkeeper::{Problem, Together};
use watchkeeper_logic::ExitCode;

/// Checks what the arguments name.
pub(crate) fn run(program: &Program, args: &CheckArgs) -> Result<ExitCode, Problem> {
    let (entry, settings) = named(program, &args.scenario, &args.search, "check")?;
    let settings = settings.read()?;
    let job = Job::new(Effort::of(&settings)?, &args.output)?;
    let plan = entry.subject.plan(&settings)?;
    let command = again::check(&program.name, entry.outline(), &plan, &job.effort);
    job.inquire(entry.subject.pose(&plan, Together::AsFarAsPossible)?, &plan.manner, &command)
}

/// The protocol that the arguments of a command name, and all that is said about it.
pub(crate) fn named<'a>(
    program: &'a Program,
    scenario: &ScenarioArgs,
    search: &SearchArgs,
    command: &str,
) -> Result<(&'a Entry, Texts), Problem> {
    let mut settings = Texts::default();
    scenario.add_to(&mut settings)?;
    search.add_to(&mut settings);
    let mut settings = settings.over(Texts::environment(|name| std::env::var(name).ok()));
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
fn deaf(program: &Program, entry: &Entry) -> String {
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
