//! From a plan to what a simulation needs: the protocol without its types, its model, the observers of its requirements and
//! what clients ask. What is simulated is what a check of the same plan would search.

use crate::description::{Described, Description};
use crate::plan::CheckPlan;
use crate::pose::Posing;
use crate::problem::Problem;
use crate::property_spec::PropertySpec;
use watchkeeper_core::{Pid, ProcSet, packed};
use watchkeeper_node::{Assumptions, Node};
use watchkeeper_sim::{NodeMaker, SimulatedRequirement, SimulatedSubject};
use watchkeeper_world::{Faults, Scenario, TypedWorld, WorldTime};

/// The subject of a simulation of this plan, whose unit of time is so many nanoseconds.
pub(crate) fn subject<P: Described>(
    description: &Description<P>,
    protocol: &P,
    plan: &CheckPlan,
    tick: u64,
) -> Result<SimulatedSubject, Problem> {
    let n = plan.scenario.n;
    let faults = Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() };
    let anything = CheckPlan { scenario: Scenario { faults, ..plan.scenario.clone() }, ..plan.clone() };
    let world = TypedWorld::new(protocol.clone(), anything.scenario.clone())?;
    let model = world.around(Scenario { faults: Faults::default(), ..plan.scenario.clone() })?;
    let promises = (description.live.promises)(protocol, &plan.scenario);
    let asked = asked(plan, &promises);
    let observers = observed(description, world, &anything, &asked)?.into_world().into_observers();
    let requirement = |observer: Box<dyn watchkeeper_sim::ErasedObserver>| {
        let name = observer.name();
        let base = name.split(':').next().unwrap_or(&name);
        let timed = ["detection", "accuracy", "mistakes"].contains(&base);
        // What a verdict rests on is said of each property; of what it is not said, the protocol needs nothing.
        let always = !timed && !promises.is_empty() && promises.iter().all(|(promised, _)| *promised != base);
        SimulatedRequirement { name, observer, always }
    };
    let (calls, opening) = clients(description, protocol, plan)?;
    Ok(SimulatedSubject {
        n: plan.usual.n,
        tick,
        world: model,
        requirements: observers.into_iter().map(requirement).collect(),
        calls,
        opening,
        restarts: description.live.restarts,
        node: node_maker(protocol.clone()),
        assumptions: Assumptions::default(),
    })
}

/// Makes nodes of a protocol.
fn node_maker<P: Described>(protocol: P) -> NodeMaker {
    Box::new(move |config, start| Node::new(protocol.clone(), config, start))
}

/// What is asked of runs: what the plan names, and of a detector with bounds on time that it suspects nobody wrongly, if
/// that is what it promises and nobody names anything.
fn asked(plan: &CheckPlan, promises: &[crate::RestsOn]) -> Vec<PropertySpec> {
    let mut asked = plan.asked.clone();
    let accurate = promises.iter().any(|(name, _)| *name == "accuracy");
    let bounded = plan.scenario.time != WorldTime::Untimed;
    if plan.settings.property.is_none() && plan.settings.ltl.is_none() && accurate && bounded {
        asked.push(PropertySpec::Accuracy { of: None });
    }
    asked
}

/// What can be asked, and what each process is asked as it begins.
type ClientCalls = (Vec<(Pid, Vec<u8>, u32)>, Vec<Option<Vec<u8>>>);

/// Processes that decide on values propose as they begin, each another value as far as there are any; everything else is
/// asked at any moment.
fn clients<P: Described>(
    description: &Description<P>,
    protocol: &P,
    plan: &CheckPlan,
) -> Result<ClientCalls, Problem> {
    let n = plan.scenario.n;
    if let Some(deciding) = description.live.deciding {
        let domain = (deciding.domain)(&plan.params)?.unwrap_or(n as u64).max(1);
        let propose = |p: usize| Some(packed(&(deciding.propose)(p as u64 % domain)));
        return Ok((Vec::new(), (0..n).map(propose).collect()));
    }
    let clients = (description.clients)(protocol, n, &plan.params)?;
    let calls = clients.into_iter().next().map_or(Vec::new(), |clients| clients.calls);
    let calls = calls.into_iter().map(|(process, call, budget)| (process, packed(&call), budget));
    Ok((calls.collect(), vec![None; n]))
}

/// A world with the observers of all requirements on runs that are asked, for runs that are not searched: what is asked of
/// single states or of infinite runs is left out.
fn observed<P: Described>(
    description: &Description<P>,
    mut world: TypedWorld<P>,
    plan: &CheckPlan,
    asked: &[PropertySpec],
) -> Result<TypedWorld<P>, Problem> {
    let protocol = world.protocol().clone();
    let posing = Posing { description, protocol: &protocol, calls: &[], plan };
    for asked in asked {
        world = match asked {
            PropertySpec::Detection { .. }
            | PropertySpec::Accuracy { .. }
            | PropertySpec::Mistakes { .. } => posing.detecting(world, asked)?.0,
            PropertySpec::Named(name) => match posing.requirement(asked) {
                Some(requirement) => posing.observed(world, name, requirement)?.0,
                None => world,
            },
            _ => world,
        };
    }
    Ok(world)
}
