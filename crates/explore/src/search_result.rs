//! What a search found, before it is told: how it ended, and what it counted on the way.

use crate::state_checker::BadState;
use watchkeeper_logic::{Exhausted, Ledger, Limit, Shortfall, Stats};
use watchkeeper_space::{Id, Shape, SpaceQuery};

/// What a search found, before it is told.
pub(crate) struct SearchResult {
    /// How it ended.
    pub end: SearchEnd,
    /// How often each class of action happened.
    pub counts: Vec<u64>,
    /// For each invariant, how many states it spoke of.
    pub spoke: Vec<u64>,
    /// Whether a cap of the model cut steps away.
    pub cut: bool,
    pub stats: Stats,
}

/// How a search ended.
pub(crate) enum SearchEnd {
    /// Something is wrong, and this path of rows leads to it.
    Violation(BadState, Vec<Vec<Id>>),
    /// Nothing is wrong, and everything was seen.
    Whole(Exhausted),
    /// Nothing wrong was seen, and not everything was seen.
    Short(Shortfall),
    /// Who inspects what is stored has seen enough.
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
            counts: vec![0; 256],
            spoke: Vec::new(),
            cut: false,
            stats: Stats { workers, ..Stats::default() },
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
