//! Tables 1 and 2 of the paper again: the states and depths that TLC and APALACHE reported for strong accuracy,
//! beside what is found in both encodings. Printed figures are data and never enter a search.

use super::{ChandraTouegCase, ChandraTouegProperty, Encoding};
use crate::table::{
    PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableColumns, TableSearch,
};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::Verdict;
use watchkeeper_report::thousands;

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

/// Both tables, searched again; the line of Δ = Φ = 20 only if `heavy`.
pub fn tables(
    heavy: bool,
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let columns = TableColumns {
        label: &["table", "delta", "phi", "timeout", "buffer"],
        printed: &["TLC states", "TLC depth", "APALACHE depth"],
        found: vec!["verdict", "states", "depth", "time"],
        remark: "",
    };
    let title = "Tables 1 and 2 of the paper: printed, and found";
    let mut table = PublishedTable::new(title, columns, "as found before", &NOTES);
    for line in &TABLE_1 {
        for encoding in Encoding::ALL {
            table.rows.push(line.row(encoding, search)?);
        }
    }
    for line in &TABLE_2 {
        let row = line.unsearched();
        table.rows.push(if line.is_heavy() && !heavy { row } else { line.searched(row, search)? });
    }
    Ok(table)
}

impl Verified {
    fn row(
        &self,
        encoding: Encoding,
        search: &TableSearch<'_, impl ProgressCallback>,
    ) -> Result<PublishedRow, ExploreError> {
        let timeout = ChandraTouegCase::sufficient(self.delta, self.phi);
        let (verdict, seconds) =
            search.timed(|search, watch| accuracy(self.delta, self.phi, timeout, encoding, search, watch))?;
        let levels = verdict.stats.level_sizes.len() as u64;
        let states = verdict.stats.distinct_states;
        let answer = TableAnswer::of(&verdict);
        let found_again = (answer, states, levels) == (TableAnswer::Holds, self.states, self.printed_depth);
        let phi = match self.phi == self.printed_phi {
            true => self.phi.to_string(),
            false => format!("{} (printed {})", self.phi, self.printed_phi),
        };
        let depth = TableCell::Text(format!("{levels} levels"));
        let status = RowStatus::of(answer, found_again);
        Ok(PublishedRow {
            label: TableCell::texts([&1, &self.delta, &phi, &timeout, &encoding]),
            printed: TableCell::texts([&self.printed_states, &self.printed_depth]),
            found: vec![verdict.word().into(), TableCell::Count(states), depth, seconds],
            status,
            remark: if status == RowStatus::AsExpected { "as printed".to_string() } else { String::new() },
        })
    }
}

impl Violated {
    fn unsearched(&self) -> PublishedRow {
        PublishedRow {
            label: TableCell::texts([&2, &self.delta, &self.phi, &(self.delta + 1), &self.encoding]),
            printed: TableCell::texts([&self.tlc.0, &self.tlc.1, &self.steps]),
            ..PublishedRow::default()
        }
    }

    fn searched(
        &self,
        row: PublishedRow,
        search: &TableSearch<'_, impl ProgressCallback>,
    ) -> Result<PublishedRow, ExploreError> {
        let (verdict, seconds) = search.timed(|search, watch| {
            accuracy(self.delta, self.phi, self.delta + 1, self.encoding, search, watch)
        })?;
        let answer = TableAnswer::of(&verdict);
        let depth = match answer {
            TableAnswer::Fails { steps } => format!("{steps} steps"),
            _ => String::new(),
        };
        let status = RowStatus::of(answer, answer == TableAnswer::Fails { steps: self.steps as usize });
        let remark = if status == RowStatus::AsExpected { "steps as printed" } else { "" };
        let found = [verdict.word().to_string(), window(&verdict), depth].map(TableCell::Text);
        let found = found.into_iter().chain([seconds]).collect();
        Ok(PublishedRow { found, status, remark: remark.to_string(), ..row })
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
