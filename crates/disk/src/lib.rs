//! Files of a search: a directory that one process uses at a time, and an append-only log of blocks with checksums in it.
//! What was committed to a log survives a crash; damage is an error with its place, never another content. This crate knows
//! bytes and words, and nothing of state spaces.
#![doc = include_str!("../README.md")]

mod directory;
mod error;
mod fingerprint;
mod log;
#[doc(hidden)]
pub mod testing;

pub use directory::ClaimedDirectory;
pub use error::DiskError;
pub use fingerprint::fingerprint;
pub use log::{Log, LogReader};
