//! The case `consensus`: chapter 4 of the thesis, and what its theorems leave out.

use super::{CasebookArgs, clock, code, leave, said};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use std::str::FromStr;
use watchkeeper::Problem;
use watchkeeper_casebook::consensus::{Choice, ConsensusPart, Findings};
use watchkeeper_logic::ExitCode;

/// The names of the parts.
pub(super) const PARTS: [&str; 6] = [
    ConsensusPart::Table.name(),
    ConsensusPart::Four.name(),
    ConsensusPart::FourAll.name(),
    ConsensusPart::Limits.name(),
    ConsensusPart::Mistakes.name(),
    ConsensusPart::Composed.name(),
];

/// Asks everything again. An answer that is not as it must be is a failure.
pub(super) fn run(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut choice = Choice::default();
    if let Some(given) = said("part", &args.part) {
        choice.parts = given.parsed_list::<Named>()?.into_iter().map(|Named(part)| part).collect();
        if choice.parts.is_empty() {
            return Err(given.refused(format!("no part is named; choose from {}", PARTS.join(", "))));
        }
    }
    let mut line = CommandLine::new(&program.name, &["casebook", "consensus"]);
    line.maybe("part", args.part.as_ref());
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = Findings::of(&choice, &job.options.search, &clock, &|| clock.seconds());
    clock.finish();
    let found = found?;
    leave(job, &found.table(), &clock, line.to_string())?;
    Ok(code(found.changed(), found.open()))
}

/// A part by its name.
struct Named(ConsensusPart);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let named = ConsensusPart::ALL.into_iter().find(|part| part.name() == text);
        named.map(Named).ok_or_else(|| format!("`{text}` is none of {}", PARTS.join(", ")))
    }
}
