//! The case `consensus`: chapter 4 of the thesis, and the systems that its theorems leave out.

use super::{CaseRun, parts};
use clap::Args;
use watchkeeper::Problem;
use watchkeeper_casebook::consensus::{ConsensusPart, table};
use watchkeeper_logic::ExitCode;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct ConsensusArgs {
    /// Only this part, or these, separated by commas: table, four, four-all, limits, mistakes, composed
    /// [default: all but four and four-all]
    #[arg(long, value_name = "PARTS")]
    part: Option<String>,
}

impl ConsensusArgs {
    /// Asks everything again. An answer that is not as it must be is a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let parts = parts(&self.part, &ConsensusPart::USUAL)?;
        case.line.maybe("part", self.part.as_ref());
        case.tabulate(|search| table(&parts, search))
    }
}
