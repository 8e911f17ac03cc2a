//! Breadth-first search over all cores, depth by depth. A depth is always finished before the next
//! begins, so counterexamples are shortest and every number is the same with any number of threads. A
//! beam is the same search that keeps only the most promising states of each depth.

use crate::ExploreError;
use crate::erased::Erased;
use crate::judge::{Fault, Judge};
use crate::partial;
use crate::search::{Search, Strategy, Watch};
use crate::store::Key;
use crate::visited::{Full, Visited};
use crate::way_back;
use crate::worker::{Chunk, Level, Pile, Report, Stop, Worker};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use watchkeeper_logic::{Limit, Partial, Question, Stats};
use watchkeeper_space::{Asked, Id, Shape, Space, successors};

/// Below this many states a depth is not worth starting threads for.
const WORTH_THREADS: u64 = 2048;
/// States looked at in advance to learn how large ids become.
const SCOUTED: usize = 2000;

/// What a search found, before it is told.
pub(crate) struct Found {
    /// What is wrong, and a path of rows to it; `None` if nothing is.
    pub fault: Option<(Fault, Vec<Vec<Id>>)>,
    /// Why the search ended early, if it did.
    pub limit: Option<Limit>,
    /// How often each class of action happened.
    pub counts: Vec<u64>,
    /// For each invariant, how many states it spoke of.
    pub spoke: Vec<u64>,
    /// Whether a cap of the model cut steps away.
    pub cut: bool,
    pub stats: Stats,
}

/// Why a search has to be begun again, or cannot be.
pub(crate) enum Failure {
    /// With wider keys.
    TooWide,
    /// It cannot be.
    Error(ExploreError),
}

impl Failure {
    /// Why a search cannot even begin.
    fn of(full: Full) -> Failure {
        match full {
            Full::TooWide => Failure::TooWide,
            Full::Memory => Failure::Error(ExploreError::Space("there is no memory to begin with".into())),
        }
    }
}

/// When somebody looks at what a search has stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Between two depths.
    Early,
    /// At the end; `complete` if everything was seen.
    Last { complete: bool },
}

/// Looks at what is stored while nobody writes; whether the search should go on.
pub(crate) type Inspector<'a, K> = &'a mut dyn FnMut(&Visited<K>, &Stats, Look) -> bool;

/// Searches breadth-first with keys of type `K`.
pub(crate) fn breadth<S: Space, K: Key>(
    space: &S,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Found, Failure> {
    inspected::<S, K>(space, question, search, watch, &mut |_, _, _| true)
}

/// The same, and somebody looks at what is stored after each depth and at the end.
pub(crate) fn inspected<S: Space, K: Key>(
    space: &S,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
    inspector: Inspector<'_, K>,
) -> Result<Found, Failure> {
    let asked = partial::asked(space, question, search).map_err(Failure::Error)?;
    let visited: Visited<K> = visited(space, search)?;
    Hunt { space, question, search, asked, visited }.run(watch, inspector)
}

fn visited<S: Space, K: Key>(space: &S, search: &Search) -> Result<Visited<K>, Failure> {
    Visited::new(&scout(&Erased::new(space)), search.max_bytes, search.workers).map_err(Failure::of)
}

/// The largest id in each slot among the first states.
fn scout(space: &Erased<'_>) -> Vec<Id> {
    let mut largest = vec![0; space.shape().slots.len()];
    let mut queue = space.initial();
    let mut known: HashSet<Vec<Id>> = queue.iter().cloned().collect();
    let mut at = 0;
    while at < queue.len() && at < SCOUTED {
        for (_, row) in successors(space, &queue[at].clone()) {
            if known.insert(row.clone()) {
                queue.push(row);
            }
        }
        at += 1;
    }
    for row in &queue {
        for (most, &id) in largest.iter_mut().zip(row) {
            *most = id.max(*most);
        }
    }
    largest
}

/// One search.
struct Hunt<'a, S, K> {
    space: &'a S,
    question: &'a Question,
    search: &'a Search,
    /// What steps may be left out for, if any may.
    asked: Option<Asked>,
    visited: Visited<K>,
}

