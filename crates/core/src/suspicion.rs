//! What a failure detector announces.

use crate::{Kind, Pack, Pid};

/// A change in what a detector thinks of a process. Charts draw it as such, and the properties of
/// detector classes speak of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum Suspicion {
    /// This process is now suspected to have crashed.
    #[kind("suspect")]
    Suspect(Pid),
    /// This process is no longer suspected.
    #[kind("stop suspecting")]
    Trust(Pid),
}
