//! From a plan to searches: each name becomes an atom, an invariant, an observer or a claim. What can be asked together is
//! one search; each requirement on runs is one of its own, since an observer makes a space larger. Here the type of a
//! protocol ends: what is posed is a space and a question, and nobody behind it knows whose they are.

use crate::description::{Described, Description, Requirement, StatePredicate};
use crate::detector_property::DetectorProperty;
use crate::fairness::fairness;
use crate::known_properties::properties;
use crate::plan::{CheckPlan, TIME_LOCK, WITHIN_CAPACITY};
use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::PropertySpec;
use crate::quantities::ProcessName;
use crate::query::{Query, SearchedSpace};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_logic::{Fairness, Formula, Invariant, Monitor, Question, TemporalProperty, parse};
use watchkeeper_protocols::detection::{AccuracyObserver, CompletenessObserver, MistakesObserver};
use watchkeeper_space::{AtomId, Space};
use watchkeeper_world::{InStages, Scenario, TypedWorld, WorldTime, Worlds};

/// What goes into one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JointSearch {
    /// All that needs no observer of its own.
    AsFarAsPossible,
    /// Each property by itself, so that each has a verdict.
    Never,
}

/// The questions of a plan, about a protocol that says this of itself.
pub(crate) fn pose<P: Described>(
    description: &Description<P>,
    protocol: &P,
    plan: &CheckPlan,
    together: JointSearch,
) -> Result<Vec<Query>, Problem> {
    let mut all: Vec<Query> = Vec::new();
    for clients in (description.clients)(protocol, plan.scenario.n, &plan.params)? {
        let posing = Posing { description, protocol, calls: &clients.calls, plan };
        for (at, (question, space)) in posing.spaces(together)?.into_iter().enumerate() {
            match all.get_mut(at) {
                Some(query) => query.spaces.push((clients.name.clone(), space)),
                None => all.push(Query::of_all(vec![(clients.name.clone(), space)], question)),
            }
        }
    }
    Ok(all)
}

/// A protocol in the scenario of a plan, whose clients ask this.
pub(crate) struct Posing<'a, P: Described> {
    pub(crate) description: &'a Description<P>,
    pub(crate) protocol: &'a P,
    pub(crate) calls: &'a [(Pid, P::Call, u32)],
    pub(crate) plan: &'a CheckPlan,
}

