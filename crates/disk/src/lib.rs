#![doc = include_str!("../README.md")]

mod directory;
mod error;
mod log;
#[doc(hidden)]
pub mod testing;

pub use directory::Directory;
pub use error::DiskError;
pub use log::{Log, LogReader};
