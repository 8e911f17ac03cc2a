//! The case `ring-refinement`: one claim with its run, or all of them as a table.

use super::{CaseRun, said};
use clap::Args;
use watchkeeper::Problem;
use watchkeeper_casebook::ring_refinement::{RefinementClaim, claims, table};
use watchkeeper_logic::ExitCode;

/// The flags of the case.
#[derive(Args, Clone, Debug)]
pub(super) struct RefinementArgs {
    /// One claim, such as lossy-dead or hasty; without one, all claims are compared
    #[arg(long, value_name = "CLAIM")]
    model: Option<String>,

    /// Compare the claims that take minutes too
    #[arg(long, conflicts_with = "model")]
    heavy: bool,
}

/// The names of the claims.
pub(super) fn names() -> Vec<&'static str> {
    claims().iter().map(|claim| claim.name).collect()
}

impl RefinementArgs {
    /// One claim, or every claim. A claim that is not answered as before is a failure.
    pub(super) fn run(&self, mut case: CaseRun<'_>) -> Result<ExitCode, Problem> {
        let Some(given) = said("model", &self.model) else {
            case.switch("heavy", self.heavy);
            return case.tabulate(|search| table(self.heavy, search));
        };
        let Some(claim) = RefinementClaim::named(&given.value) else {
            let why = format!("there is no claim `{}`: choose one of {}", given.value, names().join(", "));
            return Err(given.refused(why));
        };
        case.line.flag("model", claim.name);
        case.report(|job, clock| Ok(claim.compare(&job.options.search, clock)?.verdict))
    }
}
