//! What `cutoff` has found: what was checked by machine, what the paper proves, what direct searches say, and the
//! exit code that tells whether all of it fits together. It renders and decides, and searches nothing.

use super::pairs::is_of_pairs;
use watchkeeper::PropertySpec;
use watchkeeper_logic::{ExitCode, Outcome, Verdict};
use watchkeeper_report::{Chart, RunFacts, Style, TextTable, duration, headline, thousands, warnings};
use watchkeeper_world::{CutoffMembership, CutoffReport, Demand};

/// What the class demands, in the order in which it is checked.
const DEMANDS: [Demand; 9] = [
    Demand::Closed,
    Demand::Deterministic,
    Demand::PointToPoint,
    Demand::Alike,
    Demand::Whole,
    Demand::Apart,
    Demand::Separate,
    Demand::ToAll,
    Demand::AnySize,
];

/// One direct search.
#[derive(Clone, Debug)]
pub(crate) struct Confirmation {
    pub(crate) asked: PropertySpec,
    pub(crate) n: usize,
    pub(crate) verdict: Verdict,
    pub(crate) run: RunFacts,
}

impl Confirmation {
    /// In one line.
    pub(crate) fn line(&self) -> String {
        format!("n = {}: {} ({})", self.n, headline(&self.verdict), duration(self.run.seconds))
    }
}

/// The answer of the command.
#[derive(Clone, Debug)]
pub(crate) struct Cutoff {
    /// The protocol.
    pub(crate) name: &'static str,
    pub(crate) class: CutoffReport,
    /// For each property the searches of all sizes, from 2 on.
    pub(crate) confirmations: Vec<Confirmation>,
}

