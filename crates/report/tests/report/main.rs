//! What the reports look like, compared with golden files, and whether other programs could read them.

mod areas;
mod charts;
mod drawings;
mod figures;
mod golden;
mod interchange;
mod layout;
mod regions;
mod verdicts;
