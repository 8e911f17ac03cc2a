//! A property over a grid of parameters: the cells, what became of each, and the conjecture that fits them
//! all. What is shown of it is in `findings`, and where it is shown in the command of the same name.

pub(crate) mod cells;
pub(crate) mod conjecture;
pub(crate) mod findings;
pub(crate) mod grid;
