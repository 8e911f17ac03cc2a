//! The accelerated heartbeat protocols as they were verified: the environment of the publication, its two
//! tables, and the same tables computed again in ticks and in zones. The protocols themselves are ordinary
//! ones and live with the others; here is only what was said about them.
//!
//! M. Atif, "Formal Modeling and Verification of Distributed Failure Detectors", thesis, TU Eindhoven, 2011,
//! chapter 3, called *the thesis* below.

mod published;
mod table;

#[cfg(test)]
mod tests;

pub use published::{PAIRS, expected, printed};
pub use table::{HeartbeatSelection, TimeDomain, table};
pub use watchkeeper::built_in::heartbeat::{calls, environment};
