//! What a failure detector says of itself: whom its processes suspect, and how their timeouts grow.

use watchkeeper_core::{Completeness, Pid, ProcSet, Promises, Protocol};

/// What is asked of a failure detector, and how.
pub struct Detector<P: Promises> {
    pub(crate) suspects: Option<Suspects<P>>,
    pub(crate) stopped: Option<Stopped<P>>,
    pub(crate) completeness: Option<Completeness>,
    pub(crate) patience: Option<TimeoutGrowth<P>>,
}

/// Whom a process in a state suspects.
pub type Suspects<P> = fn(&P, Pid, &<P as Protocol>::State) -> ProcSet;

/// Whether a process in a state has stopped of its own accord.
pub type Stopped<P> = fn(&P, Pid, &<P as Protocol>::State) -> bool;

impl<P: Promises> Detector<P> {
    /// Whom a process in a state suspects; properties such as `oscillation` ask.
    #[must_use]
    pub fn suspecting(self, suspects: Suspects<P>) -> Detector<P> {
        Detector { suspects: Some(suspects), ..self }
    }

    /// Whether a process in a state has stopped of its own accord, for protocols that tell a crash in this way alone: who
    /// has stopped has found out whatever there is to find out, and in error if nothing is.
    #[must_use]
    pub fn stopping(self, stopped: Stopped<P>) -> Detector<P> {
        Detector { stopped: Some(stopped), ..self }
    }

    /// Announcements say so, and this is who has to find out about a crash. Properties such as `detection` ask.
    #[must_use]
    pub fn complete(self, completeness: Completeness) -> Detector<P> {
        Detector { completeness: Some(completeness), ..self }
    }

    /// It learns to wait longer.
    #[must_use]
    pub fn learning(self, patience: TimeoutGrowth<P>) -> Detector<P> {
        Detector { patience: Some(patience), ..self }
    }
}

/// How a detector learns to wait longer.
pub struct TimeoutGrowth<P: Promises> {
    /// How long the first process in this state will wait for the second the next time it does.
    pub next: fn(&P, Pid, &P::State, Pid) -> u32,
    /// The values that this can have among so many processes, from the least to the greatest.
    pub all: fn(&P, usize) -> Vec<u32>,
}

impl<P: Promises> Clone for Detector<P> {
    fn clone(&self) -> Detector<P> {
        *self
    }
}

impl<P: Promises> Copy for Detector<P> {}

impl<P: Promises> Default for Detector<P> {
    fn default() -> Detector<P> {
        Detector { suspects: None, stopped: None, completeness: None, patience: None }
    }
}

impl<P: Promises> Clone for TimeoutGrowth<P> {
    fn clone(&self) -> TimeoutGrowth<P> {
        *self
    }
}

impl<P: Promises> Copy for TimeoutGrowth<P> {}
