//! From a question about regions to models: the protocol and its environment are built with unknown durations, once for
//! every way in which their comparisons can come out. Parameters for which nothing can be built are outside the domain.

use crate::plan::{faults, network};
use crate::problem::{Problem, SettingOrigin};
use crate::quantities::ProcessName;
use crate::regions::parametric::{Parametric, ParametricDescription, RequirementQuery};
use crate::regions::question::{BOUND, DELAY, DELAY_MIN, PROCESSING, ROUND_TRIP, RegionQuestion};
use watchkeeper_core::{Bound, Completeness, Pid};
use watchkeeper_polyhedra::Polyhedron;
use watchkeeper_protocols::detection::{AccuracyObserver, CompletenessObserver, MistakesObserver};
use watchkeeper_regions::{Linear, Model, TypedModel, branches, durations};
use watchkeeper_world::{Capacity, Delay, Scenario, Timing, WhenFull, WorldTime};

/// The models of a protocol that `make` builds for `n` of what it counts.
pub(crate) fn models<S: Parametric>(
    description: &ParametricDescription<S>,
    make: &dyn Fn() -> Result<S, Problem>,
    n: usize,
    question: &RegionQuestion,
    property: &str,
) -> Result<Vec<Model>, Problem> {
    let parameters = question.symbols();
    let mut models = Vec::new();
    let mut refused = None;
    for piece in domain(question, &parameters)? {
        let build = || -> Result<Model, Refused> {
            let protocol = make().map_err(Refused::Outside)?;
            let scenario = around(question, (description.environment)(&protocol, n))?;
            let whole = durations(&parameters).map_err(|trouble| Problem::Usage(trouble.to_string()))?;
            let calls = (description.calls)(&protocol, scenario.n);
            let model = TypedModel::new(protocol, scenario, parameters.clone(), whole);
            let model = model.map_err(|why| Problem::Usage(why.to_string()))?.with_calls(calls);
            Ok(asked(description, model, question, property)?.into_model())
        };
        let found =
            branches(&parameters, &piece, build).map_err(|trouble| Problem::Usage(trouble.to_string()))?;
        for branch in found {
            match branch.value {
                Ok(model) => {
                    let model = model.restricted(&branch.parameters);
                    let model = model.map_err(|trouble| Problem::Usage(trouble.to_string()))?;
                    let symmetric = question.settings.symmetry.as_ref().is_some_and(|given| given.value);
                    models.push(if symmetric { model.up_to_renaming() } else { model });
                }
                Err(Refused::Outside(problem)) => refused = refused.or(Some(problem)),
                Err(Refused::Wrong(problem)) => return Err(problem),
            }
        }
    }
    models.retain(|model| !model.domain().is_empty());
    match (models.is_empty(), refused) {
        (true, Some(problem)) => Err(Problem::Usage(format!(
            "no parameters are left to ask about, for the protocol refuses those that fulfil the conditions: {problem}"
        ))),
        (true, None) => Err(Problem::Usage(
            "there are no parameters to ask about: the conditions exclude each other, or what the protocol requires of its \
             parameters; leave out one of --where"
                .to_string(),
        )),
        (false, _) => Ok(models),
    }
}

/// Why there is no model for some parameters.
enum Refused {
    /// They are outside the domain: there is no such protocol, or no such environment.
    Outside(Problem),
    /// The question is wrong, whatever the parameters.
    Wrong(Problem),
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused::Wrong(problem)
    }
}

/// The parameters that are asked about, as far as the conditions say.
fn domain(question: &RegionQuestion, parameters: &[String]) -> Result<Vec<Polyhedron>, Problem> {
    let overflow = |_| Problem::Usage("the conditions have numbers that are too large".to_string());
    let whole = durations(parameters).map_err(|trouble| Problem::Usage(trouble.to_string()))?;
    let mut pieces = vec![whole];
    for given in &question.given {
        let condition = watchkeeper_regions::Condition::parse(&given.value, parameters);
        let regions = condition.map_err(|why| given.refused(why))?.regions().map_err(overflow)?;
        let mut next = Vec::new();
        for piece in &pieces {
            for region in &regions {
                let both = piece.intersection(region).map_err(overflow)?;
                next.extend((!both.is_empty()).then_some(both));
            }
        }
        pieces = next;
        if pieces.is_empty() {
            return Err(given
                .refused("no parameters fulfil this and the conditions before it; leave one of them out"));
        }
    }
    Ok(pieces)
}