impl<P: Described> Posing<'_, P> {
    /// Each question with its space: of worlds whose bounds are unknown the family, and else the world, in stages if
    /// the plan goes by stages and they decide the question.
    fn spaces(&self, together: JointSearch) -> Result<Vec<(Question, SearchedSpace)>, Problem> {
        if !self.plan.unknown {
            let posed = self.worlds(together)?.into_iter();
            return posed.map(|(question, world)| self.space(question, world)).collect();
        }
        let mut families: Vec<(Question, Vec<TypedWorld<P>>)> = Vec::new();
        for scenario in self.plan.scenarios() {
            let plan = CheckPlan { scenario, ..self.plan.clone() };
            let posed = Posing { plan: &plan, ..*self }.worlds(together)?;
            for (at, (question, world)) in posed.into_iter().enumerate() {
                match families.get_mut(at) {
                    Some((_, family)) => family.push(world),
                    None => families.push((question, vec![world])),
                }
            }
        }
        let family = |(question, worlds)| Ok((question, Box::new(Worlds::new(worlds)?) as SearchedSpace));
        families.into_iter().map(family).collect()
    }

    fn space(&self, question: Question, world: TypedWorld<P>) -> Result<(Question, SearchedSpace), Problem> {
        let Some(rules) = self.description.stages.filter(|_| self.plan.interleaving.stages) else {
            return Ok((question, Box::new(world.into_world())));
        };
        let staged = InStages::new(world, rules)?;
        match staged.admits(&question.query()) {
            Ok(()) => Ok((question, Box::new(staged))),
            Err(why) => {
                self.plan.interleaving.all_instead(&why)?;
                Ok((question, Box::new(staged.into_world())))
            }
        }
    }

    /// Each question with its world.
    fn worlds(&self, together: JointSearch) -> Result<Vec<(Question, TypedWorld<P>)>, Problem> {
        let CheckPlan { fairness, asked, .. } = self.plan;
        if let (Some(given), false) = (fairness, asked.iter().any(|asked| self.is_about_runs(asked))) {
            return Err(given.refused(
                "fairness says which infinite runs count, and nothing that is asked is about infinite runs; add --ltl, or \
                 --property strong-completeness or the like, or leave it out",
            ));
        }
        let mut searches: Vec<Vec<&PropertySpec>> = Vec::new();
        let shared =
            |asked: &PropertySpec| together == JointSearch::AsFarAsPossible && !self.is_observed(asked);
        for asked in asked {
            let first = searches.iter_mut().find(|search| search.iter().all(|other| shared(other)));
            match first {
                Some(search) if shared(asked) => search.push(asked),
                _ => searches.push(vec![asked]),
            }
        }
        searches.iter().map(|asked| self.one(asked)).collect()
    }

    /// Whether a property needs an observer of its own, or is about infinite runs, and so is searched alone.
    pub(crate) fn is_observed(&self, asked: &PropertySpec) -> bool {
        use PropertySpec::{Accuracy, Detection, Mistakes};
        let observer = matches!(asked, Detection { .. } | Accuracy { .. } | Mistakes { .. });
        observer || self.requirement(asked).is_some() || self.is_about_runs(asked)
    }

    /// One search.
    pub(crate) fn one(&self, all: &[&PropertySpec]) -> Result<(Question, TypedWorld<P>), Problem> {
        let mut world = TypedWorld::new(self.protocol.clone(), self.plan.scenario.clone())?;
        if !self.calls.is_empty() {
            world = world.with_calls(self.calls.to_vec())?;
        }
        let mut question = Question::default();
        for asked in all {
            match asked {
                asked if self.is_about_runs(asked) => {
                    let claim;
                    (world, claim, question.fairness) = self.claim(world, asked)?;
                    question.temporal.push(claim);
                }
                PropertySpec::Formula(_) => {}
                PropertySpec::Deadlock => question.deadlock = true,
                PropertySpec::Named(name) if name == TIME_LOCK => {
                    question.timelock = Some(self.can_pass(&world)?);
                }
                PropertySpec::Named(name) => {
                    let invariant;
                    (world, invariant) = match self.requirement(asked) {
                        Some((requirement, of)) => self.observed(world, name, (requirement, of))?,
                        None => self.named(world, name)?,
                    };
                    question.invariants.push(invariant);
                }
                PropertySpec::Detection { .. }
                | PropertySpec::Accuracy { .. }
                | PropertySpec::Mistakes { .. } => {
                    let invariant;
                    (world, invariant) = self.detecting(world, asked)?;
                    question.invariants.push(invariant);
                }
                PropertySpec::Oscillation { .. } if question.monitor.is_some() => {
                    return Err(self.refused("only one oscillation property fits into one search"));
                }
                PropertySpec::Oscillation { times, watcher, crashed } => {
                    let suspected;
                    (world, suspected) = self.suspicion(world, *watcher, *crashed)?;
                    let monitor =
                        Monitor::oscillation(atom(&world, &format!("crashed({crashed})")), suspected, *times);
                    question.monitor = Some(Monitor { name: asked.to_string(), ..monitor });
                }
            }
        }
        Ok((question, world))
    }

    /// The requirement on runs that is asked, and the process that it is asked of, as it is written.
    pub(crate) fn requirement<'b>(
        &self,
        asked: &'b PropertySpec,
    ) -> Option<(&Requirement<P>, Option<&'b str>)> {
        let PropertySpec::Named(text) = asked else { return None };
        let (name, of) = text.split_once(':').map_or((text.as_str(), None), |(name, of)| (name, Some(of)));
        let requirement = self.description.requirements.iter().find(|known| known.name == name)?;
        Some((requirement, of))
    }

    /// The world with the observer of a requirement.
    pub(crate) fn observed(
        &self,
        world: TypedWorld<P>,
        name: &str,
        (requirement, of): (&Requirement<P>, Option<&str>),
    ) -> Result<(TypedWorld<P>, Invariant), Problem> {
        let of = of.map(str::parse::<ProcessName>).transpose().map_err(|why| self.refused(&why))?;
        let before: Vec<String> = world.shape().atoms.iter().map(|atom| atom.name.clone()).collect();
        let Some(world) = (requirement.observed)(world, of.map(|ProcessName(p)| p))? else {
            let requirement = requirement.name;
            let why =
                format!("{name}: {requirement} says nothing of this process; leave it out, or name another");
            return Err(self.refused(&why));
        };
        let then = world.shape().atoms.iter().position(|atom| !before.contains(&atom.name));
        let then =
            then.unwrap_or_else(|| panic!("{} of {} adds no observer", requirement.name, self.plan.name));
        Ok((world, Invariant { name: name.to_string(), when: None, then }))
    }

    /// The world with the observer of detection, of accuracy or of mistakes.
    pub(crate) fn detecting(
        &self,
        world: TypedWorld<P>,
        asked: &PropertySpec,
    ) -> Result<(TypedWorld<P>, Invariant), Problem> {
        let name = asked.to_string();
        let Some(completeness) = self.description.detector.and_then(|detector| detector.completeness) else {
            return self.named(world, &name);
        };
        let Scenario { n, faults, time, .. } = &self.plan.scenario;
        if *time == WorldTime::Untimed {
            let why = format!(
                "{name}: an untimed check knows no bounds, so a process can be suspected at any moment and need never \
                 be; add --time dense, and --delay"
            );
            return Err(self.refused(&why));
        }
        let able = faults.mortal();
        let (protocol, gone) = (self.protocol.clone(), faults.crashed_at_start);
        let (world, spoken_of) = match *asked {
            PropertySpec::Detection { within, pair } => {
                let of = pair.map_or(ProcSet::first(*n), |(_, of)| ProcSet::only(of));
                if able.union(gone).intersection(of).is_empty() {
                    let nobody = pair.map_or("nobody can".to_string(), |(_, of)| format!("{of} cannot"));
                    let why = format!("{name}: {nobody} crash in this scenario; allow it, with --crashes 1");
                    return Err(self.refused(&why));
                }
                let detection =
                    CompletenessObserver::new(protocol, *n, completeness, within).crashed_at_start(gone);
                let detection = pair.iter().fold(detection, |whole, &(by, of)| whole.between(by, of));
                let both = pair.map_or(ProcSet::EMPTY, |(by, of)| ProcSet::only(by).with(of));
                (world.observed_by(detection)?, both)
            }
            PropertySpec::Accuracy { of } => {
                let accuracy = AccuracyObserver::new(protocol, *n).crashed_at_start(gone);
                let accuracy = of.iter().fold(accuracy, |whole, &of| whole.only(of));
                (world.observed_by(accuracy)?, of.map_or(ProcSet::EMPTY, ProcSet::only))
            }
            PropertySpec::Mistakes { most } if self.description.counts_mistakes() => {
                let mistakes = MistakesObserver::new(protocol, *n, most).crashed_at_start(gone);
                (world.observed_by(mistakes)?, ProcSet::EMPTY)
            }
            _ => return self.named(world, &name),
        };
        self.known(spoken_of)?;
        let then = atom(&world, &name);
        Ok((world, Invariant { name, when: None, then }))
    }

    /// Refuses processes that are not there.
    fn known(&self, spoken_of: ProcSet) -> Result<(), Problem> {
        let n = self.plan.scenario.n;
        match spoken_of.iter().find(|p| p.index() >= n) {
            None => Ok(()),
            Some(stranger) => {
                Err(self.refused(&format!("there is no {stranger}: the processes are p0 to p{}", n - 1)))
            }
        }
    }

    /// The atom that time can pass.
    fn can_pass(&self, world: &TypedWorld<P>) -> Result<AtomId, Problem> {
        if self.plan.scenario.time == WorldTime::Untimed {
            let why = "an untimed check has no time that could be locked; add --time ticks or --time dense";
            return Err(self.refused(why));
        }
        Ok(atom(world, "time-can-pass"))
    }

    /// A property of the network or of the protocol, by its name.
    pub(crate) fn named(
        &self,
        world: TypedWorld<P>,
        name: &str,
    ) -> Result<(TypedWorld<P>, Invariant), Problem> {
        if name == WITHIN_CAPACITY {
            let then = atom(&world, name);
            return Ok((world, Invariant { name: name.to_string(), when: None, then }));
        }
        let Some(property) = self.description.properties.iter().find(|property| property.name == name) else {
            return Err(Problem::Unknown {
                origin: self.origin(),
                what: "property",
                name: name.to_string(),
                known: properties(self.description).into_iter().map(|(name, _)| name.to_string()).collect(),
            });
        };
        if let Some(given) =
            self.plan.settings.symmetry.as_ref().filter(|given| given.value && !property.symmetric)
        {
            return Err(given.refused(format!(
                "the property {name} may tell processes apart, so a symmetry reduction could miss a violation; if it says \
                 the same of a state and of all its renamings, mark it with `StateProperty::symmetric()`, or else search \
                 without the reduction"
            )));
        }
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

    /// The atom that `watcher` suspects `crashed`. A watcher that has crashed itself has not given up its
    /// suspicion, so the atom is true of it too.
    fn suspicion(
        &self,
        world: TypedWorld<P>,
        watcher: Pid,
        crashed: Pid,
    ) -> Result<(TypedWorld<P>, AtomId), Problem> {
        let Some(suspects) = self.description.detector.and_then(|detector| detector.suspects) else {
            let name = self.plan.name;
            return Err(self.refused(&format!("{name} is no failure detector, so nobody suspects anybody")));
        };
        self.known(ProcSet::only(watcher).with(crashed))?;
        let faults = &self.plan.scenario.faults;
        if !faults.mortal().union(faults.crashed_at_start).contains(crashed) {
            let why = format!(
                "{crashed} cannot crash in this scenario; let it, with --crashes 1 --crashable {crashed}"
            );
            return Err(self.refused(&why));
        }
        let protocol = self.protocol.clone();
        let world = world.with_atom(format!("suspects({watcher},{crashed})"), false, move |global| {
            global.state(watcher).is_none_or(|state| suspects(&protocol, watcher, state).contains(crashed))
        });
        let id = world.shape().atoms.len() - 1;
        Ok((world, id))
    }

    /// Whether something that is asked is a claim about infinite runs.
    pub(crate) fn is_about_runs(&self, asked: &PropertySpec) -> bool {
        match asked {
            PropertySpec::Formula(_) => true,
            PropertySpec::Named(name) => {
                let of_detectors = self.description.suspects() && DetectorProperty::named(name).is_some();
                of_detectors || self.description.claims.iter().any(|claim| claim.name == name)
            }
            _ => false,
        }
    }

    /// The world with the atoms that a claim about infinite runs needs, and the claim.
    fn claim(
        &self,
        world: TypedWorld<P>,
        asked: &PropertySpec,
    ) -> Result<(TypedWorld<P>, TemporalProperty, Vec<Fairness>), Problem> {
        let (plan, n) = (self.plan, self.plan.scenario.n);
        let world = (self.description.atoms)(suspecting(self.description, world, n));
        let name = asked.to_string();
        let own = self.description.claims.iter().find(|claim| claim.name == name);
        let claim = match (asked, own, DetectorProperty::named(&name)) {
            (PropertySpec::Formula(text), ..) => {
                let formula = parse(text, &(world.shape(), n));
                let formula = formula.map_err(|wrong| match &plan.claimed_by {
                    Some(origin) => origin.refused(format!("this cannot be read:\n{}", wrong.render(text))),
                    None => Problem::Usage(wrong.render(text)),
                })?;
                let premise = premise(&formula);
                TemporalProperty { name, formula, premise }
            }
            (_, Some(claim), _) => TemporalProperty::new(name, (claim.formula)(world.shape(), n)),
            (_, None, Some(property)) => property.claim(world.shape(), n),
            (_, None, None) => {
                return Err(Problem::Usage(format!("{name} is not a claim about infinite runs")));
            }
        };
        let mut rules = fairness(plan, world.shape())?;
        // Also where time passes nothing else would oblige a client to ask.
        if plan.fairness.is_none() && own.is_some() {
            rules.push(Fairness::steps());
        }
        Ok((world, claim, rules))
    }

    fn origin(&self) -> SettingOrigin {
        self.plan.asked_by.clone().unwrap_or_else(|| SettingOrigin::Argument("--property".to_string()))
    }

    fn refused(&self, why: &str) -> Problem {
        self.origin().refused(why)
    }
}

