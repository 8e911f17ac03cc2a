//! x
mod asked;
mod automata;
mod case;
mod cells;
mod findings;
mod message;
mod replay;
mod space;
mod state;
mod steps;
mod view;
pub use asked::Asked;
pub use case::{Case, CaseError, Clock, Growth, Order, Variant};
pub use cells::{Cell, cells};
pub use findings::{Answer, Finding, Findings, examine};
pub use space::TimedRing;
