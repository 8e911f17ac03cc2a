//! From the names of properties to questions about worlds: each name becomes an atom, an invariant or an
//! observer. What can be asked together is one search; each requirement on runs is one of its own, since an
//! observer makes a space larger. It knows names and where they come from, never how they are searched for.

use crate::plan::{Asked, Plan, Process, TIME_LOCK, WITHIN_CAPACITY};
use crate::problem::{Origin, Problem};
use crate::runs::{self, is_about_runs, is_detector};
use crate::subject::{Subject, Test};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_logic::{Invariant, Monitor, Question};
use watchkeeper_protocols::detection::{Accuracy, Detection};
use watchkeeper_space::{AtomId, Space};
use watchkeeper_world::{Scenario, Time, World};

/// The properties that every protocol has, with what they say.
pub(crate) const COMMON: [(&str, &str); 3] = [
    ("deadlock", "while some process has not crashed, something can still happen"),
    (WITHIN_CAPACITY, "no message finds its channel full; asked whenever channels report"),
    (TIME_LOCK, "time can pass or something can happen; asked where time could have to wait"),
];

/// The properties that every failure detector has, with what they say.
pub(crate) const OF_DETECTORS: [(&str, &str); 1] =
    [("oscillation:K[:pX:pY]", "pX [p0] does not stop suspecting pY [p1] K times after its crash")];

/// The properties of every failure detector that says who has to find out about a crash, with what they say.
pub(crate) const OF_COMPLETE: [(&str, &str); 2] = [
    ("detection:B[:pX:pY]", "B after the last crash it is found out [by pX, about pY], and stays so"),
    ("accuracy[:pY]", "nobody suspects a process [pY] that has not crashed, or stops before a crash"),
];

/// A world, and what is asked of it.
pub(crate) struct Posed<S: Subject> {
    pub(crate) world: World<S>,
    pub(crate) question: Question,
}

/// What goes into one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Together {
    /// All that needs no observer of its own.
    AsFarAsPossible,
    /// Each property by itself, so that each has a verdict.
    Never,
}

/// The searches that a plan asks for, of a protocol in the plan's scenario, with its usual clients.
pub(crate) fn pose<S: Subject>(
    protocol: &S,
    plan: &Plan,
    together: Together,
) -> Result<Vec<Posed<S>>, Problem> {
    pose_for(protocol, &protocol.calls(plan.scenario.n), plan, together)
}

/// The same where clients ask this.
pub(crate) fn pose_for<S: Subject>(
    protocol: &S,
    calls: &[(Pid, S::Call, u32)],
    plan: &Plan,
    together: Together,
) -> Result<Vec<Posed<S>>, Problem> {
    if let (Some(given), false) = (&plan.fairness, plan.asked.iter().any(is_about_runs::<S>)) {
        return Err(given.refused(
            "fairness says which infinite runs count, and nothing that is asked is about infinite runs; add --ltl, or \
             --property strong-completeness or the like, or leave it out",
        ));
    }
    let mut searches: Vec<Vec<&Asked>> = Vec::new();
    let observed = |asked: &Asked| {
        let observer = matches!(asked, Asked::Detection { .. } | Asked::Accuracy { .. });
        observer || requirement::<S>(asked).is_some() || is_about_runs::<S>(asked)
    };
    let shared = |asked: &Asked| together == Together::AsFarAsPossible && !observed(asked);
    for asked in &plan.asked {
        let first = searches.iter_mut().find(|search| search.iter().all(|other| shared(other)));
        match first {
            Some(search) if shared(asked) => search.push(asked),
            _ => searches.push(vec![asked]),
        }
    }
    searches.iter().map(|asked| one(protocol.clone(), calls, plan, asked)).collect()
}

