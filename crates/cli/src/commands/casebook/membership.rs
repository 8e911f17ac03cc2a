//! The case `membership`: chapter 5 of the thesis, further than it went, and readings of the original text that fail.

use super::{CaseRun, parts, said};
use clap::Args;
use watchkeeper::Problem;
use watchkeeper_casebook::membership::{MembershipPart, reading, table};
use watchkeeper_logic::ExitCode;
use watchkeeper_protocols::membership::GroupFlaw;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct MembershipArgs {
    /// A planted reading of the original text, such as one-by-one: the run that shows what it breaks
    #[arg(long, value_name = "READING", conflicts_with = "part")]
    model: Option<String>,

    /// Only this part, or these, separated by commas: faults, more, join, join-all, reductions, readings, returns
    /// [default: all but more and join-all]
    #[arg(long, value_name = "PARTS")]
    part: Option<String>,
}

/// The names of the planted readings.
pub(super) fn readings() -> Vec<&'static str> {
    GroupFlaw::ALL.iter().map(|flaw| flaw.name()).collect()
}

impl MembershipArgs {
    /// One planted reading, or all questions of the parts. An answer that is not as it must be is a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let Some(given) = said("model", &self.model) else {
            let parts = parts(&self.part, &MembershipPart::USUAL)?;
            case.line.maybe("part", self.part.as_ref());
            return case.tabulate(|search| table(&parts, search));
        };
        let flaw: GroupFlaw = given.parsed()?;
        case.line.flag("model", flaw);
        case.report(|job, clock| reading(flaw).verdict(&job.options.search, clock))
    }
}
