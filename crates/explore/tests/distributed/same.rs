//! What must be the same of two verdicts.

use watchkeeper_logic::{Outcome, Verdict};
use watchkeeper_space::Trace;

/// The words of a verdict, its figures, its coverage, its trace and its warnings.
type Told = (Vec<String>, Vec<u64>, Vec<u64>, Option<Trace>, Vec<String>);

/// All of a verdict that must not depend on who searched.
pub fn told(verdict: &Verdict) -> Told {
    let stats = &verdict.stats;
    let (text, trace) = match &verdict.outcome {
        Outcome::Holds(seen) => (format!("{} of {}", seen.transitions(), seen.states()), None),
        Outcome::Violated(found) => {
            (format!("{:?} {} {}", found.finding, found.what, found.shortest), Some(found.trace.clone()))
        }
        Outcome::Unknown(limit) => (format!("{limit:?}"), None),
    };
    let mut figures = stats.level_sizes.clone();
    figures.extend([stats.distinct_states, stats.transitions, stats.renamings]);
    let coverage = verdict.coverage.iter().map(|coverage| coverage.count).collect();
    let words = vec![verdict.word().to_string(), text, verdict.property.clone()];
    (words, figures, coverage, trace, verdict.warnings.clone())
}
