//! What may be asked of a model, and what an answer says. Questions are data: an engine evaluates them
//! on any space, and a report prints them, without either knowing the protocol they speak of.

mod fairness;
mod formula;
mod monitor;
mod property;
mod verdict;

pub use fairness::{Each, Fairness, Selection, Strength};
pub use formula::{Formula, Temporal};
pub use monitor::{Edge, Guard, Monitor};
pub use property::{Invariant, Question};
pub use verdict::{Coverage, ExitCode, Finding, Limit, Outcome, Stats, Unit, Verdict, Violation};
