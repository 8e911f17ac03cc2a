//! Questions to a model, and verdicts about it. A [`Question`] holds invariants, observers ([`Monitor`]), claims in linear
//! temporal logic ([`TemporalProperty`]) and fairness constraints. A [`Verdict`] says holds, violated or unknown, and what
//! it rests on. Questions are data: an engine evaluates them on any space and a report prints them, and neither knows the
//! protocol that they are about.
//!
//! ```
//! use watchkeeper_logic::{AtomNames, Automaton, holds_on_lasso, parse};
//!
//! struct Names;
//!
//! impl AtomNames for Names {
//!     fn atom(&self, name: &str) -> Option<usize> {
//!         ["crashed(p1)", "suspects(p0,p1)"].iter().position(|known| *known == name)
//!     }
//!
//!     fn processes(&self) -> usize {
//!         2
//!     }
//!
//!     fn known(&self) -> Vec<String> {
//!         Vec::new()
//!     }
//! }
//!
//! let claim = parse("crashed(p1) ~> suspects(p0,p1)", &Names)?;
//! // A run of two states that stays in the second: p1 has crashed, and p0 never suspects it.
//! let run = [[false, false], [true, false]];
//! assert!(!holds_on_lasso(&claim, 2, 1, &|at, atom| run[at][atom]));
//! // A run that this automaton accepts refutes the claim.
//! assert!(!Automaton::of(&claim.not())?.states.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub use detectors::{Accuracy, Completeness, DetectorClass, Suspicions};
pub use evidence::{Exhausted, Ledger, Shortfall};
pub use fairness::{ActionSelection, Fairness, FairnessStrength, FairnessUnit};
pub use formula::{Formula, TemporalProperty};
pub use lasso::holds_on_lasso;
pub use monitor::{Guard, Monitor, MonitorEdge};
pub use parse::{AtomNames, LONGEST_FORMULA, SyntaxError, parse, quoted};
pub use property::{Invariant, Question};
pub use refinement::{
    Alphabet, Refinement, RefinementFailure, RefinementSizes, RefinementViolation, Semantics, Visibility,
    VisibleEvent,
};
pub use shortcut::{Shortcut, recurrences, shortcuts};
pub use verdict::{
    BeamShare, Coverage, ExitCode, Limit, Outcome, PartialExpansion, RandomWalks, StateUnit, Stats, Verdict,
    Violation, ViolationKind,
};
