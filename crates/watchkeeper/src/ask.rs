//! From a plan to its verdicts: everything that it asks, or one thing. This is the one way in which a protocol is searched;
//! it says nothing to anybody.

use crate::erased::ErasedProtocol;
use crate::plan::{CheckPlan, ReportOptions};
use crate::pose::JointSearch;
use crate::problem::Problem;
use crate::property_spec::PropertySpec;
use crate::search_options::SearchOptions;
use watchkeeper_explore::ProgressCallback;
use watchkeeper_logic::{Outcome, Verdict};

/// Asks everything, up to the first violation, and makes one verdict of it. What one search could not find out does not
/// hide what another one finds.
pub fn answers(
    protocol: &dyn ErasedProtocol,
    plan: &CheckPlan,
    options: &SearchOptions,
    watch: &dyn ProgressCallback,
) -> Result<Verdict, Problem> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    for query in protocol.pose(plan, JointSearch::AsFarAsPossible)? {
        verdicts.push(query.answer(&plan.report_options, options, watch)?);
        if verdicts.last().is_some_and(|last| matches!(last.outcome, Outcome::Violated(_))) {
            break;
        }
    }
    plan.report_options.warn(&mut verdicts.iter_mut().collect::<Vec<_>>());
    verdicts.into_iter().reduce(Verdict::and).ok_or_else(|| nothing_asked(plan))
}

/// Asks one thing, whatever else a plan asks, and gives the verdict with what `symmetry` has to be to get it again. Where
/// channels let it, a reduction by the symmetry that the protocol promises is made unless somebody forbids it: nobody sees
/// more of this verdict than its figures.
pub fn ask(
    protocol: &dyn ErasedProtocol,
    plan: &CheckPlan,
    asked: PropertySpec,
    options: &SearchOptions,
    watch: &dyn ProgressCallback,
) -> Result<(Verdict, Option<bool>), Problem> {
    known_bounds(plan, "this command")?;
    if plan.interleaving.stages {
        let why = "this command searches all interleavings, and this protocol is searched in stages; use `check`, or \
                   add --interleaving all";
        return Err(Problem::Usage(why.to_string()));
    }
    let plan = CheckPlan { asked: vec![asked], ..plan.clone() };
    let posed = protocol.pose(&plan, JointSearch::Never)?.into_iter().next();
    let report_options = ReportOptions { symmetric: plan.is_symmetric(true), ..plan.report_options.clone() };
    let verdict = posed.ok_or_else(|| nothing_asked(&plan))?.answer(&report_options, options, watch)?;
    let symmetry = if verdict.stats.renamings > 0 { Some(true) } else { options.symmetry };
    Ok((verdict, symmetry))
}

/// Refuses a plan whose bounds are unknown, for commands that search one world at a time: they would answer for the
/// largest bounds alone.
pub fn known_bounds(plan: &CheckPlan, command: &str) -> Result<(), Problem> {
    if !plan.unknown {
        return Ok(());
    }
    let why = format!(
        "{command} searches one set of bounds at a time, and --synchrony unknown is about many; use `check` or \
         `classify`, or leave it out"
    );
    Err(Problem::Usage(why))
}

fn nothing_asked(plan: &CheckPlan) -> Problem {
    Problem::Usage(format!("nothing is asked of {}; name a property", plan.name))
}
