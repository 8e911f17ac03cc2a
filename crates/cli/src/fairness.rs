//! Which infinite runs count, from the words of the command line to constraints on a space. A word that names
//! nothing is refused with what there is to name.

use crate::plan::{Plan, Process};
use crate::problem::Problem;
use crate::settings::Given;
use watchkeeper_core::Pid;
use watchkeeper_logic::{Each, Fairness, Selection, Strength};
use watchkeeper_space::{ClassId, Role, Shape};

/// The words that stand for whole families of constraints.
const FAMILIES: [&str; 6] = ["none", "steps", "processes", "timers", "messages", "links"];

/// The constraints that a plan asks for.
pub(crate) fn fairness(plan: &Plan, shape: &Shape) -> Result<Vec<Fairness>, Problem> {
    let Some(given) = &plan.fairness else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for word in given.text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        all.extend(constraint(given, word, shape, plan.scenario.n)?);
    }
    Ok(all)
}

fn constraint(given: &Given, word: &str, shape: &Shape, n: usize) -> Result<Option<Fairness>, Problem> {
    let nothing = |what: &str| given.refused(format!("`{word}` names nothing: this protocol has no {what}"));
    match word {
        "none" => Ok(None),
        "steps" => Ok(Some(Fairness::steps())),
        "processes" => Ok(Some(Fairness::processes())),
        "timers" => Fairness::timers(shape).map(Some).ok_or_else(|| nothing("timers")),
        "messages" => Fairness::messages(shape).map(Some).ok_or_else(|| nothing("messages")),
        "links" => Fairness::links(shape).map(Some).ok_or_else(|| nothing("messages")),
        _ => named(given, word, shape, n).map(Some),
    }
}

/// A constraint on one class of actions: `weak:NAME`, `strong:NAME@pX`.
fn named(given: &Given, word: &str, shape: &Shape, n: usize) -> Result<Fairness, Problem> {
    let (strength, name) = match word.split_once(':') {
        Some(("weak", name)) => (Strength::Weak, name),
        Some(("strong", name)) => (Strength::Strong, name),
        _ => {
            return Err(Problem::Unknown {
                origin: given.origin.clone(),
                what: "fairness",
                name: word.to_string(),
                known: FAMILIES
                    .iter()
                    .map(|name| name.to_string())
                    .chain(["weak:NAME".to_string(), "strong:NAME@pX".to_string()])
                    .collect(),
            });
        }
    };
    let (name, process) = match name.rsplit_once('@') {
        None => (name, None),
        Some((name, process)) => {
            let Process(p) = process.parse().map_err(|why: String| given.refused(why))?;
            if p.index() >= n {
                return Err(given.refused(format!("there is no {p}: the processes are p0 to p{}", n - 1)));
            }
            (name, Some(p))
        }
    };
    let mut classes = classes(shape, name.trim());
    if process.is_some() {
        // The passing of time and the stabilisation of a network are nobody's steps.
        classes.retain(|class| Some(*class) != shape.time && !shape.owed.contains(class));
    }
    if classes.is_empty() {
        return Err(Problem::Unknown {
            origin: given.origin.clone(),
            what: "message, timer or class of actions",
            name: name.trim().to_string(),
            known: nameable(shape).map(|class| class.to_string()).collect(),
        });
    }
    Ok(Fairness {
        name: sentence(strength, name.trim(), process),
        strength,
        of: Selection { classes, process, peer: None },
        each: Each::Kind,
    })
}

/// What a constraint on a class says.
fn sentence(strength: Strength, name: &str, process: Option<Pid>) -> String {
    let of = process.map_or(String::new(), |p| format!(" of {p}"));
    match strength {
        Strength::Strong => format!(
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
