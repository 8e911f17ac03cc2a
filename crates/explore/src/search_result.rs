//! The result of a search, before it becomes a verdict: how it ended, and what it counted.

use crate::state_checker::BadState;
use crate::verdict::Figures;
use watchkeeper_logic::{Exhausted, Ledger, Limit, Shortfall, Stats};
use watchkeeper_space::{Id, Shape, SpaceQuery};

/// The result of a search, before it becomes a verdict.
pub(crate) struct SearchResult {
    /// How it ended.
    pub end: SearchEnd,
    pub figures: Figures,
    /// Whether a cap of the model cut steps away.
    pub cut: bool,
}

/// How a search ended.
pub(crate) enum SearchEnd {
    /// A state violates a property, and this path of rows leads to it.
    Violation(BadState, Vec<Vec<Id>>),
    /// There is no violation, and all states were seen.
    Whole(Exhausted),
    /// No violation was seen, and not all states were seen.
    Short(Shortfall),
    /// The inspector of the store has seen enough.
    Enough,
}

impl SearchEnd {
    /// The end of a search that found nothing wrong, by what it has done.
    pub fn of(ledger: Ledger) -> SearchEnd {
        match ledger.close() {
            Ok(exhausted) => SearchEnd::Whole(exhausted),
            Err(shortfall) => SearchEnd::Short(shortfall),
        }
    }
}

impl SearchResult {
    /// A search that a limit ended before it had counted anything.
    pub fn nothing(limit: Limit, workers: usize) -> SearchResult {
        SearchResult {
            end: SearchEnd::Short(Shortfall::Limit(limit)),
            figures: Figures {
                counts: vec![0; 256],
                stats: Stats { workers, ..Stats::default() },
                ..Figures::default()
            },
            cut: false,
        }
    }
}

/// The first cap that cut steps away that matter to what is asked, as what limited a search that has nothing left to
/// expand.
pub(crate) fn cut_away(shape: &Shape, cuts: &[u64], asked: &SpaceQuery) -> Option<Limit> {
    let mut cut = shape.caps.iter().zip(cuts).filter(|(_, count)| **count > 0);
    cut.find(|(cap, _)| cap.limits(asked)).map(|(cap, _)| Limit::Cap(cap.name.clone()))
}

/// Adds numbers to as many sums.
pub(crate) fn add(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}
