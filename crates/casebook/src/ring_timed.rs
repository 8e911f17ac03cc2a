//! x
mod automata;
mod case;
mod message;
mod replay;
mod space;
mod state;
mod steps;
mod view;
pub use case::{Case, CaseError, Clock, Growth, Order, Variant};
pub use space::TimedRing;
