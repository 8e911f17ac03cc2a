//! The case `ring-timed`: one of its models, or what the thesis claims of all of them.

use super::{CasebookArgs, clock, code, given, leave};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use std::str::FromStr;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::ring::Crash;
use watchkeeper_casebook::ring_timed::{
    ClockReading, Findings, MessageOrder, RingTimedCase, RingTimedCaseError, TimedQuestion, TimedVariant,
};
use watchkeeper_logic::ExitCode;

/// The names of the detectors.
pub(super) const DETECTORS: [&str; 4] = [
    TimedVariant::WeakCompleteness.name(),
    TimedVariant::WeakAccuracy.name(),
    TimedVariant::StrongAccuracy.name(),
    TimedVariant::StrongCompleteness.name(),
];

/// What can be asked of one model, by name.
pub(super) const QUESTIONS: [(&str, TimedQuestion); 7] = [
    ("mutual-block", TimedQuestion::MutualBlock),
    ("deadlock", TimedQuestion::Deadlock),
    ("weak-accuracy", TimedQuestion::WeakAccuracy),
    ("new-suspicion", TimedQuestion::NewSuspicion),
    ("strong-accuracy", TimedQuestion::StrongAccuracy),
    ("strong-completeness", TimedQuestion::StrongCompleteness),
    ("never-in-G", TimedQuestion::NeverInG),
];

/// The name of a question.
struct Question((&'static str, TimedQuestion));

impl FromStr for Question {
    type Err = String;

    fn from_str(text: &str) -> Result<Question, String> {
        let known = QUESTIONS.into_iter().find(|(name, _)| *name == text);
        let names = QUESTIONS.map(|(name, _)| name).join(", ");
        known.map(Question).ok_or_else(|| format!("there is no question `{text}`: choose one of {names}"))
    }
}

/// Searches one model.
pub(super) fn one(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let Question((name, asked)) = given("ask", &args.ask, Question(QUESTIONS[0]))?;
    let case = RingTimedCase::new(
        given("model", &args.model, TimedVariant::WeakAccuracy)?,
        given("order", &args.order, MessageOrder::Any)?,
        given("buffer", &args.buffer, 1)?,
        given("max-delta", &args.max_delta, 2)?,
        given("clock", &args.clock, ClockReading::EveryResend)?,
    )
    .map_err(|why| {
        let flag = match why {
            RingTimedCaseError::Capacity(_) => "--buffer",
            _ => "--max-delta",
        };
        Problem::Value { origin: SettingOrigin::Argument(flag.to_string()), why: why.to_string() }
    })?;
    let case = case.with_crash(given("crash", &args.crash, Crash::AtStart)?);
    let mut line = CommandLine::new(&program.name, &["casebook", "ring-timed"]);
    line.flag("model", case.variant());
    line.flag("order", case.order());
    line.flag("buffer", case.capacity());
    line.flag("max-delta", case.max_delta());
    line.flag("clock", case.clock());
    line.flag("crash", case.crash());
    line.flag("ask", name);
    again::search_flags(&mut line, &job.options, false);
    let space = case.space();
    let question = asked.question(&space);
    job.solve(space, question, &line.to_string())
}

/// Examines every claim. One that is not answered as before is a failure.
pub(super) fn all(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut line = CommandLine::new(&program.name, &["casebook", "ring-timed"]);
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
