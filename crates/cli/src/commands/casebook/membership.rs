//! The case `membership`: chapter 5 of the thesis, further than it went, and readings of the original text that fail.

use super::{CasebookArgs, clock, code, leave, said};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use crate::raw_settings::RawValue;
use std::str::FromStr;
use watchkeeper::Problem;
use watchkeeper_casebook::membership::{Choice, Findings, MembershipPart, reading};
use watchkeeper_logic::ExitCode;
use watchkeeper_protocols::membership::GroupFlaw;

/// The names of the parts.
pub(super) const PARTS: [&str; 7] = [
    MembershipPart::Faults.name(),
    MembershipPart::More.name(),
    MembershipPart::Join.name(),
    MembershipPart::JoinAll.name(),
    MembershipPart::Reductions.name(),
    MembershipPart::Readings.name(),
    MembershipPart::Returns.name(),
];

/// The names of the planted readings.
pub(super) fn readings() -> Vec<&'static str> {
    GroupFlaw::ALL.iter().map(|flaw| flaw.name()).collect()
}

/// Asks everything again. An answer that is not as it must be is a failure.
pub(super) fn all(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut choice = Choice::default();
    if let Some(given) = said("part", &args.part) {
        choice.parts = given.parsed_list::<Named>()?.into_iter().map(|Named(part)| part).collect();
        if choice.parts.is_empty() {
            return Err(given.refused(format!("no part is named; choose from {}", PARTS.join(", "))));
        }
    }
    let mut line = CommandLine::new(&program.name, &["casebook", "membership"]);
    line.maybe("part", args.part.as_ref());
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = Findings::of(&choice, &job.options.search, &clock, &|| clock.seconds());
    clock.finish();
    let found = found?;
    leave(job, &found.table(), &clock, line.to_string())?;
    Ok(code(found.changed(), found.open()))
}

/// One planted reading, with the run that shows what it breaks.
pub(super) fn one(
    program: &Program,
    args: &CasebookArgs,
    given: &RawValue,
    job: &Job,
) -> Result<ExitCode, Problem> {
    if args.part.is_some() {
        return Err(Problem::Usage(
            "--model is one reading and --part is many; give one of them".to_string(),
        ));
    }
    let flaw: GroupFlaw = given.parsed()?;
    let mut line = CommandLine::new(&program.name, &["casebook", "membership"]);
    line.flag("model", flaw);
    again::search_flags(&mut line, &job.options, false);
    let instance = reading(flaw);
    let clock = clock(args, job);
    let search = instance.way.search(&job.options.search);
    let verdict = instance.case.asked(instance.requirement, &search, &clock);
    clock.finish();
    job.tell(verdict?, clock.seconds(), &line.to_string())
}

/// A part by its name.
struct Named(MembershipPart);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let named = MembershipPart::ALL.into_iter().find(|part| part.name() == text);
        named.map(Named).ok_or_else(|| format!("`{text}` is none of {}", PARTS.join(", ")))
    }
}
