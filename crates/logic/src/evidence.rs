//! The evidence that a search saw everything. `Holds` cannot be built without it, and only a ledger that balances
//! gives it out. So one place decides, for all engines, whether an answer may be called `holds`: by the work that a
//! search has done, and never by what it did not notice.

use crate::Limit;

/// What a search has done, counted while it does it.
///
/// Every engine keeps one ledger for a search and closes it at the end. It enters what it stored, what it expanded, and
/// of every successor that it was offered whether it was settled: found to be stored already, covered, or stored. A
/// successor that is dropped on any path, a state that is never expanded, or a limit that was reached leaves the ledger
/// open, and an open ledger gives no evidence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use = "a search that does not close its ledger has no answer"]
pub struct Ledger {
    stored: u64,
    expanded: u64,
    offered: u64,
    settled: u64,
    limit: Option<Limit>,
    strategy: bool,
}

/// Every stored state was expanded, every successor of it is stored, and nothing was cut: what [`Ledger::close`] gives
/// out, and nothing else can make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exhausted {
    states: u64,
    transitions: u64,
    strategy: bool,
}

/// Why a search has no evidence of having seen everything.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Shortfall {
    /// A limit ended it, or it leaves states out by design.
    #[error("the search did not see everything: {0:?}")]
    Limit(Limit),
    /// The ledger does not balance, and no limit says why: the engine is wrong, and nothing can be said.
    #[error(
        "the search lost {states} states and {successors} successors, and no limit says why; no verdict is given"
    )]
    Lost {
        /// States that were stored and never expanded.
        states: i128,
        /// Successors that were offered and never settled.
        successors: i128,
    },
}

impl Ledger {
    /// A ledger with nothing in it.
    pub fn open() -> Ledger {
        Ledger::default()
    }

    /// The ledger of a game: its states are the positions of a strategy, its successors the moves that the strategy admits.
    pub fn of_strategy() -> Ledger {
        Ledger { strategy: true, ..Ledger::default() }
    }

    /// So many states were stored, each to be expanded.
    pub fn stores(&mut self, states: u64) {
        self.stored += states;
    }

    /// So many states were expanded, which offered so many successors, of which so many are settled.
    pub fn expands(&mut self, states: u64, offered: u64, settled: u64) {
        self.expanded += states;
        self.offered += offered;
        self.settled += settled;
    }

    /// Successors that were offered before are settled now.
    pub fn settles(&mut self, successors: u64) {
        self.settled += successors;
    }

    /// The search does not see everything, for this reason. The first reason stays.
    pub fn limits(&mut self, limit: Limit) {
        self.limit.get_or_insert(limit);
    }

    /// The evidence, or why there is none.
    pub fn close(self) -> Result<Exhausted, Shortfall> {
        let Ledger { stored, expanded, offered, settled, limit, strategy } = self;
        if let Some(limit) = limit {
            return Err(Shortfall::Limit(limit));
        }
        let left = |whole: u64, part: u64| i128::from(whole) - i128::from(part);
        match (left(stored, expanded), left(offered, settled)) {
            (0, 0) if stored > 0 => Ok(Exhausted { states: stored, transitions: offered, strategy }),
            (states, successors) => Err(Shortfall::Lost { states, successors }),
        }
    }
}

impl Exhausted {
    /// The states that were expanded.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// The successors that they have, each counted as often as it was offered.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The number of positions, if it is a strategy that was verified, which need not go through all of a space.
    pub fn strategy(&self) -> Option<u64> {
        self.strategy.then_some(self.states)
    }

    /// The evidence of two searches for the answer to both.
    #[must_use]
    pub fn and(self, other: Exhausted) -> Exhausted {
        let strategy = self.strategy && other.strategy;
        let (states, transitions) = (self.states + other.states, self.transitions + other.transitions);
        Exhausted { states, transitions, strategy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three states with four successors, all there.
    fn balanced() -> Ledger {
        let mut ledger = Ledger::open();
        ledger.stores(1);
        ledger.expands(1, 2, 1);
        ledger.stores(2);
        ledger.settles(1);
        ledger.expands(2, 2, 2);
        ledger
    }

    #[test]
    fn a_ledger_that_balances_gives_evidence_of_what_was_seen() {
        let seen = balanced().close().expect("it balances");
        assert_eq!((seen.states(), seen.transitions()), (3, 4));
        let both = seen.clone().and(seen);
        assert_eq!((both.states(), both.transitions()), (6, 8));
    }

    #[test]
    fn a_state_that_is_not_expanded_or_a_successor_that_is_not_settled_takes_the_evidence_away() {
        let mut unexpanded = balanced();
        unexpanded.stores(1);
        assert_eq!(unexpanded.close(), Err(Shortfall::Lost { states: 1, successors: 0 }));
        let mut dropped = balanced();
        dropped.expands(0, 1, 0);
        assert_eq!(dropped.close(), Err(Shortfall::Lost { states: 0, successors: 1 }));
        let mut twice = balanced();
        twice.settles(1);
        assert_eq!(twice.close(), Err(Shortfall::Lost { states: 0, successors: -1 }));
    }

    #[test]
    fn a_search_that_did_nothing_has_seen_nothing() {
        assert!(matches!(Ledger::open().close(), Err(Shortfall::Lost { .. })));
    }

    #[test]
    fn a_limit_takes_the_evidence_away_even_where_the_ledger_balances_and_the_first_is_told() {
        let mut limited = balanced();
        limited.limits(Limit::Depth(3));
        limited.limits(Limit::Interrupted);
        assert_eq!(limited.close(), Err(Shortfall::Limit(Limit::Depth(3))));
    }
}