impl<S: Space, K: Key> Hunt<'_, S, K> {
    fn run(&self, watch: &dyn Watch, inspector: Inspector<'_, K>) -> Result<Found, Failure> {
        let mut judge = Judge::new(self.space, self.question);
        let mut counts = vec![0; 256];
        let mut cuts = vec![0; self.space.shape().caps.len()];
        let partial = self.asked.is_some().then(Partial::default);
        let mut stats = Stats { workers: self.search.workers, partial, ..Stats::default() };
        let mut now = vec![self.initial()?];
        let (mut narrowed, mut drained) = (false, false);
        let (fault, limit) = loop {
            let depth = stats.level_sizes.len() as u64;
            let size: u64 = now.iter().map(|chunk| chunk.keys.len() as u64).sum();
            // States of a depth that a beam left out are distinct states all the same.
            stats.level_sizes.push(self.visited.len() - stats.distinct_states);
            stats.distinct_states = self.visited.len();
            if matches!(self.search.strategy, Strategy::Beam { .. }) {
                stats.level_kept.push(size);
            }
            let (level, reports) = self.level(now, size, depth, stats.transitions, watch);
            let mut taken = Report {
                judge: Judge::new(self.space, self.question),
                counts: Box::new([0; 256]),
                taken: 0,
                partial: Partial::default(),
                cuts: vec![],
            };
            for report in reports {
                taken.judge.join(report.judge);
                taken.taken += report.taken;
                taken.partial.in_part += report.partial.in_part;
                taken.partial.whole += report.partial.whole;
                add(&mut taken.counts[..], &report.counts[..]);
                add(&mut cuts, &report.cuts);
            }
            let stop = level.stop.into_inner().unwrap_or_else(PoisonError::into_inner);
            if stop == Some(Stop::TooWide) {
                return Err(Failure::TooWide);
            }
            let fault = taken.judge.fault.take().filter(|_| !self.visited.open().broken);
            if let Some(fault) = fault {
                judge.join(taken.judge);
                let path = way_back::path(
                    &Erased::new(self.space),
                    &self.visited,
                    &fault.row,
                    depth + 1,
                    self.search.workers,
                );
                break (Some((fault, path)), None);
            }
            stats.transitions += taken.taken;
            if let Some(sum) = &mut stats.partial {
                sum.in_part += taken.partial.in_part;
                sum.whole += taken.partial.whole;
            }
            judge.join(taken.judge);
            add(&mut counts, &taken.counts[..]);
            if let Some(Stop::Limit(limit)) = stop {
                stats.distinct_states = self.visited.len();
                break (None, Some(limit));
            }
            now = level.next.into_chunks();
            if !now.is_empty() && !inspector(&self.visited, &stats, Look::Early) {
                break (None, None);
            }
            if now.is_empty() && !self.is_last(depth) {
                drained = true;
                break (None, self.shortfall(&cuts, narrowed));
            }
            if let Some(most) = self.search.max_states.filter(|&most| self.visited.len() > most) {
                break (None, Some(Limit::States(most)));
            }
            if self.is_last(depth) {
                break (None, Some(Limit::Depth(depth)));
            }
            if let Strategy::Beam { width, .. } = self.search.strategy {
                narrowed |= self.narrow(&mut now, width);
            }
            if let Err(full) = self.visited.widen(&vec![0; self.space.shape().slots.len()], depth + 3) {
                match full {
                    Full::TooWide => return Err(Failure::TooWide),
                    Full::Memory => break (None, Some(Limit::Memory(self.visited.limit()))),
                }
            }
        };
        if fault.is_none() && !self.visited.open().broken {
            let complete = limit.is_none() && drained;
            inspector(&self.visited, &stats, Look::Last { complete });
        }
        let table_bytes = self.visited.open().table.bytes();
        stats.peak_bytes = self.visited.peak().max(self.visited.bytes());
        stats.bytes_per_state = table_bytes as f64 / (self.visited.len() as f64).max(1.0);
        let cut = cuts.iter().any(|&count| count > 0);
        Ok(Found { fault, limit, counts, spoke: judge.spoke, cut, stats })
    }

    fn initial(&self) -> Result<Chunk<K>, Failure> {
        let mut rows = self.space.initial();
        rows.dedup();
        let layout = Arc::clone(&self.visited.open().layout);
        let mut keys: Vec<K> = Vec::new();
        for row in &rows {
            let key = layout.encode(row).ok_or(Failure::TooWide)?;
            if self.visited.add(key, 1).map_err(Failure::of)? {
                keys.push(key);
            }
        }
        Ok(Chunk { layout, keys })
    }

    /// Whether states of this depth are the last to be looked at.
    fn is_last(&self, depth: u64) -> bool {
        match self.search.strategy {
            Strategy::Breadth { max_depth } => max_depth.is_some_and(|most| depth >= most),
            Strategy::Beam { max_depth, .. } => depth >= max_depth,
            Strategy::Walks { .. } => false,
        }
    }

    /// Expands all states of a depth.
    fn level<'l>(
        &'l self,
        now: Vec<Chunk<K>>,
        size: u64,
        depth: u64,
        transitions: u64,
        watch: &dyn Watch,
    ) -> (Level<'l, S, K>, Vec<Report<'l, S>>) {
        let held: usize = now.iter().map(|chunk| chunk.keys.capacity() * size_of::<K>()).sum();
        let level = Level {
            space: self.space,
            question: self.question,
            asked: self.asked.as_ref(),
            visited: &self.visited,
            now: Pile::new(now),
            next: Pile::new(Vec::new()),
            queued: AtomicU64::new(held as u64),
            left: AtomicU64::new(size),
            mark: depth + 2,
            discard: AtomicBool::new(self.is_last(depth)),
            stop: Mutex::new(None),
            stopping: AtomicBool::new(false),
            transitions,
            max_states: self.search.max_states,
        };
        let workers = if size < WORTH_THREADS { 1 } else { self.search.workers };
        let reports = if workers == 1 {
            vec![Worker::new(&level).run(watch)]
        } else {
            std::thread::scope(|scope| {
                let start = |_| scope.spawn(|| Worker::new(&level).run(watch));
                let threads: Vec<_> = (0..workers).map(start).collect();
                let joined = threads.into_iter().map(|thread| thread.join());
                joined.map(|report| report.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
            })
        };
        (level, reports)
    }

    /// Why an exhausted search has still not seen everything, if so.
    fn shortfall(&self, cuts: &[u64], narrowed: bool) -> Option<Limit> {
        let beam = match self.search.strategy {
            Strategy::Beam { width, .. } if narrowed => {
                Some(format!("a beam of {width} states at each depth"))
            }
            _ => None,
        };
        cut_away(self.space.shape(), cuts).or(beam.map(Limit::Incomplete))
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

/// The first cap that cut steps away, as what limited a search that has nothing left to expand.
pub(crate) fn cut_away(shape: &Shape, cuts: &[u64]) -> Option<Limit> {
    let cap = cuts.iter().position(|&count| count > 0)?;
    Some(Limit::Cap(shape.caps[cap].name.clone()))
}

/// Adds numbers to as many sums.
pub(crate) fn add(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}
