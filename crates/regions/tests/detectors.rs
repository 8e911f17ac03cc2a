//! Regions of models that the heartbeat protocols do not reach: messages with moments of their own, several of them alike,
//! and states up to renaming. With the other tests of this crate they find every mistake of this list, each of which was
//! planted once:
//!
//! | planted mistake | a test that finds it |
//! | --- | --- |
//! | a delivery that is due does not come before a timeout (`edge`) | `heartbeats`: corrected protocols |
//! | a deadline expires at its moment and not after it (`edge`) | `heartbeats`: published protocols |
//! | an undecided comparison takes one way only (`decisions`) | `heartbeats`: published protocols |
//! | a projection keeps the time that passed (`edge`) | here: accuracy, renaming |
//! | widening touches parameters (`widening`) | `widening`: parameters are never widened |
//! | what is not bad keeps the border of what is (`search`) | `heartbeats`: published protocols |
//! | inclusion is the other way round (`search`) | `heartbeats`: published protocols |
//! | no message is lost (`step`) | here: a lost beat |
//! | the order of messages that are alike is turned round (`model`) | here: beats that are alike |
//! | halves are rounded (`linear`) | here: halves are exact |
//! | a reply has a bound of its own in a round trip (`step`) | `heartbeats`: published protocols |
//! | a renaming moves no remaining time (`symmetry`) | here: renaming |

use std::ops::ControlFlow;
use watchkeeper_core::{Bound, ProcSet, Time};
use watchkeeper_polyhedra::Polyhedron;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::detection::AccuracyObserver;
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_regions::{
    Condition, Linear, Model, RegionAnswer, RegionLimits, Trouble, TypedModel, branches, durations,
    same_region,
};
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Timing, WorldTime};

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// The parameters that fulfil a condition.
fn region(condition: &str, parameters: &[String]) -> Vec<Polyhedron> {
    Condition::parse(condition, parameters).expect("a condition").regions().expect("small numbers")
}

/// Asserts that the property holds exactly where the condition does, and fails elsewhere.
fn holds_iff(models: &[Model], condition: &str) -> Result<RegionAnswer, Trouble> {
    let found = RegionAnswer::of(models, RegionLimits::default(), &mut |_| ControlFlow::Continue(()))?;
    assert!(found.undecided.is_empty(), "{condition}: {:?}", found.undecided);
    let wanted = region(condition, &found.parameters);
    let apart = same_region(&found.holds, &wanted, &found.domain)?;
    assert_eq!(apart, None, "{condition}: {:?}", found.holds);
    let both: Vec<Polyhedron> = found.holds.iter().chain(&found.fails).cloned().collect();
    assert_eq!(same_region(&both, &found.domain, &found.domain)?, None, "{condition}: the two sides are all");
    Ok(found)
}

/// Two processes that beat to each other over a network that may lose so many messages; several can be on their way.
fn detector(delay: Bound<Linear>, losses: u32) -> Result<Vec<Model>, Trouble> {
    let parameters = names(&["period", "timeout", "delay"]);
    let [period, timeout] = ["period", "timeout"].map(Linear::parameter);
    let mut models = Vec::new();
    for domain in region("period > 0, timeout > 0, delay >= 0, delay <= 2*period", &parameters) {
        let build = || ChandraToueg::new(2, period, timeout).ok()?.capped(timeout).ok();
        for branch in branches(&parameters, &domain, build)? {
            let Some(detector) = branch.value else { continue };
            let network = Network { capacity: Capacity::Unbounded { cap: 5 }, losses, ..Network::default() };
            let time = WorldTime::Dense(Timing::per_message(delay));
            let scenario = Scenario { network, ..Scenario::new(2) }.with_time(time);
            let model = TypedModel::new(detector.clone(), scenario, parameters.clone(), branch.parameters);
            let observer = AccuracyObserver::new(detector, 2);
            models.push(model.expect("a model").observed_by(observer).into_model());
        }
    }
    Ok(models)
}

#[test]
fn a_detector_is_accurate_where_its_timeout_outlasts_a_beat() -> Result<(), Trouble> {
    let up_to_delay = Bound::within(Linear::parameter("delay"));
    holds_iff(&detector(up_to_delay, 0)?, "timeout > period + delay")?;
    Ok(())
}

#[test]
fn a_timeout_outlasts_a_lost_beat_with_one_more_period() -> Result<(), Trouble> {
    let up_to_delay = Bound::within(Linear::parameter("delay"));
    holds_iff(&detector(up_to_delay, 1)?, "timeout > 2*period + delay")?;
    Ok(())
}

/// Two or three beats that are alike are always on their way, and any order of them is possible. The longest silence is the
/// first: a beat of the start arrives within three periods, and later ones at most two after each other.
#[test]
fn beats_that_are_alike_are_on_their_way_together() -> Result<(), Trouble> {
    let period = Linear::parameter("period");
    let delay = Bound::new(period.scaled(2, 1), period.scaled(3, 1)).expect("a bound");
    holds_iff(&detector(delay, 0)?, "timeout > 3*period")?;
    Ok(())
}

/// R1 of the static protocol with two participants.
fn pair() -> Result<Vec<Model>, Trouble> {
    let parameters = names(&["tmin", "tmax"]);
    let build = || {
        let (tmin, tmax) = (Linear::parameter("tmin"), Linear::parameter("tmax"));
        Heartbeat::new(HeartbeatVariant::Static, tmin, tmax, 2).ok()
    };
    let mut models = Vec::new();
    for branch in branches(&parameters, &durations(&parameters)?, build)? {
        let Some(heartbeat) = branch.value else { continue };
        let n = heartbeat.processes();
        let network =
            Network { capacity: Capacity::Unbounded { cap: 8 }, losses: ANY_NUMBER, ..Network::default() };
        let faults = Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() };
        let time = WorldTime::Dense(Timing::round_trip(heartbeat.tmin()));
        let scenario = Scenario { n, network, faults, time, oracle: None };
        let observer = HeartbeatObserver::new(HeartbeatRequirement::R1, &heartbeat);
        let model = TypedModel::new(heartbeat, scenario, parameters.clone(), branch.parameters);
        models.push(model.expect("a model").observed_by(observer).into_model());
    }
    Ok(models)
}

#[test]
fn renaming_processes_changes_the_size_of_a_search_and_not_its_answer() -> Result<(), Trouble> {
    let whole = holds_iff(&pair()?, "2*tmin > tmax")?;
    let renamed: Vec<Model> = pair()?.into_iter().map(Model::up_to_renaming).collect();
    let reduced = holds_iff(&renamed, "2*tmin > tmax")?;
    assert!(reduced.discrete < whole.discrete, "{} of {}", reduced.discrete, whole.discrete);
    Ok(())
}

#[test]
fn halves_are_exact() {
    let tmax = Linear::parameter("tmax");
    assert_eq!(tmax.scaled(3, 4).at(|_| Some(3)), Some((9, 4)));
    assert_eq!(Linear::from(7).halved().to_string(), "7/2");
}
