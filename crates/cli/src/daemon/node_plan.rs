//! What a node would be, before it is one: its protocol with all settings, and what its verdicts rest on, so that
//! the node can watch over it. Everything comes from the plan that `check` would search.

use crate::raw_settings::RawSettings;
use watchkeeper::erased::{ErasedProtocol, Proposals};
use watchkeeper::plan::CheckPlan;
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{JointSearch, Param, Problem, PropertySpec, ProtocolForm, Scenario};
use watchkeeper_core::{Assumption, Pid};
use watchkeeper_runtime::{Assumptions, CheckedProperty, ExpectedNetwork, RecordedModel};
use watchkeeper_world::{Delay, WorldTime};

/// A node that could be.
#[derive(Clone, Debug)]
pub(crate) struct NodePlan {
    /// The protocol, by its name on the command line, and what it is.
    pub(crate) protocol: &'static str,
    pub(crate) about: &'static str,
    pub(crate) plan: CheckPlan,
    /// What is assumed of the network, and which properties rest on it.
    pub(crate) assumptions: Assumptions,
    /// What a recording says of the model.
    pub(crate) model: RecordedModel,
    /// What processes propose, where they decide on values.
    pub(crate) proposals: Option<Proposals>,
    /// Whether a process that has crashed may start again.
    pub(crate) restarts: bool,
}

impl NodePlan {
    /// What a node of these settings would be. Refuses whatever `check` would refuse.
    pub(crate) fn of(erased: &dyn ErasedProtocol, texts: &RawSettings) -> Result<NodePlan, Problem> {
        let settings = texts.read()?;
        SearchOptions::of(&settings)?;
        let outline = erased.outline();
        let plan = erased.plan(&settings)?;
        let running = erased.running(&plan)?;
        let ProtocolForm { name: protocol, about, .. } = outline.form;
        if let Some(why) = running.only_checked {
            return Err(Problem::Usage(format!("{protocol} is a model for `check` only: {why}")));
        }
        if running.model {
            let instead = running.instead.map_or("put it on a detector first".to_string(), |live| {
                format!("run {live}, which stands on a real detector")
            });
            return Err(Problem::Usage(format!(
                "{protocol} asks an oracle whom to suspect, and there are none outside of `check`; {instead}"
            )));
        }
        erased.pose(&plan, JointSearch::AsFarAsPossible)?;
        let params = outline
            .params
            .iter()
            .map(|Param { name, .. }| (format!("param.{name}"), plan.params.text(name).to_string()));
        let given = texts.scenario().filter(|(name, _)| *name != "n");
        let given = given.map(|(name, given)| (name.to_string(), given.value.clone()));
        let settings = given.chain(params).collect();
        Ok(NodePlan {
            protocol,
            about,
            assumptions: assumptions(running.promises, &plan),
            model: RecordedModel { protocol: protocol.to_string(), n: plan.usual.n, settings },
            plan,
            proposals: running.proposals,
            restarts: running.restarts,
        })
    }

    /// Its parameters were chosen for this network.
    pub(crate) fn chosen_for(&mut self, network: ExpectedNetwork) {
        self.assumptions.network = Some(network);
        let quality = CheckedProperty::new("quality of service", [Assumption::Network]);
        self.assumptions.properties.push(quality);
    }

    /// What process `me` proposes as soon as it has begun, if `asked` is what its file says; or why it cannot.
    pub(crate) fn proposal(&self, me: Option<Pid>, asked: Option<u64>) -> Result<Option<u64>, String> {
        match (&self.proposals, asked) {
            (None, None) => Ok(None),
            (None, Some(_)) => {
                Err(format!("the processes of {} propose nothing; leave `propose` out", self.protocol))
            }
            (Some(proposals), asked) => proposed(proposals, me, asked).map(Some),
        }
    }
}

/// What a process proposes, if it may.
fn proposed(proposals: &Proposals, me: Option<Pid>, asked: Option<u64>) -> Result<u64, String> {
    let usual = || me.map_or(Some(0), |me| proposals.usual.get(me.index()).copied());
    let Some(value) = asked.or_else(usual) else {
        return Err(
            "the parameter `values` leaves open what this node proposes: add propose = 7, or the like, to [node]"
                .to_string(),
        );
    };
    match proposals.domain {
        Some(domain) if value >= domain => Err(format!(
            "{value} is outside of the domain: with domain = {domain} the values are 0 to {}; propose one of \
             these, or raise the parameter domain",
            domain.saturating_sub(1)
        )),
        _ => Ok(value),
    }
}

