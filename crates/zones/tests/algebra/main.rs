//! The algebra of zones, and of schedules, against sets of points. The points lie on a grid fine enough to be exact: with k
//! clocks every way in which they can lie between integers, and in which their fractions can be ordered,
//! has a point on the grid of 1 / (k + 1). What exists off the grid next to a point on it (a moment, a value
//! of one clock) lies between neighbours on the grid, and so has a witness on the grid of half that width.

mod cutting;
mod dice;
mod minimal;
mod model;
mod passage;
mod rebuilding;
mod schedules;
mod storing;
mod subtraction;
mod windows;
