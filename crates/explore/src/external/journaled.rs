//! The journal of a search on disk, which is that of a search in memory. It is written between two depths: a commit has the
//! states of all depths up to the one that is expanded next, and an interrupted depth is expanded again. To go on, the
//! states of each depth are read back with the ids of this run, sorted, and written as the runs of that depth.

use super::candidates::FoundKeys;
use super::layouts::{DiskKey, TooWide};
use super::levels::Levels;
use super::worker::DepthMeter;
use super::{ExternalSearch, SoFar, SoFarFigures, ended, limit_of};
use crate::breadth::Failure;
use crate::journal::{BadBlock, Journal, JournalReading, LoadFailure, Piece, Totals, write_totals};
use crate::layout::KeyLayout;
use crate::level_report::LevelReport;
use crate::worker::Chunk;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use watchkeeper_disk::{DiskError, RunCursor, RunFile, SortedRun};
use watchkeeper_logic::{Ledger, Limit, Stats};
use watchkeeper_space::Id;

/// Blocks of states that are read between two looks at the limits.
const TOGETHER: u64 = 64;
/// The most states on their way into the journal.
const ON_THE_WAY: usize = 1 << 18;

/// What the journal has of the states.
pub(super) struct Told<K> {
    /// The number of depths that it has in full.
    depths: usize,
    /// States of the next depth that it has: those that a search in memory had found when it was interrupted.
    beyond: Option<SortedRun<K>>,
}

impl<K> Told<K> {
    /// Nothing.
    pub fn nothing() -> Told<K> {
        Told { depths: 0, beyond: None }
    }
}

/// A journal, and what is still to be written there.
pub(super) struct Notes<'j, 'c, K> {
    journal: &'j mut Journal<'c>,
    told: Told<K>,
    /// The depth that is expanded next, and what was counted before it.
    position: Option<(usize, Vec<u8>)>,
}

impl<'j, 'c, K: DiskKey> Notes<'j, 'c, K> {
    /// A journal that has this.
    pub fn new(journal: &'j mut Journal<'c>, told: Told<K>) -> Notes<'j, 'c, K> {
        Notes { journal, told, position: None }
    }

    /// Remembers that all depths before the last one were expanded.
    pub fn stand(&mut self, run: &ExternalSearch<'_, K>, levels: &Levels<'_, K>, so_far: &SoFar) {
        let sizes = &so_far.stats.level_sizes;
        let stored = levels.depths().iter().map(SortedRun::len).sum();
        let nothing = LevelReport::new(run.space, run.question);
        let totals = write_totals([sizes.len() as u64, 0, stored], sizes, [&so_far.all, &nothing]);
        self.position = Some((sizes.len(), totals));
    }

    /// Writes the states that the journal has not got up to the depth that was remembered last, and makes them count.
    pub fn commit(&mut self, run: &ExternalSearch<'_, K>, levels: &Levels<'_, K>) {
        let Some((depth, totals)) = self.position.take() else { return };
        if self.told.depths > depth {
            // The last commit stands here already, or farther inside this depth.
            return;
        }
        for missing in self.told.depths..=depth {
            if let Err(error) = self.depth(run, &levels.depths()[missing], missing) {
                return self.journal.heed(Err(error));
            }
            self.told = Told { depths: missing + 1, beyond: None };
        }
        self.journal.stand(totals);
        self.journal.commit();
    }

    /// Writes the states of a depth.
    fn depth(
        &mut self,
        run: &ExternalSearch<'_, K>,
        states: &SortedRun<K>,
        depth: usize,
    ) -> Result<(), DiskError> {
        let relays = run.layouts.relays();
        let layout = run.layouts.at(relays.tag);
        let mut known = self.told.beyond.as_ref().map(|beyond| RunCursor::new(beyond, &relays));
        let mut cursor = RunCursor::new(states, &relays);
        let (mut chunks, mut waiting, mut written) = (Vec::new(), 0, 0);
        loop {
            let mut keys = cursor.rest()?.to_vec();
            cursor.take(keys.len());
            let end = keys.is_empty();
            if let Some(known) = &mut known {
                known.remove_from(&mut keys)?;
            }
            (waiting, written) = (waiting + keys.len(), written + keys.len() as u64);
            if !keys.is_empty() {
                chunks.push(Chunk { layout: Arc::clone(&layout), keys });
            }
            if end || waiting >= ON_THE_WAY.min(run.sizes.chunk) {
                self.journal.append(run.space, depth as u64, &chunks, run.search.workers);
                chunks.clear();
                waiting = 0;
            }
            if end {
                break;
            }
        }
        if written + self.told.beyond.as_ref().map_or(0, SortedRun::len) != states.len() {
            let (path, what) =
                (run.directory.path().to_path_buf(), "states were not found again".to_string());
            return Err(DiskError::Damaged { path, at: 0, what });
        }
        Ok(())
    }
}

