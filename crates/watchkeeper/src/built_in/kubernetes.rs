//! The descriptions of the chain of timeouts of Kubernetes: up to a node that is not ready, and up to the eviction of its pods.

use crate::description::{Clients, Described, Description, Detector, Live};
use crate::params::{Params, ProtocolForm};
use crate::problem::Problem;
use crate::regions::{Parametric, ParametricDescription};
use watchkeeper_core::{Assumption, Bound, Completeness, MAX_PROCESSES, Time};
use watchkeeper_protocols::kubernetes::{
    Kubernetes, KubernetesDurations, KubernetesError, KubernetesVerdict,
};
use watchkeeper_regions::Linear;
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// The names. The durations are the defaults of Kubernetes 1.32 in seconds.
const FORMS: [ProtocolForm; 2] = [
    ProtocolForm {
        name: "kubernetes",
        about: "How Kubernetes finds out that a node is gone: lease, API server, node controller, not ready",
        settled: &[("verdict", "not-ready")],
        processes: 1,
        sizes: (1, MAX_PROCESSES - 2),
    },
    ProtocolForm {
        name: "kubernetes-eviction",
        about: "How Kubernetes evicts the pods of a node that is gone: a suspicion is an eviction",
        settled: &[("verdict", "evicted")],
        // While no node is ready nothing is evicted, so a node has to be left when one crashes.
        processes: 2,
        sizes: (2, MAX_PROCESSES - 2),
    },
];

/// The chain with these parameters and durations `T`, for `n` nodes.
pub fn build<T: Time>(n: usize, params: &Params) -> Result<Kubernetes<T>, Problem> {
    let durations = KubernetesDurations {
        renewal: params.get("renewal")?,
        poll: params.get("poll")?,
        grace: params.get("grace")?,
        toleration: params.get("toleration")?,
        keepalive: params.get("keepalive")?,
    };
    let verdict = match params.text("verdict") {
        "evicted" => KubernetesVerdict::Evicted,
        _ => KubernetesVerdict::NotReady,
    };
    let hangs = params.get("hangs")?;
    let built = Kubernetes::new(n, durations).map(|chain| chain.suspecting(verdict).hanging(hangs));
    built.map_err(|why| match why {
        KubernetesError::Nodes { .. } => Problem::Usage(format!("--n: {why}")),
        KubernetesError::NoRenewal => params.refuse("renewal", why),
        KubernetesError::NoPoll => params.refuse("poll", why),
    })
}

fn network() -> Network {
    Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() }
}

/// Messages take up to a second, and one node may crash.
fn environment(chain: &Kubernetes) -> Scenario {
    let faults = Faults { crashable: chain.nodes(), crashes: 1, ..Faults::default() };
    let time = WorldTime::Dense(Timing::per_message(Bound::within(1)));
    Scenario { network: network(), faults, time, ..Scenario::new(chain.processes()) }
}

fn promises(chain: &Kubernetes, around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let mut in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    in_time.extend((around.network.losses == 0).then_some(Assumption::Loss));
    let evicts_at_all = (around.faults.crashes as usize) < chain.nodes().len();
    let detects = chain.verdict() == KubernetesVerdict::NotReady || evicts_at_all;
    let detection = detects.then(|| ("detection", in_time.clone()));
    detection.into_iter().chain([("accuracy", in_time)]).collect()
}

impl Parametric for Kubernetes<Linear> {
    fn parametric() -> ParametricDescription<Kubernetes<Linear>> {
        ParametricDescription::new("kubernetes", build)
            .environment(|chain, _| {
                Scenario { network: network(), ..Scenario::new(chain.processes()) }
                    .with_time(WorldTime::Untimed)
            })
            .calls(|chain, _| chain.calls())
            .complete(Completeness::Weak)
    }
}

impl Described for Kubernetes {
    fn description() -> Description<Kubernetes> {
        let detector = Detector::default().suspecting(Kubernetes::suspects).complete(Completeness::Weak);
        let description = Description::new("kubernetes", "The chain of timeouts of Kubernetes nodes", build)
            .counted("nodes")
            .param("verdict", "the suspicion: not-ready or evicted", "not-ready")
            .duration("renewal", "the time between two renewals of a lease", "10")
            .duration("poll", "the time between two looks of the node controller", "5")
            .duration(
                "grace",
                "the age of a lease, by looks, from which on its node is not ready; 40 before Kubernetes 1.32",
                "50",
            )
            .duration("toleration", "the time for which pods stay on a node that is tainted", "300")
            .duration("keepalive", "the time after which a hanging connection to etcd is noticed", "40")
            .param("hangs", "how often the connection of the API server to etcd hangs", "0")
            .clients(|chain, _, _| Ok(vec![Clients::of(chain.calls())]))
            .detector(detector)
            .environment(|chain, _| environment(chain))
            .absent(|chain| {
                let never_hangs = chain.calls().is_empty().then_some("fire keep-alive");
                let never_taints = (chain.nodes().len() == 1).then_some("fire toleration of");
                never_hangs.into_iter().chain(never_taints).map(str::to_string).collect()
            })
            .parametric::<Kubernetes<Linear>>()
            .live(Live { promises, ..Live::default() });
        FORMS.into_iter().fold(description, Description::form)
    }
}
