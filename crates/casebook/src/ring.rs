//! The ring detector for weak completeness as it was modelled three times: in a process algebra, in CSP,
//! and as automata with a mutex. Three processes in a ring, of which only p1 may crash, and one channel
//! for each ordered pair and kind of message. Each model says what one process does; the channels, the
//! search space and the telling of runs are the same for all.
//!
//! M. Atif, M. R. Mousavi and A. Osaiweran, "Formal Verification of Unreliable Failure Detectors in
//! Partially Synchronous Systems", TU Eindhoven, CSR 11-12, 2011, called *the report* below, and chapter 6
//! with appendix D of M. Atif's thesis, "Formal Modeling and Verification of Distributed Failure
//! Detectors", TU Eindhoven, 2011, called *the thesis*.

mod automaton;
mod case;
mod channel;
mod closure;
mod csp;
mod labels;
mod naive;
mod network;
mod oscillation;
mod process_algebra;
mod published;
mod replay;
mod tasks;

#[cfg(test)]
mod tests;

pub use case::{Crash, FullChannel, RingCase, RingModel};
pub use network::RingNetwork;
pub use oscillation::{Oscillation, oscillations};
pub use published::{PrintedRun, TABLE_6_1, Tool, table};
