//! What a hunt for a bound has found: the sentence that tells it, every step on the way as a row of a table,
//! and the runs that show why nothing better is true.

use super::LeastBound;
use crate::property_spec::PropertySpec;
use crate::quantities::TimeSpan;
use watchkeeper_logic::{ExitCode, Outcome, Verdict};
use watchkeeper_report::{Chart, RunFacts, Style, TextTable, duration, headline, thousands, warnings};

/// One question, and its answer.
#[derive(Clone, Debug)]
pub struct BoundStep {
    /// The question.
    pub asked: PropertySpec,
    /// The answer.
    pub verdict: Verdict,
    /// What it cost.
    pub run: RunFacts,
}

impl BoundStep {
    /// In one line.
    pub fn line(&self) -> String {
        format!("{} ({})", headline(&self.verdict), duration(self.run.seconds))
    }

    /// How much was searched.
    fn size(&self) -> String {
        let stats = &self.verdict.stats;
        let plural = if stats.distinct_states == 1 { "" } else { "s" };
        format!("{} {}{plural}", thousands(stats.distinct_states), stats.unit.noun())
    }

    fn is_about(&self, bound: u32) -> bool {
        self.asked == PropertySpec::Detection { within: bound, pair: None }
    }
}

/// How a hunt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundEnding {
    /// The last step says why there can be no bound, or why nobody knows.
    Broken,
    /// All bounds were tried that had to be.
    LeastBound(LeastBound),
}

/// What was found, and how.
#[derive(Clone, Debug)]
pub struct BoundAnswer {
    /// The protocol.
    pub name: &'static str,
    /// How it ended.
    pub ending: BoundEnding,
    /// First to last; never empty.
    pub steps: Vec<BoundStep>,
    /// How long a unit of time is.
    pub tick: Option<TimeSpan>,
}

impl BoundAnswer {
    /// The least bound, if it was found.
    pub fn least(&self) -> Option<u32> {
        match self.ending {
            BoundEnding::LeastBound(LeastBound::Least(bound)) => Some(bound),
            _ => None,
        }
    }

    /// The exit code that tells it.
    pub fn exit_code(&self) -> ExitCode {
        match self.ending {
            BoundEnding::LeastBound(LeastBound::Least(_)) => ExitCode::HOLDS,
            _ => self.decisive().map_or(ExitCode::UNKNOWN, |step| step.verdict.exit_code()),
        }
    }

    /// The step that the sentence rests on.
    fn decisive(&self) -> Option<&BoundStep> {
        match self.ending {
            BoundEnding::Broken => self.steps.last(),
            BoundEnding::LeastBound(
                LeastBound::Least(at) | LeastBound::Beyond(at) | LeastBound::Unknown(at),
            ) => self.about(at),
        }
    }

    fn about(&self, bound: u32) -> Option<&BoundStep> {
        self.steps.iter().find(|step| step.is_about(bound))
    }

    /// The step that refutes the next lower bound.
    fn refuting(&self) -> Option<&BoundStep> {
        match self.ending {
            BoundEnding::LeastBound(LeastBound::Least(bound)) => {
                bound.checked_sub(1).and_then(|below| self.about(below))
            }
            _ => self.decisive(),
        }
    }

    fn accuracy(&self) -> Option<&BoundStep> {
        self.steps.iter().find(|step| matches!(step.asked, PropertySpec::Accuracy { .. }))
    }

    /// What was found, in one line.
    fn sentence(&self) -> String {
        match self.ending {
            BoundEnding::Broken => {
                let why = self.decisive().map_or(String::new(), |step| headline(&step.verdict));
                format!("no bound is looked for in such a scenario: {why}")
            }
            BoundEnding::LeastBound(LeastBound::Least(bound)) => {
                let proof = self.about(bound).map_or(String::new(), |step| {
                    format!("{} in {}", step.size(), duration(step.run.seconds))
                });
                let below = match bound.checked_sub(1) {
                    Some(below) => format!("{below} is refuted, chart below"),
                    None => "nothing is sooner".to_string(),
                };
                format!(
                    "detection within {}{} (proved: {proof}; {below})",
                    thousands(bound.into()),
                    self.time(bound)
                )
            }
            BoundEnding::LeastBound(LeastBound::Beyond(most)) => {
                format!(
                    "no detection within {}{} (refuted, chart below); --most tries more",
                    thousands(most.into()),
                    self.time(most)
                )
            }
            BoundEnding::LeastBound(LeastBound::Unknown(at)) => {
                let why = self.about(at).map_or(String::new(), |step| headline(&step.verdict));
                format!("no bound is known: {why}")
            }
        }
    }

