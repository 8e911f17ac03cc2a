//! The search itself: the depths one after the other, each in two rounds. In the first the states of the depth are expanded
//! and those of the next one travel to their owners; in the second all workers learn what all have done.

use super::owner::Base;
use super::shard::StateShard;
use super::sums::{Halted, Sums, together};
use super::{Exchange, Travelling, back, refused};
use crate::ExploreError;
use crate::admission::Admitted;
use crate::breadth::Failure;
use crate::level_report::LevelReport;
use crate::scout::scout;
use crate::search::{Progress, ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult, cut_away};
use crate::state_checker::StateChecker;
use crate::store::Key;
use crate::verdict::Figures;
use crate::visited::Visited;
use crate::worker::{Chunk, look_every};
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_logic::{Ledger, Limit, Question, Stats};
use watchkeeper_space::{Action, Edit, Id, Parts, Successors};

/// Searches breadth-first on all workers, with keys of type `K`. All of them return the same, but for ids.
pub(crate) fn distributed<K: Key>(
    exchange: &mut dyn Exchange,
    travelling: Travelling<'_>,
    question: &Question,
    admitted: &Admitted,
    callback: &dyn ProgressCallback,
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
    let mut run = Run { travelling, parts, question, admitted, search, known: (0, 0) };
    run.run(exchange, shard, halted, callback)
}

/// One search, as one worker has it.
struct Run<'a> {
    travelling: Travelling<'a>,
    parts: &'a dyn Parts,
    question: &'a Question,
    admitted: &'a Admitted,
    search: &'a Search,
    /// The states and transitions of all workers before this depth.
    known: (u64, u64),
}

