//! The engines that search any space: breadth-first over all cores with an exact store, beams, random
//! walks. In a space with zones the breadth-first search keeps for each discrete part only the zones that no
//! other one covers. Engines know rows and ids, never a protocol. They own no clock: who calls watches the
//! time and may stop them. They never print.

mod admission;
mod breadth;
mod covering;
#[cfg(test)]
mod crowded;
mod error;
mod folded;
mod found;
mod hooks;
mod judge;
mod layout;
mod live;
mod monitored;
mod naive;
mod naive_covering;
mod naive_liveness;
mod refinement;
mod scout;
mod search;
mod shorten;
mod store;
mod symmetric;
mod threads;
mod verdict;
mod visited;
mod walks;
mod way_back;
mod worker;

pub use error::ExploreError;
#[doc(hidden)]
pub use hooks::{Hooks, Keys};
pub use live::{liveness, liveness_eager, liveness_general};
pub use monitored::Monitored;
pub use naive::{graph, naive};
pub use naive_covering::naive_covering;
pub use naive_liveness::naive_liveness;
pub use refinement::{Side, Want, Witness, refines, refines_by};
pub use search::{Flow, Progress, Quiet, Reduction, Search, Strategy, SymmetryReduction, Watch, check};
#[doc(hidden)]
pub use symmetric::Symmetric;
