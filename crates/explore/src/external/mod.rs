//! Breadth-first search with its states on disk, by delayed duplicate detection: the successors of a depth are gathered and
//! sorted, and one sequential pass over the states of all depths takes away those that are known. What is left is the next
//! depth. Counts, verdicts and traces are those of [`crate::breadth`]; whatever the disk does, the answer is that one or none.

mod candidates;
mod journaled;
mod layouts;
mod levels;
mod way_back;
mod worker;

pub(crate) use layouts::DiskKey;

use crate::ExploreError;
use crate::admission::Admitted;
use crate::breadth::Failure;
use crate::journal::Journal;
use crate::level_report::LevelReport;
use crate::scout::scout;
use crate::search::{DiskStore, ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult, cut_away};
use crate::stop_signal::StopSignal;
use crate::threads::in_threads;
use crate::verdict::Figures;
use crate::worker::look_every;
use candidates::{FoundKeys, Sizes};
use journaled::{DiskStanding, Interrupted, Notes, Told};
use layouts::{Layouts, TooWide};
use levels::Levels;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_disk::{DiskError, RunDirectory, RunPlace, RunWriter, SortedRun, sort_dedup};
use watchkeeper_logic::{Ledger, Limit, Question, Stats};
use watchkeeper_space::Space;
use worker::{Depth, DepthMeter, Desk, Expander, Halt};

/// Below this many states a depth is not worth starting threads for.
const WORTH_THREADS: u64 = 2048;
/// Successors that a worker has room for at least.
const FEW_KEYS: u64 = 1 << 12;

/// Searches breadth-first with keys of type `K` on disk, and with a journal if there is one.
pub(crate) fn external<K: DiskKey>(
    space: &dyn Space,
    question: &Question,
    admitted: &Admitted,
    directory: &RunDirectory,
    (callback, journal): (&dyn ProgressCallback, Option<&mut Journal<'_>>),
) -> Result<SearchResult, Failure> {
    let search = &admitted.search;
    let largest = match scout(space, search, callback) {
        Ok(largest) => largest,
        Err(limit) => return Ok(SearchResult::nothing(limit, search.workers)),
    };
    let layouts = match Layouts::new::<K>(&largest, search.hooks.narrow) {
        Ok(layouts) => layouts,
        Err(TooWide) => return Err(Failure::TooWide),
    };
    let sizes = match search.hooks.small_tables {
        true => Sizes::tiny(),
        false => Sizes::within(search.max_bytes, search.workers, size_of::<K>()),
    };
    let look_every = space.initial().first().map_or(1, |row| look_every(space, row));
    let desks = Mutex::new((0..search.workers).map(|_| Desk::<K>::new(sizes)).collect());
    let run = ExternalSearch {
        space,
        question,
        admitted,
        search,
        callback,
        directory,
        layouts: &layouts,
        sizes,
        look_every,
        desks,
        peak: AtomicU64::new(0),
    };
    run.run(journal)
}

/// Takes the directory of a store.
pub(crate) fn claim(store: &DiskStore) -> Result<RunDirectory, ExploreError> {
    let claimed = match &store.directory {
        Some(path) if store.shared => RunDirectory::fresh(path, store.max_bytes),
        Some(path) => RunDirectory::open(path, store.max_bytes),
        None => RunDirectory::temporary(store.max_bytes),
    };
    claimed.map_err(|error| match error {
        DiskError::Io { .. } => ExploreError::Store(format!("{error}; name a directory that can be written")),
        _ => ExploreError::Store(error.to_string()),
    })
}

/// What the disk did, as what limited the search.
fn limit_of(error: &DiskError) -> Limit {
    match error {
        DiskError::Full { .. } => Limit::DiskFull(error.to_string()),
        _ => Limit::DiskFailed(error.to_string()),
    }
}

/// One search.
struct ExternalSearch<'a, K> {
    space: &'a dyn Space,
    question: &'a Question,
    admitted: &'a Admitted,
    search: &'a Search,
    callback: &'a dyn ProgressCallback,
    directory: &'a RunDirectory,
    layouts: &'a Layouts,
    sizes: Sizes,
    look_every: u64,
    /// What workers keep from one depth to the next.
    desks: Mutex<Vec<Desk<K>>>,
    peak: AtomicU64,
}

/// The search so far.
struct SoFar {
    ledger: Ledger,
    all: LevelReport,
    stats: Stats,
}

/// How a depth ended.
enum DepthEnd {
    /// There is a next one.
    Next,
    /// There is no state left to expand, or a limit is in the ledger.
    Last,
    /// The search ends with this.
    Found(SearchEnd),
}

