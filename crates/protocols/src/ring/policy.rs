//! What tells the detectors of the ring family apart: how long a round lasts, what messages carry, which processes
//! are announced as suspects, and which suspects are asked again. A policy never touches the target, the received
//! flag or the timer; those belong to the skeleton that all share.

use super::TimeoutAdaptation;
use std::fmt::Debug;
use std::hash::Hash;
use watchkeeper_core::{Kind, Pack, PerProc, Pid, ProcSet, Symmetry, Time};

/// One detector of the family, as far as it differs from the others, with durations `T`.
///
/// The methods with a body are those that the detector for weak completeness does not need. Timeouts
/// that adapt live in the memory, where [`timeouts`](RingPolicy::timeouts) finds them, and the skeleton makes
/// them grow as [`adaptation`](RingPolicy::adaptation) says; a set of suspects that travels with the messages
/// lives in the memory, leaves by [`message`](RingPolicy::message), comes in by [`heard`](RingPolicy::heard) and
/// is announced by [`suspects`](RingPolicy::suspects).
pub trait RingPolicy<T: Time = u32>: Send + Sync + 'static {
    /// What a process remembers beyond its target and whether it answered; `()` if nothing.
    type Memory: Clone + Eq + Hash + Pack + Debug + Send + Sync;
    /// What goes over the network; [`RingMsg`] itself if it carries nothing.
    type Msg: Clone + Eq + Hash + Pack + Kind + Debug + Send + Sync;

    /// The memory of a process before its first round, in a ring of `n` whose first rounds last `first`.
    fn memory(&self, n: usize, first: T) -> Self::Memory;

    /// The message that asks this question, or gives this answer.
    fn message(&self, plain: RingMsg, memory: &Self::Memory) -> Self::Msg;

    /// The question or answer that a message is.
    fn plain(&self, msg: &Self::Msg) -> RingMsg;

    /// Whose timeouts grow, and how far.
    fn adaptation(&self) -> TimeoutAdaptation<T> {
        TimeoutAdaptation::Fixed
    }

    /// The length of a round for each target, if the policy remembers it; `None` if it never changes.
    fn timeouts<'a>(&self, _memory: &'a Self::Memory) -> Option<&'a PerProc<T>> {
        None
    }

    /// The same timeouts, to be changed.
    fn timeouts_mut<'a>(&self, _memory: &'a mut Self::Memory) -> Option<&'a mut PerProc<T>> {
        None
    }

    /// The suspects of a process whose arc of suspects is `local`.
    fn suspects(&self, local: ProcSet, _memory: &Self::Memory) -> ProcSet {
        local
    }

    /// A round has ended without an answer from `target`, which now is in the arc `local`.
    fn suspecting(&self, _target: Pid, _local: ProcSet, _memory: &mut Self::Memory) {}

    /// A message has been heard that was not discarded.
    fn heard(&self, _heard: HeardMessage<'_, Self::Msg>, _memory: &mut Self::Memory) {}

    /// Those of the arc of suspects that a process asks again at the start of a round, besides its target. In the
    /// paper it asks none.
    fn asked_again(&self, _local: ProcSet) -> ProcSet {
        ProcSet::EMPTY
    }

    /// The renamings of processes under which the detector is invariant. A process that is named in advance, such as
    /// a first candidate for a leader, leaves none.
    fn symmetry(&self) -> Symmetry {
        if self.adaptation().candidate().is_some() { Symmetry::None } else { Symmetry::Rotations }
    }
}

/// A message that a process has heard, and what has come of it.
#[derive(Clone, Copy, Debug)]
pub struct HeardMessage<'a, M> {
    /// The receiver.
    pub me: Pid,
    /// The sender.
    pub from: Pid,
    /// The message.
    pub msg: &'a M,
    /// The processes that have left the arc of suspects because of it.
    pub trusted: ProcSet,
    /// The arc of suspects now.
    pub local: ProcSet,
    /// All processes of the ring: a message may name others, and those are nobody's suspects.
    pub ring: ProcSet,
}

/// The first detector of the paper, on which the others are built: rounds of one length, and messages
/// that carry nothing (T, figure 6.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WeakCompleteness;

impl<T: Time> RingPolicy<T> for WeakCompleteness {
    type Memory = ();
    type Msg = RingMsg;

    fn memory(&self, _: usize, _: T) {}

    fn message(&self, plain: RingMsg, (): &()) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }
}

/// The messages of the ring.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum RingMsg {
    /// A question to the target.
    #[kind("ARE-YOU-ALIVE")]
    AreYouAlive,
    /// The answer to it.
    #[kind("I-AM-ALIVE")]
    IAmAlive,
}
