//! Communication-closed protocols: a message that is sent in one stage is received in a later stage or not at all. The
//! steps of a run can be reordered stage by stage, and no process can distinguish the two runs.

use crate::{Pid, Promises};

/// The position of a process: a phase of a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stage {
    /// The round.
    pub round: u64,
    /// The phase of that round.
    pub phase: u8,
}

/// A protocol whose steps are in stages.
///
/// # What is promised
/// - The stage of a process never decreases.
/// - Only a process in the stage of a message accepts it: a process in an earlier stage defers it, and a process in a
///   later stage discards it ([`Protocol::SELECTIVE_RECEIVE`](crate::Protocol::SELECTIVE_RECEIVE)).
/// - A message that a process sends in a step from some stage belongs to a later stage, or to none.
/// - A message that belongs to no stage is accepted in every stage, and its receiver takes part in no stage from then
///   on.
/// - Rounds that all processes have left are only compared with others. Of the other rounds only the order and the
///   remainder modulo [`cycle`](Staged::cycle) matter: if [`renumber`](Staged::renumber) renames all rounds of a system
///   and keeps their order, and the remainders of rounds that some process has not left, the system does the same as
///   before, with its rounds renamed.
/// - There are no timers, and a suspicion of the detector never keeps a process in its stage.
pub trait Staged: Promises {
    /// The stage of process `me`; `None` if it takes part in no stage any more.
    fn stage(&self, me: Pid, state: &Self::State) -> Option<Stage>;

    /// The stage of a message; `None` if it belongs to none.
    fn stage_of(&self, msg: &Self::Msg) -> Option<Stage>;

    /// Rounds whose numbers differ by a multiple of this number are alike; `None` if no two rounds are alike, because
    /// there are only finitely many.
    fn cycle(&self) -> Option<u64>;

    /// Every round number in this state, past rounds included.
    fn rounds_in(&self, state: &Self::State) -> Vec<u64>;

    /// The same for a message.
    fn rounds_in_message(&self, msg: &Self::Msg) -> Vec<u64>;

    /// This state with every round number renamed.
    fn renumber(&self, state: &Self::State, to: &dyn Fn(u64) -> u64) -> Self::State;

    /// The same for a message.
    fn renumber_message(&self, msg: &Self::Msg, to: &dyn Fn(u64) -> u64) -> Self::Msg;

    /// Whether process `me` waits for a message of `whom`, so that a suspicion of it would let it go on.
    fn waits_for(&self, me: Pid, state: &Self::State, whom: Pid) -> bool;
}
