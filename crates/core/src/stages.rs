//! Protocols in closed stages: what is said in one stage is heard in a later one or not at all. Their runs can be
//! put in order, stage by stage, without any process noticing.

use crate::{Pid, Promises};

/// Where a process stands: a phase of a round.
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
/// - A message that belongs to a stage is wanted only by processes in that stage: before, it is kept for later;
///   after, it is never wanted ([`Protocol::WANTS`](crate::Protocol::WANTS)).
/// - A message that a process sends in a step that it began in some stage belongs to a later one, or to none.
/// - A message that belongs to no stage is wanted in every stage, and whoever has taken one takes part in no stage
///   from then on.
/// - Rounds that are behind all processes are only compared with others. Of the others, all that matters
///   besides is their remainder modulo [`cycle`](Staged::cycle): a system all of whose rounds are renamed by
///   [`renumber`](Staged::renumber), with their order kept, and the remainders of those that are not behind, does
///   the same as before, with its rounds renamed.
/// - There are no timers, and a process never stays where it is only because of what its detector says.
pub trait Staged: Promises {
    /// Where process `me` stands; `None` if it takes part in no stage any more.
    fn stage(&self, me: Pid, state: &Self::State) -> Option<Stage>;

    /// The stage that a message belongs to; `None` if to none.
    fn stage_of(&self, msg: &Self::Msg) -> Option<Stage>;

    /// Rounds whose numbers differ by a multiple of this are alike; `None` if no two are, because there are only
    /// finitely many.
    fn cycle(&self) -> Option<u64>;

    /// Every number of a round in this state, also those of the past that it remembers.
    fn rounds_in(&self, state: &Self::State) -> Vec<u64>;

    /// The same for a message.
    fn rounds_in_message(&self, msg: &Self::Msg) -> Vec<u64>;

    /// This state with every number of a round renamed.
    fn renumber(&self, state: &Self::State, to: &dyn Fn(u64) -> u64) -> Self::State;

    /// The same for a message.
    fn renumber_message(&self, msg: &Self::Msg, to: &dyn Fn(u64) -> u64) -> Self::Msg;

    /// Whether process `me` waits for a message of `whom`, so that a suspicion of it would let it go on.
    fn waits_for(&self, me: Pid, state: &Self::State, whom: Pid) -> bool;
}
