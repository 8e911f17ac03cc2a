//! The case `ring`: one of its models, or the published table.

use super::{CasebookArgs, clock, given, leave};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::ring::{Crash, FullChannel, RingCase, RingModel, RingNetwork, table};
use watchkeeper_logic::{ExitCode, Invariant, Monitor, Question};
use watchkeeper_space::{AtomId, Space};

/// Searches one model.
pub(super) fn one(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let case = RingCase::new(
        given("model", &args.model, RingModel::ProcessAlgebra)?,
        given("channel", &args.channel, FullChannel::Block)?,
        given("buffer", &args.buffer, 1)?,
        given("crash", &args.crash, Crash::AnyTime)?,
    )
    .map_err(|why| Problem::Value {
        origin: SettingOrigin::Argument("--buffer".to_string()),
        why: why.to_string(),
    })?;
    let times: Option<u32> =
        args.oscillations.as_ref().map(|_| given("oscillations", &args.oscillations, 1)).transpose()?;
    if times == Some(0) {
        let why = "no oscillation at all is no question; give a number from 1 on".to_string();
        return Err(Problem::Value { origin: SettingOrigin::Argument("--oscillations".to_string()), why });
    }
    let mut line = CommandLine::new(&program.name, &["casebook", "ring"]);
    line.flag("model", case.model());
    line.flag("channel", case.when_full());
    line.flag("buffer", case.buffer());
    line.flag("crash", case.crash());
    line.maybe("oscillations", times);
    if args.count {
        line.switch("count");
    }
    again::search_flags(&mut line, &job.options, false);
    let space = case.space();
    let question = if args.count { Question::default() } else { question(&space, times) };
    job.solve(space, question, &line.to_string())
}

/// The published question: an overflow where channels report, a deadlock elsewhere, unless oscillations
/// are asked for.
fn question(space: &RingNetwork, times: Option<u32>) -> Question {
    let atom = |name: &str| -> AtomId {
        space.shape().atom(name).unwrap_or_else(|| panic!("a published model without the atom {name}"))
    };
    if let Some(times) = times {
        let monitor = Monitor::oscillation(atom("crashed(p1)"), atom("suspects(p0,p1)"), times);
        return Question { monitor: Some(monitor), ..Question::default() };
    }
    if space.case().when_full() != FullChannel::Report {
        return Question::no_deadlock();
    }
    let name = "within-capacity";
    let invariant = Invariant { name: name.to_string(), when: None, then: atom(name) };
    Question { invariants: vec![invariant], ..Question::default() }
}

/// Computes the published table again.
pub(super) fn all(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut line = CommandLine::new(&program.name, &["casebook", "ring"]);
    if args.heavy {
        line.switch("heavy");
    }
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let found = table(&job.options.search, &clock, args.heavy);
    clock.finish();
    leave(job, &found?, &clock, line.to_string())?;
    Ok(ExitCode::HOLDS)
}
