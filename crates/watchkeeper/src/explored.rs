//! The space that a person steps through: the world of a plan with every proposition that its protocol has, so that any
//! formula can be asked of any state. It has the states and steps of the space in which the plan is searched, but for
//! reductions: whatever a search leaves out is here.

use crate::description::{Described, Description};
use crate::plan::CheckPlan;
use crate::pose::{Posing, suspecting};
use crate::problem::Problem;
use crate::property_spec::PropertySpec;
use crate::query::SearchedSpace;
use watchkeeper_logic::Question;
use watchkeeper_space::Space;
use watchkeeper_world::{TypedWorld, Worlds};

/// A space to step through, and what clients ask in it.
pub struct ExploredSpace {
    /// What clients ask there; empty if nobody asks anything.
    pub clients: String,
    /// The space.
    pub space: SearchedSpace,
    /// What the plan asks of it, but for what needs an observer that is not there.
    pub question: Question,
}

/// The spaces of a plan to step through, one for each way in which clients may ask. A plan that asks one thing that needs an
/// observer has it in its space, so that a run that violates it is a run there.
pub(crate) fn explored<P: Described>(
    description: &Description<P>,
    protocol: &P,
    plan: &CheckPlan,
) -> Result<Vec<ExploredSpace>, Problem> {
    let mut all = Vec::new();
    for clients in (description.clients)(protocol, plan.scenario.n, &plan.params)? {
        let (mut worlds, mut question) = (Vec::new(), Question::default());
        for scenario in plan.scenarios() {
            let plan = CheckPlan { scenario, ..plan.clone() };
            let posing = Posing { description, protocol, calls: &clients.calls, plan: &plan };
            let (asked, world) = world(&posing)?;
            worlds.push(world);
            question = asked;
        }
        let space: SearchedSpace = match worlds.len() {
            1 => Box::new(worlds.remove(0).into_world()),
            _ => Box::new(Worlds::new(worlds)?),
        };
        all.push(ExploredSpace { clients: clients.name, space, question });
    }
    Ok(all)
}

/// The world of one scenario, with all propositions.
fn world<P: Described>(posing: &Posing<'_, P>) -> Result<(Question, TypedWorld<P>), Problem> {
    let (observed, unobserved): (Vec<&PropertySpec>, Vec<_>) =
        posing.plan.asked.iter().partition(|asked| posing.is_observed(asked));
    // What needs no observer of its own adds propositions alone; a plan may ask it unbidden, beside the one that has one.
    let alone = if observed.len() == 1 { observed } else { unobserved };
    let (question, mut world) = posing.one(&alone)?;
    let has = |world: &TypedWorld<P>, name: &str| world.shape().atom(name).is_some();
    if !has(&world, "suspects(p0,p1)") || !has(&world, "suspects(p1,p0)") {
        world = suspecting(posing.description, world, posing.plan.scenario.n);
    }
    // A claim about runs has brought these already.
    if !alone.iter().any(|asked| posing.is_about_runs(asked)) {
        world = (posing.description.atoms)(world);
    }
    for property in &posing.description.properties {
        if !has(&world, property.name) {
            (world, _) = posing.named(world, property.name)?;
        }
    }
    Ok((question, world))
}
