//! What can go wrong with a search, apart from the verdict being bad news.

use std::fmt;
use watchkeeper_logic::{AutomatonError, Shortfall};
use watchkeeper_space::{Mismatch, Refusal, Unreduced};

/// A search that gave no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExploreError {
    /// A counterexample did not replay: this program is wrong, and the verdict is withheld.
    Replay(Mismatch),
    /// The search lost states or successors without a reason: this program is wrong, and the verdict is withheld.
    Lost(Shortfall),
    /// The space does not preserve the answer to this question; says why.
    Refused(Refusal),
    /// A limit that leaves no room for a single state; says which.
    NoRoom(&'static str),
    /// A symmetry reduction was asked for where it would not be sound; says why.
    Asymmetric(String),
    /// A partial-order reduction was asked for where there is none; says why.
    Unreduced(Unreduced),
    /// A space cannot be searched at all; says why.
    Space(String),
    /// A claim about infinite runs, and nothing says which runs count.
    Unfair,
    /// A claim about infinite runs of a space with zones.
    Dense,
    /// A claim about infinite runs, and a search that sees only a part of the states by design.
    Partial,
    /// A claim that has no automaton; its name, and why.
    Formula(String, AutomatonError),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Replay(mismatch) => {
                write!(f, "internal error, please report it: {mismatch}; no verdict is given")
            }
            ExploreError::Lost(why) => write!(f, "internal error, please report it: {why}"),
            ExploreError::Refused(why) => why.fmt(f),
            ExploreError::NoRoom(limit) => {
                write!(f, "{limit} leaves no room to search anything; give at least 1, or leave it out")
            }
            ExploreError::Asymmetric(why) => write!(f, "symmetry reduction is not possible: {why}"),
            ExploreError::Unreduced(why) => write!(f, "partial-order reduction is not possible: {why}"),
            ExploreError::Space(why) => write!(f, "the model cannot be searched: {why}"),
            ExploreError::Unfair => f.write_str(
                "a claim about infinite runs needs to know which runs count: without time and without fairness \
                 nothing ever has to happen, and a run in which no message arrives breaks almost any such claim. \
                 Say what is fair, for example --fairness steps (every step that stays possible is taken), or let \
                 time pass, with --time ticks",
            ),
            ExploreError::Dense => f.write_str(
                "claims about infinite runs are checked in ticks, not in zones; use --time ticks",
            ),
            ExploreError::Partial => f.write_str(
                "claims about infinite runs need the graph of all states: search breadth-first, if need be with \
                 a limit on states, memory or depth",
            ),
            ExploreError::Formula(name, why) => write!(f, "{name}: {why}"),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<Mismatch> for ExploreError {
    fn from(mismatch: Mismatch) -> ExploreError {
        ExploreError::Replay(mismatch)
    }
}

impl From<Refusal> for ExploreError {
    fn from(refusal: Refusal) -> ExploreError {
        match refusal {
            Refusal::Unreduced(why) => ExploreError::Unreduced(why),
            Refusal::Asymmetric(why) => ExploreError::Asymmetric(why),
            Refusal::Dense => ExploreError::Dense,
            refusal @ (Refusal::SomeRuns { .. } | Refusal::NoAtom(_) | Refusal::Watched) => {
                ExploreError::Refused(refusal)
            }
        }
    }
}
