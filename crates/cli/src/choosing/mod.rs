//! What `choose` is made of: the target, the candidates and how each is judged, and the report.

mod candidates;
mod report;
mod target;

pub(crate) use candidates::{Candidates, Judged};
pub(crate) use report::{ChoiceReport, json, text};
pub(crate) use target::{MistakeRate, Target};
