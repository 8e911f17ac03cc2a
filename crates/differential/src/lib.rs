//! A test tool: protocols drawn at random, in scenarios drawn at random, answered by a naive explorer that shares nothing
//! with the engines, and by every engine. Nothing in the project depends on it, and it decides nothing for users.
//!
//! A case is a seed and a number, and can be had again alone. What may be drawn is in [`RandomCase`]; what is compared, and what
//! must be equal, in `compare`; how the naive explorer sees the world, in `naive`.

mod ask;
mod case;
mod compare;
mod dice;
mod engines;
mod ladder;
mod naive;
mod observer;
mod shrink;
mod table;
mod tally;

pub use case::RandomCase;
pub use compare::{CompareScope, Disagreement, compare};
pub use shrink::shrink;
pub use tally::{CaseTally, CompareMode, ModeCounts};
