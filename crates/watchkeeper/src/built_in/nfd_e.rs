//! The description of the detector NFD-E of Chen, Toueg and Aguilera.

use crate::description::{Described, Description, Detector, Live};
use crate::params::Params;
use crate::problem::Problem;
use watchkeeper_core::{Assumption, Bound, Completeness, ProcSet};
use watchkeeper_protocols::nfd_e::{NfdE, NfdEConfig, NfdEError};
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// The detector with these parameters, for `n` processes.
pub fn build(n: usize, params: &Params) -> Result<NfdE, Problem> {
    let config = NfdEConfig {
        eta: params.get("eta")?,
        alpha: params.get("alpha")?,
        window: params.get("window")?,
        grain: params.get("grain")?,
        numbers: params.get("numbers")?,
    };
    NfdE::new(n, config).map_err(|why| match why {
        NfdEError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        NfdEError::NoEta | NfdEError::EtaTooLong { .. } => params.refuse("eta", why),
        NfdEError::Grain { .. } => params.refuse("grain", why),
        NfdEError::Window { .. } => params.refuse("window", why),
        NfdEError::Numbers { .. } => params.refuse("numbers", why),
        NfdEError::AlphaTooLong { .. } => params.refuse("alpha", why),
    })
}

/// Messages take up to one unit of time, and one process may crash.
fn environment(_: &NfdE, n: usize) -> Scenario {
    let network = Network { capacity: Capacity::Unbounded { cap: 4 }, ..Network::default() };
    let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
    let time = WorldTime::Dense(Timing::per_message(Bound::within(1)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

fn promises(around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let mut in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    in_time.extend((around.network.losses == 0).then_some(Assumption::Loss));
    vec![("detection", in_time.clone()), ("accuracy", in_time)]
}

impl Described for NfdE {
    fn description() -> Description<NfdE> {
        let about = "Failure detector by heartbeats and their expected times of arrival (Chen, Toueg and Aguilera 2002)";
        let detector = Detector::default().suspecting(NfdE::suspects).complete(Completeness::Strong);
        Description::new("nfd-e", about, build)
            .processes(2)
            .duration("eta", "the time between two heartbeats", "20")
            .duration(
                "alpha",
                "the time that a heartbeat has beyond the moment at which it is expected",
                "10",
            )
            .param(
                "window",
                "the heartbeats by which the next is expected; a search needs a small number, such as 2",
                "32",
            )
            .tuned("eta", "alpha")
            .duration("grain", "the time by which intervals are counted", "1")
            .param("numbers", "heartbeats are numbered modulo this even number", "256")
            .detector(detector)
            .environment(environment)
            .live(Live { promises: |_, around| promises(around), ..Live::default() })
    }
}
