//! x
mod case;
mod message;
mod space;
mod state;
mod steps;
pub use case::{Case, CaseError, Clock, Growth, Order, Variant};
pub use space::TimedRing;
