//! Files of a search: a directory that one process uses at a time, an append-only log of blocks with checksums in it, and
//! sorted runs of words. What was committed to a log survives a crash; damage is an error with its place, never another
//! content. This crate knows bytes and words, and never a state.
#![doc = include_str!("../README.md")]

mod codec;
mod cursor;
mod directory;
mod error;
mod fingerprint;
mod log;
mod merge;
mod run_directory;
mod runs;
mod sort;
#[doc(hidden)]
pub mod testing;
mod word;

pub use cursor::{AsWritten, Remap, RunCursor};
pub use directory::{ClaimHandle, ClaimedDirectory, numbered_directories};
pub use error::DiskError;
pub use fingerprint::fingerprint;
pub use log::{Log, LogReader};
pub use merge::{RunMerge, quantiles};
pub use run_directory::{RunDirectory, RunFile};
pub use runs::{RunPlace, RunSegment, RunWriter, SortedRun};
pub use sort::sort_dedup;
pub use word::Word;
