//! The accelerated heartbeat protocols as they were verified: the surroundings of the publication, its two
//! tables, and the same tables computed again in ticks and in zones. The protocols themselves are ordinary
//! ones and live with the others; here is only what was said about them.
//!
//! M. Atif, "Formal Modeling and Verification of Distributed Failure Detectors", thesis, TU Eindhoven, 2011,
//! chapter 3, called *the thesis* below.

mod findings;
mod published;

#[cfg(test)]
mod tests;

pub use findings::{Choice, Finding, Findings, Measured, Model};
pub use published::{PAIRS, Printed, expected, printed};

use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatCall};
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Time, Timing};

/// The most messages that a search puts into one channel. Nothing that these protocols do comes near it: a
/// message lives at most tmin, and nobody sends two in less.
const CAP: u32 = 8;

/// What is around a heartbeat protocol in the thesis: any message may be lost, every process may crash, a
/// message and its reply together take at most tmin. Time is dense; of simultaneous events the corrected
/// protocols need due deliveries first.
pub fn surroundings(heartbeat: &Heartbeat) -> Scenario {
    let n = heartbeat.processes();
    let timing = Timing::round_trip(heartbeat.tmin());
    let timing = if heartbeat.is_corrected() { timing.deliveries_first() } else { timing };
    Scenario {
        n,
        network: Network {
            capacity: Capacity::Unbounded { cap: CAP },
            losses: ANY_NUMBER,
            ..Network::default()
        },
        faults: Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() },
        time: Time::Dense(timing),
        oracle: None,
    }
}

/// What clients ask: each participant of the dynamic protocol may be told once to leave.
pub fn calls(heartbeat: &Heartbeat) -> Vec<(Pid, HeartbeatCall, u32)> {
    heartbeat.calls().into_iter().map(|(participant, call)| (participant, call, 1)).collect()
}
