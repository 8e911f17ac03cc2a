//! The states of a search on disk: each depth as a sorted run, which the way back reads, and all depths together as few runs,
//! which are taken away from the candidates of the next one.

use super::candidates::Sizes;
use super::layouts::{DiskKey, Layouts, Relays};
use super::worker::DepthMeter;
use crate::threads::over_pieces;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use watchkeeper_disk::{
    DiskError, RunCursor, RunDirectory, RunFile, RunMerge, RunPlace, RunSegment, RunWriter, SortedRun,
    quantiles,
};

/// Parts of a merge for each thread, so that all of them end at about the same time.
const PARTS: usize = 4;

/// All states that were found.
pub(super) struct Levels<'a, K> {
    directory: &'a RunDirectory,
    layouts: &'a Layouts,
    sizes: Sizes,
    /// One file for each thread, which holds its parts of all depths.
    files: Vec<Arc<RunFile>>,
    /// The states of each depth.
    depths: Vec<SortedRun<K>>,
    /// The bytes of memory that these take.
    depths_held: u64,
    /// The same states, in few runs, oldest first.
    visited: Vec<SortedRun<K>>,
}

/// What a merge came to.
struct Merged<K> {
    run: SortedRun<K>,
    /// Words read from the runs that were merged.
    read: u64,
}

/// What one thread of a merge came to.
struct PartsDone<K> {
    file: Arc<RunFile>,
    segments: Vec<(usize, RunSegment<K>)>,
    read: u64,
    error: Option<DiskError>,
}