/// The environment that the question asks for, of a protocol that usually has this one.
fn around(question: &RegionQuestion, usual: Scenario<Linear>) -> Result<Scenario<Linear>, Refused> {
    let settings = &question.settings;
    let n = usual.n;
    let unused = [
        ("--oracle", settings.oracle.is_some()),
        ("--synchrony", settings.synchrony.is_some()),
        ("--ltl", settings.ltl.is_some()),
    ];
    if let Some((flag, _)) = unused.iter().find(|(_, given)| *given) {
        return Err(Refused::Wrong(Problem::Usage(format!(
            "{flag} has no meaning for regions of unknown durations; leave it out"
        ))));
    }
    if settings.stagger > 0 {
        return Err(Refused::Wrong(Problem::Usage(
            "regions are found for processes that begin at once; leave out --stagger".to_string(),
        )));
    }
    let mut timing = usual.time.timing();
    if let Some(delay) = delay(question, timing)? {
        let before = timing.unwrap_or(Timing::per_message(Bound::exactly(Linear::from(0))));
        timing = Some(Timing { delay, ..before });
    }
    let Some(mut timing) = timing else {
        return Err(Refused::Wrong(Problem::Usage(
            "regions are about time: say how long messages take, with --delay LO..HI or --round-trip T, or let that be \
             unknown with --param delay or --param round-trip"
                .to_string(),
        )));
    };
    if let Some(given) = &settings.processing {
        timing.processing = numbers(given.value)?;
    }
    if question.is_unknown(PROCESSING) {
        timing.processing = bound_of(timing.processing.lo(), Some(Linear::parameter(PROCESSING)))?;
    }
    if let Some(given) = &settings.simultaneous {
        timing.simultaneous = given.value;
    }
    if let Some(given) = &settings.speed {
        if given.value == 0 {
            let why = "`0` does not say how many times too slow a process may be; write a number from 1 on";
            return Err(Refused::Wrong(given.refused(why)));
        }
        timing.speed = given.value;
    }
    let network = network(settings, &usual.network);
    if let Delay::RoundTrip(_) = timing.delay {
        let blocks = matches!(network.capacity, Capacity::Bounded(_)) && network.when_full == WhenFull::Block;
        let why = match (timing.processing != Bound::exactly(Linear::from(0)), blocks) {
            (true, _) => "a round trip has the time at both ends in it; leave out the processing time",
            (false, true) => {
                "a round trip does not go together with channels that block; add --channel unbounded:8"
            }
            (false, false) => "",
        };
        if !why.is_empty() {
            return Err(Refused::Wrong(Problem::Usage(why.to_string())));
        }
    }
    let faults = faults(settings, &usual.faults, n);
    Ok(Scenario { n, network, faults, time: WorldTime::Dense(timing), oracle: usual.oracle })
}

/// The delay that the question asks for, if it says anything about it.
fn delay(question: &RegionQuestion, usual: Option<Timing<Linear>>) -> Result<Option<Delay<Linear>>, Refused> {
    let settings = &question.settings;
    let unknown_trip = question.is_unknown(ROUND_TRIP);
    let unknown_delay = question.is_unknown(DELAY) || question.is_unknown(DELAY_MIN);
    let trip = unknown_trip || settings.round_trip.is_some();
    if trip && (unknown_delay || settings.delay.is_some()) {
        return Err(Refused::Wrong(Problem::Usage(
            "a message has a delay of its own or shares a round trip with its reply; leave out one of the two".to_string(),
        )));
    }
    if unknown_trip {
        return Ok(Some(Delay::RoundTrip(Linear::parameter(&symbol(ROUND_TRIP)))));
    }
    if let Some(given) = &settings.round_trip {
        return Ok(Some(Delay::RoundTrip(given.value.into())));
    }
    let told = settings.delay.as_ref().map(|given| given.value);
    let told = told.map(numbers).transpose()?;
    if !unknown_delay {
        return Ok(told.map(Delay::PerMessage));
    }
    let before = match usual.map(|timing| timing.delay) {
        Some(Delay::PerMessage(bound)) => Some(bound),
        _ => None,
    };
    let told = told.or(before);
    let lo = if question.is_unknown(DELAY_MIN) {
        Linear::parameter(&symbol(DELAY_MIN))
    } else {
        told.map_or(Linear::from(0), Bound::lo)
    };
    let hi =
        if question.is_unknown(DELAY) { Some(Linear::parameter(DELAY)) } else { told.and_then(Bound::hi) };
    Ok(Some(Delay::PerMessage(bound_of(lo, hi)?)))
}

