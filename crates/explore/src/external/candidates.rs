//! The successors of one depth, before it is known which of them are new: sorted runs, in memory as long as there is room,
//! and then in files.

use super::layouts::{DiskKey, Layouts};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use watchkeeper_disk::{
    DiskError, RunDirectory, RunFile, RunMerge, RunPlace, RunWriter, SortedRun, sort_dedup,
};

/// So many runs of one chunk each are merged to one, so that few are read at a time.
const FAN_IN: usize = 128;
/// Other runs that there are at the same time.
const OTHERS: u64 = 32;
/// A worker remembers at most two to the power of this many keys.
const RECENT_BITS: u32 = 14;

/// Amounts that a search is made of; tests make them small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The words that one worker gathers before it sorts them.
    pub chunk: usize,
    /// The words of a block.
    pub block: usize,
    /// A worker remembers two to the power of this many keys.
    pub recent_bits: u32,
    /// The number of runs of about one size that are merged.
    pub runs: usize,
    /// The most runs of single chunks.
    pub fan_in: usize,
    /// Below so many words a merge is done by one thread.
    pub worth_threads: u64,
    /// Whether candidates go to files at once.
    pub spills: bool,
}

impl Sizes {
    /// For this many bytes of memory: a quarter of them for the words that workers gather, and another one for the blocks of
    /// all runs that are merged at a time.
    pub fn within(max_bytes: Option<u64>, workers: usize, key_bytes: usize) -> Sizes {
        let quarter = max_bytes.unwrap_or(u64::MAX) / 4 / workers as u64;
        let (words, both) = (quarter / (2 * key_bytes as u64), (2 * key_bytes + 1) as u64);
        let chunk = below(words, 1 << 8, 1 << 22);
        let block = below(quarter / (both * (FAN_IN as u64 + OTHERS)), 1 << 6, 1 << 12);
        let recent_bits = chunk.ilog2().min(RECENT_BITS);
        Sizes { chunk, block, recent_bits, runs: 6, fan_in: FAN_IN, worth_threads: 1 << 16, spills: false }
    }

    /// So small that little spaces have all that large ones have.
    pub fn tiny() -> Sizes {
        Sizes { chunk: 7, block: 3, recent_bits: 2, runs: 3, fan_in: 4, worth_threads: 8, spills: true }
    }
}

/// The greatest power of two that is not above a number, within bounds that are powers of two.
fn below(number: u64, least: u64, most: u64) -> usize {
    1 << number.clamp(least, most).ilog2()
}

/// The candidates of all workers at one depth.
pub(super) struct FoundKeys<'a, K> {
    directory: &'a RunDirectory,
    layouts: &'a Layouts,
    sizes: Sizes,
    runs: Mutex<Vec<SortedRun<K>>>,
    /// The bytes of memory that the runs take.
    held: AtomicU64,
    /// FoundKeys that were found to be those of other runs when runs were merged.
    twice: AtomicU64,
}

impl<'a, K: DiskKey> FoundKeys<'a, K> {
    /// None yet.
    pub fn new(directory: &'a RunDirectory, layouts: &'a Layouts, sizes: Sizes) -> FoundKeys<'a, K> {
        let (runs, [held, twice]) = (Mutex::default(), std::array::from_fn(|_| AtomicU64::new(0)));
        FoundKeys { directory, layouts, sizes, runs, held, twice }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<SortedRun<K>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of memory that they take.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Takes the keys of a worker, which are of the layout with this number, in at most so much memory for all of them;
    /// beyond that in the file of the worker. Returns how many of them were there twice.
    pub fn add(
        &self,
        keys: &mut Vec<K>,
        spare: &mut Vec<K>,
        tag: u32,
        file: &mut Option<Arc<RunFile>>,
        memory: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<u64, DiskError> {
        let all = keys.len();
        if all == 0 {
            return Ok(0);
        }
        sort_dedup(keys, spare, self.layouts.at(tag).key_bits());
        let twice = (all - keys.len()) as u64;
        let mut writer = RunWriter::new(self.directory, RunPlace::Memory, tag, self.sizes.block);
        writer.extend(keys)?;
        keys.clear();
        let mut segment = writer.finish()?;
        if self.held() + segment.held() > memory {
            segment = segment.moved_to(own(self.directory, file)?)?;
        }
        self.held.fetch_add(segment.held(), Ordering::Relaxed);
        let run = SortedRun::of([segment]);
        let small = self.sizes.chunk as u64;
        let many = {
            let mut runs = self.runs();
            runs.push(run);
            let many = runs.iter().filter(|run| run.len() <= small).count() >= self.sizes.fan_in;
            if many { runs.extract_if(.., |run| run.len() <= small).collect() } else { Vec::new() }
        };
        if !many.is_empty() {
            self.join(&many, own(self.directory, file)?, goes_on)?;
        }
        Ok(twice)
    }

    /// Merges runs to one. A search that does not go on has no use for them any more.
    fn join(
        &self,
        runs: &[SortedRun<K>],
        file: &Arc<RunFile>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), DiskError> {
        let relays = self.layouts.relays();
        let place = RunPlace::File(Arc::clone(file));
        let mut writer = RunWriter::new(self.directory, place, relays.tag, self.sizes.block);
        let mut merge = RunMerge::new(runs, &relays, None, None)?;
        let mut batch = Vec::new();
        while merge.next(&mut batch)? && goes_on() {
            writer.extend(&batch)?;
        }
        let segment = writer.finish()?;
        self.twice.fetch_add(merge.read() - segment.len(), Ordering::Relaxed);
        self.held.fetch_add(segment.held(), Ordering::Relaxed);
        self.held.fetch_sub(runs.iter().map(SortedRun::held).sum(), Ordering::Relaxed);
        self.runs().push(SortedRun::of([segment]));
        Ok(())
    }

    /// All of them, and how many were settled on the way because they were there twice.
    pub fn finish(self) -> (Vec<SortedRun<K>>, u64) {
        let runs = self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        (runs, self.twice.into_inner())
    }
}

/// The file of a worker, which begins when it is needed.
fn own<'f>(
    directory: &RunDirectory,
    file: &'f mut Option<Arc<RunFile>>,
) -> Result<&'f Arc<RunFile>, DiskError> {
    match file {
        Some(file) => Ok(file),
        None => Ok(file.insert(Arc::new(directory.create("found")?))),
    }
}
