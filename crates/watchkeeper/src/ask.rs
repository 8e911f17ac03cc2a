//! From a plan to its verdicts: everything that it asks, or one thing. This is the one way in which a protocol is searched;
//! it says nothing to anybody.

use crate::asked::Asked;
use crate::effort::Effort;
use crate::plan::{Manner, Plan};
use crate::pose::Together;
use crate::problem::Problem;
use crate::subject::Subject;
use watchkeeper_explore::Watch;
use watchkeeper_logic::{Outcome, Verdict};

/// Asks everything, up to the first violation, and makes one verdict of it. What one search could not find out does not
/// hide what another one finds.
pub fn answers(
    subject: &dyn Subject,
    plan: &Plan,
    effort: &Effort,
    watch: &dyn Watch,
) -> Result<Verdict, Problem> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    for inquiry in subject.pose(plan, Together::AsFarAsPossible)? {
        verdicts.push(inquiry.answer(&plan.manner, effort, watch)?);
        if verdicts.last().is_some_and(|last| matches!(last.outcome, Outcome::Violated(_))) {
            break;
        }
    }
    plan.manner.warn(&mut verdicts.iter_mut().collect::<Vec<_>>());
    verdicts.into_iter().reduce(Verdict::and).ok_or_else(|| nothing_asked(plan))
}

/// Asks one thing, whatever else a plan asks, and gives the verdict with what `symmetry` has to be to get it again. Where
/// channels let it, a reduction by the symmetry that the protocol promises is made unless somebody forbids it: nobody sees
/// more of this verdict than its figures.
pub fn ask(
    subject: &dyn Subject,
    plan: &Plan,
    asked: Asked,
    effort: &Effort,
    watch: &dyn Watch,
) -> Result<(Verdict, Option<bool>), Problem> {
    known_bounds(plan, "this command")?;
    if plan.interleaving.stages {
        let why = "this command searches all interleavings, and this protocol is searched in stages; use `check`, or \
                   add --interleaving all";
        return Err(Problem::Usage(why.to_string()));
    }
    let plan = Plan { asked: vec![asked], ..plan.clone() };
    let posed = subject.pose(&plan, Together::Never)?.into_iter().next();
    let manner = Manner { symmetric: plan.is_symmetric(true), ..plan.manner.clone() };
    let verdict = posed.ok_or_else(|| nothing_asked(&plan))?.answer(&manner, effort, watch)?;
    let symmetry = if verdict.stats.renamings > 0 { Some(true) } else { effort.symmetry };
    Ok((verdict, symmetry))
}

/// Refuses a plan whose bounds are unknown, for commands that search one world at a time: they would answer for the
/// largest bounds alone.
pub fn known_bounds(plan: &Plan, command: &str) -> Result<(), Problem> {
    if !plan.unknown {
        return Ok(());
    }
    let why = format!(
        "{command} searches one set of bounds at a time, and --synchrony unknown is about many; use `check` or \
         `classify`, or leave it out"
    );
    Err(Problem::Usage(why))
}

fn nothing_asked(plan: &Plan) -> Problem {
    Problem::Usage(format!("nothing is asked of {}; name a property", plan.name))
}
