//! The command line of Watchkeeper, and the same command line for a protocol of your own ([`main_with`]). It reads what
//! users say into values, asks the library, and shows what comes of it; it adds no semantics of its own. Nothing depends on
//! it but programs.

mod again;
mod arguments;
mod asking;
mod clock;
mod cluster;
mod command_line;
mod commands;
mod crash;
mod daemon;
mod files;
mod group_request;
mod help;
#[doc(hidden)]
pub mod hostile;
mod inputs;
mod interrupt;
mod job;
mod node_file;
mod outlet;
mod outputs;
mod program;
mod raw_settings;
mod recording_file;
mod registry;
mod replaying;
mod scenario_file;
mod sweep;
mod words;

pub use program::{Program, main_with};