/// Where a search stands between two depths.
pub(super) struct DiskStanding<'s, K> {
    pub levels: Levels<'s, K>,
    pub told: Told<K>,
    pub so_far: SoFar,
}

/// Why a search cannot go on with its journal.
pub(super) enum Interrupted {
    /// It cannot be done like this.
    Failure(Failure),
    /// A limit ended it.
    Limit(Limit),
}

/// Why a journal cannot be read.
enum Refused {
    Interrupted(Interrupted),
    /// A block does not fit.
    Block(BadBlock),
    /// The journal is damaged.
    Damaged(&'static str),
}

impl From<DiskError> for Interrupted {
    fn from(error: DiskError) -> Interrupted {
        Interrupted::Limit(limit_of(&error))
    }
}

impl<E: Into<Interrupted>> From<E> for Refused {
    fn from(why: E) -> Refused {
        Refused::Interrupted(why.into())
    }
}

impl From<BadBlock> for Refused {
    fn from(bad: BadBlock) -> Refused {
        Refused::Block(bad)
    }
}

impl From<LoadFailure> for Interrupted {
    fn from(failure: LoadFailure) -> Interrupted {
        match failure {
            LoadFailure::Error(error) => Interrupted::Failure(Failure::Error(error)),
            LoadFailure::Full(full) => {
                full.limit().map_or(Interrupted::Failure(Failure::TooWide), Interrupted::Limit)
            }
            LoadFailure::Stopped(limit) => Interrupted::Limit(limit),
        }
    }
}

impl<K: DiskKey> ExternalSearch<'_, K> {
    /// Where a search begins that has a journal; `None` if the journal is empty.
    pub(super) fn resumed(
        &self,
        journal: &mut Journal<'_>,
    ) -> Result<Option<DiskStanding<'_, K>>, Interrupted> {
        let Some(mut reading) = journal.reading(self.space, self.question)? else { return Ok(None) };
        let mut load = Load::new(self, reading.totals.all.steps)?;
        let done = load.all(&mut reading).and_then(|beyond| {
            let stored = load.distinct() + beyond.as_ref().map_or(0, SortedRun::len);
            reading.fits(stored, std::mem::take(&mut load.initial))?;
            Ok(beyond)
        });
        self.peak.fetch_max(load.meter.peak.load(Ordering::Relaxed), Ordering::Relaxed);
        let beyond = done.map_err(|why| match why {
            Refused::Block(bad) => reading.bad(&bad).into(),
            Refused::Damaged(what) => reading.damaged(what).into(),
            Refused::Interrupted(why) => why,
        })?;
        let Totals { level_sizes, all, .. } = reading.totals;
        let mut ledger = Ledger::open();
        ledger.expands(all.expanded, all.steps, all.settled);
        let distinct_states = level_sizes.iter().sum();
        let (workers, transitions) = (self.search.workers, all.steps);
        let stats = Stats { workers, transitions, distinct_states, level_sizes, ..Stats::default() };
        let told = Told { depths: load.levels.depths().len(), beyond };
        Ok(Some(DiskStanding { levels: load.levels, told, so_far: SoFar { ledger, all, stats } }))
    }
}

/// One reading.
struct Load<'s, K> {
    run: &'s ExternalSearch<'s, K>,
    levels: Levels<'s, K>,
    /// The states of the depth that was begun last.
    found: FoundKeys<'s, K>,
    keys: Vec<K>,
    spare: Vec<K>,
    file: Option<Arc<RunFile>>,
    tag: u32,
    layout: Arc<KeyLayout>,
    transitions: u64,
    meter: DepthMeter<'s>,
    initial: Vec<Vec<Id>>,
}