/// What must come true in some run for a claim to say anything: of `G (a -> b)` that a does at some time, of `a -> b`
/// that it does at the start. An implication is known by the negation before its `or`.
pub(crate) fn premise(claim: &Formula) -> Option<Formula> {
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

/// The world with an atom for every pair of processes of a detector: whether one suspects the other. What one that has
/// crashed thought counts for nothing. One that has stopped of its own accord suspects whoever has crashed; if nobody
/// has, it was wrong to stop, and suspects everyone.
pub(crate) fn suspecting<P: Described>(
    description: &Description<P>,
    mut world: TypedWorld<P>,
    n: usize,
) -> TypedWorld<P> {
    let Some(detector) = description.detector.filter(|_| description.suspects()) else { return world };
    let protocol = world.protocol().clone();
    for by in Pid::all(n) {
        for of in Pid::all(n).filter(|of| *of != by) {
            let protocol = protocol.clone();
            world = world.with_atom(format!("suspects({by},{of})"), false, move |global| {
                let Some(state) = global.state(by) else { return false };
                if let Some(suspects) = detector.suspects {
                    return suspects(&protocol, by, state).contains(of);
                }
                let stopped = detector.stopped.is_some_and(|stopped| stopped(&protocol, by, state));
                stopped && (global.state(of).is_none() || Pid::all(n).all(|p| global.state(p).is_some()))
            });
        }
    }
    world
}

/// A test of the protocol as an atom of its world.
fn tested<P: Described>(
    world: TypedWorld<P>,
    name: String,
    symmetric: bool,
    test: StatePredicate<P>,
) -> (TypedWorld<P>, AtomId) {
    let protocol = world.protocol().clone();
    let world = world.with_atom(name, symmetric, move |global| test(&protocol, global));
    let id = world.shape().atoms.len() - 1;
    (world, id)
}

/// An atom that every world has.
fn atom<P: Described>(world: &TypedWorld<P>, name: &str) -> AtomId {
    world.shape().atom(name).unwrap_or_else(|| panic!("a world without the atom {name}"))
}
