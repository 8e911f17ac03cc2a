//! The only room that renders: sequence charts, verdicts for people and for machines, interchange
//! formats, tables and the progress line. Everything is returned as text; nothing here prints, opens a
//! file or asks what time it is.

mod aut;
mod beam;
mod chart;
mod dot;
mod drawing;
mod itf;
mod numbers;
mod progress;
mod proof;
mod proof_json;
mod recheck;
mod region;
mod scope;
mod style;
mod table;
mod verdict_json;
mod verdict_text;
mod verdicts;
mod warnings;
mod width;

pub use aut::aut;
pub use chart::{Arrow, Banner, Chart, Fate, Lane, Lap, Mark, MarkKind, Marks, Row, Side};
pub use dot::dot;
pub use itf::itf;
pub use numbers::{bytes, counted, duration, thousands};
pub use progress::{ProgressFigures, progress_line};
pub use proof::{
    Conjunct, Hunt, Open, OpenVariable, Proof, ShownRun, SolverCheck, Standing, proofs_table, render_proof,
    render_run,
};
pub use proof_json::proofs_json;
pub use recheck::{About, Check, Recheck, recheck_json, render_recheck};
pub use region::{Axis, Border, Cell, Panel, Region};
pub use scope::Scope;
pub use style::Style;
pub use table::Table;
pub use verdict_json::{Run, verdict_json};
pub use verdict_text::{headline, render_verdict};
pub use verdicts::{render_verdicts, verdicts_json};
pub use warnings::warnings;
