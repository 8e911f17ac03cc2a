//! The description of the detector NFD-S of Chen, Toueg and Aguilera.

use crate::description::{Described, Description, Detector, Live};
use crate::params::Params;
use crate::problem::Problem;
use crate::regions::{Parametric, ParametricDescription};
use watchkeeper_core::{Bound, Completeness, ProcSet, Time};
use watchkeeper_protocols::nfd_s::{NfdS, NfdSError};
use watchkeeper_regions::Linear;
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// The most heartbeats in a channel: with delays up to `delta` there are no more on their way.
const CAP: u32 = 4;

/// The detector with these parameters and durations `T`, for `n` processes.
pub fn build<T: Time>(n: usize, params: &Params) -> Result<NfdS<T>, Problem> {
    let built = NfdS::with_numbers(n, params.get("eta")?, params.get("delta")?, params.get("numbers")?);
    built.map_err(|why| match why {
        NfdSError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        NfdSError::NoEta => params.refuse("eta", why),
        NfdSError::Numbers { .. } => params.refuse("numbers", why),
        NfdSError::DeltaTooLong { .. } => params.refuse("delta", why),
    })
}

/// The environment in which it makes no mistakes: messages take up to `delta` and none is lost, and one that arrives at a
/// freshness point arrives before it.
fn environment(detector: &NfdS, n: usize) -> Scenario {
    let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
    let timing = Timing::per_message(Bound::within(detector.delta())).deliveries_first();
    let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
    Scenario { network, faults, time: WorldTime::Dense(timing), ..Scenario::new(n) }
}

impl Parametric for NfdS<Linear> {
    fn parametric() -> ParametricDescription<NfdS<Linear>> {
        ParametricDescription::new("nfd-s", build)
            .environment(|_, n| {
                let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
                Scenario { network, ..Scenario::new(n) }.with_time(WorldTime::Untimed)
            })
            .complete(Completeness::Strong)
    }
}

impl Described for NfdS {
    fn description() -> Description<NfdS> {
        let about = "Failure detector by heartbeats and freshness points of one clock (Chen, Toueg and Aguilera 2002)";
        let detector = Detector::default().suspecting(NfdS::suspects).complete(Completeness::Strong);
        Description::new("nfd-s", about, build)
            .duration("eta", "the time between two heartbeats", "2")
            .duration("delta", "the time that a heartbeat has to arrive", "1")
            .tuned("eta", "delta")
            .param("numbers", "heartbeats are numbered modulo this even number", "256")
            .detector(detector)
            .environment(environment)
            .parametric::<NfdS<Linear>>()
            // What it promises rests on a common start, of which a node can measure nothing; so a node promises nothing.
            .live(Live { restarts: false, ..Live::default() })
    }
}
