//! From the names of properties to a question about a world: each name becomes an atom, an invariant or
//! an observer. It knows names and where they come from, never how they are searched for.

use crate::plan::{Asked, Plan, WITHIN_CAPACITY};
use crate::problem::{Origin, Problem};
use crate::subject::{Subject, Test};
use watchkeeper_core::Pid;
use watchkeeper_logic::{Invariant, Monitor, Question};
use watchkeeper_space::{AtomId, Space};
use watchkeeper_world::World;

/// The properties that every protocol has, with what they say.
pub(crate) const COMMON: [(&str, &str); 2] = [
    ("deadlock", "while some process has not crashed, something can still happen"),
    (WITHIN_CAPACITY, "no message finds its channel full; asked whenever channels report"),
];

/// The properties that every failure detector has, with what they say.
pub(crate) const OF_DETECTORS: [(&str, &str); 1] =
    [("oscillation:K[:pX:pY]", "pX [p0] does not stop suspecting pY [p1] K times after its crash")];

/// The world of a protocol in the scenario of a plan, and the question that the plan asks of it.
pub(crate) fn pose<S: Subject>(protocol: S, plan: &Plan) -> Result<(World<S>, Question), Problem> {
    let calls = protocol.calls(plan.scenario.n);
    let mut world = World::new(protocol, plan.scenario.clone())?;
    if !calls.is_empty() {
        world = world.with_calls(calls)?;
    }
    let mut question = Question::default();
    for asked in &plan.asked {
        match asked {
            Asked::Deadlock => question.deadlock = true,
            Asked::Named(name) => {
                let invariant;
                (world, invariant) = named(world, plan, name)?;
                question.invariants.push(invariant);
            }
            Asked::Oscillation { .. } if question.monitor.is_some() => {
                return Err(refused(plan, "only one oscillation property fits into one search"));
            }
            Asked::Oscillation { times, watcher, crashed } => {
                let suspected;
                (world, suspected) = suspicion(world, plan, *watcher, *crashed)?;
                let monitor =
                    Monitor::oscillation(atom(&world, &format!("crashed({crashed})")), suspected, *times);
                question.monitor = Some(Monitor { name: asked.to_string(), ..monitor });
            }
        }
    }
    Ok((world, question))
}

/// A property of the network or of the protocol, by its name.
fn named<S: Subject>(world: World<S>, plan: &Plan, name: &str) -> Result<(World<S>, Invariant), Problem> {
    if name == WITHIN_CAPACITY {
        let then = atom(&world, name);
        return Ok((world, Invariant { name: name.to_string(), when: None, then }));
    }
    let Some(property) = S::PROPERTIES.iter().find(|property| property.name == name) else {
        let own = S::PROPERTIES.iter().map(|property| property.name);
        let detectors = OF_DETECTORS.iter().map(|(name, _)| *name).filter(|_| S::SUSPECTS.is_some());
        let known = COMMON.iter().map(|(name, _)| *name).chain(detectors).chain(own);
        return Err(Problem::Unknown {
            origin: origin(plan),
            what: "property",
            name: name.to_string(),
            known: known.map(str::to_string).collect(),
        });
    };
    let (world, then) = tested(world, name.to_string(), property.symmetric, property.then);
    let (world, when) = match property.when {
        None => (world, None),
        Some(test) => {
            let (world, when) = tested(world, format!("{name} is asked"), property.symmetric, test);
            (world, Some(when))
        }
    };
    Ok((world, Invariant { name: name.to_string(), when, then }))
}

/// A test of the protocol as an atom of its world.
fn tested<S: Subject>(world: World<S>, name: String, symmetric: bool, test: Test<S>) -> (World<S>, AtomId) {
    let protocol = world.protocol().clone();
    let world = world.with_atom(name, symmetric, move |global| test(&protocol, global));
    let id = world.shape().atoms.len() - 1;
    (world, id)
}

/// The atom that `watcher` suspects `crashed`. A watcher that has crashed itself has not given up its
/// suspicion, so the atom is true of it too.
fn suspicion<S: Subject>(
    world: World<S>,
    plan: &Plan,
    watcher: Pid,
    crashed: Pid,
) -> Result<(World<S>, AtomId), Problem> {
    let Some(suspects) = S::SUSPECTS else {
        return Err(refused(
            plan,
            &format!("{} is no failure detector, so nobody suspects anybody", S::NAME),
        ));
    };
    let n = plan.scenario.n;
    if let Some(stranger) = [watcher, crashed].into_iter().find(|p| p.index() >= n) {
        return Err(refused(plan, &format!("there is no {stranger}: the processes are p0 to p{}", n - 1)));
    }
    let faults = &plan.scenario.faults;
    if !faults.crashable.union(faults.crashed_at_start).contains(crashed) {
        let why = format!(
            "{crashed} cannot crash in this scenario; let it, with --crashes 1 --crashable {crashed}"
        );
        return Err(refused(plan, &why));
    }
    let protocol = world.protocol().clone();
    let world = world.with_atom(format!("suspects({watcher},{crashed})"), false, move |global| {
        global.state(watcher).is_none_or(|state| suspects(&protocol, watcher, state).contains(crashed))
    });
    let id = world.shape().atoms.len() - 1;
    Ok((world, id))
}

/// An atom that every world has.
fn atom<S: Subject>(world: &World<S>, name: &str) -> AtomId {
    world.shape().atom(name).unwrap_or_else(|| panic!("a world without the atom {name}"))
}

fn origin(plan: &Plan) -> Origin {
    let default = || Origin::Argument("--property".to_string());
    plan.asked_by.as_ref().map_or_else(default, |given| given.origin.clone())
}

fn refused(plan: &Plan, why: &str) -> Problem {
    Problem::Value { origin: origin(plan), why: why.to_string() }
}
