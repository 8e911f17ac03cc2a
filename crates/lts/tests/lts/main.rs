//! Reductions, comparisons and refinements against the definitions of what they answer.

mod comparisons;
mod naive;
mod reductions;
mod refinements;
