//! The case `chandra-toueg`: one instance, the published tables, or the least timeout over ranges of bounds.

use super::{CaseRun, out_of_range, said};
use crate::arguments::SearchArgs;
use crate::raw_settings::RawValue;
use clap::Args;
use std::str::FromStr;
use watchkeeper::Problem;
use watchkeeper_casebook::OutOfRange;
use watchkeeper_casebook::chandra_toueg::{
    BoundRange, ChandraTouegCase, ChandraTouegProperty, Encoding, TimeoutGrid, tables,
};
use watchkeeper_casebook::ring::Crash;
use watchkeeper_logic::ExitCode;

/// The quantity that a sweep minimises.
const LEAST: &str = "timeout";

/// The ranges of a sweep for which nobody gives any.
const USUAL: (BoundRange, BoundRange) = (BoundRange { first: 0, last: 8 }, BoundRange { first: 1, last: 8 });

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct ChandraTouegArgs {
    /// The bound on the delay of a message, in global steps; with --least a range, such as 0..8
    #[arg(long, value_name = "D")]
    delta: Option<String>,

    /// The bound on the relative speed of processes; with --least a range, such as 1..8
    #[arg(long, value_name = "F")]
    phi: Option<String>,

    /// The first timeout of the receiver, in its own steps; --timeout with a plain number says the same
    /// [default: 6*phi + delta]
    #[arg(long, value_name = "N")]
    initial_timeout: Option<String>,

    /// What to ask: strong-accuracy, eventual-strong-accuracy, strong-completeness or bounded-completeness
    /// [default: strong-accuracy]
    #[arg(long, value_name = "NAME")]
    property: Option<ChandraTouegProperty>,

    /// How the messages under way are written down: predicate or counter [default: predicate; with --least
    /// counter]
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,

    /// When the sender crashes: never or any-time [default: never; any-time for completeness]
    #[arg(long, value_name = "WHEN")]
    crash: Option<Crash>,

    /// Find the least first timeout for strong accuracy, for every pair of delta and phi: timeout
    #[arg(long, value_name = "WHAT")]
    least: Option<String>,

    /// Search the line of Table 2 with millions of states too
    #[arg(long)]
    heavy: bool,
}

