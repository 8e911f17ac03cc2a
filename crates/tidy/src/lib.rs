//! The rules of the workspace, each a function from its text to the violations. The tests of this crate hold the
//! workspace to them, and every rule is tested to be breakable. No crate may depend on this one, and it builds and
//! changes nothing.

mod code;
pub mod confinement;
pub mod dependencies;
pub mod lengths;
pub mod lints;
mod manifest;
pub mod names;
pub mod openings;
pub mod publishing;
pub mod retired_names;
mod tree;
pub mod type_names;
pub mod unsafety;
pub mod unused;
mod violation;
pub mod words;

pub use tree::{SourceFile, SourceTree};
pub use violation::RuleViolation;
