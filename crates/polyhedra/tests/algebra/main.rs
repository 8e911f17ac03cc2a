//! The algebra of polyhedra against sets of points. The points lie on grids of whole and half numbers, so that many of
//! them are on the boundaries, where strictness matters; constraints have small coefficients, so that many of them are
//! parallel, redundant or equalities in disguise.

mod basics;
mod draw;
mod large;
mod projection;
mod timed;
mod unions;
mod widening;
