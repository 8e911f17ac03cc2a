//! Tables 1 and 2 of the paper again: the states and depths that TLC and APALACHE reported for strong accuracy,
//! beside what is found in both encodings. Printed figures are data and never enter a search.

use super::{ChandraTouegCase, ChandraTouegProperty, Encoding};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Outcome, Verdict};
use watchkeeper_report::{TextTable, duration, thousands};

/// A pair of lines of Table 1, one for each encoding: with a timeout of 6Φ+Δ strong accuracy holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verified {
    /// Δ.
    pub delta: u32,
    /// Φ as printed.
    pub printed_phi: u32,
    /// Φ as it must be read to have the printed states.
    pub phi: u32,
    /// The distinct states of TLC, as printed.
    pub printed_states: &'static str,
    /// The depth of TLC, as printed: levels, of which the initial state is the first.
    pub printed_depth: u64,
    /// The distinct states, exactly.
    pub states: u64,
}

/// A line of Table 2: with a timeout of Δ+1 strong accuracy is violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violated {
    /// Δ.
    pub delta: u32,
    /// Φ.
    pub phi: u32,
    /// The encoding.
    pub encoding: Encoding,
    /// The states and the depth of TLC, as printed; it stopped at the first violation it met.
    pub tlc: (&'static str, u64),
    /// The depth of APALACHE, as printed: the steps of the shortest violation.
    pub steps: u64,
}

