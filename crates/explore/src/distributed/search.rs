//! The search itself: the depths one after the other, each in two rounds. In the first the states of the depth are expanded
//! and those of the next one travel to their owners; in the second all workers learn what all have done.

use super::shard::StateShard;
use super::sums::{Halted, Sums, together};
use super::{Exchange, Travelling, back, refused};
use crate::ExploreError;
use crate::admission::Admitted;
use crate::breadth::Failure;
use crate::journal::{TeamJournal, Totals};
use crate::level_report::LevelReport;
use crate::scout::scout;
use crate::search::{ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult, cut_away};
use crate::store::Key;
use crate::verdict::Figures;
use crate::visited::Visited;
use watchkeeper_logic::{Ledger, Limit, Question, Stats};
use watchkeeper_space::{Id, Parts};

/// Searches breadth-first on all workers, with keys of type `K`. All of them return the same, but for ids.
pub(crate) fn distributed<K: Key>(
    exchange: &mut dyn Exchange,
    travelling: Travelling<'_>,
    question: &Question,
    admitted: &Admitted,
    (callback, journal): (&dyn ProgressCallback, Option<&mut TeamJournal<'_>>),
) -> Result<SearchResult, Failure> {
    let (space, search) = (travelling.space, &admitted.search);
    let without = || refused("the states of this model cannot leave the process; search on one worker");
    let parts = space.parts().ok_or_else(without).map_err(Failure::Error)?;
    // A worker that cannot begin says so at the end of the first round: the others wait for it there.
    let (largest, stopped) = match scout(space, search, callback) {
        Ok(largest) => (largest, None),
        Err(limit) => (vec![0; space.shape().slots.len()], Some(Halted::Limit(limit))),
    };
    let visited = Visited::<K>::new(&largest, search.max_bytes, 1, search.hooks);
    let (visited, halted) = match visited {
        Ok(visited) => (Some(visited), stopped),
        Err(full) => (None, Some(full.limit().map_or(Halted::TooWide, Halted::Limit))),
    };
    let who = (exchange.index(), exchange.workers());
    let shard = visited.map(|visited| StateShard::new(travelling, parts, visited, who));
    let mut run = TeamSearch { travelling, parts, question, admitted, search, known: (0, 0) };
    run.journaled(exchange, shard, halted, (callback, journal))
}

/// Where a search stands before a depth.
struct Standing {
    stats: Stats,
    /// What was counted at the depths before it.
    all: LevelReport,
    sums: Sums,
}

/// One search, as one worker has it.
pub(super) struct TeamSearch<'a> {
    pub(super) travelling: Travelling<'a>,
    parts: &'a dyn Parts,
    pub(super) question: &'a Question,
    admitted: &'a Admitted,
    pub(super) search: &'a Search,
    /// The states and transitions of all workers before this depth.
    pub(super) known: (u64, u64),
}

