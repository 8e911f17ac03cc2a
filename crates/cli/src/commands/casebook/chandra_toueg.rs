//! The case `chandra-toueg`: one instance, the published tables, or the least timeout over ranges of bounds.

use super::{CasebookArgs, clock, code, leave, said};
use crate::again;
use crate::command_line::CommandLine;
use crate::job::Job;
use crate::program::Program;
use crate::raw_settings::RawValue;
use std::str::FromStr;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_casebook::chandra_toueg::{
    BoundRange, ChandraTouegCase, ChandraTouegCaseError, ChandraTouegProperty, Encoding, Findings,
    TimeoutGrid,
};
use watchkeeper_casebook::ring::Crash;
use watchkeeper_logic::ExitCode;

/// The names of the properties.
pub(super) const PROPERTIES: [&str; 4] = [
    ChandraTouegProperty::StrongAccuracy.name(),
    ChandraTouegProperty::EventualStrongAccuracy.name(),
    ChandraTouegProperty::StrongCompleteness.name(),
    ChandraTouegProperty::BoundedCompleteness.name(),
];

/// The names of the encodings.
pub(super) const ENCODINGS: [&str; 2] = [Encoding::Predicate.name(), Encoding::Counter.name()];

/// What can be made least.
const LEAST: &str = "timeout";

/// The ranges of a sweep for which nobody gives any.
const USUAL: (BoundRange, BoundRange) = (BoundRange { first: 0, last: 8 }, BoundRange { first: 1, last: 8 });

/// Takes a `--timeout` that is a plain number out of the arguments: here it is the first timeout of the receiver,
/// whereas a span such as 10min is the longest time to search.
pub(super) fn first_timeout(args: &mut CasebookArgs) -> Result<Option<RawValue>, Problem> {
    let is_number = |text: &String| text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty();
    let plain = said("timeout", &args.search.timeout.clone().filter(is_number));
    let named = said("initial-timeout", &args.initial_timeout);
    if plain.is_some() {
        args.search.timeout = None;
    }
    match (plain, named) {
        (Some(plain), Some(_)) => {
            let why = "this is a number, so it is the first timeout, which --initial-timeout says too; leave one \
                       of them out, or give a time to search such as 10min";
            Err(plain.refused(why))
        }
        (plain, named) => Ok(plain.or(named)),
    }
}

/// Does what the arguments say.
pub(super) fn run(
    program: &Program,
    args: &CasebookArgs,
    timeout: Option<RawValue>,
    job: &Job,
) -> Result<ExitCode, Problem> {
    let flags = [
        ("--delta", args.delta.is_some()),
        ("--phi", args.phi.is_some()),
        ("--timeout", timeout.is_some()),
        ("--property", args.property.is_some()),
        ("--encoding", args.encoding.is_some()),
        ("--crash", args.crash.is_some()),
    ];
    let first = flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
    match (first, &args.least) {
        (None, None) => tables(program, args, job),
        (first, _) if args.heavy => {
            let other = first.unwrap_or("--least");
            let why = format!("--heavy is for the tables, and {other} is not; leave one of them out");
            Err(Problem::Usage(why))
        }
        (_, Some(_)) => sweep(program, args, timeout, job),
        (Some(_), None) => one(program, args, timeout, job),
    }
}

/// Searches one instance.
fn one(
    program: &Program,
    args: &CasebookArgs,
    timeout: Option<RawValue>,
    job: &Job,
) -> Result<ExitCode, Problem> {
    let (delta, phi) = (single("delta", &args.delta)?, single("phi", &args.phi)?);
    let encoding = super::given("encoding", &args.encoding, Encoding::Predicate)?;
    let property = super::given("property", &args.property, ChandraTouegProperty::StrongAccuracy)?;
    let first = match &timeout {
        Some(given) => whole(given)?,
        // Out of range with a bound that is; then that is what is refused.
        None => ChandraTouegCase::sufficient(
            delta.min(ChandraTouegCase::MAX_DELTA),
            phi.min(ChandraTouegCase::MAX_PHI),
        ),
    };
    let case =
        ChandraTouegCase::new(delta, phi, first, encoding).map_err(|why| refused(why, timeout.as_ref()))?;
    let case = match crash(args, property)? {
        Some(Crash::AnyTime) => case.with_crash(),
        _ => case,
    };
    let case = property.fitting(case);
    let mut line = CommandLine::new(&program.name, &["casebook", "chandra-toueg"]);
    line.flag("delta", case.delta());
    line.flag("phi", case.phi());
    // Beside a limit of time the plain flag is taken.
    line.flag(if job.options.timeout.is_some() { "initial-timeout" } else { "timeout" }, case.timeout());
    line.flag("property", property);
    line.flag("encoding", case.encoding());
    line.flag("crash", if case.crash() { Crash::AnyTime } else { Crash::Never });
    again::search_flags(&mut line, &job.options, false);
    let space = case.space();
    let question = property.question(&space);
    job.solve(space, question, &line.to_string())
}

