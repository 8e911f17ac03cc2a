//! Claims about infinite runs, from a name or a formula of the command line to a claim about a world, with the
//! atoms that it needs.

use crate::fairness::fairness;
use crate::plan::{Asked, Plan};
use crate::problem::Problem;
use crate::subject::{Claim, Subject};
use crate::traits::Trait;
use watchkeeper_core::Pid;
use watchkeeper_logic::{Fairness, Formula, Temporal, parse};
use watchkeeper_space::Space;
use watchkeeper_world::World;

/// The properties of failure detectors after Chandra and Toueg, with what they say.
pub(crate) fn of_classes() -> impl Iterator<Item = (&'static str, &'static str)> {
    Trait::ALL.into_iter().map(|property| (property.name(), property.about()))
}

/// Whether something that is asked is a claim about infinite runs.
pub(crate) fn is_about_runs<S: Subject>(asked: &Asked) -> bool {
    match asked {
        Asked::Formula(_) => true,
        Asked::Named(name) => {
            (is_detector::<S>() && Trait::named(name).is_some()) || own::<S>(name).is_some()
        }
        _ => false,
    }
}

/// The claim of a protocol that has this name.
fn own<S: Subject>(name: &str) -> Option<&'static Claim> {
    S::CLAIMS.iter().find(|claim| claim.name == name)
}

/// Whether anybody suspects anybody in a world of this protocol.
pub(crate) fn is_detector<S: Subject>() -> bool {
    S::SUSPECTS.is_some() || S::STOPPED.is_some()
}

/// The world with the atoms that a claim needs, and the claim.
pub(crate) fn claim<S: Subject>(
    world: World<S>,
    plan: &Plan,
    asked: &Asked,
) -> Result<(World<S>, Temporal, Vec<Fairness>), Problem> {
    let n = plan.scenario.n;
    let world = S::told(if is_detector::<S>() { suspecting(world, n) } else { world });
    let claim = match asked {
        Asked::Formula(text) => {
            let formula = parse(text, &(world.shape(), n));
            let formula = formula.map_err(|wrong| match &plan.claimed_by {
                Some(given) => given.refused(format!("this cannot be read:\n{}", wrong.render(text))),
                None => Problem::Usage(wrong.render(text)),
            })?;
            let premise = premise(&formula);
            Temporal { name: text.clone(), formula, premise }
        }
        named => {
            let name = named.to_string();
            match (own::<S>(&name), Trait::named(&name)) {
                (Some(claim), _) => Temporal::new(name, (claim.formula)(world.shape(), n)),
                (None, Some(property)) => property.claim(world.shape(), n),
                (None, None) => {
                    return Err(Problem::Usage(format!("{name} is not a claim about infinite runs")));
                }
            }
        }
    };
    let mut rules = fairness(plan, world.shape())?;
    // Also where time passes nothing else would oblige a client to ask.
    if plan.fairness.is_none() && own::<S>(&asked.to_string()).is_some() {
        rules.push(Fairness::steps());
    }
    Ok((world, claim, rules))
}

/// What must come true in some run for a claim to say anything: of `G (a -> b)` that a does at some time, of `a -> b`
/// that it does at the start. An implication is known by the negation before its `or`.
fn premise(claim: &Formula) -> Option<Formula> {
    let implied = |formula: &Formula| match formula {
        Formula::Or(left, right) => match (&**left, right.is_of_a_state()) {
            (Formula::Not(when), _) => Some((**when).clone()),
            (left, false) if left.is_of_a_state() => Some(left.clone().not()),
            _ => None,
        },
        _ => None,
    };
    match claim {
        Formula::Release(never, inner) if **never == Formula::False => {
            implied(inner).map(Formula::eventually)
        }
        other => implied(other),
    }
}

/// The world with an atom for every pair of processes: whether one suspects the other. What one that has crashed
/// thought counts for nothing. One that has stopped of its own accord suspects whoever has crashed; if nobody
/// has, it was wrong to stop, and suspects everyone.
pub(crate) fn suspecting<S: Subject>(mut world: World<S>, n: usize) -> World<S> {
    let protocol = world.protocol().clone();
    for by in Pid::all(n) {
        for of in Pid::all(n).filter(|of| *of != by) {
            let protocol = protocol.clone();
            world = world.with_atom(format!("suspects({by},{of})"), false, move |global| {
                let Some(state) = global.state(by) else { return false };
                if let Some(suspects) = S::SUSPECTS {
                    return suspects(&protocol, by, state).contains(of);
                }
                let stopped = S::STOPPED.is_some_and(|stopped| stopped(&protocol, by, state));
                stopped && (global.state(of).is_none() || Pid::all(n).all(|p| global.state(p).is_some()))
            });
        }
    }
    world
}
