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
