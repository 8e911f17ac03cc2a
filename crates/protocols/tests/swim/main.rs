//! SWIM and Lifeguard: whole groups on a simulated network that loses and comes apart, whom a process turns to, what single
//! processes make of what they hear, all rotations of a ring, the error of one grain, and hostile inputs.

#[path = "../environment/effects.rs"]
mod effects;
#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/network.rs"]
mod network;

mod grains;
mod groups;
mod hostile;
mod lives;
mod order;
mod symmetry;

use watchkeeper_protocols::lifeguard::Lifeguard;
use watchkeeper_protocols::swim::{PlainSwim, ProbeOrder, Swim, SwimConfig, SwimPolicy};

/// Periods of 8, of which 4 are for a direct answer, and two periods to refute; nothing is left to chance.
fn small() -> SwimConfig {
    let order = ProbeOrder::Ring;
    SwimConfig { period: 8, timeout: 4, suspicion: 2, grain: 2, spread: 2, order, ..SwimConfig::default() }
}

/// The same in this order.
fn ordered(order: ProbeOrder) -> SwimConfig {
    SwimConfig { order, ..small() }
}

fn built<P: SwimPolicy>(n: usize, config: SwimConfig, policy: P) -> Swim<P> {
    Swim::new(n, config, policy).expect("a group")
}

fn plain(n: usize, config: SwimConfig) -> Swim {
    built(n, config, PlainSwim)
}

fn guarded(n: usize, config: SwimConfig) -> Swim<Lifeguard> {
    built(n, config, Lifeguard::new(8, 6, 1))
}
