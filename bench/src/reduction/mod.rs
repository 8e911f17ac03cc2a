//! What leaving out interleavings saves this project: each model searched twice, in full and reduced. No peer takes
//! part: only the project's own verdicts are held against each other, and must agree.

mod models;
mod table;

use crate::failure::Failure;
use crate::host;
use models::Model;
use std::time::Instant;
use watchkeeper_explore::Reduction;
use watchkeeper_logic::{Outcome, Verdict};

/// One search: what it said, and what it cost.
pub struct Run {
    verdict: String,
    states: u64,
    transitions: u64,
    /// States expanded in part.
    in_part: u64,
    /// By the clock.
    seconds: f64,
}

/// A model with both its searches.
pub struct Entry {
    name: String,
    full: Run,
    reduced: Run,
}

/// All models, measured.
pub struct Reductions {
    entries: Vec<Entry>,
    workers: usize,
}

impl Reductions {
    /// Searches every model in both ways.
    pub fn measure(mut progress: impl FnMut(&str)) -> Result<Reductions, Failure> {
        let mut entries = Vec::new();
        for model in models::all() {
            let full = searched(&model, Reduction::None)?;
            let reduced = searched(&model, Reduction::PartialOrder)?;
            progress(&format!(
                "{}: {} states in {:.2} s, reduced {} in {:.2} s",
                model.name, full.states, full.seconds, reduced.states, reduced.seconds
            ));
            if full.verdict != reduced.verdict {
                let both = format!("  {}: {}\n  reduced: {}", model.name, full.verdict, reduced.verdict);
                return Err(Failure::Disagreement(both));
            }
            entries.push(Entry { name: model.name, full, reduced });
        }
        Ok(Reductions { entries, workers: models::WORKERS })
    }

    /// The name under which results are kept.
    pub fn stem(date: &str, host: &host::Host) -> String {
        format!("{date}-{}-reduction", host.name)
    }
}

fn searched(model: &Model, reduction: Reduction) -> Result<Run, Failure> {
    let begun = Instant::now();
    let verdict = (model.search)(reduction).map_err(|why| Failure::command(&model.name, why.to_string()))?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(Run {
        verdict: word(&verdict),
        states: verdict.stats.distinct_states,
        transitions: verdict.stats.transitions,
        in_part: verdict.stats.partial.map_or(0, |partial| partial.in_part),
        seconds,
    })
}

/// The answer without the run that shows it, of which there may be several.
fn word(verdict: &Verdict) -> String {
    match &verdict.outcome {
        Outcome::Violated(violation) => format!("violated: {}", violation.what),
        _ => verdict.word().to_string(),
    }
}
