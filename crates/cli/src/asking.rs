//! One question to a protocol, for commands that ask many: its verdict, with the command that gives it again.

use crate::again::add_to;
use crate::clock::Clock;
use crate::command_line::CommandLine;
use crate::job::cost;
use crate::program::Program;
use crate::registry::Entry;
use watchkeeper::ask::ask;
use watchkeeper::effort::Effort;
use watchkeeper::plan::Plan;
use watchkeeper::{Asked, Problem, Verdict};
use watchkeeper_report::Run;

/// Asks one thing, whatever else the plan asks.
pub(crate) fn one(
    program: &Program,
    entry: &Entry,
    plan: &Plan,
    asked: Asked,
    effort: &Effort,
    clock: &Clock,
) -> Result<(Verdict, Run), Problem> {
    let began = clock.seconds();
    let found = ask(&*entry.subject, plan, asked.clone(), effort, clock);
    clock.finish();
    let (verdict, symmetry) = found?;
    let (plan, effort) = (Plan { asked: vec![asked], ..plan.clone() }, Effort { symmetry, ..effort.clone() });
    let mut line = CommandLine::new(&program.name, &["check", entry.name()]);
    add_to(&mut line, entry.outline(), &plan, &effort, true);
    Ok((verdict, cost(line.to_string(), clock.seconds() - began)))
}
