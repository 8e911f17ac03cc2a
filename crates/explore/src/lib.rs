//! The engines that search any space: breadth-first over all cores with an exact store, beams, random
//! walks. In a space with zones the breadth-first search keeps for each discrete part only the zones that no
//! other one covers. Engines know rows and ids, never a protocol. They own no clock: who calls watches the
//! time and may stop them. They never print.

mod admission;
mod breadth;
mod collapse;
#[cfg(test)]
mod crowded;
mod error;
mod hooks;
mod layout;
mod level_report;
mod live;
mod monitored;
mod naive;
mod naive_liveness;
mod naive_subsumption;
mod reconstruction;
mod refinement;
mod scout;
mod search;
mod search_result;
mod shorten;
mod state_checker;
mod stop_signal;
mod store;
mod subsumption;
mod symmetric;
mod threads;
mod verdict;
mod visited;
mod walks;
mod worker;

pub use error::ExploreError;
#[doc(hidden)]
pub use hooks::{Hooks, KeyWidth};
pub use live::{liveness, liveness_eager, liveness_general};
pub use monitored::Monitored;
pub use naive::{graph, naive};
pub use naive_liveness::naive_liveness;
pub use naive_subsumption::naive_subsumption;
pub use refinement::{RefinementMapping, RefinementSide, SlotCondition, refines, refines_by};
pub use search::{
    NoCallback, Progress, ProgressCallback, Reduction, Search, Strategy, SymmetryReduction, check,
};
#[doc(hidden)]
pub use symmetric::Symmetric;
