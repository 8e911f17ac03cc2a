//! Difference-bound matrices: convex sets of clock valuations, with what a search through dense time asks
//! of them, and times of events under difference constraints. Every zone that leaves this room is
//! canonical and not empty, so equal sets are equal values. It must never widen a set (there is no
//! extrapolation here) and never know what a clock stands for.
//!
//! Clocks are numbered from 1; 0 is the constant zero. They range over all reals: a caller who counts down
//! to a deadline uses negative values, and nothing here assumes that a clock is at least 0. Constants are
//! integers of at most [`DbmBound::LARGEST`]; whoever takes them from a user checks that.

mod bound;
mod minimal;
mod moment;
mod passage;
mod rebuild;
mod schedule;
mod stored;
mod subtract;
mod timetable;
mod zone;

pub use bound::DbmBound;
pub use moment::Moment;
pub use rebuild::Source;
pub use schedule::{Conflict, Difference, Schedule, schedule};
pub use stored::Stored;
pub use timetable::{DifferenceConstraint, NegativeCycle, timetable};
pub use zone::Zone;