const fn verified(pair: (u32, u32), phi: u32, printed: (&'static str, u64), states: u64) -> Verified {
    let (printed_states, printed_depth) = printed;
    Verified { delta: pair.0, printed_phi: pair.1, phi, printed_states, printed_depth, states }
}

const fn violated(pair: (u32, u32), encoding: Encoding, tlc: (&'static str, u64), steps: u64) -> Violated {
    Violated { delta: pair.0, phi: pair.1, encoding, tlc, steps }
}

/// The lines of Table 1; each is there twice, once for each encoding, with the same figures.
pub const TABLE_1: [Verified; 3] = [
    verified((2, 4), 4, ("10.2K", 176), 10_158),
    verified((4, 4), 4, ("16.6K", 183), 16_590),
    verified((4, 5), 6, ("44.7K", 267), 44_733),
];

/// The lines of Table 2.
pub const TABLE_2: [Violated; 5] = [
    violated((2, 4), Encoding::Predicate, ("840", 43), 42),
    violated((2, 4), Encoding::Counter, ("945", 43), 42),
    violated((4, 4), Encoding::Predicate, ("1.3K", 48), 42),
    violated((4, 4), Encoding::Counter, ("2.4K", 56), 42),
    violated((20, 20), Encoding::Predicate, ("22.1K", 77), 168),
];

impl Violated {
    /// Whether the search has millions of states before it.
    pub const fn is_heavy(&self) -> bool {
        self.delta >= 20
    }
}

/// What was found for one line.
#[derive(Clone, PartialEq, Debug)]
struct Found {
    line: Vec<String>,
    /// Whether it is what was found before; `None` if it was not searched to its end.
    right: Option<bool>,
}

/// Both tables, searched again.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    found: Vec<Found>,
}

impl Findings {
    /// Searches every line; the line of Δ = Φ = 20 only if `heavy`. `seconds` says how late it is.
    pub fn of(
        heavy: bool,
        search: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let mut found = Vec::new();
        for line in &TABLE_1 {
            for encoding in Encoding::ALL {
                let timeout = ChandraTouegCase::sufficient(line.delta, line.phi);
                let began = seconds();
                let verdict = accuracy(line.delta, line.phi, timeout, encoding, search, watch)?;
                found.push(line.found(encoding, &verdict, seconds() - began));
            }
        }
        for line in &TABLE_2 {
            let began = seconds();
            let verdict = match line.is_heavy() && !heavy {
                true => None,
                false => Some(accuracy(line.delta, line.phi, line.delta + 1, line.encoding, search, watch)?),
            };
            found.push(line.found(verdict.as_ref(), seconds() - began));
        }
        Ok(Findings { found })
    }

    /// Whether a line is not what was found before.
    pub fn changed(&self) -> bool {
        self.found.iter().any(|found| found.right == Some(false))
    }

    /// Whether a limit ended a search.
    pub fn open(&self) -> bool {
        self.found.iter().any(|found| found.line.iter().any(|cell| cell == LIMIT))
    }

    /// One line for each line of the paper.
    pub fn table(&self) -> TextTable {
        let header = [
            "table",
            "delta",
            "phi",
            "timeout",
            "buffer",
            "TLC states",
            "TLC depth",
            "APALACHE depth",
            "verdict",
            "states",
            "depth",
            "time",
            "",
        ];
        let mut table = TextTable::new("Tables 1 and 2 of the paper: printed, and found", &header);
        table.rows = self.found.iter().map(|found| found.line.clone()).collect();
        table.notes = NOTES.iter().map(|note| note.to_string()).collect();
        table
    }
}

const LIMIT: &str = "a limit ended the search";

impl Verified {
    fn found(&self, encoding: Encoding, verdict: &Verdict, seconds: f64) -> Found {
        let levels = verdict.stats.level_sizes.len() as u64;
        let states = verdict.stats.distinct_states;
        let right = match verdict.outcome {
            Outcome::Unknown(_) => None,
            Outcome::Holds(_) => Some((states, levels) == (self.states, self.printed_depth)),
            Outcome::Violated(_) => Some(false),
        };
        let phi = match self.phi == self.printed_phi {
            true => self.phi.to_string(),
            false => format!("{} (printed {})", self.phi, self.printed_phi),
        };
        let line = vec![
            "1".to_string(),
            self.delta.to_string(),
            phi,
            ChandraTouegCase::sufficient(self.delta, self.phi).to_string(),
            encoding.to_string(),
            self.printed_states.to_string(),
            self.printed_depth.to_string(),
            String::new(),
            verdict.word().to_string(),
            thousands(states),
            format!("{levels} levels"),
            duration(seconds),
            remark(right).to_string(),
        ];
        Found { line, right }
    }
}

impl Violated {
    fn found(&self, verdict: Option<&Verdict>, seconds: f64) -> Found {
        let steps = verdict.and_then(Verdict::trace).map(|trace| trace.steps.len() as u64);
        let open = verdict.is_none_or(|verdict| matches!(verdict.outcome, Outcome::Unknown(_)));
        let right = (!open).then_some(steps == Some(self.steps));
        let mut line = vec![
            "2".to_string(),
            self.delta.to_string(),
            self.phi.to_string(),
            (self.delta + 1).to_string(),
            self.encoding.to_string(),
            self.tlc.0.to_string(),
            self.tlc.1.to_string(),
            self.steps.to_string(),
        ];
        match verdict {
            None => line.extend(["", "", "", "", "not searched: heavy"].map(String::from)),
            Some(verdict) => line.extend([
                verdict.word().to_string(),
                window(verdict),
                steps.map_or(String::new(), |steps| format!("{steps} steps")),
                duration(seconds),
                if right == Some(true) { "steps as printed".to_string() } else { remark(right).to_string() },
            ]),
        }
        Found { line, right }
    }
}

/// The states before the depth of a violation, and those up to it: a search that stops at the first violation
/// has seen a number between the two.
fn window(verdict: &Verdict) -> String {
    let last = verdict.stats.level_sizes.last().copied().unwrap_or(0);
    let all = verdict.stats.distinct_states;
    match verdict.trace() {
        Some(_) => format!("{} to {}", thousands(all - last), thousands(all)),
        None => thousands(all),
    }
}

fn remark(right: Option<bool>) -> &'static str {
    match right {
        Some(true) => "as printed",
        Some(false) => "CHANGED",
        None => LIMIT,
    }
}

/// One search for a violation of strong accuracy.
fn accuracy(
    delta: u32,
    phi: u32,
    timeout: u32,
    encoding: Encoding,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let case = ChandraTouegCase::new(delta, phi, timeout, encoding)
        .map_err(|why| ExploreError::Space(why.to_string()))?;
    let space = case.space();
    check(&space, &ChandraTouegProperty::StrongAccuracy.question(&space), search, watch)
}

const NOTES: [&str; 4] = [
    "Table 1: the timeout is 6*phi + delta, and strong accuracy holds. The depth of TLC counts levels, of which \
     the initial state is the first.",
    "Table 1, third line: phi is printed as 5. The printed states and depth are those of phi = 6, to the digit; \
     phi = 5 has 28,492 states in 225 levels, so the 5 is a misprint.",
    "Table 2: the timeout is delta + 1, and strong accuracy is violated. The depth of APALACHE is the length of \
     the shortest violation, and is found again. The states are those before the depth of the violation, and \
     those up to it: a search that goes level by level and stops at the first violation has seen a number between \
     the two. What TLC printed lies outside, below and above, so its threads did not go level by level, and its \
     counts and depths depend on luck.",
    "Table 2, last line: TLC gave up after six hours. --heavy searches it.",
];
