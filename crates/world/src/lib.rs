//! Processes, a network and faults around a protocol, as a space: every run that the environment can
//! choose. This crate calls the protocol only through its contract, and no id of a row leaves the crate.
//!
//! **Where types end.** `automaton` is the only boundary to a protocol. On the protocol's side (`typed`, and the shell
//! [`TypedWorld`]) code is compiled for each protocol; everything else, above all [`World`], works on numbers and bytes and
//! is compiled once.
//!
//! **Speed.** Local states and channel contents are interned, so that a global state is a short row of small ids. A
//! step of the protocol, a send and a delivery are computed once and then looked up without a lock.
//!
//! **Trust.** [`Narration::replay`](watchkeeper_space::Narration::replay) executes a run again in an interpreter that shares
//! none of these tables.
//!
//! **Time** enters at three places: the remaining bound of an armed timer or a message in flight
//! (`remaining`), the obligations that are enabled now (`expand`, and `dense` for dense time), and the deadlines of
//! observers (`observer`).
#![doc = include_str!("../README.md")]

mod assumptions;
mod audit;
mod channel;
mod cutoff;
mod dense;
mod error;
mod expand;
mod family;
mod global;
mod independence;
mod interpreter;
mod labels;
mod local;
mod lock;
mod machine;
mod machine_input;
mod memo;
mod observation;
mod observer;
mod oracle;
mod parts;
mod picture;
mod record;
mod recorded;
mod remaining;
mod renaming;
mod replay;
mod route;
mod row;
mod run_times;
mod scenario;
mod selective;
mod snapshot;
mod space;
mod stability;
mod stages;
mod start;
mod synchrony;
mod ticks;
mod time;
mod transition;
mod typed_world;
mod world;
mod zone_ids;

#[cfg(test)]
mod tests;

pub use assumptions::assumptions;
pub use cutoff::{CutoffMembership, CutoffReport, Demand, Departure, membership};
pub use error::{MAX_DURATION, MAX_TIMERS, SpecError, WorldError};
pub use family::Worlds;
pub use global::Global;
pub use oracle::{Oracle, OracleAccuracy, SuspicionMemory};
pub use recorded::{BrokenAssumption, Conformance, Deviation, FaultLimits, RecordedPart, RecordedRun};
pub use route::Routes;
pub use scenario::{
    ANY_NUMBER, Capacity, Channel, DeliveryOrder, Faults, Lanes, MAX_CAPACITY, Network, Scenario, WhenFull,
};
pub use stages::{InStages, StageRules};
pub use synchrony::{BeforeStable, Synchrony, unknown_bounds};
pub use time::{Delay, Simultaneous, Timing, WorldTime};
pub use typed_world::TypedWorld;
pub use world::World;