/// Computes the published tables again. A line that is not as before is a failure.
fn tables(program: &Program, args: &CasebookArgs, job: &Job) -> Result<ExitCode, Problem> {
    let mut line = CommandLine::new(&program.name, &["casebook", "chandra-toueg"]);
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

/// Finds the least timeout for strong accuracy in every cell of two ranges.
fn sweep(
    program: &Program,
    args: &CasebookArgs,
    timeout: Option<RawValue>,
    job: &Job,
) -> Result<ExitCode, Problem> {
    if let Some(given) = said("least", &args.least).filter(|given| given.value != LEAST) {
        return Err(
            given.refused(format!("there is nothing but the {LEAST} to be least; write --least {LEAST}"))
        );
    }
    if let Some(given) = timeout {
        return Err(given.refused("the least timeout is looked for, so none is given; leave it out"));
    }
    if let Some(given) = said("crash", &args.crash) {
        return Err(given.refused("strong accuracy is about a sender that does not crash; leave it out"));
    }
    if let Some(given) = said("property", &args.property)
        && given.parsed::<ChandraTouegProperty>()? != ChandraTouegProperty::StrongAccuracy
    {
        return Err(given.refused("the least timeout is that for strong-accuracy; leave the property out"));
    }
    let encoding = super::given("encoding", &args.encoding, Encoding::Counter)?;
    let (delta, phi) = (range("delta", &args.delta, USUAL.0)?, range("phi", &args.phi, USUAL.1)?);
    for (delta, phi) in [(delta.first, phi.first), (delta.last, phi.last)] {
        ChandraTouegCase::new(delta, phi, 0, encoding).map_err(|why| refused(why, None))?;
    }
    let mut line = CommandLine::new(&program.name, &["casebook", "chandra-toueg"]);
    line.flag("delta", delta);
    line.flag("phi", phi);
    line.flag("least", LEAST);
    line.flag("encoding", encoding);
    again::search_flags(&mut line, &job.options, false);
    let clock = clock(args, job);
    let grid = TimeoutGrid::of(delta, phi, encoding, &job.options.search, &clock);
    clock.finish();
    let grid = grid?;
    leave(job, &grid.table(), &clock, line.to_string())?;
    Ok(code(false, grid.open()))
}

/// Whether the sender may crash, where that is said.
fn crash(args: &CasebookArgs, property: ChandraTouegProperty) -> Result<Option<Crash>, Problem> {
    let Some(given) = said("crash", &args.crash) else { return Ok(None) };
    let is_complete = matches!(
        property,
        ChandraTouegProperty::StrongCompleteness | ChandraTouegProperty::BoundedCompleteness
    );
    match given.parsed::<Crash>()? {
        Crash::AtStart => {
            Err(given.refused("the sender of this model starts alive; write any-time or never"))
        }
        Crash::Never if is_complete => {
            Err(given.refused("completeness is about a sender that crashes; leave it out"))
        }
        crash => Ok(Some(crash)),
    }
}

/// The one value of a bound.
fn single(flag: &str, text: &Option<String>) -> Result<u32, Problem> {
    let Some(given) = said(flag, text) else {
        let why = format!("one instance needs --delta and --phi, and --{flag} is missing; give it a number");
        return Err(Problem::Usage(why));
    };
    if given.value.contains("..") {
        let why =
            format!("one instance has one {flag}; give a number, or look for --least {LEAST} over ranges");
        return Err(given.refused(why));
    }
    whole(&given)
}

/// A range of a bound; a number is a range of one.
fn range(flag: &str, text: &Option<String>, usual: BoundRange) -> Result<BoundRange, Problem> {
    let Some(given) = said(flag, text) else { return Ok(usual) };
    if let Ok(value) = given.value.parse() {
        return Ok(BoundRange { first: value, last: value });
    }
    let number = |word: &str| u32::from_str(word.trim()).ok();
    let ends = given.value.split_once("..").and_then(|(first, last)| Some((number(first)?, number(last)?)));
    match ends {
        None => {
            let why = format!("`{}` is not a range; write FIRST..LAST, such as {usual}", given.value);
            Err(given.refused(why))
        }
        Some((first, last)) if first > last => {
            Err(given.refused(format!("{first}..{last} is empty; write {last}..{first}")))
        }
        Some((first, last)) => Ok(BoundRange { first, last }),
    }
}

fn whole(given: &RawValue) -> Result<u32, Problem> {
    let wrong = || given.refused(format!("`{}` is not a number of steps; write one such as 4", given.value));
    given.value.trim().parse().map_err(|_| wrong())
}

/// The problem that a case has been refused, with the flag that is to blame.
fn refused(why: ChandraTouegCaseError, timeout: Option<&RawValue>) -> Problem {
    let flag = |name: &str| SettingOrigin::Argument(name.to_string());
    let origin = match why {
        ChandraTouegCaseError::Delta(_) => flag("--delta"),
        ChandraTouegCaseError::Phi(_) => flag("--phi"),
        ChandraTouegCaseError::Timeout(_) | ChandraTouegCaseError::Name(_) => {
            timeout.map_or_else(|| flag("--timeout"), |given| given.origin.clone())
        }
    };
    Problem::Value { origin, why: why.to_string() }
}
