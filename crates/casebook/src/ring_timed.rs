//! The timed ring detectors as they were modelled in UPPAAL: three processes in a ring, each with two tasks
//! and a mutex, clocks, and channels whose sender waits for room. Here the published claims are examined on
//! the published model; the detectors as they would be deployed are policies of the ring protocol.
//!
//! M. Atif, "Formal Modeling and Verification of Distributed Failure Detectors", thesis, TU Eindhoven, 2011,
//! chapter 6: figures 6.6 to 6.9 are the automata, 6.13 a counterexample, 6.14 to 6.16 the monitors. The same
//! in M. Atif, M. R. Mousavi and A. Osaiweran, TU Eindhoven, CSR 11-12, 2011.
//!
//! # How the drawings are read
//! - Task1, Task2 and channels as in [`ring`](crate::ring): every edge is one step, `noReply` is committed, a
//!   crashed process takes messages from the hands of their senders, and p1 may crash at any state.
//! - At `delay` the clock of the round stands between 0 and the timeout, and the edges that leave it need it
//!   to be equal to the timeout, and the mutex. Nothing else in Task1 is urgent.
//! - Task2 has an invariant that is not drawn: a message is processed while the rest of maxDelta lasts. It is
//!   read as: while a question of p to q, or the answer to it, is in a channel or with Task2 of q or of p,
//!   the clock `waiting[p][q]` is at most maxDelta. From when that clock counts is [`ClockReading`], and the outcome
//!   depends on it.
//! - With [`ClockReading::EveryResend`] a resend sets one clock back that all these messages share. The search keeps
//!   the age of each message instead and makes all of them young; the replay has the clock itself.
//! - FIFO means one queue for both kinds of message: [`MessageOrder`].
//! - The first timeout is 1. The candidate of the detector for weak accuracy is p2.
//! - G is one list for all, as in section 6.3.4, and does not travel with messages.
//!
//! # Time
//! Time is counted in whole units. All bounds are closed and simultaneous events come in any order, so that
//! dense time reaches the same states of tasks, lists and channels; only with due deliveries before timeouts
//! may it reach more. A state in which nothing is possible and time cannot pass, because something is due
//! that cannot be done, is a time-lock; one in which time could pass for ever is a deadlock. The block of
//! figure 6.13 is a time-lock, at once or a few units later: both tasks that wait must be done before
//! maxDelta.

mod asked;
mod automata;
mod case;
mod cells;
mod labels;
mod message;
mod replay;
mod space;
mod state;
mod steps;
mod table;
mod view;

#[cfg(test)]
mod tests;

pub use asked::TimedQuestion;
pub use case::{ClockReading, DeltaGrowth, MessageOrder, RingTimedCase, TimedVariant};
pub use cells::{TimedClaim, cells};
pub use space::TimedRing;
pub use table::table;
