//! A breadth-first search on several workers that share no memory: processes, or machines. Each worker owns the states
//! whose content has a hash in its share, keeps them in a table of its own under ids of its own, and expands them. States
//! that belong to another worker travel in batches. The search goes in rounds that all workers end together, and what
//! ends it is decided from the same totals everywhere, so that the answer is the one of a search on one worker. With
//! checkpoints each worker writes down what it owns, and a later run brings that to whoever owns it then. Nothing here
//! knows how bytes travel: an [`Exchange`] does that.

mod back;
mod chain;
mod incoming;
mod level;
mod message;
mod owner;
mod resume;
mod search;
mod shard;
mod sums;

use crate::{ExploreError, Reduction, Search, Store, Strategy};
use std::fmt;
use std::sync::Arc;
use watchkeeper_logic::Question;
use watchkeeper_space::{Space, Symmetries};

pub(crate) use resume::is_collapsed;
pub(crate) use search::distributed;
pub(crate) use sums::agreed;

/// Receives the bytes of a round: who sent them, and what.
pub type Receive<'r> = &'r mut dyn FnMut(usize, Vec<u8>);

/// The line to the other workers of a search. What is sent in a round arrives in that round, once, and what one worker
/// sends to another arrives in the order in which it was sent.
pub trait Exchange {
    /// The number of this worker.
    fn index(&self) -> usize;

    /// The number of workers.
    fn workers(&self) -> usize;

    /// Sends bytes to a worker, itself perhaps, in this round.
    fn send(&mut self, to: usize, bytes: Vec<u8>);

    /// Takes what has arrived in this round, and does not wait.
    fn poll(&mut self, receive: Receive<'_>);

    /// Ends the round: waits until all workers have ended it, and takes everything that was sent in it.
    fn finish_round(&mut self, receive: Receive<'_>);
}

/// How a search finds the other workers. Each of them asks the same question of the same space, in the same order.
pub trait Connect: Send + Sync {
    /// Calls a job with the line to the others. One search at a time has it; the error says why there is none.
    fn with(&self, job: &mut dyn FnMut(&mut dyn Exchange)) -> Result<(), String>;
}

/// The other workers of a search ([`Search::peers`](crate::Search)).
#[derive(Clone)]
pub struct SearchPeers(pub Arc<dyn Connect>);

impl PartialEq for SearchPeers {
    fn eq(&self, other: &SearchPeers) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for SearchPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SearchPeers")
    }
}

/// A space whose states can travel, and the renamings up to which its states are told apart.
#[derive(Clone, Copy)]
pub(crate) struct Travelling<'s> {
    pub space: &'s dyn Space,
    pub symmetry: Option<&'s dyn Symmetries>,
}

/// A search that cannot be distributed.
pub(crate) fn refused(why: impl Into<String>) -> ExploreError {
    ExploreError::Distributed(why.into())
}

/// Whether a search can be distributed; every worker comes to the same.
pub(crate) fn admits(space: &dyn Space, question: &Question, search: &Search) -> Result<(), ExploreError> {
    if !question.temporal.is_empty() {
        return Err(refused(
            "claims about infinite runs need the graph of all states in one place; search on one worker",
        ));
    }
    if !matches!(search.strategy, Strategy::Breadth { .. }) {
        return Err(refused(
            "beams and walks keep only some states, on one worker; search breadth-first, or on one worker",
        ));
    }
    if search.reduction != Reduction::None {
        return Err(refused(
            "partial-order reduction looks at states of other workers; leave --reduce out, or search on one worker",
        ));
    }
    if search.store != Store::Memory {
        return Err(refused(
            "each worker keeps its states in memory; leave --store out, or search on one worker",
        ));
    }
    if space.shape().zone.is_some() {
        return Err(refused(
            "zones that include each other would lie with different workers; use --time ticks, or search on one worker",
        ));
    }
    match space.parts() {
        Some(_) => Ok(()),
        None => Err(refused("the states of this model cannot leave the process; search on one worker")),
    }
}
