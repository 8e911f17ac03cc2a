//! Difference-bound matrices: convex sets of clock valuations with the operations of a search through dense time,
//! and times of events under difference constraints. Every zone that this crate hands out is canonical and not
//! empty, so equal sets are equal values. The crate never widens a set (there is no extrapolation) and never knows the
//! meaning of a clock.
//!
//! Clocks are numbered from 1; 0 is the constant zero. They range over all reals: a caller that counts down to a
//! deadline uses negative values, and no operation assumes that a clock is at least 0. Constants are integers of at
//! most [`DbmBound::LARGEST`]; the caller checks constants that come from a user.
#![doc = include_str!("../README.md")]

mod bound;
mod minimal;
mod moment;
mod passage;
mod rebuild;
mod schedule;
mod stored;
mod subtract;
mod timetable;
mod window;
mod zone;

pub use bound::DbmBound;
pub use moment::Moment;
pub use rebuild::Source;
pub use schedule::{Conflict, Difference, Schedule, schedule};
pub use stored::Stored;
pub use timetable::{DifferenceConstraint, NegativeCycle, timetable};
pub use window::{EventTimes, EventWindow, ImpossibleTimes, event_times};
pub use zone::Zone;
