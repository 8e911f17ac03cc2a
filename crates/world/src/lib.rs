//! Processes, a network and faults around a protocol, as a space: every run that the environment can
//! choose. The protocol is only ever called through the contract, and no id of a row shows outside.
//!
//! How it is fast: what one process is, and what one channel holds, is interned, so that a global state is
//! a short row of small ids; a step of the protocol, a send and a delivery are worked out once and looked
//! up from then on, without a lock. How it is believed: [`Space::replay`](watchkeeper_space::Space::replay)
//! executes a run again in an interpreter that shares none of that.
//!
//! Time comes in at three places and is left out of all of them so far: what an armed timer remembers
//! (`local`), what a message on its way remembers (`lane`), and which of the pending obligations may happen
//! now (`expand`: untimed, all of them).

mod act;
mod arena;
mod assumptions;
mod debug_text;
mod error;
mod expand;
mod global;
mod intern;
mod interpreter;
mod lane;
mod local;
mod machine;
mod memo;
mod record;
mod renaming;
mod replay;
mod route;
mod row;
mod scenario;
mod snapshot;
mod space;
mod time;
mod world;

#[cfg(test)]
mod tests;

pub use error::{SpecError, WorldError};
pub use global::Global;
pub use scenario::{
    ANY_NUMBER, Capacity, Channel, Faults, Lanes, MAX_CAPACITY, Network, Order, Scenario, WhenFull,
};
pub use time::{Delay, Simultaneous, Time, Timing};
pub use world::World;
