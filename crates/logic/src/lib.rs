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
