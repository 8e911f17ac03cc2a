//! Exact convex polyhedra over the rationals, given by linear constraints that may be strict. Every operation is exact or
//! says [`Overflow`]; nothing is rounded, and no number makes it panic. The crate never knows the meaning of
//! a variable.
//!
//! Variables are numbered from 0 and range over all rationals: a caller that wants them to be at least 0 says so. All
//! polyhedra, constraints and points in one operation must have the same dimension, except where an operation changes it:
//! a constraint over other variables is a mistake of the caller, and panics.
#![doc = include_str!("../README.md")]

mod arithmetic;
mod assemble;
mod constraint;
mod eliminate;
mod equalities;
mod lattice;
mod overflow;
mod polyhedron;
mod ratio;
mod simplex;
mod unions;
mod widen;

pub use constraint::{Constraint, Relation};
pub use overflow::Overflow;
pub use polyhedron::{Extremum, Polyhedron};
pub use ratio::Ratio;
pub use unions::covers;