/// What is assumed in a plan of a protocol that promises this. Without time nothing is: no verdict of an untimed
/// check depends on how long anything takes.
fn assumptions(promises: Vec<(&'static str, Vec<Assumption>)>, plan: &CheckPlan) -> Assumptions {
    let Scenario { network, time, .. } = &plan.scenario;
    let timing = match time {
        WorldTime::Untimed => return Assumptions::default(),
        WorldTime::Ticks(timing) | WorldTime::Dense(timing) => timing,
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
        Assumption::Network => false,
    };
    let mut properties = Vec::new();
    for (name, rests_on) in promises {
        let rests_on: Vec<Assumption> = rests_on.into_iter().filter(assumed).collect();
        for name in asked(name, plan) {
            properties.push(CheckedProperty::new(name, rests_on.clone()));
        }
    }
    Assumptions { delay, round_trip, lossless, lateness: None, network: None, properties }
}

/// The properties of this name that the plan asks for, as they are written there; or the name alone.
fn asked(name: &str, plan: &CheckPlan) -> Vec<String> {
    let written = plan.asked.iter().map(PropertySpec::to_string);
    let named: Vec<String> = written.filter(|asked| asked.split(':').next() == Some(name)).collect();
    if named.is_empty() { vec![name.to_string()] } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;
    use crate::raw_settings::RawValue;
    use watchkeeper::SettingOrigin;
    use watchkeeper::protocols::heartbeat::Heartbeat;
    use watchkeeper::protocols::ring::Ring;

    fn node_plan(protocol: &str, said: &[(&'static str, &str)], params: &[(&str, &str)]) -> NodePlan {
        let program = Program::new().protocol::<Ring>().protocol::<Heartbeat>();
        let mut settings = RawSettings::default();
        for (name, text) in said {
            settings.set(name, *text, SettingOrigin::Call("test"));
        }
        for (name, text) in params {
            let given = RawValue { value: text.to_string(), origin: SettingOrigin::Call("test") };
            settings.params.insert(name.to_string(), given);
        }
        let entry = program.entries.iter().find(|entry| entry.name() == protocol).expect("a protocol");
        NodePlan::of(&*entry.protocol, &settings).expect("a node_plan")
    }

    fn resting(node_plan: &NodePlan) -> Vec<String> {
        let properties = node_plan.assumptions.properties.iter();
        let text = |property: &CheckedProperty| {
            let names: Vec<&str> = property.rests_on.iter().map(|assumption| assumption.name()).collect();
            format!("{} on {}", property.name, names.join(" "))
        };
        properties.map(text).collect()
    }

    #[test]
    fn a_delay_is_assumed_where_messages_have_one() {
        let timed =
            [("time", "dense"), ("delay", "0..2"), ("crashes", "1"), ("property", "detection:10,accuracy")];
        let ring = node_plan("ring", &timed, &[("round", "5")]);
        let Assumptions { delay, round_trip, lossless, .. } = ring.assumptions;
        assert_eq!((delay, round_trip, lossless), (Some(2), None, true));
        assert_eq!(resting(&ring), ["detection:10 on delay speed", "accuracy on delay speed loss"]);
        let lossy = node_plan("ring", &[&timed[..], &[("loss", "1")]].concat(), &[("round", "5")]);
        assert_eq!(resting(&lossy), ["detection:10 on delay speed", "accuracy on delay speed"]);
        assert!(!lossy.assumptions.lossless);
        let endless = node_plan("ring", &[("time", "dense"), ("delay", "1..")], &[]);
        assert_eq!((endless.assumptions.delay, endless.assumptions.round_trip), (None, None));
    }

    #[test]
    fn heartbeats_rest_on_a_round_trip_and_on_arrival_though_the_network_may_lose() {
        let binary = node_plan("binary", &[], &[("tmin", "2"), ("tmax", "8")]);
        let Assumptions { delay, round_trip, lossless, .. } = binary.assumptions;
        assert_eq!((delay, round_trip, lossless), (None, Some(2), true));
        assert_eq!(
            resting(&binary),
            ["R1 on speed", "R2 on round-trip speed loss", "R3 on round-trip speed loss"]
        );
    }

    #[test]
    fn nothing_is_assumed_without_time() {
        assert_eq!(node_plan("ring", &[], &[]).assumptions, Assumptions::default());
    }

    #[test]
    fn a_recording_has_all_that_rebuilds_the_model() {
        let model =
            node_plan("static", &[("n", "3"), ("loss", "0"), ("timeout", "9s")], &[("tmin", "2")]).model;
        assert_eq!((model.protocol.as_str(), model.n), ("static", 3));
        let settings: Vec<String> =
            model.settings.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(settings, ["loss=0", "param.tmin=2", "param.tmax=10", "param.corrected=false"]);
    }
}
