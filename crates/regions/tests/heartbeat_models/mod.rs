//! The accelerated heartbeat protocols with one participant, for unknown tmin and tmax.

use std::ops::ControlFlow;
use watchkeeper_core::ProcSet;
use watchkeeper_polyhedra::{Constraint, Relation};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_regions::{
    Linear, Model, RegionAnswer, RegionLimits, Trouble, TypedModel, branches, durations,
};
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// The models of a variant with the observer of a requirement; `ratio` bounds tmax / tmin.
pub fn models(
    variant: HeartbeatVariant,
    requirement: HeartbeatRequirement,
    corrected: bool,
    ratio: Option<i64>,
) -> Result<Vec<Model>, Trouble> {
    let parameters = vec!["tmin".to_string(), "tmax".to_string()];
    let mut domain = durations(&parameters)?;
    if let Some(ratio) = ratio {
        domain = domain.and(&[Constraint::new(vec![ratio, -1], 0, Relation::AtLeast)])?;
    }
    let build = || {
        let (tmin, tmax) = (Linear::parameter("tmin"), Linear::parameter("tmax"));
        let heartbeat = Heartbeat::new(variant, tmin, tmax, 1).ok()?;
        let heartbeat = if corrected { heartbeat.corrected() } else { heartbeat };
        Some((heartbeat, HeartbeatObserver::new(requirement, &heartbeat)))
    };
    let mut models = Vec::new();
    for branch in branches(&parameters, &domain, build)? {
        let Some((heartbeat, observer)) = branch.value else { continue };
        let n = heartbeat.processes();
        let timing = Timing::round_trip(heartbeat.tmin());
        let timing = if corrected { timing.deliveries_first() } else { timing };
        let scenario = Scenario {
            n,
            network: Network {
                capacity: Capacity::Unbounded { cap: 8 },
                losses: ANY_NUMBER,
                ..Network::default()
            },
            faults: Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() },
            time: WorldTime::Dense(timing),
            oracle: None,
        };
        let calls = heartbeat.calls().into_iter().map(|(process, call)| (process, call, 1)).collect();
        let model = TypedModel::new(heartbeat, scenario, parameters.clone(), branch.parameters);
        models.push(model.expect("a model").with_calls(calls).observed_by(observer).into_model());
    }
    Ok(models)
}

/// The answer within the usual limits.
pub fn answer(models: &[Model]) -> Result<RegionAnswer, Trouble> {
    RegionAnswer::of(models, RegionLimits::default(), &mut |_| ControlFlow::Continue(()))
}
