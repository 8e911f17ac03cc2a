//! What can go wrong with a search, apart from the verdict being bad news.

use std::fmt;
use watchkeeper_space::Mismatch;

/// A search that gave no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExploreError {
    /// A counterexample did not replay: this program is wrong, and the verdict is withheld.
    Replay(Mismatch),
    /// A symmetry reduction was asked for where it would not be sound; says why.
    Asymmetric(String),
    /// A space cannot be searched at all; says why.
    Space(String),
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::Replay(mismatch) => {
                write!(f, "internal error, please report it: {mismatch}; no verdict is given")
            }
            ExploreError::Asymmetric(why) => write!(f, "symmetry reduction is not possible: {why}"),
            ExploreError::Space(why) => write!(f, "the model cannot be searched: {why}"),
        }
    }
}

impl std::error::Error for ExploreError {}

impl From<Mismatch> for ExploreError {
    fn from(mismatch: Mismatch) -> ExploreError {
        ExploreError::Replay(mismatch)
    }
}
