//! Processes, a network and faults around a protocol, as a space: every run that the environment can
//! choose. The protocol is only ever called through the contract, and no id of a row shows outside.
//!
//! Where types end: `automaton` is the one boundary to a protocol. On its side (`typed`, and the shell [`TypedWorld`]) code
//! is compiled for each protocol; everything else, [`World`] first of all, sees numbers and bytes and is compiled once.
//!
//! How it is fast: what one process is, and what one channel holds, is interned, so that a global state is
//! a short row of small ids; a step of the protocol, a send and a delivery are worked out once and looked
//! up from then on, without a lock. How it is believed: [`Narration::replay`](watchkeeper_space::Narration::replay)
//! executes a run again in an interpreter that shares none of that.
//!
//! Time comes in at three places: what an obligation, an armed timer or a message on its way, remembers of
//! its bound (`due`), which of them may happen now (`expand`, and `moment` for dense time), and what an
//! deadline an observer may set (`observer`).

mod arena;
mod assumptions;
mod audit;
mod automaton;
mod channel;
mod cutoff;
mod debug_text;
mod dense;
mod error;
mod expand;
mod family;
mod global;
mod independence;
mod intern;
mod interpreter;
mod local;
mod lock;
mod machine;
mod memo;
mod observation;
mod observer;
mod oracle;
mod record;
mod recorded;
mod remaining_bound;
mod renaming;
mod replay;
mod route;
mod row;
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
mod typed;
mod typed_world;
mod world;
mod zone_ids;

#[cfg(test)]
mod tests;

pub use cutoff::{CutoffMembership, CutoffReport, Demand, Departure, membership};
pub use error::{MAX_DURATION, MAX_TIMERS, SpecError, WorldError};
pub use family::Worlds;
pub use global::Global;
pub use oracle::{Oracle, OracleAccuracy, SuspicionMemory};
pub use recorded::{BrokenAssumption, Conformance, Deviation, FaultLimits, RecordedRun};
pub use scenario::{
    ANY_NUMBER, Capacity, Channel, DeliveryOrder, Faults, Lanes, MAX_CAPACITY, Network, Scenario, WhenFull,
};
pub use stages::{InStages, StageRules};
pub use synchrony::{BeforeStable, Synchrony, unknown_bounds};
pub use time::{Delay, Simultaneous, Time, Timing};
pub use typed_world::TypedWorld;
pub use world::World;
