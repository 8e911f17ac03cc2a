//! The errors of a search: it gives no verdict at all.

use thiserror::Error;
use watchkeeper_logic::{AutomatonError, Shortfall};
use watchkeeper_space::{FullyExpanded, Mismatch, Refusal};

/// A search that gave no verdict.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// A counterexample did not replay: this program is wrong, and the verdict is withheld.
    #[error("internal error, please report it: {0}; no verdict is given")]
    Replay(#[from] Mismatch),
    /// The search lost states or successors without a reason: this program is wrong, and the verdict is withheld.
    #[error("internal error, please report it: {0}")]
    Lost(Shortfall),
    /// The space does not preserve the answer to this question; says why.
    #[error("{0}")]
    Refused(Refusal),
    /// A limit that leaves no room for a single state; says which.
    #[error("{0} leaves no room to search anything; give at least 1, or leave it out")]
    NoRoom(&'static str),
    /// A search that keeps its states on disk cannot do this; says what.
    #[error(
        "{0} cannot keep states on disk, which breadth-first searches for violations in states can; leave the store \
         at `memory`"
    )]
    InMemoryOnly(&'static str),
    /// The directory for the states cannot be used; says why.
    #[error("no states can be stored there: {0}")]
    Store(String),
    /// Symmetry reduction would not be sound; says why.
    #[error("symmetry reduction is not possible: {0}")]
    Asymmetric(String),
    /// Partial-order reduction is not possible; says why.
    #[error("partial-order reduction is not possible: {0}")]
    FullyExpanded(FullyExpanded),
    /// A space cannot be searched at all; says why.
    #[error("the model cannot be searched: {0}")]
    Space(String),
    /// A claim about infinite runs, without time and without fairness.
    #[error(
        "a claim about infinite runs needs to know which runs count: without time and without fairness nothing ever has \
         to happen, and a run in which no message arrives breaks almost any such claim. Say what is fair, for example \
         --fairness steps (every step that stays possible is taken), or let time pass, with --time ticks"
    )]
    Unfair,
    /// A claim about infinite runs of a space with zones.
    #[error("claims about infinite runs are checked in ticks, not in zones; use --time ticks")]
    Dense,
    /// A claim about infinite runs, and a search that visits only a part of the states by design.
    #[error(
        "claims about infinite runs need the graph of all states: search breadth-first, if need be with a limit on \
         states, memory or depth"
    )]
    Partial,
    /// A checkpoint that cannot be written or used; says why, and what to do.
    #[error("{0}")]
    Checkpoint(String),
    /// A search on several workers is not possible, or went wrong; says why.
    #[error("this search cannot run on several workers: {0}")]
    Distributed(String),
    /// A claim that has no automaton; its name, and why.
    #[error("{0}: {1}")]
    Formula(String, AutomatonError),
}

impl From<Refusal> for ExploreError {
    fn from(refusal: Refusal) -> ExploreError {
        match refusal {
            Refusal::FullyExpanded(why) => ExploreError::FullyExpanded(why),
            Refusal::Asymmetric(why) => ExploreError::Asymmetric(why),
            Refusal::Dense => ExploreError::Dense,
            refusal => ExploreError::Refused(refusal),
        }
    }
}