impl<'a, K: DiskKey> Levels<'a, K> {
    /// None yet.
    pub fn new(
        directory: &'a RunDirectory,
        layouts: &'a Layouts,
        sizes: Sizes,
        workers: usize,
    ) -> Result<Levels<'a, K>, DiskError> {
        let files: Result<Vec<_>, _> =
            (0..workers).map(|_| Ok(Arc::new(directory.create("depths")?))).collect();
        Ok(Levels {
            directory,
            layouts,
            sizes,
            files: files?,
            depths: Vec::new(),
            depths_held: 0,
            visited: Vec::new(),
        })
    }

    /// The states of each depth.
    pub fn depths(&self) -> &[SortedRun<K>] {
        &self.depths
    }

    /// The states of the last depth.
    pub fn last(&self) -> &SortedRun<K> {
        &self.depths[self.depths.len() - 1]
    }

    /// The bytes of memory that they take.
    pub fn held(&self) -> u64 {
        self.depths_held + self.visited.iter().map(SortedRun::held).sum::<u64>()
    }

    /// The most bytes of memory that a merge of so many runs with all others takes.
    pub fn merge_bytes(&self, runs: usize) -> u64 {
        let block = self.sizes.block * (2 * size_of::<K>() + 1);
        ((runs + self.visited.len()) * block * self.files.len()) as u64
    }

    /// Takes the candidates that are new as the next depth; how many words were read for that. A merge that the limits
    /// stopped adds nothing.
    pub fn add(&mut self, candidates: &[SortedRun<K>], meter: &DepthMeter<'_>) -> Result<u64, DiskError> {
        let merged = self.merge(candidates, &self.visited, &self.files, meter)?;
        if meter.stop.is_set() {
            return Ok(0);
        }
        if !merged.run.is_empty() {
            self.visited.push(merged.run.clone());
        }
        self.depths_held += merged.run.held();
        self.depths.push(merged.run);
        Ok(merged.read)
    }

    /// The candidates that are new, which stay candidates. A merge that the limits stopped gives some of them.
    pub fn fresh(
        &self,
        candidates: &[SortedRun<K>],
        meter: &DepthMeter<'_>,
    ) -> Result<SortedRun<K>, DiskError> {
        Ok(self.merge(candidates, &self.visited, &self.files, meter)?.run)
    }

    /// Merges the newest runs where many of about the same size have come together: each run that stays is larger than all
    /// newer ones together, so there are few of them, and a state is written again only when its run has doubled.
    pub fn tidy_up(&mut self, meter: &DepthMeter<'_>) -> Result<(), DiskError> {
        let (mut first, mut sum) = (self.visited.len(), 0);
        while first > 0 && (sum == 0 || self.visited[first - 1].len() <= sum) {
            first -= 1;
            sum += self.visited[first].len();
        }
        if self.visited.len() - first < self.sizes.runs {
            return Ok(());
        }
        let files: Result<Vec<_>, _> =
            self.files.iter().map(|_| Ok(Arc::new(self.directory.create("visited")?))).collect();
        let merged = self.merge(&self.visited[first..], &[], &files?, meter)?;
        if meter.stop.is_set() {
            return Ok(());
        }
        if merged.run.len() != sum || merged.read != sum {
            let (path, what) = (self.directory.path().to_path_buf(), "runs of states overlap".to_string());
            return Err(DiskError::Damaged { path, at: 0, what });
        }
        self.visited.truncate(first);
        self.visited.push(merged.run);
        Ok(())
    }

    /// Merges runs, without the words of others, to the ends of these files.
    fn merge(
        &self,
        runs: &[SortedRun<K>],
        without: &[SortedRun<K>],
        files: &[Arc<RunFile>],
        meter: &DepthMeter<'_>,
    ) -> Result<Merged<K>, DiskError> {
        let words: u64 = runs.iter().map(SortedRun::len).sum();
        let relays = self.layouts.relays();
        let threads = if words < self.sizes.worth_threads { 1 } else { files.len() };
        let bounds = match threads {
            1 => Vec::new(),
            _ => quantiles(runs, &relays, threads * PARTS),
        };
        let (hired, found) = (AtomicUsize::new(0), AtomicU64::new(0));
        let start = || {
            let file = Arc::clone(&files[hired.fetch_add(1, Ordering::Relaxed)]);
            PartsDone { file, segments: Vec::new(), read: 0, error: None }
        };
        let done = over_pieces(threads, bounds.len() + 1, start, |done, part| {
            let from = part.checked_sub(1).map(|before| bounds[before]);
            let range = (from, bounds.get(part).copied());
            if done.error.is_none() && !meter.stop.is_set() {
                let merged = self.merge_part(runs, without, &relays, range, &done.file, &found, meter);
                match merged {
                    Ok((segment, read)) => {
                        done.segments.push((part, segment));
                        done.read += read;
                    }
                    Err(error) => done.error = Some(error),
                }
            }
        });
        let (mut segments, mut read) = (Vec::new(), 0);
        for part in done {
            if let Some(error) = part.error {
                return Err(error);
            }
            read += part.read;
            segments.extend(part.segments);
        }
        segments.sort_by_key(|&(part, _)| part);
        Ok(Merged { run: SortedRun::of(segments.into_iter().map(|(_, segment)| segment)), read })
    }

    #[expect(clippy::too_many_arguments, reason = "what a merge shares is in none of its parts")]
    fn merge_part(
        &self,
        runs: &[SortedRun<K>],
        without: &[SortedRun<K>],
        relays: &Relays,
        (from, until): (Option<K>, Option<K>),
        file: &Arc<RunFile>,
        found: &AtomicU64,
        meter: &DepthMeter<'_>,
    ) -> Result<(RunSegment<K>, u64), DiskError> {
        let mut merge = RunMerge::new(runs, relays, from, until)?;
        let mut cursors: Vec<_> = without.iter().map(|run| RunCursor::new(run, relays)).collect();
        let place = RunPlace::File(Arc::clone(file));
        let mut writer = RunWriter::new(self.directory, place, relays.tag, self.sizes.block);
        let mut batch = Vec::new();
        let beside = self.merge_bytes(runs.len()) + runs.iter().map(SortedRun::held).sum::<u64>();
        while merge.next(&mut batch)? {
            for cursor in &mut cursors {
                cursor.remove_from(&mut batch)?;
            }
            let all = found.fetch_add(batch.len() as u64, Ordering::Relaxed) + batch.len() as u64;
            writer.extend(&batch)?;
            // A batch may take long: each of its words may be in another block of each run.
            if !meter.look(beside, if without.is_empty() { 0 } else { all }, 0, 0) {
                break;
            }
        }
        Ok((writer.finish()?, merge.read()))
    }
}