/// A bound of numbers.
fn numbers(bound: Bound) -> Result<Bound<Linear>, Refused> {
    bound_of(bound.lo().into(), bound.hi().map(Linear::from))
}

/// The bound between these ends, for parameters that put them in order.
fn bound_of(lo: Linear, hi: Option<Linear>) -> Result<Bound<Linear>, Refused> {
    let Some(hi) = hi else { return Ok(Bound::at_least(lo)) };
    let reversed = || Problem::Usage(format!("there is no time from {lo} to {hi}"));
    Bound::new(lo, hi).ok_or_else(|| Refused::Outside(reversed()))
}

/// The name of a parameter in a formula: a hyphen would be a minus.
pub(crate) fn symbol(name: &str) -> String {
    name.replace('-', "_")
}

/// The model with the property that is asked.
fn asked<S: Parametric>(
    description: &ParametricDescription<S>,
    model: TypedModel<S>,
    question: &RegionQuestion,
    property: &str,
) -> Result<TypedModel<S>, Problem> {
    let unknown = || Problem::Unknown {
        origin: SettingOrigin::Argument(format!("--property {property}")),
        what: "property for regions",
        name: property.to_string(),
        known: description.known(),
    };
    let mut words = property.split(':');
    let name = words.next().unwrap_or("");
    let rest: Vec<&str> = words.collect();
    let process = |word: &str| word.parse::<ProcessName>().map(|ProcessName(p)| p).map_err(|_| unknown());
    let bound = question.is_unknown(BOUND).then(|| Linear::parameter(BOUND));
    if let Some((_, test)) = description.properties.iter().find(|(known, _)| *known == name) {
        return if rest.is_empty() { Ok(model.always(name, *test)) } else { Err(unknown()) };
    }
    if let Some(requirement) = description.requirements.iter().find(|requirement| requirement.name == name) {
        let of = match rest.as_slice() {
            [] => None,
            [word] => Some(process(word)?),
            _ => return Err(unknown()),
        };
        return (requirement.observed)(model, RequirementQuery { of, bound }).ok_or_else(unknown);
    }
    let Some(completeness) = description.completeness else { return Err(unknown()) };
    let (protocol, n) = (model.protocol().clone(), model.processes());
    let gone = model.crashed_at_start();
    match (name, rest.as_slice()) {
        ("accuracy", []) => Ok(model.observed_by(AccuracyObserver::new(protocol, n).crashed_at_start(gone))),
        ("accuracy", [of]) => {
            let accuracy = AccuracyObserver::new(protocol, n).crashed_at_start(gone);
            Ok(model.observed_by(accuracy.only(process(of)?)))
        }
        ("mistakes", [most]) => {
            let most = most.parse().map_err(|_| unknown())?;
            Ok(model.observed_by(MistakesObserver::new(protocol, n, most).crashed_at_start(gone)))
        }
        ("detection", []) if bound.is_none() => Err(Problem::Usage(
            "detection has a bound: write detection:B, or let it be unknown with --param bound".to_string(),
        )),
        ("detection", words) => detection(model, completeness, bound, words).ok_or_else(unknown),
        _ => Err(unknown()),
    }
}

/// The model with the observer of `detection`, `detection:B`, `detection:pX:pY` or `detection:B:pX:pY`.
fn detection<S: Parametric>(
    model: TypedModel<S>,
    completeness: Completeness,
    bound: Option<Linear>,
    words: &[&str],
) -> Option<TypedModel<S>> {
    let (within, pair) = match (words, bound) {
        ([], Some(bound)) => (bound, None),
        ([by, of], Some(bound)) => (bound, Some((*by, *of))),
        ([within], _) => (within.parse().ok()?, None),
        ([within, by, of], _) => (within.parse().ok()?, Some((*by, *of))),
        _ => return None,
    };
    let process = |word: &str| word.parse::<ProcessName>().map(|ProcessName(p)| p).ok();
    let pair: Option<(Pid, Pid)> = match pair {
        Some((by, of)) => Some((process(by)?, process(of)?)),
        None => None,
    };
    let (protocol, n, gone) = (model.protocol().clone(), model.processes(), model.crashed_at_start());
    let observer = CompletenessObserver::new(protocol, n, completeness, within).crashed_at_start(gone);
    Some(model.observed_by(match pair {
        Some((by, of)) => observer.between(by, of),
        None => observer,
    }))
}
