//! The description of the detector: its name, its parameters, and how a check sees whom it suspects.

use crate::Sentinel;
use watchkeeper::{Completeness, Described, Description, Detector, Live};
use watchkeeper_core::Assumption;

impl Described for Sentinel {
    fn description() -> Description<Sentinel> {
        Description::new("sentinel", "heartbeats to all, with one timeout for each peer", |n, params| {
            Ok(Sentinel { n, period: params.get("period")?, timeout: params.get("timeout")? })
        })
        .param("period", "the time between two heartbeats", "2")
        .param("timeout", "the longest silence of a peer that is not suspected", "4")
        .detector(Detector::default().suspecting(|_, _, suspects| *suspects).complete(Completeness::Strong))
        .live(Live {
            promises: |_, _| {
                let detection = vec![Assumption::Delay, Assumption::Speed];
                let accuracy = vec![Assumption::Delay, Assumption::Speed, Assumption::Loss];
                vec![("detection", detection), ("accuracy", accuracy)]
            },
            ..Live::default()
        })
    }
}
