//! Worlds small enough to count by hand, and worlds made at random that two programs must agree on.

mod choices;
mod concurrency;
mod counts;
mod differential;
mod narration;
mod peers;
mod picture;
mod random;
mod recovery;
pub(crate) mod samples;
mod scenarios;
mod stacked;
mod symmetry;
mod timed;
mod walk;
