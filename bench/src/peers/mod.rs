//! The checkers that are compared, each behind the same small interface: prepare once, run many times. A peer
//! reports what it counted; what it cost is measured outside of it.

pub mod spin;
pub mod stateright;
pub mod watchkeeper;

use crate::child::Finished;
use crate::failure::Failure;

/// The names that `--only` understands.
pub const NAMES: [&str; 3] = ["watchkeeper", "spin", "stateright"];

/// What one run counted and cost.
#[derive(Clone, Debug)]
pub struct Run {
    /// Distinct states.
    pub states: u64,
    /// Steps between them; the start is not one.
    pub transitions: u64,
    /// User and system seconds.
    pub cpu: f64,
    /// Seconds from start to end.
    pub wall: f64,
    /// Peak resident bytes.
    pub peak: u64,
}

impl Run {
    /// The counts together with the costs of the process that made them.
    pub fn new(states: u64, transitions: u64, finished: &Finished) -> Run {
        Run {
            states,
            transitions,
            cpu: finished.cpu.as_secs_f64(),
            wall: finished.wall.as_secs_f64(),
            peak: finished.peak,
        }
    }
}

/// A checker, ready to run.
pub trait Peer {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Its version, and that of the compiler that built it.
    fn version(&self) -> &str;

    /// The commands that a reader needs to repeat the run.
    fn commands(&self) -> Vec<String>;

    /// What it keeps of a state that it has seen.
    fn store(&self) -> &str;

    /// One exhaustive search.
    fn run(&self) -> Result<Run, Failure>;
}
