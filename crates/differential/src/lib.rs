//! A test tool: protocols drawn at random, in scenarios drawn at random, answered by a naive explorer that shares nothing
//! with the engines, and by every engine. Nothing in the project depends on it, and it decides nothing for users.
//!
//! A case is a seed and a number, and can be had again alone. What may be drawn is in [`Case`]; what is compared, and what
//! must be equal, in `compare`; how the naive explorer sees the world, in `naive`.

mod ask;
mod case;
mod compare;
mod dice;
mod engines;
mod ladder;
mod naive;
mod shrink;
mod table;
mod tally;
mod watcher;

pub use case::Case;
pub use compare::{Disagreement, Scope, compare};
pub use shrink::shrink;
pub use tally::{Counts, Mode, Tally};
