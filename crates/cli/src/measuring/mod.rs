//! What `measure`, `compare` and `choose` share: their flags, the choice of the tick, the bound that the model proves, and the report.

mod comparison;
mod contender;
mod flags;
mod network;
mod picture;
mod proved;
mod recorded;
mod report;
mod units;

pub(crate) use comparison::DetectorComparison;
pub(crate) use contender::{Contender, Measured};
pub(crate) use flags::{MeasurementFlags, NetworkFlags, given, span};
pub(crate) use picture::plot;
pub(crate) use report::{figure, json, text, time};
