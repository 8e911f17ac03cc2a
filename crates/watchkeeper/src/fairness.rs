//! Which infinite runs count, from rules to constraints on a space. A rule that names nothing is refused with what there
//! is to name.

use crate::plan::CheckPlan;
use crate::problem::Problem;
use crate::property_spec::FairnessRule;
use crate::settings::Sourced;
use watchkeeper_core::Pid;
use watchkeeper_logic::{ActionSelection, Fairness, FairnessStrength, FairnessUnit};
use watchkeeper_space::{ClassId, Role, Shape};

/// The constraints that a plan asks for.
pub(crate) fn fairness(plan: &CheckPlan, shape: &Shape) -> Result<Vec<Fairness>, Problem> {
    constraints(plan.fairness.as_ref(), shape, plan.scenario.n)
}

/// The constraints that rules mean in a space of `n` processes.
pub(crate) fn constraints(
    given: Option<&Sourced<Vec<FairnessRule>>>,
    shape: &Shape,
    n: usize,
) -> Result<Vec<Fairness>, Problem> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let all = given.value.iter().map(|rule| constraint(given, rule, shape, n));
    Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn constraint(
    given: &Sourced<Vec<FairnessRule>>,
    rule: &FairnessRule,
    shape: &Shape,
    n: usize,
) -> Result<Option<Fairness>, Problem> {
    let nothing = |what: &str| given.refused(format!("`{rule}` names nothing: this protocol has no {what}"));
    match rule {
        FairnessRule::None => Ok(None),
        FairnessRule::Steps => Ok(Some(Fairness::steps())),
        FairnessRule::Processes => Ok(Some(Fairness::processes())),
        FairnessRule::Timers => Fairness::timers(shape).map(Some).ok_or_else(|| nothing("timers")),
        FairnessRule::Messages => Fairness::messages(shape).map(Some).ok_or_else(|| nothing("messages")),
        FairnessRule::Links => Fairness::links(shape).map(Some).ok_or_else(|| nothing("messages")),
        FairnessRule::Class { strength, name, of } => {
            if let Some(p) = of.filter(|p| p.index() >= n) {
                return Err(given.refused(format!("there is no {p}: the processes are p0 to p{}", n - 1)));
            }
            let mut classes = classes(shape, name);
            if of.is_some() {
                // The passing of time and the stabilisation of a network are nobody's steps.
                classes.retain(|class| Some(*class) != shape.time && !shape.justice.contains(class));
            }
            if classes.is_empty() {
                return Err(Problem::Unknown {
                    origin: given.origin.clone(),
                    what: "message, timer or class of actions",
                    name: name.clone(),
                    known: nameable(shape).map(|class| class.to_string()).collect(),
                });
            }
            Ok(Some(Fairness {
                name: sentence(*strength, name, *of),
                strength: *strength,
                of: ActionSelection { classes, process: *of, peer: None },
                each: FairnessUnit::Kind,
            }))
        }
    }
}

/// What a constraint on a class says.
fn sentence(strength: FairnessStrength, name: &str, process: Option<Pid>) -> String {
    let of = process.map_or(String::new(), |p| format!(" of {p}"));
    match strength {
        FairnessStrength::Strong => format!(
            "strong fairness: `{name}`{of}, for each process and peer, is taken again and again if it is possible \
             again and again"
        ),
        _ => format!("weak fairness: `{name}`{of}, for each process and peer, is taken if it stays possible"),
    }
}

/// The classes of this name: in full, or only the message or the timer.
fn classes(shape: &Shape, name: &str) -> Vec<ClassId> {
    let fits = |full: &str| full == name || full.split_once(' ').is_some_and(|(_, short)| short == name);
    let found = shape.classes.iter().enumerate().filter(|(_, class)| fits(&class.name));
    found.filter(|(_, class)| class.role != Role::Fault).map(|(id, _)| id as ClassId).collect()
}

fn nameable(shape: &Shape) -> impl Iterator<Item = &str> {
    let may = shape.classes.iter().filter(|class| class.role != Role::Fault);
    may.map(|class| class.name.as_str())
}