    /// A number of ticks in seconds, if it is known how long one is.
    fn time(&self, ticks: u32) -> String {
        let Some(tick) = self.tick else { return String::new() };
        // A bound is exact, so it is not rounded.
        format!(" ticks of {tick}, {} s", (tick.0 * ticks).as_secs_f64())
    }

    /// What was found about accuracy, in one line.
    fn aside(&self) -> Option<String> {
        let step = self.accuracy()?;
        Some(match &step.verdict.outcome {
            Outcome::Holds(_) => {
                format!("accuracy holds too (proved: {} in {})", step.size(), duration(step.run.seconds))
            }
            Outcome::Violated(violation) => {
                let steps = violation.trace.steps.len();
                format!("accuracy does not hold (refuted by a run of {steps} steps, chart below)")
            }
            Outcome::Unknown(_) => format!("accuracy is not known: {}", headline(&step.verdict)),
        })
    }

    /// All steps; the one that the sentence rests on is the first row.
    pub fn table(&self) -> TextTable {
        let header = [
            "asked",
            "bound",
            "verdict",
            "states",
            "unit",
            "transitions",
            "steps",
            "seconds",
            "time",
            "command",
        ];
        let title = [Some(format!("{}: {}", self.name, self.sentence())), self.aside()];
        let mut table = TextTable::new(title.into_iter().flatten().collect::<Vec<_>>().join("; "), &header);
        let decisive = self.decisive().map(|step| step.asked.clone());
        let is_first = |step: &&BoundStep| Some(&step.asked) == decisive.as_ref();
        let ordered =
            self.steps.iter().filter(is_first).chain(self.steps.iter().filter(|step| !is_first(step)));
        table.rows = ordered.map(|step| self.row(step)).collect();
        if let Some(step) = self.decisive() {
            table.notes = step.verdict.assumptions.clone();
            table
                .notes
                .extend(warnings(&step.verdict).into_iter().map(|warning| format!("warning: {warning}")));
        }
        table
    }

    fn row(&self, step: &BoundStep) -> Vec<String> {
        let stats = &step.verdict.stats;
        let bound = match step.asked {
            PropertySpec::Detection { within, .. } => Some(within),
            _ => None,
        };
        let seconds = |bound: u32| self.tick.map(|tick| tick.0.as_secs_f64() * f64::from(bound));
        vec![
            if bound.is_some() { "detection".to_string() } else { step.asked.to_string() },
            bound.map_or(String::new(), |bound| bound.to_string()),
            step.verdict.word().to_string(),
            stats.distinct_states.to_string(),
            format!("{}s", stats.unit.noun()),
            stats.transitions.to_string(),
            step.verdict.trace().map_or(String::new(), |trace| trace.steps.len().to_string()),
            format!("{:.3}", step.run.seconds),
            bound.and_then(seconds).map_or(String::new(), |seconds| format!("{seconds:.3}")),
            step.run.command.clone(),
        ]
    }

    /// The whole report, with a line break at the end.
    pub fn report(&self, run: &RunFacts, style: &Style) -> String {
        let mut out = format!("{}\n", self.sentence());
        out.extend(self.aside().map(|aside| format!("{aside}\n")));
        let wrong = self.accuracy().filter(|step| step.verdict.trace().is_some());
        for step in self.refuting().into_iter().chain(wrong) {
            if let Some(trace) = step.verdict.trace() {
                out.push_str(&format!("\n{}\n\n{}", headline(&step.verdict), Chart::of(trace).text(style)));
            }
        }
        let Some(decisive) = self.decisive() else { return out };
        let warned = warnings(&decisive.verdict);
        if !warned.is_empty() {
            out.push_str("\nWarnings\n");
            out.extend(warned.iter().map(|warning| format!("  ! {warning}\n")));
        }
        out.push_str("\nRests on\n");
        out.extend(decisive.verdict.assumptions.iter().map(|assumption| format!("  - {assumption}\n")));
        out.push_str(&format!("\nSteps ({} in all)\n", duration(run.seconds)));
        out.extend(self.steps.iter().map(|step| format!("  {}\n", step.line())));
        if !run.command.is_empty() {
            out.push_str(&format!("\nAgain\n  {}\n", run.command));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// 17 times 0.05 is 0.8500000000000001 in binary fractions.
    #[test]
    fn a_bound_in_seconds_is_exact() {
        let time = |millis, ticks| {
            let tick = Some(TimeSpan(Duration::from_millis(millis)));
            BoundAnswer { name: "ring", ending: BoundEnding::Broken, steps: Vec::new(), tick }.time(ticks)
        };
        assert_eq!(time(50, 17), " ticks of 50ms, 0.85 s");
        assert_eq!(time(100, 3), " ticks of 100ms, 0.3 s");
        assert_eq!(time(1000, 8), " ticks of 1s, 8 s");
    }
}
