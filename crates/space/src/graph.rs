//! A whole small space as an explicit graph, for the formats that list every state and edge.

use crate::View;

/// States numbered in the order in which they were found, and the labelled steps between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The states; those in `initial` come first.
    pub states: Vec<View>,
    /// The numbers of the initial states.
    pub initial: Vec<usize>,
    /// The steps: from, label, to.
    pub edges: Vec<(usize, String, usize)>,
}
