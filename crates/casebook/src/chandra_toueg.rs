//! The failure detector of Chandra and Toueg under partial synchrony, as one sender and one receiver whose
//! global steps are cut into sub-rounds: who is scheduled, messages age, the sender sends, the receiver
//! receives and computes. It is the published model, for any bounds on delay and speed, and never deployed.
//!
//! T. H. Tran, I. Konnov and J. Widder, "A Case Study on Parametric Verification of Failure Detectors", Logical
//! Methods in Computer Science, called *the paper* below: sections 7 to 9, with Tables 1 and 2.

mod action;
mod asked;
mod buffer;
mod case;
mod formula;
mod least;
mod naive;
mod published;
mod replay;
mod space;
mod view;

#[cfg(test)]
mod tests;

pub use asked::ChandraTouegProperty;
pub use case::{ChandraTouegCase, Encoding};
pub use formula::{Conjecture, TimeoutCell, conjecture};
pub use least::{BoundRange, LeastTimeout, TimeoutGrid, least_timeout};
pub use published::{TABLE_1, TABLE_2, Verified, Violated, tables};
pub use space::SenderReceiver;
