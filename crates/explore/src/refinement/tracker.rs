//! What is known of the specification while the implementation moves on: the one thing in which an exact
//! comparison and one by a witness differ.

use super::budget::Comparing;
use super::events::{BagId, EventSet};
use watchkeeper_logic::Limit;
use watchkeeper_space::Id;

/// A step of the implementation.
#[derive(Clone, Copy)]
pub(crate) struct ImplementationStep<'r> {
    /// What is seen of it.
    pub bag: BagId,
    /// The state that it leads to, and its row.
    pub to: u32,
    pub row: &'r [Id],
}

/// Follows the implementation through the specification. What it knows after a trace has a number.
pub(crate) trait Tracker {
    /// What is known at the start, when the implementation is in this state; `None` if nothing can stand for it.
    fn start(&mut self, state: u32, row: &[Id], cx: &mut Comparing<'_>) -> Result<Option<u32>, Limit>;

    /// What is known after a step of the implementation; `None` if the specification has nothing of the kind.
    fn advance(
        &mut self,
        at: u32,
        step: ImplementationStep<'_>,
        cx: &mut Comparing<'_>,
    ) -> Result<Option<u32>, Limit>;

    /// Whether the specification can rest with no more than this on offer.
    fn accepts(&mut self, at: u32, offered: EventSet, cx: &mut Comparing<'_>) -> Result<bool, Limit>;

    /// The events that can come next, and what is offered where the specification rests; `None` if not all of
    /// that is known.
    fn allows(&self, at: u32) -> Option<(EventSet, Vec<EventSet>)>;

    /// The number of states of the specification that were visited.
    fn states(&self) -> u64;

    /// The number of different sets of them.
    fn sets(&self) -> u64;

    /// How often each cap of the specification cut a step away.
    fn cuts(&self) -> &[u64];

    /// The bytes that are held.
    fn bytes(&self) -> usize;
}