/// One search.
fn one<S: Subject>(
    protocol: S,
    calls: &[(Pid, S::Call, u32)],
    plan: &Plan,
    all: &[&Asked],
) -> Result<Posed<S>, Problem> {
    let mut world = World::new(protocol, plan.scenario.clone())?;
    if !calls.is_empty() {
        world = world.with_calls(calls.to_vec())?;
    }
    let mut question = Question::default();
    for asked in all {
        match asked {
            asked if is_about_runs::<S>(asked) => {
                let claim;
                (world, claim, question.fairness) = runs::claim(world, plan, asked)?;
                question.temporal.push(claim);
            }
            Asked::Formula(_) => {}
            Asked::Deadlock => question.deadlock = true,
            Asked::Named(name) if name == TIME_LOCK => {
                question.timelock = Some(can_pass(&world, plan)?);
            }
            Asked::Named(name) => {
                let invariant;
                (world, invariant) = match requirement::<S>(asked) {
                    Some((requirement, of)) => observed(world, plan, name, (requirement, of))?,
                    None => named(world, plan, name)?,
                };
                question.invariants.push(invariant);
            }
            Asked::Detection { .. } | Asked::Accuracy { .. } => {
                let invariant;
                (world, invariant) = detecting(world, plan, asked)?;
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
    Ok(Posed { world, question })
}

/// The requirement on runs that is asked, and the process that it is asked of, as it is written.
fn requirement<S: Subject>(asked: &Asked) -> Option<(&'static str, Option<&str>)> {
    let Asked::Named(text) = asked else { return None };
    let (name, of) = text.split_once(':').map_or((text.as_str(), None), |(name, of)| (name, Some(of)));
    S::REQUIREMENTS.iter().find(|(known, _)| *known == name).map(|(known, _)| (*known, of))
}

/// The world with the observer of a requirement.
fn observed<S: Subject>(
    world: World<S>,
    plan: &Plan,
    name: &str,
    (requirement, of): (&'static str, Option<&str>),
) -> Result<(World<S>, Invariant), Problem> {
    let of = of.map(str::parse::<Process>).transpose().map_err(|why| refused(plan, &why))?;
    let before: Vec<String> = world.shape().atoms.iter().map(|atom| atom.name.clone()).collect();
    let Some(world) = S::observed(world, requirement, of.map(|Process(p)| p))? else {
        let why =
            format!("{name}: {requirement} says nothing of this process; leave it out, or name another");
        return Err(refused(plan, &why));
    };
    let then = world.shape().atoms.iter().position(|atom| !before.contains(&atom.name));
    let then = then.unwrap_or_else(|| panic!("{requirement} of {} adds no observer", S::NAME));
    Ok((world, Invariant { name: name.to_string(), when: None, then }))
}

/// The world with the observer of detection or of accuracy.
fn detecting<S: Subject>(
    world: World<S>,
    plan: &Plan,
    asked: &Asked,
) -> Result<(World<S>, Invariant), Problem> {
    let name = asked.to_string();
    let Some(completeness) = S::COMPLETENESS else { return named(world, plan, &name) };
    if plan.scenario.time == Time::Untimed {
        let why = format!(
            "{name}: an untimed check knows no bounds, so a process can be suspected at any moment and need never \
             be; add --time dense, and --delay"
        );
        return Err(refused(plan, &why));
    }
    let Scenario { n, faults, .. } = &plan.scenario;
    let able = faults.mortal();
    let (protocol, gone) = (world.protocol().clone(), faults.crashed_at_start);
    let (world, spoken_of) = match *asked {
        Asked::Detection { within, pair } => {
            let of = pair.map_or(ProcSet::first(*n), |(_, of)| ProcSet::only(of));
            if able.union(gone).intersection(of).is_empty() {
                let nobody = pair.map_or("nobody can".to_string(), |(_, of)| format!("{of} cannot"));
                let why = format!("{name}: {nobody} crash in this scenario; allow it, with --crashes 1");
                return Err(refused(plan, &why));
            }
            let detection = Detection::new(protocol, *n, completeness, within).crashed_at_start(gone);
            let detection = pair.iter().fold(detection, |whole, &(by, of)| whole.between(by, of));
            (
                world.observed_by(detection)?,
                pair.map_or(ProcSet::EMPTY, |(by, of)| ProcSet::only(by).with(of)),
            )
        }
        Asked::Accuracy { of } => {
            let accuracy = Accuracy::new(protocol, *n).crashed_at_start(gone);
            let accuracy = of.iter().fold(accuracy, |whole, &of| whole.only(of));
            (world.observed_by(accuracy)?, of.map_or(ProcSet::EMPTY, ProcSet::only))
        }
        _ => return named(world, plan, &name),
    };
    if let Some(stranger) = spoken_of.iter().find(|p| p.index() >= *n) {
        return Err(refused(plan, &format!("there is no {stranger}: the processes are p0 to p{}", n - 1)));
    }
    let then = atom(&world, &name);
    Ok((world, Invariant { name, when: None, then }))
}

/// The atom that time can pass.
fn can_pass<S: Subject>(world: &World<S>, plan: &Plan) -> Result<AtomId, Problem> {
    if plan.scenario.time == Time::Untimed {
        let why = "an untimed check has no time that could be locked; add --time ticks or --time dense";
        return Err(refused(plan, why));
    }
    Ok(atom(world, "time-can-pass"))
}

/// A property of the network or of the protocol, by its name.
fn named<S: Subject>(world: World<S>, plan: &Plan, name: &str) -> Result<(World<S>, Invariant), Problem> {
    if name == WITHIN_CAPACITY {
        let then = atom(&world, name);
        return Ok((world, Invariant { name: name.to_string(), when: None, then }));
    }
    let Some(property) = S::PROPERTIES.iter().find(|property| property.name == name) else {
        return Err(Problem::Unknown {
            origin: origin(plan),
            what: "property",
            name: name.to_string(),
            known: properties::<S>().into_iter().map(|(name, _)| name.to_string()).collect(),
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

/// All properties that can be asked of a subject, with what they say.
pub(crate) fn properties<S: Subject>() -> Vec<(&'static str, &'static str)> {
    let own = S::PROPERTIES.iter().map(|property| (property.name, property.about));
    let detectors = OF_DETECTORS.into_iter().filter(|_| S::SUSPECTS.is_some());
    let complete = OF_COMPLETE.into_iter().filter(|_| S::COMPLETENESS.is_some());
    let classes = runs::of_classes().filter(|_| is_detector::<S>());
    COMMON
        .into_iter()
        .chain(detectors)
        .chain(complete)
        .chain(classes)
        .chain(own)
        .chain(S::REQUIREMENTS.iter().copied())
        .chain(S::CLAIMS.iter().map(|claim| (claim.name, claim.about)))
        .collect()
}

/// What is asked of a subject where nobody names a property.
pub(crate) fn usually_asked<S: Subject>() -> Vec<Asked> {
    let own = S::PROPERTIES.iter().filter(|property| property.usual).map(|property| property.name);
    let of_runs =
        S::REQUIREMENTS.iter().map(|(name, _)| *name).chain(S::CLAIMS.iter().map(|claim| claim.name));
    let named = own.chain(of_runs).map(str::to_string).map(Asked::Named);
    let deadlock = (!S::ENDS).then_some(Asked::Deadlock);
    deadlock.into_iter().chain(named).collect()
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
    if !faults.mortal().union(faults.crashed_at_start).contains(crashed) {
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
