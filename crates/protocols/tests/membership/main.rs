//! Membership with a scripted environment: what cannot be is refused and changes nothing, what is good afterwards is
//! delivered, and no bytes make it panic.

mod apart;
#[path = "../environment/effects.rs"]
mod effects;
mod hostile;
#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/network.rs"]
mod network;
mod refusals;
#[path = "../stack/script.rs"]
mod script;