impl<'a> Run<'a> {
    fn run<K: Key>(
        &mut self,
        exchange: &mut dyn Exchange,
        shard: Option<StateShard<'a, K>>,
        halted: Option<Halted>,
        callback: &dyn ProgressCallback,
    ) -> Result<SearchResult, Failure> {
        let (space, workers) = (self.travelling.space, exchange.workers());
        let mut ledger = Ledger::open();
        let mut all = LevelReport::new(space, self.question);
        let mut stats = Stats { workers, ..Stats::default() };
        let Some(mut shard) = shard else {
            return self.without_table(exchange, halted);
        };
        shard.halted = halted;
        self.begin(&mut shard);
        let mut sums = self.sums(exchange, &shard, LevelReport::new(space, self.question))?;
        let violation = loop {
            if stats.level_sizes.is_empty()
                && let Some(end) = ended(&sums)?
            {
                return Ok(SearchResult::nothing(end, workers));
            }
            let depth = stats.level_sizes.len() as u64;
            stats.level_sizes.push(sums.stored - stats.distinct_states);
            stats.distinct_states = sums.stored;
            self.known = (sums.stored, stats.transitions);
            let report = self.level(exchange, &mut shard, depth, callback);
            sums = self.sums(exchange, &shard, report)?;
            let mut report = std::mem::replace(&mut sums.report, LevelReport::new(space, self.question));
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

    /// Takes part in the first round without a table, so that nobody waits.
    fn without_table(
        &self,
        exchange: &mut dyn Exchange,
        halted: Option<Halted>,
    ) -> Result<SearchResult, Failure> {
        let report = LevelReport::new(self.travelling.space, self.question);
        let mine = Sums { report, halted, stored: 0, broken: false, peak_bytes: 0, table_bytes: 0 };
        let sums = together(exchange, self.travelling, (self.question, self.parts), mine);
        let limit = ended(&sums.map_err(Failure::Error)?)?.unwrap_or(Limit::OutOfMemory(0));
        Ok(SearchResult::nothing(limit, exchange.workers()))
    }

    /// Adds the initial states that belong here; every worker knows all of them.
    fn begin<K: Key>(&self, shard: &mut StateShard<'_, K>) {
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
    ) -> Result<Sums, Failure> {
        let visited = &shard.visited;
        let mine = Sums {
            report,
            halted: shard.halted.clone(),
            stored: visited.len(),
            broken: visited.open().broken,
            peak_bytes: visited.peak().max(visited.bytes()),
            table_bytes: visited.open().table.bytes(),
        };
        together(exchange, self.travelling, (self.question, self.parts), mine).map_err(Failure::Error)
    }

    /// Whether states of this depth are the last to be expanded.
    fn is_last(&self, depth: u64) -> bool {
        matches!(self.search.strategy, Strategy::Breadth { max_depth: Some(most) } if depth >= most)
    }

    /// Expands all states of a depth that are here, and takes in those of the next one that arrive.
    fn level<K: Key>(
        &self,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'a, K>,
        depth: u64,
        callback: &dyn ProgressCallback,
    ) -> LevelReport {
        shard.mark = depth + 2;
        shard.discard = self.is_last(depth);
        shard.settled = 0;
        shard.hand_over();
        shard.remember();
        let space = self.travelling.space;
        let mut worker = LevelWorker {
            run: self,
            checker: StateChecker::new(space, self.question),
            report: LevelReport::new(space, self.question),
            progress: space.shape().progress(),
            every: space.initial().first().map_or(1, |row| look_every(space, row)),
            depth,
            left: shard.next.iter().map(|chunk| chunk.keys.len() as u64).sum(),
        };
        let now = std::mem::take(&mut shard.next);
        worker.expand_all(now, exchange, shard, callback);
        shard.flush();
        shard.ship_all(exchange);
        if shard.halted.is_some() {
            call_off(exchange);
        }
        exchange.finish_round(&mut |from, bytes| shard.receive(from, &bytes));
        shard.flush();
        worker.look(shard, callback);
        let LevelWorker { mut report, checker, .. } = worker;
        report.settled += shard.settled;
        report.checked_by(checker)
    }
}

/// Tells all others that this worker has stopped.
fn call_off(exchange: &mut dyn Exchange) {
    let me = exchange.index();
    for to in (0..exchange.workers()).filter(|&to| to != me) {
        exchange.send(to, vec![super::message::MessageKind::Halt as u8]);
    }
}

/// The limit that ends the search of all workers, if there is one; other reasons fail it.
fn ended(sums: &Sums) -> Result<Option<Limit>, Failure> {
    match &sums.halted {
        None => Ok(None),
        Some(Halted::Limit(limit)) => Ok(Some(limit.clone())),
        Some(Halted::TooWide) => Err(Failure::TooWide),
        Some(Halted::Failed(why)) => Err(Failure::Error(ExploreError::Distributed(why.clone()))),
    }
}

/// The work of this worker at one depth.
struct LevelWorker<'r, 'a> {
    run: &'r Run<'a>,
    checker: StateChecker<'a>,
    report: LevelReport,
    progress: Vec<bool>,
    /// Steps between two calls of the callback.
    every: u64,
    depth: u64,
    /// States still to be expanded.
    left: u64,
}

impl LevelWorker<'_, '_> {
    fn expand_all<K: Key>(
        &mut self,
        now: Vec<Chunk<K>>,
        exchange: &mut dyn Exchange,
        shard: &mut StateShard<'_, K>,
        callback: &dyn ProgressCallback,
    ) {
        let space = self.run.travelling.space;
        let (mut row, mut found) = (vec![0; space.shape().slots.len()], Successors::new());
        let mut until_look = self.every;
        for chunk in now {
            row.fill(0);
            for &key in &chunk.keys {
                if shard.is_over() {
                    return;
                }
                chunk.layout.decode(key, &mut row);
                shard.base = match Arc::ptr_eq(&chunk.layout, &shard.layout) {
                    true => key,
                    false => shard.layout.encode(&row).expect("layouts only grow"),
                };
                let mut fine = self.checker.state(&row);
                found.clear();
                space.expand(&row, &mut found);
                let moves = |(action, _): (Action, &[Edit])| {
                    self.progress.get(action.class() as usize).copied().unwrap_or(true)
                };
                if found.cuts().is_empty() && !found.iter().any(moves) {
                    fine &= self.checker.stuck(&row);
                }
                let base: Base = shard.owners.base(&row);
                for (action, edits) in found.iter() {
                    self.report.counts[action.class() as usize] += 1;
                    shard.step(&row, base, edits, exchange);
                }
                found.tallies().iter().for_each(|&(_, class)| self.report.counts[class as usize] += 1);
                found.cuts().iter().for_each(|&cap| self.report.cuts[cap] += 1);
                self.report.steps += found.len() as u64;
                self.report.expanded += 1;
                self.left -= 1;
                shard.discard |= !fine;
                until_look = until_look.saturating_sub(found.len() as u64 + 1);
                if until_look == 0 {
                    until_look = self.every;
                    self.look(shard, callback);
                    exchange.poll(&mut |from, bytes| shard.receive(from, &bytes));
                }
            }
        }
    }

    /// Checks memory and limits, and calls the callback.
    fn look<K: Key>(&mut self, shard: &mut StateShard<'_, K>, callback: &dyn ProgressCallback) {
        let left = self.left * size_of::<K>() as u64;
        let held = shard.bytes() + left + self.run.travelling.space.bytes() as u64;
        if let Err(full) = shard.visited.beside(held) {
            shard.halt(full.limit().map_or(Halted::TooWide, Halted::Limit));
        }
        let own = shard.visited.len();
        // This depth is still expanded to its end, so that the result does not depend on how states are spread.
        shard.discard |= self.run.search.max_states.is_some_and(|most| own > most);
        let (states, transitions) = self.run.known;
        let progress = Progress {
            distinct_states: states.max(own),
            transitions: transitions + self.report.steps,
            depth: self.depth,
            queue: self.left,
            bytes: shard.visited.bytes(),
        };
        if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
            shard.halt(Halted::Limit(limit));
        }
    }
}
