//! Timeouts that adapt, and the two detectors of the family that are nothing else: weak accuracy and
//! strong accuracy. A timeout grows by one unit when a round for its target ends without an answer, never
//! shrinks, and never passes its cap.

use super::{RingMsg, RingPolicy};
use watchkeeper_core::{PerProc, Pid, ProcSet, Time};

/// Whose timeouts grow, and how far, with durations `T`.
///
/// A cap is what makes the states of a ring finite. In a run it may be left out: then a timeout grows for
/// as long as it proves too short.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeoutAdaptation<T = u32> {
    /// Nobody's: every round lasts as long as the first.
    Fixed,
    /// That of a target which does not answer in time, if the candidate is that target or is suspected
    /// already: then a process has passed over the candidate, or is about to.
    ForCandidate {
        /// The process on which all agree before they start.
        candidate: Pid,
        /// The longest timeout, maxDelta in T.
        max_delta: Option<T>,
    },
    /// That of every target which does not answer in time.
    ForAll {
        /// The longest timeout, maxDelta in T.
        max_delta: Option<T>,
    },
}

impl<T: Copy> TimeoutAdaptation<T> {
    /// The process that is named in advance, if one is.
    pub const fn candidate(self) -> Option<Pid> {
        match self {
            TimeoutAdaptation::ForCandidate { candidate, .. } => Some(candidate),
            TimeoutAdaptation::Fixed | TimeoutAdaptation::ForAll { .. } => None,
        }
    }

    /// The longest that a timeout may become which is `first` at first; `None` if there is no end to it.
    pub const fn cap(self, first: T) -> Option<T> {
        match self {
            TimeoutAdaptation::Fixed => Some(first),
            TimeoutAdaptation::ForCandidate { max_delta, .. } | TimeoutAdaptation::ForAll { max_delta } => {
                max_delta
            }
        }
    }

    /// Whether a timeout grows when its target joins the arc of suspects, which now is `local`.
    pub(super) fn grows(self, local: ProcSet) -> bool {
        match self {
            TimeoutAdaptation::Fixed => false,
            TimeoutAdaptation::ForCandidate { candidate, .. } => local.contains(candidate),
            TimeoutAdaptation::ForAll { .. } => true,
        }
    }
}

/// The second detector of the paper (T, figure 6.2): weak accuracy, so in the end some process that does
/// not crash is suspected by no other. It is the candidate, or the next after it that does not crash, and
/// only timeouts on the way to it need to grow. Durations are of type `T`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WeakAccuracy<T = u32> {
    candidate: Pid,
    max_delta: Option<T>,
}

impl<T: Copy> WeakAccuracy<T> {
    /// With this first candidate, and timeouts of at most `max_delta`.
    pub const fn new(candidate: Pid, max_delta: Option<T>) -> WeakAccuracy<T> {
        WeakAccuracy { candidate, max_delta }
    }
}

impl<T: Time> RingPolicy<T> for WeakAccuracy<T> {
    type Memory = PerProc<T>;
    type Msg = RingMsg;

    fn memory(&self, n: usize, first: T) -> PerProc<T> {
        PerProc::new(n, first)
    }

    fn message(&self, plain: RingMsg, _: &PerProc<T>) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn adaptation(&self) -> TimeoutAdaptation<T> {
        TimeoutAdaptation::ForCandidate { candidate: self.candidate, max_delta: self.max_delta }
    }

    fn timeouts<'a>(&self, memory: &'a PerProc<T>) -> Option<&'a PerProc<T>> {
        Some(memory)
    }

    fn timeouts_mut<'a>(&self, memory: &'a mut PerProc<T>) -> Option<&'a mut PerProc<T>> {
        Some(memory)
    }
}

/// The third detector of the paper (T, figure 6.3): strong accuracy, so in the end no process that does
/// not crash is suspected by another. Every timeout grows that proves too short. Durations are of type `T`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StrongAccuracy<T = u32> {
    max_delta: Option<T>,
}

impl<T: Copy> StrongAccuracy<T> {
    /// With timeouts of at most `max_delta`.
    pub const fn new(max_delta: Option<T>) -> StrongAccuracy<T> {
        StrongAccuracy { max_delta }
    }
}

impl<T: Time> RingPolicy<T> for StrongAccuracy<T> {
    type Memory = PerProc<T>;
    type Msg = RingMsg;

    fn memory(&self, n: usize, first: T) -> PerProc<T> {
        PerProc::new(n, first)
    }

    fn message(&self, plain: RingMsg, _: &PerProc<T>) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn adaptation(&self) -> TimeoutAdaptation<T> {
        TimeoutAdaptation::ForAll { max_delta: self.max_delta }
    }

    fn timeouts<'a>(&self, memory: &'a PerProc<T>) -> Option<&'a PerProc<T>> {
        Some(memory)
    }

    fn timeouts_mut<'a>(&self, memory: &'a mut PerProc<T>) -> Option<&'a mut PerProc<T>> {
        Some(memory)
    }
}
