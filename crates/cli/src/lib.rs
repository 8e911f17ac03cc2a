//! The command line of Watchkeeper, and the same command line for a protocol of your own. A whole program is one call:
//!
//! ```no_run
//! use watchkeeper::protocols::ring::Ring as MyProtocol;
//!
//! fn main() -> std::process::ExitCode {
//!     watchkeeper_cli::main_with::<MyProtocol>()
//! }
//! ```
//!
//! A program with several protocols adds them to a [`Program`], which can be tested by its exit code:
//!
//! ```
//! use watchkeeper::protocols::ring::Ring;
//! use watchkeeper_cli::Program;
//!
//! let program = Program::new().protocol::<Ring>();
//! let code = program.run(["demo", "check", "ring", "--n", "2", "--channel", "drop:1", "--quiet"]);
//! assert_eq!(code.0, 0);
//! ```
//!
//! This crate reads flags, variables and files into the settings of the library, and shows the verdicts. It adds no
//! semantics of its own, and only programs depend on it.

mod again;
mod arguments;
mod asking;
mod checkpoint;
mod choosing;
mod clock;
mod cluster;
mod command_line;
mod commands;
mod crash;
mod daemon;
mod files;
mod fleet;
mod formula_check;
mod group_request;
mod help;
#[doc(hidden)]
pub mod hostile;
mod inputs;
mod interrupt;
mod job;
mod key_file;
mod key_rotation;
mod measuring;
mod models;
mod node_file;
mod outlet;
mod outputs;
mod page;
mod program;
mod raw_settings;
mod recording_file;
mod registry;
mod replaying;
mod scenario_file;
mod simulating;
mod sweep;

pub use program::{Program, main_with};