impl<'a> TeamSearch<'a> {
    /// Searches, and commits at the end how far the search has come.
    fn journaled<K: Key>(
        &mut self,
        exchange: &mut dyn Exchange,
        shard: Option<StateShard<'a, K>>,
        halted: Option<Halted>,
        (callback, mut journal): (&dyn ProgressCallback, Option<&mut TeamJournal<'_>>),
    ) -> Result<SearchResult, Failure> {
        let found = self.run(exchange, shard, halted, (callback, journal.as_deref_mut()));
        let (Some(journal), Ok(_) | Err(Failure::TooWide)) = (journal, &found) else { return found };
        journal.commit();
        // The worker that reports tells of all, and no worker goes before all have committed.
        match super::agreed(exchange, journal.complaint()) {
            Some(why) => journal.end(Some(why)),
            None => journal.confirm(),
        }
        found
    }

    fn run<K: Key>(
        &mut self,
        exchange: &mut dyn Exchange,
        shard: Option<StateShard<'a, K>>,
        halted: Option<Halted>,
        (callback, mut journal): (&dyn ProgressCallback, Option<&mut TeamJournal<'_>>),
    ) -> Result<SearchResult, Failure> {
        let (space, workers) = (self.travelling.space, exchange.workers());
        let mut ledger = Ledger::open();
        let empty = || LevelReport::new(space, self.question);
        let Some(mut shard) = shard else {
            return self.without_table(exchange, halted);
        };
        shard.halted = halted;
        let told = (callback, journal.as_deref_mut());
        let Standing { mut stats, mut all, mut sums } = match self.stand(exchange, &mut shard, told)? {
            Ok(standing) => standing,
            Err(limit) => return Ok(SearchResult::nothing(limit, workers)),
        };
        ledger.expands(all.expanded, all.steps, all.settled);
        let violation = loop {
            let depth = stats.level_sizes.len() as u64;
            stats.level_sizes.push(sums.stored - stats.distinct_states);
            stats.distinct_states = sums.stored;
            self.known = (sums.stored, stats.transitions);
            let report = self.level(exchange, &mut shard, depth, callback);
            sums = self.sums(exchange, &shard, report, (callback, journal.as_deref_mut()))?;
            let mut report = std::mem::replace(&mut sums.report, empty());
            ledger.expands(report.expanded, report.steps, report.settled);
            let end = ended(&sums)?;
            if let Some(bad) = report.violation.take().filter(|_| !sums.broken) {
                all = all.join(report.without_steps());
                let path = back::path(exchange, self.travelling, &shard, &bad.row, depth as usize);
                break Some((bad, path.map_err(Failure::Error)?));
            }
            all = all.join(report);
            stats.transitions = all.steps;
            if let Some(limit) = end {
                stats.distinct_states = sums.stored;
                ledger.limits(limit);
                break None;
            }
            if let Some(most) = self.search.max_states.filter(|&most| sums.stored > most) {
                ledger.limits(Limit::States(most));
                break None;
            }
            if self.is_last(depth) {
                ledger.limits(Limit::Depth(depth));
                break None;
            }
            if sums.stored == stats.distinct_states {
                break None;
            }
            shard.widen(&vec![0; space.shape().slots.len()], depth + 3);
            if let Some(journal) = &mut journal {
                shard.hand_over();
                journal.append(space, depth + 1, (&shard.next, &shard.layout));
                journal.stand(sums.stored, &stats.level_sizes, [&all, &empty()]);
                if sums.due {
                    journal.commit();
                }
            }
        };
        let end = match violation {
            Some((bad, path)) => SearchEnd::Violation(bad, path),
            None => {
                ledger.stores(sums.stored);
                let cut = cut_away(space.shape(), &all.cuts, &self.admitted.asked);
                cut.into_iter().for_each(|limit| ledger.limits(limit));
                SearchEnd::of(ledger)
            }
        };
        stats.peak_bytes = sums.peak_bytes;
        stats.bytes_per_state = sums.table_bytes as f64 / (sums.stored as f64).max(1.0);
        let cut = cut_away(space.shape(), &all.cuts, &self.admitted.asked).is_some();
        Ok(SearchResult {
            end,
            figures: Figures { counts: all.counts.to_vec(), spoke: all.spoke, stats },
            cut,
        })
    }

    /// Where the search begins: with the initial states, or where a checkpoint stands; or the limit that ends it before that.
    fn stand<K: Key>(
        &mut self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        (callback, mut journal): (&dyn ProgressCallback, Option<&mut TeamJournal<'_>>),
    ) -> Result<Result<Standing, Limit>, Failure> {
        let (space, workers) = (self.travelling.space, exchange.workers());
        let empty = || LevelReport::new(space, self.question);
        let mut resumed = None;
        if let Some(journal) = journal.as_deref_mut() {
            // Whoever cannot begin is not there in the rounds that follow.
            if let Some(limit) = ended(&self.sums(exchange, shard, empty(), (callback, None))?)? {
                return Ok(Err(limit));
            }
            resumed = self.resume(exchange, shard, journal, callback)?;
        }
        let (mut stats, anew) = (Stats { workers, ..Stats::default() }, resumed.is_none());
        let all = match resumed {
            Some(Totals { all, level_sizes, .. }) => {
                (stats.distinct_states, stats.transitions) = (level_sizes.iter().sum(), all.steps);
                stats.level_sizes = level_sizes;
                all
            }
            None => {
                self.begin(shard);
                empty()
            }
        };
        let sums = self.sums(exchange, shard, empty(), (callback, journal.as_deref_mut()))?;
        if let Some(limit) = ended(&sums)? {
            return Ok(Err(limit));
        }
        if let (Some(journal), true) = (journal, anew) {
            shard.hand_over();
            journal.append(space, 0, (&shard.next, &shard.layout));
            journal.stand(sums.stored, &[], [&all, &empty()]);
        }
        Ok(Ok(Standing { stats, all, sums }))
    }

    /// Takes part in the first round without a table, so that nobody waits.
    fn without_table(
        &self,
        exchange: &mut dyn Exchange,
        halted: Option<Halted>,
    ) -> Result<SearchResult, Failure> {
        let report = LevelReport::new(self.travelling.space, self.question);
        let mine = Sums::nothing(report, halted);
        let sums = together(exchange, self.travelling, (self.question, self.parts), mine);
        let limit = ended(&sums.map_err(Failure::Error)?)?.unwrap_or(Limit::OutOfMemory(0));
        Ok(SearchResult::nothing(limit, exchange.workers()))
    }

    /// Adds the initial states that belong here; every worker knows all of them.
    pub(super) fn begin<K: Key>(&self, shard: &mut StateShard<'_, K>) {
        let me = |shard: &mut StateShard<'_, K>, row: &[Id]| {
            let hash = shard.owners.hash(row);
            shard.owns(hash)
        };
        for row in self.travelling.space.initial() {
            if me(shard, &row) {
                shard.add_row(&row);
            }
        }
        shard.flush();
        shard.settled = 0;
    }

    /// What all workers together have come to.
    fn sums<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &StateShard<'_, K>,
        report: LevelReport,
        (callback, journal): (&dyn ProgressCallback, Option<&mut TeamJournal<'_>>),
    ) -> Result<Sums, Failure> {
        let visited = &shard.visited;
        // The clock of one worker counts for all.
        let due = journal.is_some() && exchange.index() == 0 && callback.checkpoint_due();
        let mine = Sums {
            report,
            halted: shard.halted.clone(),
            stored: visited.len(),
            broken: visited.open().broken,
            peak_bytes: visited.peak().max(visited.bytes()),
            table_bytes: visited.open().table.bytes(),
            due,
            unsound: journal.as_ref().is_some_and(|journal| !journal.is_sound()),
            complaint: journal.as_ref().and_then(|journal| journal.complaint()),
        };
        let sums = together(exchange, self.travelling, (self.question, self.parts), mine);
        let sums = sums.map_err(Failure::Error)?;
        if let Some(journal) = journal
            && (sums.unsound || sums.complaint.is_some())
        {
            journal.end(sums.complaint.clone());
        }
        Ok(sums)
    }

    /// Whether states of this depth are the last to be expanded.
    pub(super) fn is_last(&self, depth: u64) -> bool {
        matches!(self.search.strategy, Strategy::Breadth { max_depth: Some(most) } if depth >= most)
    }
}

/// The limit that ends the search of all workers, if there is one; other reasons fail it.
fn ended(sums: &Sums) -> Result<Option<Limit>, Failure> {
    match &sums.halted {
        None => Ok(None),
        Some(Halted::Limit(limit)) => Ok(Some(limit.clone())),
        Some(Halted::TooWide) => Err(Failure::TooWide),
        Some(Halted::Failed(why)) => Err(Failure::Error(ExploreError::Distributed(why.clone()))),
        Some(Halted::Checkpoint(why)) => Err(Failure::Error(ExploreError::Checkpoint(why.clone()))),
    }
}
