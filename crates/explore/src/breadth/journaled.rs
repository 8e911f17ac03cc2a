//! A depth that is expanded with pauses for the journal of the search. When a checkpoint is due, or when the callback ends the
//! search, every worker finishes the chunk that it has; what was found is written, and the position counts. So a commit
//! never stands inside a chunk, and whatever a search did after its last position is done again when it is resumed.

use super::{BreadthSearch, Expanded, LevelWork, states};
use crate::journal::{Journal, LoadFailure, LoadedSearch, Totals, write_totals};
use crate::level_report::LevelReport;
use crate::search::ProgressCallback;
use crate::store::Key;
use crate::worker::{Chunk, Stop};
use std::sync::atomic::Ordering;
use watchkeeper_logic::Stats;

/// Where a search stands between two chunks: at the start, or where another one was interrupted.
pub(super) struct Standing<K> {
    /// The depths before the present one.
    pub stats: Stats,
    /// What was counted there.
    pub all: LevelReport,
    /// The present depth.
    pub depth: PartialDepth<K>,
}

/// A depth of which some states were expanded.
pub(super) struct PartialDepth<K> {
    /// What was counted.
    pub report: LevelReport,
    /// States that were expanded.
    pub done: u64,
    /// The others.
    pub now: Vec<Chunk<K>>,
    /// States of the next depth that are known.
    pub next: Vec<Chunk<K>>,
}

impl<K: Key> BreadthSearch<'_, K> {
    /// Where a search begins that has a journal, with the states before it in the store; `None` if the journal is empty.
    pub(super) fn resumed(
        &self,
        journal: &mut Journal<'_>,
        callback: &dyn ProgressCallback,
    ) -> Result<Option<Standing<K>>, LoadFailure> {
        let threads = (self.search.workers, callback);
        let loaded = journal.load(self.space, self.question, &self.visited, threads)?;
        Ok(loaded.map(|LoadedSearch { totals, now, next }| {
            let Totals { done, level_sizes, all, part, .. } = totals;
            let distinct_states = level_sizes.iter().sum();
            let (workers, transitions) = (self.search.workers, all.steps);
            let stats = Stats { workers, transitions, distinct_states, level_sizes, ..Stats::default() };
            Standing { stats, all, depth: PartialDepth { report: part, done, now, next } }
        }))
    }

    /// Says in the journal where the search stands: in a depth, with so many of its states expanded.
    pub(super) fn stand(
        &self,
        journal: &mut Journal<'_>,
        (level_sizes, done): (&[u64], u64),
        all: &LevelReport,
        part: &LevelReport,
    ) {
        let depth = level_sizes.len() as u64;
        journal.stand(write_totals([depth, done, self.visited.len()], level_sizes, [all, part]));
    }

    /// Expands the states of a depth that are left, and writes the states of the next.
    pub(super) fn journaled(
        &self,
        at: PartialDepth<K>,
        (stats, all): (&Stats, &LevelReport),
        callback: &dyn ProgressCallback,
        journal: &mut Journal<'_>,
    ) -> Expanded<K> {
        let PartialDepth { mut report, mut done, mut now, mut next } = at;
        let (_, sizes) = stats.level_sizes.split_last().expect("the present depth has a size");
        let depth = sizes.len() as u64;
        // Workers take from the end.
        now.reverse();
        let mut discard = self.is_last(depth);
        loop {
            let left = states(&now);
            let transitions = stats.transitions + report.steps;
            let work = LevelWork { now, beside: &next, depth, transitions, discard, pauses: true };
            let (level, more) = self.level(work, callback);
            report = report.join(more);
            if let Some(stop) = level.stop.reason() {
                return Expanded { stop: Some(stop), report, next };
            }
            discard = level.discard.load(Ordering::Relaxed);
            let pause = level.pause.and_then(|pause| pause.reason());
            now = level.now.into_chunks();
            done += left - states(&now);
            let mut found = level.next.into_chunks();
            // Once states of the next depth are dropped, the position stays: from there they will be found again.
            if !discard {
                journal.append(self.space, depth + 1, &found, self.search.workers);
                self.stand(journal, (sizes, done), all, &report);
            }
            next.append(&mut found);
            match pause {
                Some(Some(limit)) => return Expanded { stop: Some(Stop::Limit(limit)), report, next },
                Some(None) => {
                    journal.commit();
                }
                None => {}
            }
            if now.is_empty() {
                return Expanded { stop: None, report, next };
            }
        }
    }
}