impl ChandraTouegArgs {
    /// Takes a `--timeout` that is a plain number out of the arguments: here it is the first timeout of the receiver,
    /// whereas a span such as 10min is the longest time to search.
    pub(super) fn first_timeout(&self, search: &mut SearchArgs) -> Result<Option<RawValue>, Problem> {
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit()) && !text.is_empty();
        let plain = search.take("timeout", is_number);
        let plain = said("timeout", &plain.map(|plain| plain.value));
        match (plain, said("initial-timeout", &self.initial_timeout)) {
            (Some(plain), Some(_)) => {
                let why = "this is a number, so it is the first timeout, which --initial-timeout says too; leave \
                           one of them out, or give a time to search such as 10min";
                Err(plain.refused(why))
            }
            (plain, named) => Ok(plain.or(named)),
        }
    }

    /// The published tables, one instance, or a sweep. A line of the tables that is not as before is a failure.
    pub(super) fn run(&self, timeout: Option<RawValue>, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let flags = [
            ("--delta", self.delta.is_some()),
            ("--phi", self.phi.is_some()),
            ("--timeout", timeout.is_some()),
            ("--property", self.property.is_some()),
            ("--encoding", self.encoding.is_some()),
            ("--crash", self.crash.is_some()),
        ];
        let first = flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
        match (first, &self.least) {
            (None, None) => {
                case.switch("heavy", self.heavy);
                case.tabulate(|search| tables(self.heavy, search))
            }
            (first, _) if self.heavy => {
                let other = first.unwrap_or("--least");
                let why = format!("--heavy is for the tables, and {other} is not; leave one of them out");
                Err(Problem::Usage(why))
            }
            (_, Some(least)) => self.sweep(least, timeout, case),
            (Some(_), None) => self.one(timeout, case),
        }
    }

    /// Searches one instance.
    fn one(&self, timeout: Option<RawValue>, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let (delta, phi) = (single("delta", &self.delta)?, single("phi", &self.phi)?);
        let encoding = self.encoding.unwrap_or(Encoding::Predicate);
        let property = self.property.unwrap_or(ChandraTouegProperty::StrongAccuracy);
        let first = match &timeout {
            Some(given) => whole(given)?,
            // A bound that is out of its range is refused below.
            None => ChandraTouegCase::sufficient(
                delta.min(ChandraTouegCase::MAX_DELTA),
                phi.min(ChandraTouegCase::MAX_PHI),
            ),
        };
        let refused = |error: OutOfRange| match &timeout {
            Some(given) if error.parameter == "timeout" => given.refused(error.to_string()),
            _ => out_of_range(error),
        };
        let instance = ChandraTouegCase::new(delta, phi, first, encoding).map_err(refused)?;
        let instance = match self.crash(property)? {
            Some(Crash::AnyTime) => instance.with_crash(),
            _ => instance,
        };
        let instance = property.fitting(instance);
        case.line.flag("delta", delta);
        case.line.flag("phi", phi);
        // Beside a limit of time the plain flag is taken.
        let limited = case.job.options.timeout.is_some();
        case.line.flag(if limited { "initial-timeout" } else { "timeout" }, first);
        case.line.flag("property", property);
        case.line.flag("encoding", encoding);
        case.line.flag("crash", if instance.crash() { Crash::AnyTime } else { Crash::Never });
        let space = instance.space();
        let question = property.question(&space);
        case.solve(space, question)
    }

    /// Finds the least timeout for strong accuracy in every cell of two ranges.
    fn sweep(
        &self,
        least: &str,
        timeout: Option<RawValue>,
        mut case: CaseRun<'_>,
    ) -> Result<ExitCode, Problem> {
        let refused = |flag: &str, value: &dyn std::fmt::Display, why: String| {
            said(flag, &Some(value.to_string())).map_or(Ok(()), |given| Err(given.refused(why)))
        };
        if least != LEAST {
            refused(
                "least",
                &least,
                format!("there is nothing but the {LEAST} to be least; write --least {LEAST}"),
            )?;
        }
        if let Some(given) = timeout {
            return Err(given.refused("the least timeout is looked for, so none is given; leave it out"));
        }
        if let Some(crash) = self.crash {
            let why = "strong accuracy is about a sender that does not crash; leave it out";
            refused("crash", &crash, why.to_string())?;
        }
        match self.property {
            Some(property) if property != ChandraTouegProperty::StrongAccuracy => {
                let why = "the least timeout is that for strong-accuracy; leave the property out";
                refused("property", &property, why.to_string())?;
            }
            _ => {}
        }
        let encoding = self.encoding.unwrap_or(Encoding::Counter);
        let (delta, phi) = (range("delta", &self.delta, USUAL.0)?, range("phi", &self.phi, USUAL.1)?);
        for (delta, phi) in [(delta.first, phi.first), (delta.last, phi.last)] {
            ChandraTouegCase::new(delta, phi, 0, encoding).map_err(out_of_range)?;
        }
        case.line.flag("delta", delta);
        case.line.flag("phi", phi);
        case.line.flag("least", LEAST);
        case.line.flag("encoding", encoding);
        let clock = case.clock()?;
        let grid = TimeoutGrid::of(delta, phi, encoding, &case.job.options.search, &clock);
        clock.finish();
        let grid = grid?;
        case.leave(&grid.table(), &clock)?;
        Ok(if grid.open() { ExitCode::UNKNOWN } else { ExitCode::HOLDS })
    }

    /// Whether the sender may crash, where that is said.
    fn crash(&self, property: ChandraTouegProperty) -> Result<Option<Crash>, Problem> {
        let complete = [ChandraTouegProperty::StrongCompleteness, ChandraTouegProperty::BoundedCompleteness];
        let refused = |crash: Crash, why: &str| Err(Problem::Usage(format!("--crash {crash}: {why}")));
        match self.crash {
            Some(crash @ Crash::AtStart) => {
                refused(crash, "the sender of this model starts alive; write any-time or never")
            }
            Some(crash @ Crash::Never) if complete.contains(&property) => {
                refused(crash, "completeness is about a sender that crashes; leave it out")
            }
            crash => Ok(crash),
        }
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
