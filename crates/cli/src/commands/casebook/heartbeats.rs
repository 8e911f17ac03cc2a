//! The case `heartbeats`: Tables 3.1 and 3.2, cell by cell.

use super::{CasebookArgs, clock, code, leave, said};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use std::str::FromStr;
use watchkeeper::Problem;
use watchkeeper_casebook::heartbeats::{Choice, Findings, TimeDomain};
use watchkeeper_core::MAX_PROCESSES;
use watchkeeper_logic::ExitCode;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

/// The names of the protocols.
pub(super) const NAMES: [&str; 6] = [
    HeartbeatVariant::Binary.name(),
    HeartbeatVariant::Revised.name(),
    HeartbeatVariant::TwoPhase.name(),
    HeartbeatVariant::Static.name(),
    HeartbeatVariant::Expanding.name(),
    HeartbeatVariant::Dynamic.name(),
];

/// Computes the published tables again. A cell that is not what was verified before is a failure.
pub(super) fn run(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let choice = choice(args)?;
    let mut line = CommandLine::new(&program.name, &["casebook", "heartbeats"]);
    line.maybe("time", args.time.as_ref());
    if args.corrected {
        line.switch("corrected");
    }
    if args.original {
        line.switch("original");
    }
    line.maybe("protocol", args.protocol.as_ref());
    line.maybe("n", args.n.as_ref());
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = Findings::of(&choice, &job.options.search, &clock, &|| clock.seconds());
    clock.finish();
    let found = found?;
    leave(job, &found.table(), &clock, line.to_string())?;
    Ok(code(found.changed(), found.open()))
}

fn choice(args: &CasebookArgs) -> Result<Choice, Problem> {
    let mut choice = Choice::default();
    if let Some(given) = said("time", &args.time) {
        choice.models = given.parsed::<Models>()?.0;
    }
    if let Some(given) = said("protocol", &args.protocol) {
        choice.variants = given.parsed_list::<HeartbeatVariant>()?;
        if choice.variants.is_empty() {
            return Err(given.refused(format!("no protocol is named; choose from {}", NAMES.join(", "))));
        }
    }
    if let Some(given) = said("n", &args.n) {
        let most = MAX_PROCESSES - 1;
        let n: usize = given.parsed()?;
        if !(1..=most).contains(&n) {
            return Err(given.refused(format!("{n} participants are not possible; choose from 1 to {most}")));
        }
        choice.participants = Some(n);
    }
    match (args.original, args.corrected) {
        (true, _) => choice.corrected = vec![false],
        (_, true) => choice.corrected = vec![true],
        _ => {}
    }
    Ok(choice)
}

/// The models of time that a word stands for.
struct Models(Vec<TimeDomain>);

impl FromStr for Models {
    type Err = String;

    fn from_str(text: &str) -> Result<Models, String> {
        if text == "both" {
            return Ok(Models(TimeDomain::BOTH.to_vec()));
        }
        let named = TimeDomain::BOTH.into_iter().find(|model| model.name() == text);
        named
            .map(|model| Models(vec![model]))
            .ok_or_else(|| format!("`{text}` is none of ticks, dense and both"))
    }
}
