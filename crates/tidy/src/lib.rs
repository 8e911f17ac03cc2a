//! The rules of the house, each as a function from the text of the workspace to its breaches. The tests
//! of this crate hold the workspace to them, and every rule is tested to be breakable. Nothing else may
//! depend on this crate, and it builds and changes nothing.

mod breach;
mod code;
pub mod confinement;
pub mod dependencies;
pub mod lengths;
pub mod lints;
mod manifest;
pub mod names;
pub mod openings;
mod tree;
pub mod unsafety;
pub mod words;

pub use breach::Breach;
pub use tree::{File, Tree};