impl<'s, K: DiskKey> Load<'s, K> {
    fn new(run: &'s ExternalSearch<'s, K>, transitions: u64) -> Result<Load<'s, K>, DiskError> {
        let (tag, layout) = run.layouts.now();
        let load = Load {
            run,
            levels: Levels::new(run.directory, run.layouts, run.sizes, run.search.workers)?,
            found: FoundKeys::new(run.directory, run.layouts, run.sizes),
            keys: Vec::new(),
            spare: Vec::new(),
            file: None,
            tag,
            layout,
            transitions,
            meter: run.meter(&SoFarFigures::default(), 0),
            initial: Vec::new(),
        };
        Ok(load)
    }

    /// Reads all states; those beyond the depth that is expanded next are no depth yet.
    fn all(&mut self, reading: &mut JournalReading<'_>) -> Result<Option<SortedRun<K>>, Refused> {
        let (mut depth, mut blocks) = (0, 0);
        self.begin_depth();
        while let Some(piece) = reading.next()? {
            let Piece::States(block) = piece else { continue };
            if block.depth != depth {
                self.end_depth(reading.size(depth))?;
                depth = block.depth;
            }
            reading.rows(&block, |row| self.row(row, depth))?;
            blocks += 1;
            if blocks % TOGETHER == 0 {
                self.look()?;
            }
        }
        let present = reading.totals.depth;
        if reading.size(present) == 0 {
            return Err(Refused::Damaged("the states are not as many as were counted"));
        }
        if depth == present {
            self.end_depth(reading.size(depth))?;
            return Ok(None);
        }
        self.hand_over()?;
        let runs = self.taken()?;
        let beyond = self.levels.fresh(&runs, &self.meter)?;
        self.heed_limits()?;
        match beyond.len() == reading.size(depth) {
            true => Ok(Some(beyond)),
            false => Err(Refused::Damaged("a state is there twice")),
        }
    }

    fn distinct(&self) -> u64 {
        self.levels.depths().iter().map(SortedRun::len).sum()
    }

    fn row(&mut self, row: &[Id], depth: u64) -> Result<(), Refused> {
        if depth == 0 {
            self.initial.push(row.to_vec());
        }
        let key = match self.layout.encode(row) {
            Some(key) => key,
            None => {
                self.hand_over()?;
                let widened = self.run.layouts.widen::<K>(row);
                widened.map_err(|TooWide| Interrupted::Failure(Failure::TooWide))?;
                (self.tag, self.layout) = self.run.layouts.now();
                self.layout.encode(row).expect("there is room for this row")
            }
        };
        self.keys.push(key);
        if self.keys.len() >= self.run.sizes.chunk { self.hand_over() } else { Ok(()) }
    }

    /// Gives the gathered keys to those of this depth.
    fn hand_over(&mut self) -> Result<(), Refused> {
        let Load { run, found, keys, spare, file, tag, meter, .. } = self;
        let room = if run.sizes.spills { 0 } else { meter.room() };
        let goes_on = &mut || meter.look(found.held(), 0, 0, 0);
        let twice = found.add(keys, spare, *tag, file, room, goes_on)?;
        self.heed_limits()?;
        if twice > 0 { Err(Refused::Damaged("a state is there twice")) } else { Ok(()) }
    }

    /// The runs of the depth that was begun last.
    fn taken(&mut self) -> Result<Vec<SortedRun<K>>, Refused> {
        let run = self.run;
        let next = FoundKeys::new(run.directory, run.layouts, run.sizes);
        let (runs, twice) = std::mem::replace(&mut self.found, next).finish();
        self.file = None;
        if twice > 0 { Err(Refused::Damaged("a state is there twice")) } else { Ok(runs) }
    }

    /// Takes what was gathered as a depth of so many states.
    fn end_depth(&mut self, size: u64) -> Result<(), Refused> {
        self.hand_over()?;
        let runs = self.taken()?;
        self.levels.add(&runs, &self.meter)?;
        self.heed_limits()?;
        if self.levels.last().len() != size {
            return Err(Refused::Damaged("a state is there twice"));
        }
        drop(runs);
        self.levels.tidy_up(&self.meter)?;
        self.heed_limits()?;
        self.begin_depth();
        self.look()
    }

    fn begin_depth(&mut self) {
        let run = self.run;
        run.peak.fetch_max(self.meter.peak.load(Ordering::Relaxed), Ordering::Relaxed);
        let (depth, distinct) = (self.levels.depths().len() as u64, self.distinct());
        let figures = SoFarFigures { depth, distinct, transitions: self.transitions };
        let gathered = 2 * (run.sizes.chunk * size_of::<K>()) as u64;
        let fixed = self.levels.held() + self.levels.merge_bytes(0) + gathered;
        self.meter = run.meter(&figures, fixed);
    }

    /// Checks memory, and calls the callback.
    fn look(&self) -> Result<(), Refused> {
        self.meter.look(self.found.held(), 0, 0, 0);
        self.heed_limits()
    }

    fn heed_limits(&self) -> Result<(), Refused> {
        ended(self.meter.stop.reason()).map_or(Ok(()), |limit| Err(Interrupted::Limit(limit).into()))
    }
}