impl Cutoff {
    /// 0 only if the protocol is in the class, and everything that was asked holds of every size.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.class.membership {
            CutoffMembership::InClass => {}
            CutoffMembership::Unknown { .. } => return ExitCode::UNKNOWN,
            CutoffMembership::Alike | CutoffMembership::Departs(_) => return ExitCode::ASSUMPTION,
        }
        if self.contradicted().is_some() {
            return ExitCode::ASSUMPTION;
        }
        let codes = || self.confirmations.iter().map(|found| found.verdict.exit_code());
        let bad = |code: &ExitCode| *code != ExitCode::HOLDS;
        codes()
            .filter(bad)
            .find(|code| *code != ExitCode::UNKNOWN)
            .or_else(|| codes().find(bad))
            .unwrap_or(ExitCode::HOLDS)
    }

    /// A search that says something else than the search of two processes, though the theorem says that it cannot.
    fn contradicted(&self) -> Option<&Confirmation> {
        let of_two = |found: &Confirmation| {
            let same = |other: &&Confirmation| other.n == 2 && other.asked == found.asked;
            self.confirmations.iter().find(same).map(|two| two.verdict.word())
        };
        let known = |found: &Confirmation| !matches!(found.verdict.outcome, Outcome::Unknown(_));
        let differs = |found: &&Confirmation| {
            known(found)
                && is_of_pairs(&found.asked)
                && of_two(found).is_some_and(|two| two != found.verdict.word() && two != "unknown")
        };
        self.confirmations.iter().find(differs)
    }

    /// What was found, in one line.
    fn sentence(&self) -> String {
        let name = self.name;
        match &self.class.membership {
            CutoffMembership::InClass => format!(
                "{name} is a symmetric point-to-point algorithm, as far as code can be held to that: checked, not assumed"
            ),
            CutoffMembership::Alike => format!(
                "{name} treats its processes alike, but does not tell what it keeps about each of them; the theorem is not \
                 stated. Let its protocol say so with `about`"
            ),
            CutoffMembership::Departs(departure) => {
                format!("{name} is not a symmetric point-to-point algorithm\n  {departure}")
            }
            CutoffMembership::Unknown { most } => format!(
                "{name} has more than {} local states, so nobody knows whether all of them treat peers alike; give its \
                 parameters smaller values or a cap",
                thousands(*most)
            ),
        }
    }

    /// What was checked.
    fn checked(&self) -> String {
        let CutoffReport { sizes, local_states, inputs, permutations, parts, .. } = &self.class;
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let reached = match self.class.membership {
            CutoffMembership::InClass | CutoffMembership::Alike => {
                "all that any network, any order and any timing can lead to"
            }
            CutoffMembership::Departs(_) => "those that were met before",
            CutoffMembership::Unknown { .. } => "as many as are looked at",
        };
        let mut out = format!(
            "Checked by machine, with n = {}\n  {} local states: {reached}\n  {} inputs to them, {} steps compared \
             with their renamings, {} looked at peer by peer\n",
            listed(&sizes),
            thousands(*local_states),
            thousands(*inputs),
            thousands(*permutations),
            thousands(*parts),
        );
        if self.class.membership == CutoffMembership::InClass {
            out.extend(DEMANDS.iter().map(|demand| format!("  - {demand}\n")));
        }
        out
    }

    /// All direct searches.
    pub(crate) fn table(&self) -> TextTable {
        let header = ["property", "n", "verdict", "states", "unit", "steps", "theorem", "seconds", "command"];
        let mut table = TextTable::new(self.sentence(), &header);
        table.rows = self.confirmations.iter().map(row).collect();
        table.notes =
            self.confirmations.first().map_or(Vec::new(), |found| found.verdict.assumptions.clone());
        table
    }

    /// The whole report, with a line break at the end.
    pub(crate) fn report(&self, run: &RunFacts, style: &Style) -> String {
        let mut out = format!("{}\n\n{}", self.sentence(), self.checked());
        if self.class.membership != CutoffMembership::InClass {
            return format!("{out}\nAgain\n  {}\n", run.command);
        }
        out.push_str(&format!("\n{THEOREM}\n\nConfirmed by direct search\n\n"));
        let mut short = TextTable::new("", &["property", "n", "verdict", "states", "theorem", "time"]);
        short.rows = self
            .confirmations
            .iter()
            .map(|found| {
                let cells = row(found);
                let time = duration(found.run.seconds);
                vec![
                    cells[0].clone(),
                    cells[1].clone(),
                    cells[2].clone(),
                    cells[3].clone(),
                    cells[6].clone(),
                    time,
                ]
            })
            .collect();
        out.push_str(&short.text());
        if let Some(found) = self.contradicted() {
            out.push_str(&format!(
                "\nWith n = {} the answer is another than with 2, which the theorem rules out: the world that was searched \
                 is none of the models that it is about\n",
                found.n
            ));
        }
        for found in &self.confirmations {
            if let Some(trace) = found.verdict.trace() {
                out.push_str(&format!("\n{}\n\n{}", headline(&found.verdict), Chart::of(trace).text(style)));
                break;
            }
        }
        let warned: Vec<String> =
            self.confirmations.iter().flat_map(|found| warnings(&found.verdict)).collect();
        let mut told = Vec::new();
        for warning in warned.into_iter() {
            if !told.contains(&warning) {
                told.push(warning);
            }
        }
        if !told.is_empty() {
            out.push_str("\nWarnings\n");
            out.extend(told.iter().map(|warning| format!("  ! {warning}\n")));
        }
        if let Some(found) = self.confirmations.first() {
            out.push_str("\nRests on, with n = 2\n");
            out.extend(found.verdict.assumptions.iter().map(|assumption| format!("  - {assumption}\n")));
        }
        out.push_str(&format!("\nAgain\n  {}\n", run.command));
        out
    }
}

/// Numbers as words of a sentence.
fn listed(numbers: &[String]) -> String {
    match numbers {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        numbers => numbers.concat(),
    }
}

/// What the paper proves, in our words.
const THEOREM: &str = "\
Proved on paper: Tran, Konnov and Widder 2022, theorem 4.2
  Of such an algorithm, a claim about runs that speaks of two processes, and not of the next step, is true of
  all pairs in every system of 2 or more processes if and only if it is true of the two in a system of 2.
  The theorem is about the models of that paper, synchronous, asynchronous and with unknown bounds. That the
  world searched here is one of them is not checked, and neither are systems larger than those named above.";

fn row(found: &Confirmation) -> Vec<String> {
    let stats = &found.verdict.stats;
    let theorem = match (is_of_pairs(&found.asked), found.n) {
        (true, 2) => "enough for every n",
        (true, _) => "follows from n = 2",
        (false, _) => "says nothing of it",
    };
    vec![
        found.asked.to_string(),
        found.n.to_string(),
        found.verdict.word().to_string(),
        stats.distinct_states.to_string(),
        format!("{}s", stats.unit.noun()),
        found.verdict.trace().map_or(String::new(), |trace| trace.steps.len().to_string()),
        theorem.to_string(),
        format!("{:.3}", found.run.seconds),
        found.run.command.clone(),
    ]
}
