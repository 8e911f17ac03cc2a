//! Consensus seen from one process, in random runs of many, and under hostile inputs. That the requirements hold in
//! all runs is for a checker to say.

#[path = "../environment/effects.rs"]
mod effects;
mod hostile;
#[allow(dead_code, reason = "one tool for several suites")]
#[path = "../environment/network.rs"]
mod network;
mod rotating;
mod runs;
mod script;
mod strong;
