//! Ticks and dense time on the protocols of the project, over a spread of parameters: the same discrete states
//! where simultaneous events come in any order, a subset in ticks where due deliveries come first; and in the
//! rings, which are finite without time too, never one that no untimed run reaches.

use super::reach::{covering, exact};
use crate::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Timing, TypedWorld, WorldTime};
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, Pid, ProcSet, Promises};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper_protocols::ring::{
    Ring, StrongAccuracy, StrongCompleteness, TimeoutAdaptation, WeakAccuracy,
};

/// The most rows of one search; all of those here have fewer.
const MOST: usize = 400_000;

/// The discrete states that ticks and dense time reach, after comparing them.
fn compared<P: Promises>(
    name: &str,
    world: impl Fn(WorldTime) -> TypedWorld<P>,
    timing: Timing,
) -> (BTreeSet<Vec<u8>>, BTreeSet<Vec<u8>>) {
    let ticks = exact(&world(WorldTime::Ticks(timing)), MOST).expect("few enough in ticks");
    let dense = covering(&world(WorldTime::Dense(timing)), MOST).expect("few enough zones");
    assert!(!ticks.cut && !dense.cut, "{name}: something was cut away");
    if timing == timing.deliveries_first() {
        assert!(ticks.states.is_subset(&dense.states), "{name}");
    } else {
        assert_eq!(ticks.states, dense.states, "{name}");
        assert_eq!(ticks.locked, dense.locked, "{name}");
    }
    (ticks.states, dense.states)
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers are asked for")]
fn the_heartbeat_protocols_reach_the_same_in_ticks_and_in_zones() {
    let pairs = [(1, 1), (1, 2), (1, 3), (2, 3), (3, 3), (2, 5), (1, 6), (3, 7), (4, 8), (5, 10), (9, 10)];
    let mut sums = (0, 0, 0);
    for variant in HeartbeatVariant::ALL {
        let (participants, largest) = if variant == HeartbeatVariant::Static { (2, 3) } else { (1, 10) };
        for (tmin, tmax) in pairs.into_iter().filter(|(_, tmax)| *tmax <= largest) {
            for corrected in [false, true] {
                let plain = Heartbeat::new(variant, tmin, tmax, participants).expect("a protocol");
                let heartbeat = if corrected { plain.corrected() } else { plain };
                let calls: Vec<_> = heartbeat.calls().into_iter().map(|(p, call)| (p, call, 1)).collect();
                let n = heartbeat.processes();
                let world = |time| {
                    let network = Network {
                        capacity: Capacity::Unbounded { cap: 8 },
                        losses: ANY_NUMBER,
                        ..Network::default()
                    };
                    let faults =
                        Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() };
                    let world =
                        TypedWorld::new(heartbeat, Scenario { n, network, faults, time, oracle: None });
                    world.and_then(|world| world.with_calls(calls.clone())).expect("a world")
                };
                let name = format!("{variant} ({tmin}, {tmax}), corrected: {corrected}");
                let timing = Timing::round_trip(tmin);
                let timing = if corrected { timing.deliveries_first() } else { timing };
                let (ticks, dense) = compared(&name, world, timing);
                sums = (sums.0 + 1, sums.1 + ticks.len(), sums.2 + dense.len());
            }
        }
    }
    println!("heartbeats: {} worlds, {} discrete states in ticks, {} in zones", sums.0, sums.1, sums.2);
    assert_eq!(sums, (120, 9368, 9368));
}

fn ring<P: Promises + Clone>(name: &str, protocol: &P) -> usize {
    let mut sum = 0;
    for (lo, hi) in [(0, 1), (1, 1), (1, 2)] {
        let timing = Timing::per_message(Bound::new(lo, hi).expect("an interval"));
        for timing in [timing, timing.deliveries_first()] {
            let world = |time| {
                let network = Network::default().with_channel("drop:1".parse().expect("a channel"));
                let faults = Faults { crashable: ProcSet::only(Pid::at(1)), crashes: 1, ..Faults::default() };
                TypedWorld::new(protocol.clone(), Scenario { n: 2, network, faults, time, oracle: None })
                    .expect("a world")
            };
            let (ticks, dense) = compared(name, world, timing);
            let untimed = exact(&world(WorldTime::Untimed), MOST).expect("few enough without time");
            assert!(dense.is_subset(&untimed.states), "{name}: time only takes runs away");
            sum += ticks.len();
        }
    }
    sum
}

#[test]
#[expect(clippy::print_stdout, reason = "the numbers are asked for")]
fn the_ring_detectors_reach_the_same_in_ticks_and_in_zones() {
    let timeout = 2;
    let candidate = Pid::at(0);
    let made = "a ring";
    let complete = StrongCompleteness::new(TimeoutAdaptation::Fixed);
    let sums = [
        ring("weak completeness", &Ring::new(2, timeout).expect(made)),
        ring(
            "weak accuracy",
            &Ring::with_policy(WeakAccuracy::new(candidate, Some(3)), 2, timeout).expect(made),
        ),
        ring("strong accuracy", &Ring::with_policy(StrongAccuracy::new(Some(3)), 2, timeout).expect(made)),
        ring("strong completeness", &Ring::with_policy(complete, 2, timeout).expect(made)),
        ring("asking again", &Ring::with_policy(complete.asking_again(), 2, timeout).expect(made)),
    ];
    println!("rings: {sums:?} discrete states in ticks");
    assert_eq!(sums, [252, 342, 523, 252, 525]);
}
