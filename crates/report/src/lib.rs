//! Rendering: sequence charts, verdicts for people and for machines, interchange formats, tables and the progress line.
//! Every function returns a string; nothing here prints, opens a file or reads a clock.
//!
//! # A sequence chart of a trace
//! ```
//! use watchkeeper_core::{Event, MessageId, Pid, Step, Trace};
//! use watchkeeper_report::{Chart, Style};
//!
//! let (message, from, to) = (MessageId(0), Pid::at(0), Pid::at(1));
//! let step = |action: &str, events| Step { action: action.to_string(), at: None, events, after: Vec::new() };
//! let trace = Trace {
//!     processes: vec!["p0".to_string(), "p1".to_string()],
//!     steps: vec![
//!         step("p0 sends", vec![Event::Send { message, from, to, label: "beat".to_string() }]),
//!         step("p1 receives", vec![Event::Receive { message }]),
//!     ],
//!     ..Trace::default()
//! };
//! let chart = Chart::of(&trace);
//! assert!(chart.text(&Style::default()).contains("beat"));
//! assert!(chart.mermaid().starts_with("sequenceDiagram"));
//! assert!(chart.svg("a beat").contains("<svg"));
//! ```

mod area_map;
mod beam;
mod chart;
mod dot;
mod drawing;
mod itf;
mod numbers;
mod plot;
mod progress;
mod proof;
mod proof_json;
mod recheck;
mod region;
mod region_report;
mod scope;
mod style;
mod system_picture;
mod table;
mod verdict_json;
mod verdict_text;
mod verdicts;
mod warnings;
mod width;

pub use area_map::{Area, AreaMap, AreaPanel, AreaSide, HalfPlane};
pub use chart::{
    Banner, Chart, ChartLoop, ChartRow, Lifeline, LifelineMark, LifelineMarks, LifelineSide, MarkKind,
    MessageArrow, MessageOutcome,
};
pub use dot::{dot, system_dot};
pub use itf::{itf, itf_view};
pub use numbers::{bytes, counted, duration, thousands};
pub use plot::{Plot, PlotLine, PlotPoint};
pub use progress::{ProgressFigures, progress_line};
pub use proof::{
    Conjunct, InvariantHunt, OpenObligation, OpenVariable, Proof, ProofStatus, ShownRun, SolverCheck,
    proofs_table, render_proof, render_run,
};
pub use proof_json::proofs_json;
pub use recheck::{CertifiedClaim, Recheck, SolverRecheck, recheck_json, render_recheck};
pub use region::{Border, Panel, Region, RegionAxis, RegionCell};
pub use region_report::{
    FailingRegion, PointComparison, PointDisagreement, RegionConstraint, RegionReport, regions_json,
    render_regions,
};
pub use scope::TheoremScope;
pub use style::Style;
pub use system_picture::{MOST_DRAWN_STATES, SystemPicture};
pub use table::TextTable;
pub use verdict_json::{RunFacts, verdict_json, view_json};
pub use verdict_text::{headline, render_verdict};
pub use verdicts::{render_verdicts, verdicts_json};
pub use warnings::warnings;
