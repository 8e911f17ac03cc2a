//! One question to a protocol, for commands that ask many: its verdict, with the command that gives it again.

use crate::again::add_to;
use crate::clock::Clock;
use crate::command_line::CommandLine;
use crate::job::cost;
use crate::program::Program;
use crate::registry::ProtocolEntry;
use watchkeeper::ask::ask;
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Problem, PropertySpec, Verdict};
use watchkeeper_report::RunFacts;

/// Asks one thing, whatever else the plan asks.
pub(crate) fn one(
    program: &Program,
    entry: &ProtocolEntry,
    plan: &CheckPlan,
    asked: PropertySpec,
    options: &SearchOptions,
    clock: &Clock,
) -> Result<(Verdict, RunFacts), Problem> {
    let began = clock.seconds();
    let found = ask(&*entry.protocol, plan, asked.clone(), options, clock);
    clock.finish();
    let (verdict, symmetry) = found?;
    let (plan, options) =
        (CheckPlan { asked: vec![asked], ..plan.clone() }, SearchOptions { symmetry, ..options.clone() });
    let mut line = CommandLine::new(&program.name, &["check", entry.name()]);
    add_to(&mut line, entry.outline(), &plan, &options);
    Ok((verdict, cost(line.to_string(), clock.seconds() - began)))
}
