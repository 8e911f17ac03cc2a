//! How small the first timeout may be: for each pair of bounds the least one with which strong accuracy holds.
//! Every answer rests on complete searches; a limit leaves a cell open, and never closes it.

use super::{ChandraTouegCase, ChandraTouegProperty, Encoding, TimeoutCell, conjecture};
use std::fmt;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::Outcome;
use watchkeeper_report::{TextTable, thousands};

/// The values that a bound goes over, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundRange {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

impl BoundRange {
    fn values(self) -> impl Iterator<Item = u32> + Clone {
        self.first..=self.last
    }
}

impl fmt::Display for BoundRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.last)
    }
}

/// What was found for one pair of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeastTimeout {
    /// Δ.
    pub delta: u32,
    /// Φ.
    pub phi: u32,
    /// The least first timeout with which strong accuracy holds; `None` if a limit ended a search.
    pub timeout: Option<u32>,
    /// How many searches there were.
    pub searches: u64,
    /// The distinct states of all of them.
    pub states: u64,
}

/// Finds the least timeout by halving.
///
/// That is right because accuracy is monotone in the timeout: up to the first suspicion the timeout only cuts off
/// how far the waiting is counted, so a run without a suspicion for one timeout is one for every longer timeout.
pub fn least_timeout(
    delta: u32,
    phi: u32,
    encoding: Encoding,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<LeastTimeout, ExploreError> {
    let mut least = LeastTimeout { delta, phi, timeout: None, searches: 0, states: 0 };
    // The paper proves that 6Φ+Δ is enough; that is searched like everything else.
    let (mut below, mut enough) = (0, ChandraTouegCase::sufficient(delta, phi));
    match least.try_timeout(enough, encoding, search, watch)? {
        Some(true) => {}
        Some(false) => (below, enough) = (enough + 1, ChandraTouegCase::MAX_TIMEOUT),
        None => return Ok(least),
    }
    while below < enough {
        let middle = (below + enough) / 2;
        match least.try_timeout(middle, encoding, search, watch)? {
            Some(true) => enough = middle,
            Some(false) => below = middle + 1,
            None => return Ok(least),
        }
    }
    least.timeout = Some(enough);
    Ok(least)
}

impl LeastTimeout {
    /// Whether strong accuracy holds with this timeout; `None` if a limit ended the search.
    fn try_timeout(
        &mut self,
        timeout: u32,
        encoding: Encoding,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Option<bool>, ExploreError> {
        let case = ChandraTouegCase::new(self.delta, self.phi, timeout, encoding)
            .map_err(|why| ExploreError::Space(why.to_string()))?;
        let space = case.space();
        let verdict = check(&space, &ChandraTouegProperty::StrongAccuracy.question(&space), search, watch)?;
        self.searches += 1;
        self.states += verdict.stats.distinct_states;
        Ok(match verdict.outcome {
            Outcome::Holds(_) => Some(true),
            Outcome::Violated(_) => Some(false),
            Outcome::Unknown(_) => None,
        })
    }
}

/// The least timeouts over two ranges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeoutGrid {
    delta: BoundRange,
    phi: BoundRange,
    /// What was found, for each Φ of each Δ.
    pub cells: Vec<LeastTimeout>,
}

impl TimeoutGrid {
    /// Searches every cell.
    pub fn of(
        delta: BoundRange,
        phi: BoundRange,
        encoding: Encoding,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<TimeoutGrid, ExploreError> {
        let mut cells = Vec::new();
        for (delta, phi) in delta.values().flat_map(|delta| phi.values().map(move |phi| (delta, phi))) {
            cells.push(least_timeout(delta, phi, encoding, search, watch)?);
        }
        Ok(TimeoutGrid { delta, phi, cells })
    }

    /// Whether a limit left a cell open.
    pub fn open(&self) -> bool {
        self.cells.iter().any(|cell| cell.timeout.is_none())
    }

    /// The cells that were decided.
    pub fn decided(&self) -> Vec<TimeoutCell> {
        let cell = |least: &LeastTimeout| {
            let value = least.timeout?.into();
            Some(TimeoutCell { delta: least.delta.into(), phi: least.phi.into(), value })
        };
        self.cells.iter().filter_map(cell).collect()
    }

    /// A line for each Δ, a column for each Φ, and below them what is conjectured.
    pub fn table(&self) -> TextTable {
        let names: Vec<String> = std::iter::once("delta".to_string())
            .chain(self.phi.values().map(|phi| format!("phi={phi}")))
            .collect();
        let header: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut table = TextTable::new("The least first timeout for strong accuracy", &header);
        for delta in self.delta.values() {
            let cells = self.cells.iter().filter(|cell| cell.delta == delta);
            let values =
                cells.map(|cell| cell.timeout.map_or("?".to_string(), |timeout| timeout.to_string()));
            table.rows.push(std::iter::once(delta.to_string()).chain(values).collect());
        }
        table.notes = self.notes();
        table
    }

    fn notes(&self) -> Vec<String> {
        let decided = self.decided();
        let mut notes = Vec::new();
        let (searches, states) = self
            .cells
            .iter()
            .fold((0, 0), |(searches, states), cell| (searches + cell.searches, states + cell.states));
        let open = self.cells.len() - decided.len();
        let left =
            if open > 0 { format!("; {open} cells (?) were left open by a limit") } else { String::new() };
        notes.push(format!(
            "{} cells by {searches} searches of {} states in all{left}.",
            decided.len(),
            thousands(states)
        ));
        let range = format!("delta {} and phi {}", self.delta, self.phi);
        notes.push(match conjecture(&decided) {
            Some(formula) => format!(
                "Conjecture, exact in all {} decided cells of {range} and not proved beyond: the least timeout is \
                 {formula}.",
                decided.len()
            ),
            None => format!("No simple formula is exact in all {} decided cells of {range}.", decided.len()),
        });
        let spare = |cell: &TimeoutCell| 6 * cell.phi + cell.delta - cell.value;
        let spares = decided.iter().map(spare);
        if let (Some(least), Some(most)) = (spares.clone().min(), spares.max()) {
            notes.push(match least {
                ..0 => format!("6*phi + delta of the paper is too short in a cell: by {} at most.", -least),
                _ => format!(
                    "6*phi + delta of the paper is enough in every one of them, and longer than needed by {least} \
                     to {most}."
                ),
            });
        }
        notes
    }
}
