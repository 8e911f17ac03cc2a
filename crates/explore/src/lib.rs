//! The engines that search any space: breadth-first over all cores with an exact store, beams, random
//! walks. They know rows and ids, never a protocol. They own no clock: who calls watches the time and may
//! stop them. They never print.

mod error;
mod monitored;
mod naive;
mod search;

pub use error::ExploreError;
pub use monitored::Monitored;
pub use naive::{graph, naive};
pub use search::{Flow, Progress, Quiet, Search, Strategy, Watch, check};