impl<K: DiskKey> ExternalSearch<'_, K> {
    fn run(&self, mut journal: Option<&mut Journal<'_>>) -> Result<SearchResult, Failure> {
        let begun = match journal.as_deref_mut().map(|journal| self.resumed(journal)) {
            None | Some(Ok(None)) => self.begin(),
            Some(Ok(Some(standing))) => Ok(standing),
            Some(Err(why)) => Err(why),
        };
        let DiskStanding { mut levels, told, mut so_far } = match begun {
            Ok(standing) => standing,
            Err(Interrupted::Failure(failure)) => return Err(failure),
            Err(Interrupted::Limit(limit)) => return Ok(SearchResult::nothing(limit, self.search.workers)),
        };
        let mut notes = journal.map(|journal| Notes::new(journal, told));
        let found = loop {
            if let Some(notes) = &mut notes {
                notes.stand(self, &levels, &so_far);
                if self.callback.checkpoint_due() {
                    notes.commit(self, &levels);
                }
            }
            match self.depth(&mut levels, &mut so_far) {
                Ok(DepthEnd::Next) => {}
                Ok(DepthEnd::Last) => break Ok(None),
                Ok(DepthEnd::Found(end)) => break Ok(Some(end)),
                Err(failure) => break Err(failure),
            }
        };
        if let Some(notes) = &mut notes {
            notes.commit(self, &levels);
        }
        let found = found?;
        let SoFar { mut ledger, all, mut stats } = so_far;
        let cut = cut_away(self.space.shape(), &all.cuts, &self.admitted.asked);
        let end = found.unwrap_or_else(|| {
            ledger.stores(levels.depths().iter().map(SortedRun::len).sum());
            cut.clone().into_iter().for_each(|limit| ledger.limits(limit));
            SearchEnd::of(ledger)
        });
        stats.peak_bytes = self.peak.load(Ordering::Relaxed);
        stats.bytes_per_state = levels.held() as f64 / (stats.distinct_states as f64).max(1.0);
        stats.disk_bytes = self.directory.peak();
        stats.disk_written = self.directory.written();
        let figures = Figures { counts: all.counts.to_vec(), spoke: all.spoke, stats };
        Ok(SearchResult { end, figures, cut: cut.is_some() })
    }

    /// The initial states as the first depth.
    fn begin(&self) -> Result<DiskStanding<'_, K>, Interrupted> {
        let (tag, layout) = self.layouts.now();
        let keys: Option<Vec<K>> = self.space.initial().iter().map(|row| layout.encode(row)).collect();
        let mut keys = keys.ok_or(Interrupted::Failure(Failure::TooWide))?;
        sort_dedup(&mut keys, &mut Vec::new(), layout.key_bits());
        let meter = self.meter(&SoFarFigures::default(), 0);
        let mut levels = Levels::new(self.directory, self.layouts, self.sizes, self.search.workers)?;
        let mut writer = RunWriter::new(self.directory, RunPlace::Memory, tag, self.sizes.block);
        writer.extend(&keys)?;
        let initial = SortedRun::of([writer.finish()?]);
        levels.add(&[initial], &meter)?;
        if let Some(limit) = ended(meter.stop.reason()) {
            return Err(Interrupted::Limit(limit));
        }
        let stats = Stats { workers: self.search.workers, ..Stats::default() };
        let all = LevelReport::new(self.space, self.question);
        let so_far = SoFar { ledger: Ledger::open(), all, stats };
        Ok(DiskStanding { levels, told: Told::nothing(), so_far })
    }

    fn meter(&self, so_far: &SoFarFigures, fixed: u64) -> DepthMeter<'_> {
        DepthMeter {
            callback: self.callback,
            stop: StopSignal::new(),
            trouble: Mutex::default(),
            space: self.space,
            max_bytes: self.search.max_bytes,
            fixed,
            peak: AtomicU64::new(0),
            depth: so_far.depth,
            distinct: so_far.distinct,
            transitions: so_far.transitions,
            steps: AtomicU64::new(0),
            look_every: self.look_every,
        }
    }

    /// Expands the last depth, and finds the next.
    fn depth(&self, levels: &mut Levels<'_, K>, so_far: &mut SoFar) -> Result<DepthEnd, Failure> {
        let SoFar { ledger, all, stats } = so_far;
        let (depth, size) = (stats.level_sizes.len() as u64, levels.last().len());
        stats.level_sizes.push(size);
        stats.distinct_states += size;
        let last =
            matches!(self.search.strategy, Strategy::Breadth { max_depth: Some(most) } if depth >= most);
        let figures = SoFarFigures { depth, distinct: stats.distinct_states, transitions: stats.transitions };
        let meter = self.meter(&figures, self.fixed(levels));
        let Expanded { mut report, twice, candidates } = self.expand(levels, &meter, last);
        ledger.expands(report.expanded, report.steps, report.settled + twice);
        let stop = meter.stop.reason();
        if stop == Some(Halt::TooWide) {
            return Err(Failure::TooWide);
        }
        if let Some(bad) = report.violation.take() {
            let sum = std::mem::replace(all, LevelReport::new(self.space, self.question));
            *all = sum.join(report.without_steps());
            let before = &levels.depths()[..levels.depths().len() - 1];
            let path = way_back::path(self.space, self.layouts, before, &bad.row, self.search.workers);
            return Ok(match path {
                Ok(path) => DepthEnd::Found(SearchEnd::Violation(bad, path)),
                Err(error) => {
                    let name = bad.name(self.question);
                    let told =
                        format!("{error}; `{name}` is violated after {depth} steps, and the way is lost");
                    ledger.limits(Limit::DiskFailed(told));
                    DepthEnd::Last
                }
            });
        }
        let sum = std::mem::replace(all, LevelReport::new(self.space, self.question));
        *all = sum.join(report);
        all.settled += twice;
        stats.transitions = all.steps;
        let trouble = meter.trouble.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(limit) = ended(stop).or(trouble.as_ref().map(limit_of)) {
            ledger.limits(limit);
            return Ok(DepthEnd::Last);
        }
        let too_many = |states: u64| self.search.max_states.filter(|&most| states > most).map(Limit::States);
        let limit = too_many(stats.distinct_states).or(last.then_some(Limit::Depth(depth)));
        if let Some(limit) = limit {
            ledger.limits(limit);
            return Ok(DepthEnd::Last);
        }
        let settled = levels.add(&candidates, &meter).and_then(|read| {
            drop(candidates);
            levels.tidy_up(&meter).map(|()| read)
        });
        self.peak.fetch_max(meter.peak.load(Ordering::Relaxed), Ordering::Relaxed);
        let limit = match settled {
            Ok(read) => {
                ledger.settles(read);
                all.settled += read;
                ended(meter.stop.reason())
            }
            Err(error) => Some(limit_of(&error)),
        };
        // A merge that was stopped leaves no next depth, or one that is whole.
        let next = if levels.depths().len() as u64 == depth + 2 { levels.last().len() } else { 0 };
        if let Some(limit) = limit.or(too_many(stats.distinct_states + next)) {
            ledger.limits(limit);
            return Ok(DepthEnd::Last);
        }
        Ok(if next == 0 { DepthEnd::Last } else { DepthEnd::Next })
    }

    /// The bytes of memory that do not change while a depth is expanded.
    fn fixed(&self, levels: &Levels<'_, K>) -> u64 {
        let desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let have: u64 = desks.iter().map(Desk::held).sum();
        let keys = (self.sizes.chunk as u64).min(FEW_KEYS.max(8 * levels.last().len()));
        let want = 2 * keys * (size_of::<K>() * self.search.workers) as u64;
        levels.held() + levels.merge_bytes(0) + have.max(want)
    }

    /// Expands the states of the last depth.
    fn expand(&self, levels: &Levels<'_, K>, meter: &DepthMeter<'_>, last: bool) -> Expanded<K> {
        let size = levels.last().len();
        let many = size >= WORTH_THREADS || self.search.hooks.threads;
        let workers = if many { self.search.workers } else { 1 };
        let depth = Depth {
            space: self.space,
            question: self.question,
            layouts: self.layouts,
            sizes: self.sizes,
            now: levels.last(),
            next: AtomicUsize::new(0),
            left: AtomicU64::new(size),
            candidates: FoundKeys::new(self.directory, self.layouts, self.sizes),
            discard: AtomicBool::new(last),
            meter,
        };
        let desks = || self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let reports = in_threads(workers, || {
            let desk = desks().pop().unwrap_or_else(|| Desk::new(self.sizes));
            let (report, desk) = Expander::new(&depth, desk).run();
            desks().push(desk);
            report
        });
        let start = LevelReport::new(self.space, self.question);
        let report = reports.into_iter().fold(start, LevelReport::join);
        meter.steps.store(report.steps, Ordering::Relaxed);
        meter.look(depth.candidates.held(), 0, report.steps, 0);
        let (candidates, twice) = depth.candidates.finish();
        Expanded { report, twice, candidates }
    }
}

/// What the workers of a depth did.
struct Expanded<K> {
    report: LevelReport,
    candidates: Vec<SortedRun<K>>,
    /// FoundKeys that were settled when runs of them were merged.
    twice: u64,
}

/// The figures that a progress callback is told.
#[derive(Default)]
struct SoFarFigures {
    depth: u64,
    distinct: u64,
    transitions: u64,
}

/// The limit that stopped a depth. What the disk did is told by its error.
fn ended(stop: Option<Halt>) -> Option<Limit> {
    match stop {
        Some(Halt::Limit(limit)) => Some(limit),
        _ => None,
    }
}
