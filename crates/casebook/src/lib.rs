//! Published models, written down as they were printed, and published tables, computed again: what is
//! printed beside what is found, with the reason where they differ. A model lives here when its steps are
//! not those of a protocol in a world; nothing here is ever deployed.

pub mod chandra_toueg;
pub mod consensus;
pub mod heartbeats;
pub mod membership;
mod names;
pub mod parametric;
mod published_ring;
pub mod ring;
pub mod ring_refinement;
pub mod ring_timed;
pub mod table;

pub use names::{OutOfRange, UnknownName};
