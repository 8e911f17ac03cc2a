//! Protocols as pure state machines, one algorithm to a module, each citing the paper it comes from.
//! Nothing here knows whether it is being checked, simulated or run, and nothing here may find out.

pub mod chandra_toueg;
pub mod consensus;
pub mod detection;
pub mod heartbeat;
pub mod membership;
pub mod ring;
pub mod stack;
