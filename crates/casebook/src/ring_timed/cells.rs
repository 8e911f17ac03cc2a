//! x
use super::findings::Answer;
use super::{Asked, Case};

/// One claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What is asked.
    pub asked: Asked,
    /// Of which case.
    pub case: Case,
    /// Whether the thesis reports that the claim holds.
    pub reported: bool,
    /// The answer that was found before.
    pub expected: Answer,
    /// The states that were found before.
    pub states: u64,
    /// Whether.
    pub heavy: bool,
}
/// x
pub fn cells() -> Vec<Cell> {
    Vec::new()
}
