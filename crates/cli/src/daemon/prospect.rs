//! What a node would be, before it is one: its protocol with all settings, and what its verdicts rest on, so that
//! the node can watch over it. Everything comes from the plan that `check` would search.

use crate::effort::Effort;
use crate::plan::{Asked, Plan};
use crate::problem::Problem;
use crate::question::{Together, pose};
use crate::registry::Built;
use crate::settings::Settings;
use crate::subject::{Form, Subject};
use watchkeeper_runtime::{Assumption, Assumptions, Property, RecordedModel};
use watchkeeper_world::{Delay, Scenario, Time};

/// A node that could be.
#[derive(Clone, Debug)]
pub(crate) struct Prospect {
    /// The protocol, by its name on the command line, and what it is.
    pub(crate) protocol: &'static str,
    pub(crate) about: &'static str,
    pub(crate) plan: Plan,
    /// What is assumed of the network, and which properties rest on it.
    pub(crate) assumptions: Assumptions,
    /// What a recording says of the model.
    pub(crate) model: RecordedModel,
}

impl Prospect {
    /// What a node of these settings would be. Refuses whatever `check` would refuse.
    pub(crate) fn of<S: Subject>(
        form: &Form,
        settings: &Settings,
        built: &Built<S>,
    ) -> Result<Prospect, Problem> {
        let Built { protocol, params, plan } = built;
        Effort::of(settings)?;
        pose(protocol, plan, Together::AsFarAsPossible)?;
        let open = S::PARAMS.iter().map(|param| param.name).filter(|name| !form.settles(name));
        let params = open.map(|name| (format!("param.{name}"), params.text(name).to_string()));
        let given = settings.scenario().filter(|(name, _)| *name != "n");
        let given = given.map(|(name, given)| (name.to_string(), given.text.clone()));
        let settings = given.chain(params).collect();
        Ok(Prospect {
            protocol: form.name,
            about: form.about,
            assumptions: assumptions(protocol.promises(&plan.scenario), plan),
            model: RecordedModel { protocol: form.name.to_string(), n: plan.usual.n, settings },
            plan: plan.clone(),
        })
    }
}

/// What is assumed in a plan of a protocol that promises this. Without time nothing is: no verdict of an untimed
/// check depends on how long anything takes.
fn assumptions(promises: Vec<(&'static str, Vec<Assumption>)>, plan: &Plan) -> Assumptions {
    let Scenario { network, time, .. } = &plan.scenario;
    let timing = match time {
        Time::Untimed => return Assumptions::default(),
        Time::Ticks(timing) | Time::Dense(timing) => timing,
    };
    let (delay, round_trip) = match timing.delay {
        Delay::PerMessage(bound) => (bound.hi(), None),
        Delay::RoundTrip(most) => (None, Some(most)),
    };
    let lossless =
        network.losses == 0 || promises.iter().any(|(_, rests_on)| rests_on.contains(&Assumption::Loss));
    let assumed = |assumption: &Assumption| match assumption {
        Assumption::Delay => delay.is_some(),
        Assumption::RoundTrip => round_trip.is_some(),
        Assumption::Loss => lossless,
        Assumption::Speed => true,
    };
    let mut properties = Vec::new();
    for (name, rests_on) in promises {
        let rests_on: Vec<Assumption> = rests_on.into_iter().filter(assumed).collect();
        for name in asked(name, plan) {
            properties.push(Property::new(name, rests_on.clone()));
        }
    }
    Assumptions { delay, round_trip, lossless, lateness: None, properties }
}

/// The properties of this name that the plan asks for, as they are written there; or the name alone.
fn asked(name: &str, plan: &Plan) -> Vec<String> {
    let written = plan.asked.iter().map(Asked::to_string);
    let named: Vec<String> = written.filter(|asked| asked.split(':').next() == Some(name)).collect();
    if named.is_empty() { vec![name.to_string()] } else { named }
}
