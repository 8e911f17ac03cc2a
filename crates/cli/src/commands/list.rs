//! `list`: the protocols with their parameters and properties; of one protocol in a scenario also the sorts, actions and
//! propositions that formulas can use there.

use crate::arguments::{ScenarioArgs, SearchArgs};
use crate::commands::check::named;
use crate::help::broken;
use crate::outputs::print;
use crate::program::Program;
use crate::registry::{self, ProtocolEntry};
use clap::Args;
use watchkeeper::plan::CheckPlan;
use watchkeeper::{Problem, SearchedSpace};
use watchkeeper_logic::ExitCode;
use watchkeeper_space::Space;

/// The width of a line.
const WIDTH: usize = 98;

/// All flags of `list`: what is there depends on the scenario.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Prints what the program knows.
pub(crate) fn run(program: &Program, args: &ListArgs) -> Result<ExitCode, Problem> {
    if !args.scenario.is_given() {
        let entries: Vec<&ProtocolEntry> = program.entries.iter().collect();
        print(&registry::details(&entries))?;
        return Ok(ExitCode::HOLDS);
    }
    let (entry, settings) = named(program, &args.scenario, &SearchArgs::default(), "list")?;
    // Whatever is asked of a scenario, its propositions are all of them.
    let plan = CheckPlan { asked: Vec::new(), ..entry.protocol.plan(&settings.read()?)? };
    let explored = entry.protocol.explored(&plan)?;
    let spaces: Vec<SearchedSpace> = explored.into_iter().map(|explored| explored.space).collect();
    let told = spaces.first().map_or(String::new(), |space| vocabulary(&**space));
    print(&format!("{}{told}", registry::details(&[entry])))?;
    Ok(ExitCode::HOLDS)
}

/// The sorts, actions and propositions of a space.
pub(crate) fn vocabulary(space: &dyn Space) -> String {
    let mut out = String::new();
    if let Some(labels) = space.data_labels() {
        let vocabulary = labels.vocabulary();
        out.push_str("  Sorts:\n");
        for (name, definition) in &vocabulary.sorts {
            out.push_str(&format!("    {}\n", broken(&format!("{name} = {definition}"), 6, WIDTH)));
        }
        out.push_str("  Actions (a step is one, or several at once):\n");
        for (name, sorts) in &vocabulary.actions {
            let arguments = if sorts.is_empty() { String::new() } else { format!("({})", sorts.join(", ")) };
            out.push_str(&format!("    {name}{arguments}\n"));
        }
    }
    let atoms: Vec<&str> = space.shape().atoms.iter().map(|atom| atom.name.as_str()).collect();
    out.push_str("  Propositions (--ltl):\n");
    out.push_str(&format!("    {}\n", broken(&atoms.join("  "), 4, WIDTH)));
    out
}
