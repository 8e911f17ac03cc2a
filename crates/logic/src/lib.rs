//! What may be asked of a model, and what an answer says. Questions are data: an engine evaluates them
//! on any space, and a report prints them, without either knowing the protocol they speak of.

mod automaton;
mod detectors;
mod evidence;
mod fairness;
mod formula;
mod lasso;
mod monitor;
mod parse;
mod property;
#[cfg(test)]
mod random;
mod refinement;
mod shortcut;
mod text;
mod verdict;

pub use automaton::{Automaton, AutomatonError, AutomatonState, Label};
pub use detectors::{Accuracy, Class, Completeness, Suspicions};
pub use evidence::{Exhausted, Ledger, Shortfall};
pub use fairness::{Each, Fairness, Selection, Strength};
pub use formula::{Formula, Temporal};
pub use lasso::holds_on_lasso;
pub use monitor::{Edge, Guard, Monitor};
pub use parse::{LONGEST_FORMULA, Names, SyntaxError, parse, quoted};
pub use property::{Invariant, Question};
pub use refinement::{Alphabet, Misstep, Offence, Refinement, RefinementSizes, Semantics, Sight, Visible};
pub use shortcut::{Shortcut, recurrences, shortcuts};
pub use verdict::{
    Coverage, ExitCode, Finding, Limit, Outcome, Partial, Share, Stats, Unit, Verdict, Violation,
};
