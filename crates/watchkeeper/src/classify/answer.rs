//! What a classification says: the class in one line, every property in a row of a table, and the runs that show
//! why the next stronger class is out of reach.

use super::{Classified, Met, SufficientTimeout};
use crate::detector_property::DetectorProperty;
use watchkeeper_logic::{DetectorClass, ExitCode, Outcome, Verdict};
use watchkeeper_report::{Chart, RunFacts, Style, TextTable, duration, headline, thousands, warnings};

impl Classified {
    /// The strongest classes by their names, or that there is none, or that nobody knows.
    pub fn names(&self) -> String {
        let strongest = self.strongest();
        let names: Vec<&str> = strongest.iter().map(|class| class.name()).collect();
        let unknown = DetectorClass::ALL.into_iter().any(|class| self.meets(class) == Met::Unknown);
        match (names.is_empty(), unknown) {
            (false, false) => names.join(", "),
            (false, true) => format!("at least {}", names.join(", ")),
            (true, false) => "none".to_string(),
            (true, true) => "unknown".to_string(),
        }
    }

    /// 0 if a class is met, the code of the worst verdict otherwise.
    pub fn exit_code(&self) -> ExitCode {
        let unknown = self.traits.iter().any(|(_, verdict)| matches!(verdict.outcome, Outcome::Unknown(_)));
        match (self.strongest().is_empty(), unknown) {
            (false, _) => ExitCode::HOLDS,
            (true, true) => ExitCode::UNKNOWN,
            (true, false) => ExitCode::LIVENESS,
        }
    }

    /// What to know before believing any of it, each thing once.
    pub fn warnings(&self) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for warning in self.traits.iter().flat_map(|(_, verdict)| warnings(verdict)) {
            if !told.contains(&warning) {
                told.push(warning);
            }
        }
        told
    }

    /// Every property with its verdict; its notes are the warnings.
    pub fn table(&self, title: &str) -> TextTable {
        let mut table = TextTable::new(title, &["property", "verdict", "counterexample", "states"]);
        for (property, verdict) in &self.traits {
            let cells = [
                property.name().to_string(),
                verdict.word().to_string(),
                counterexample(verdict),
                thousands(verdict.stats.distinct_states),
            ];
            table.rows.push(cells.to_vec());
        }
        let mut row = |what: &str, text: String| {
            table.rows.push(vec![what.to_string(), text, String::new(), String::new()]);
        };
        row("class", self.names());
        if let Some(patience) = self.patience {
            row("timeout that is long enough", patience.text());
        }
        table.notes = self.warnings();
        table
    }

    /// The whole answer for a person.
    pub fn text(&self, name: &str, run: &RunFacts, style: &Style) -> String {
        let mut out = format!("{name}: class {}\n\n", self.names());
        // The warnings stand at the end here, with what the answer rests on.
        out.push_str(&TextTable { notes: Vec::new(), ..self.table("") }.text());
        out.push('\n');
        for class in self.strongest() {
            let what: Vec<&str> =
                DetectorProperty::of(class).into_iter().map(DetectorProperty::name).collect();
            out.push_str(&format!("{}: {}\n", class.name(), what.join(" and ")));
        }
        if let Some(patience) = self.patience {
            out.push_str(&format!("Suspicion of correct processes: {}\n", patience.sentence()));
        }
        let mut shown: Vec<DetectorProperty> = Vec::new();
        for (class, lacks) in self.missed() {
            let Some(verdict) = self.verdict(lacks) else { continue };
            out.push_str(&format!("\nNot {}: {}\n", class.name(), headline(verdict)));
            if shown.contains(&lacks) {
                out.push_str("The chart is above.\n");
            } else if let Some(trace) = verdict.trace() {
                out.push_str(&format!("\n{}\n", Chart::of(trace).text(style)));
                shown.push(lacks);
            }
        }
        if let Some((_, verdict)) = self.traits.first() {
            out.push_str("\nRests on\n");
            out.extend(verdict.assumptions.iter().map(|assumption| format!("  - {assumption}\n")));
            out.extend(self.warnings().iter().map(|warning| format!("  ! {warning}\n")));
        }
        if !run.command.is_empty() {
            out.push_str(&format!("\nTook {}. Again:\n  {}\n", duration(run.seconds), run.command));
        }
        out
    }
}

impl SufficientTimeout {
    fn text(self) -> String {
        match self {
            SufficientTimeout::Until(wait) => thousands(wait.into()),
            SufficientTimeout::GrownToCap(cap) => format!("grows to its cap of {}", thousands(cap.into())),
            SufficientTimeout::Unknown => "unknown".to_string(),
        }
    }

    /// In a sentence.
    pub fn sentence(self) -> String {
        match self {
            SufficientTimeout::Until(wait) => format!("none once the timeout is {wait}"),
            SufficientTimeout::GrownToCap(cap) => format!(
                "the timeout grows to its cap of {cap}, and in the end no correct process is suspected"
            ),
            SufficientTimeout::Unknown => "the search ended before that was known".to_string(),
        }
    }
}

/// How long the run is that shows a violation.
fn counterexample(verdict: &Verdict) -> String {
    let Some(trace) = verdict.trace() else { return String::new() };
    let steps = trace.steps.len();
    match trace.loops_to {
        None => counted(steps),
        Some(to) if to >= steps => format!("{}, then nothing more", counted(steps)),
        Some(to) => format!("{}, then {} again and again", counted(to), steps - to),
    }
}

fn counted(steps: usize) -> String {
    if steps == 1 { "1 step".to_string() } else { format!("{steps} steps") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_is_not_steps() {
        assert_eq!([0, 1, 2].map(counted), ["0 steps", "1 step", "2 steps"]);
    }

    #[test]
    fn a_cap_that_is_reached_is_not_called_too_short() {
        assert_eq!(SufficientTimeout::GrownToCap(4).text(), "grows to its cap of 4");
        let said = SufficientTimeout::GrownToCap(4).sentence();
        assert_eq!(said, "the timeout grows to its cap of 4, and in the end no correct process is suspected");
        assert_eq!(SufficientTimeout::Until(3).sentence(), "none once the timeout is 3");
    }
}
