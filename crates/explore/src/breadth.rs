//! Breadth-first search over all cores, depth by depth. A depth is always finished before the next
//! begins, so counterexamples are shortest and every number is the same with any number of threads. A
//! beam is the same search that keeps only the most promising states of each depth.

mod journaled;

use crate::ExploreError;
use crate::admission::Admitted;
use crate::journal::{Journal, LoadFailure};
use crate::level_report::LevelReport;
use crate::reconstruction;
use crate::scout::scout;
use crate::search::{ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult, cut_away};
use crate::stop_signal::StopSignal;
use crate::store::Key;
use crate::threads::in_threads;
use crate::verdict::Figures;
use crate::visited::{Full, Visited};
use crate::worker::{CHUNK, Chunk, Level, Pile, Stop, Worker, look_every};
use journaled::{PartialDepth, Standing};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use watchkeeper_logic::{Exhausted, Ledger, Limit, Question, Stats};
use watchkeeper_space::Space;

/// Below this many states a depth is not worth starting threads for.
const WORTH_THREADS: u64 = 2048;
/// States that a worker takes at a time where tests start threads for a few.
const FEW: usize = 3;
/// The same where each must be finished before the search can pause.
const CHUNK_OF_JOURNAL: usize = CHUNK / 4;

/// Why a search has to begin again, or failed.
pub(crate) enum Failure {
    /// It needs wider keys.
    TooWide,
    /// It failed.
    Error(ExploreError),
}

/// When an inspector reads the store of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look<'e> {
    /// Between two depths.
    Early,
    /// Not at all: the search was resumed later. It was between two depths when there were so many states, and went on
    /// after the inspection.
    Before(u64),
    /// At the end, with the evidence if everything was seen.
    Last(Option<&'e Exhausted>),
}

/// Reads the store while no thread writes; whether the search should go on.
pub(crate) type Inspector<'a, K> = &'a mut dyn FnMut(&Visited<K>, &Stats, Look<'_>) -> bool;

/// Searches breadth-first with keys of type `K`, and with a journal if there is one.
pub(crate) fn breadth<K: Key>(
    space: &dyn Space,
    question: &Question,
    admitted: &Admitted,
    callback: &dyn ProgressCallback,
    journal: Option<&mut Journal<'_>>,
) -> Result<SearchResult, Failure> {
    inspected::<K>(space, question, admitted, callback, (journal, &mut |_, _, _| true))
}

/// The same, with an inspector that reads the store after each depth and at the end.
pub(crate) fn inspected<K: Key>(
    space: &dyn Space,
    question: &Question,
    admitted: &Admitted,
    callback: &dyn ProgressCallback,
    (mut journal, inspector): (Option<&mut Journal<'_>>, Inspector<'_, K>),
) -> Result<SearchResult, Failure> {
    let search = &admitted.search;
    let started = scout(space, search, callback)
        .map_err(Cut::Limit)
        .and_then(|largest| Ok(Visited::new(&largest, search.max_bytes, search.workers, search.hooks)?))
        .and_then(|visited| {
            let look_every = space.initial().first().map_or(1, |row| look_every(space, row));
            let run = BreadthSearch { space, question, admitted, search, visited, look_every };
            let standing = run.begin(journal.as_deref_mut(), callback)?;
            Ok((run, standing))
        });
    match started {
        Ok((run, standing)) => {
            let found = run.run(standing, callback, journal.as_deref_mut(), inspector);
            if let Some(journal) = journal {
                journal.commit();
            }
            found
        }
        Err(Cut::TooWide) => Err(Failure::TooWide),
        Err(Cut::Error(error)) => Err(Failure::Error(error)),
        Err(Cut::Limit(limit)) => Ok(SearchResult::nothing(limit, search.workers)),
    }
}

/// Why a search cannot go on as it is.
enum Cut {
    /// Its keys are too narrow.
    TooWide,
    /// A limit was reached.
    Limit(Limit),
    /// Its journal cannot be used.
    Error(ExploreError),
}

impl From<LoadFailure> for Cut {
    fn from(failure: LoadFailure) -> Cut {
        match failure {
            LoadFailure::Error(error) => Cut::Error(error),
            LoadFailure::Full(full) => full.into(),
            LoadFailure::Stopped(limit) => Cut::Limit(limit),
        }
    }
}

impl From<Full> for Cut {
    fn from(full: Full) -> Cut {
        full.limit().map_or(Cut::TooWide, Cut::Limit)
    }
}

/// One search.
struct BreadthSearch<'a, K> {
    space: &'a dyn Space,
    question: &'a Question,
    search: &'a Search,
    admitted: &'a Admitted,
    visited: Visited<K>,
    look_every: u64,
}

