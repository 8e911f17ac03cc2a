//! The case `ring-refinement`: one claim with its run, or all of them as a table.

use super::{CasebookArgs, clock, code, leave, said};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use watchkeeper::Problem;
use watchkeeper_casebook::ring_refinement::{Findings, RefinementClaim, claims};
use watchkeeper_logic::ExitCode;

/// The names of the claims.
pub(super) fn names() -> Vec<&'static str> {
    claims().iter().map(|claim| claim.name).collect()
}

/// Examines one claim.
pub(super) fn one(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let Some(given) = said("model", &args.model) else { return all(program, args, job) };
    let Some(claim) = RefinementClaim::named(&given.value) else {
        let why = format!("there is no claim `{}`: choose one of {}", given.value, names().join(", "));
        return Err(given.refused(why));
    };
    let mut line = CommandLine::new(&program.name, &["casebook", "ring-refinement"]);
    line.flag("model", claim.name);
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = claim.compare(&job.options.search, &clock);
    clock.finish();
    job.tell(found?.verdict, clock.seconds(), &line.to_string())
}

/// Examines every claim. One that is not answered as before is a failure.
pub(super) fn all(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut line = CommandLine::new(&program.name, &["casebook", "ring-refinement"]);
    if args.heavy {
        line.switch("heavy");
    }
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = Findings::of(args.heavy, &job.options.search, &clock, &|| clock.seconds());
    clock.finish();
    let found = found?;
    leave(job, &found.table(), &clock, line.to_string())?;
    Ok(code(found.changed(), found.open()))
}