/// Some states of one depth, and what is known when they are expanded.
struct LevelWork<'w, K> {
    now: Vec<Chunk<K>>,
    /// States of the next depth that are known already.
    beside: &'w [Chunk<K>],
    depth: u64,
    /// Transitions so far.
    transitions: u64,
    /// Whether the states of the next depth are not needed.
    discard: bool,
    /// Whether workers stop between two chunks for a journal.
    pauses: bool,
}

/// What came of a depth.
struct Expanded<K> {
    stop: Option<Stop>,
    report: LevelReport,
    next: Vec<Chunk<K>>,
}

/// The number of states in some chunks.
fn states<K>(chunks: &[Chunk<K>]) -> u64 {
    chunks.iter().map(|chunk| chunk.keys.len() as u64).sum()
}

/// The bytes of some chunks.
fn bytes<K>(chunks: &[Chunk<K>]) -> u64 {
    chunks.iter().map(|chunk| (chunk.keys.capacity() * size_of::<K>()) as u64).sum()
}

impl<K: Key> BreadthSearch<'_, K> {
    fn run(
        &self,
        standing: Standing<K>,
        callback: &dyn ProgressCallback,
        mut journal: Option<&mut Journal<'_>>,
        inspector: Inspector<'_, K>,
    ) -> Result<SearchResult, Failure> {
        let Standing { mut stats, mut all, depth: mut at } = standing;
        let mut ledger = Ledger::open();
        ledger.expands(all.expanded, all.steps, all.settled);
        let in_part = self.admitted.in_part().is_some();
        let mut narrowed = false;
        for depths in 2..=stats.level_sizes.len() + 1 {
            let present = at.done + states(&at.now);
            let states = stats.level_sizes.iter().chain([&present]).take(depths).sum();
            inspector(&self.visited, &stats, Look::Before(states));
        }
        let violation = loop {
            let depth = stats.level_sizes.len() as u64;
            let known = self.visited.len() - states(&at.next);
            // States of a depth that a beam left out are distinct states all the same.
            stats.level_sizes.push(known - stats.distinct_states);
            stats.distinct_states = known;
            if matches!(self.search.strategy, Strategy::Beam { .. }) {
                stats.level_kept.push(states(&at.now));
            }
            let Expanded { stop, mut report, next } = match &mut journal {
                None => self.expanded(at.now, &stats, callback),
                Some(journal) => self.journaled(at, (&stats, &all), callback, journal),
            };
            ledger.expands(report.expanded, report.steps, report.settled);
            if stop == Some(Stop::TooWide) {
                return Err(Failure::TooWide);
            }
            let violation = report.violation.take().filter(|_| !self.visited.open().broken);
            if let Some(bad) = violation {
                all = all.join(report.without_steps());
                let (sizes, workers) = (&stats.level_sizes, self.search.workers);
                let path = reconstruction::path(self.space, &self.visited, &bad.row, sizes, workers);
                break Some((bad, path));
            }
            all = all.join(report);
            stats.transitions = all.steps;
            stats.partial = in_part.then_some(all.partial);
            if let Some(Stop::Limit(limit)) = stop {
                stats.distinct_states = self.visited.len();
                ledger.limits(limit);
                break None;
            }
            let mut now = next;
            if !now.is_empty() && !inspector(&self.visited, &stats, Look::Early) {
                return Ok(self.found(SearchEnd::Enough, stats, all));
            }
            if let Some(most) = self.search.max_states.filter(|&most| self.visited.len() > most) {
                ledger.limits(Limit::States(most));
                break None;
            }
            if self.is_last(depth) {
                ledger.limits(Limit::Depth(depth));
                break None;
            }
            if now.is_empty() {
                break None;
            }
            if let Strategy::Beam { width, .. } = self.search.strategy {
                narrowed |= self.narrow(&mut now, width);
            }
            if let Err(full) = self.visited.widen(&vec![0; self.space.shape().slots.len()], depth + 3) {
                match full.limit() {
                    None => return Err(Failure::TooWide),
                    Some(limit) => ledger.limits(limit),
                }
                break None;
            }
            at = self.next_depth(now, &stats, &all, callback, journal.as_deref_mut());
        };
        stats.partial = in_part.then_some(all.partial);
        let end = match violation {
            Some((bad, path)) => SearchEnd::Violation(bad, path),
            None => {
                ledger.stores(self.visited.len());
                self.shortfalls(&all.cuts, narrowed).into_iter().for_each(|limit| ledger.limits(limit));
                SearchEnd::of(ledger)
            }
        };
        let evidence = match &end {
            SearchEnd::Whole(exhausted) => Some(exhausted),
            _ => None,
        };
        if !matches!(end, SearchEnd::Violation(..)) && !self.visited.open().broken {
            inspector(&self.visited, &stats, Look::Last(evidence));
        }
        Ok(self.found(end, stats, all))
    }

    fn found(&self, end: SearchEnd, mut stats: Stats, all: LevelReport) -> SearchResult {
        let table_bytes = self.visited.open().table.bytes();
        stats.peak_bytes = self.visited.peak().max(self.visited.bytes());
        stats.bytes_per_state = table_bytes as f64 / (self.visited.len() as f64).max(1.0);
        let cut = cut_away(self.space.shape(), &all.cuts, &self.admitted.asked).is_some();
        SearchResult { end, figures: Figures { counts: all.counts.to_vec(), spoke: all.spoke, stats }, cut }
    }

    fn initial(&self) -> Result<Chunk<K>, Cut> {
        let mut rows = self.space.initial();
        rows.dedup();
        let layout = Arc::clone(&self.visited.open().layout);
        let mut keys: Vec<K> = Vec::new();
        for row in &rows {
            let key = layout.encode(row).ok_or(Cut::TooWide)?;
            if self.visited.add(key, 1)? {
                keys.push(key);
            }
        }
        Ok(Chunk { layout, keys })
    }

    /// Whether states of this depth are the last to be expanded.
    fn is_last(&self, depth: u64) -> bool {
        match self.search.strategy {
            Strategy::Breadth { max_depth } => max_depth.is_some_and(|most| depth >= most),
            Strategy::Beam { max_depth, .. } => depth >= max_depth,
            Strategy::Walks { .. } => false,
        }
    }

    /// Where the search begins, with the states before it in the store.
    fn begin(
        &self,
        mut journal: Option<&mut Journal<'_>>,
        callback: &dyn ProgressCallback,
    ) -> Result<Standing<K>, Cut> {
        if let Some(journal) = journal.as_deref_mut()
            && let Some(standing) = self.resumed(journal, callback)?
        {
            return Ok(standing);
        }
        let now = vec![self.initial()?];
        if let Some(journal) = journal {
            journal.append(self.space, 0, &now, 1);
        }
        let stats = Stats { workers: self.search.workers, ..Stats::default() };
        let empty = || LevelReport::new(self.space, self.question);
        let depth = PartialDepth { report: empty(), done: 0, now, next: Vec::new() };
        Ok(Standing { stats, all: empty(), depth })
    }

    /// The depth that comes next, of which nothing has been expanded.
    fn next_depth(
        &self,
        now: Vec<Chunk<K>>,
        stats: &Stats,
        all: &LevelReport,
        callback: &dyn ProgressCallback,
        journal: Option<&mut Journal<'_>>,
    ) -> PartialDepth<K> {
        let report = LevelReport::new(self.space, self.question);
        if let Some(journal) = journal {
            self.stand(journal, (&stats.level_sizes, 0), all, &report);
            if callback.checkpoint_due() {
                journal.commit();
            }
        }
        PartialDepth { report, done: 0, now, next: Vec::new() }
    }

    /// Expands all states of a depth.
    fn expanded(&self, now: Vec<Chunk<K>>, stats: &Stats, callback: &dyn ProgressCallback) -> Expanded<K> {
        let depth = stats.level_sizes.len() as u64 - 1;
        let (transitions, discard) = (stats.transitions, self.is_last(depth));
        let work = LevelWork { now, beside: &[], depth, transitions, discard, pauses: false };
        let (level, report) = self.level(work, callback);
        Expanded { stop: level.stop.reason(), report, next: level.next.into_chunks() }
    }

    /// Expands states of a depth: all that are given, or some of them if there is a pause.
    fn level<'l>(
        &'l self,
        work: LevelWork<'_, K>,
        callback: &dyn ProgressCallback,
    ) -> (Level<'l, K>, LevelReport) {
        let LevelWork { now, beside, depth, transitions, discard, pauses } = work;
        let size = states(&now);
        let level = Level {
            space: self.space,
            question: self.question,
            asked: self.admitted.in_part().zip(self.space.ample_sets()),
            visited: &self.visited,
            queued: AtomicU64::new(bytes(&now) + bytes(beside)),
            now: Pile::new(now),
            next: Pile::new(Vec::new()),
            left: AtomicU64::new(size),
            mark: depth + 2,
            discard: AtomicBool::new(discard),
            stop: StopSignal::new(),
            pause: pauses.then(StopSignal::new),
            transitions,
            max_states: self.search.max_states,
            chunk: match pauses {
                _ if self.search.hooks.threads => FEW,
                true => CHUNK_OF_JOURNAL,
                false => CHUNK,
            },
            look_every: self.look_every,
        };
        let alone = size < WORTH_THREADS && !self.search.hooks.threads;
        let workers = if alone { 1 } else { self.search.workers };
        let reports = in_threads(workers, || Worker::new(&level).run(callback)).into_iter();
        let report = reports.fold(LevelReport::new(self.space, self.question), LevelReport::join);
        (level, report)
    }

    /// The reasons why a search with nothing left to expand has not seen all states.
    fn shortfalls(&self, cuts: &[u64], narrowed: bool) -> Vec<Limit> {
        let beam = match self.search.strategy {
            Strategy::Beam { width, .. } if narrowed => {
                Some(format!("a beam of {width} states at each depth"))
            }
            _ => None,
        };
        cut_away(self.space.shape(), cuts, &self.admitted.asked)
            .into_iter()
            .chain(beam.map(Limit::Incomplete))
            .collect()
    }

    /// Keeps the most promising `width` states; whether any were left out. Among equals it keeps those
    /// whose seeded hash is smallest, which does not depend on the ids of this run.
    fn narrow(&self, chunks: &mut Vec<Chunk<K>>, width: usize) -> bool {
        let size: usize = chunks.iter().map(|chunk| chunk.keys.len()).sum();
        if size <= width {
            return false;
        }
        let mut row = vec![0; self.space.shape().slots.len()];
        let mut bytes = Vec::new();
        let mut ranked = Vec::with_capacity(size);
        for (c, chunk) in chunks.iter().enumerate() {
            row.fill(0);
            for (k, &key) in chunk.keys.iter().enumerate() {
                chunk.layout.decode(key, &mut row);
                bytes.clear();
                self.space.pack(&row, &mut bytes);
                let lot = bytes.iter().fold(self.search.seed, |hash, &byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5)
                });
                ranked.push((u32::MAX - self.space.guide(&row), lot.scatter(64), c as u32, k as u32));
            }
        }
        ranked.select_nth_unstable(width);
        let mut kept: Vec<Vec<K>> = vec![Vec::new(); chunks.len()];
        for &(_, _, c, k) in &ranked[..width] {
            kept[c as usize].push(chunks[c as usize].keys[k as usize]);
        }
        for (chunk, keys) in chunks.iter_mut().zip(kept) {
            chunk.keys = keys;
        }
        chunks.retain(|chunk| !chunk.keys.is_empty());
        true
    }
}
