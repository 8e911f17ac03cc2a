//! The journals of a search on several workers. Each worker writes the states that it owns, between two depths, and all
//! commit after the same depth. So what all have committed up to the smallest of their depths is a checkpoint, and what some
//! have beyond it does not count. A run that goes on from there begins new journals, with the depths that are new to
//! it: it may have another number of workers, and nothing that was written is written again or cut off.

use super::bytes::{put, take_word};
use super::checkpoints::unusable;
use super::reading::{BadBlock, JournalReading, Piece, StateBlock};
use super::{Checkpoints, Journal, LoadFailure, Totals, header, write_totals};
use crate::ExploreError;
use crate::admission::Admitted;
use crate::layout::KeyLayout;
use crate::level_report::LevelReport;
use crate::store::Key;
use crate::worker::Chunk;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper_disk::{Log, numbered_directories};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Space};

/// The journal of one worker of a search.
pub(crate) struct TeamJournal<'c> {
    checkpoints: &'c Checkpoints,
    number: usize,
    /// Of the search: the journals of all runs of its workers on this host are in it.
    dir: PathBuf,
    header: Vec<u8>,
    sound: &'c dyn Fn() -> bool,
    /// Of this run.
    part: Option<(Journal<'c>, PartHead)>,
    /// The totals of the last position.
    totals: Vec<u8>,
}

/// What the note of a part begins with, before the totals of all workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PartHead {
    /// The workers of its run.
    pub workers: u64,
    /// The run that it goes on from; 0 if it began with the initial states.
    pub after: u64,
    /// The depth of the first states in it.
    pub first: u64,
    /// How often this worker has committed in its run.
    pub commits: u64,
    /// Whether its rows are collapsed.
    pub collapsed: bool,
    /// The numbers of states of this worker, at the first depth and those after it.
    pub sizes: Vec<u64>,
}

/// A part of a checkpoint: what one worker has committed in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CommittedPart {
    /// The number of the run.
    pub run: u64,
    /// The number of the worker.
    pub worker: u64,
    pub head: PartHead,
}

impl PartHead {
    /// The depth up to which all states are there, and which is the next to be expanded.
    pub fn depth(&self) -> u64 {
        (self.first + self.sizes.len() as u64).saturating_sub(1)
    }

    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let len = self.sizes.len() as u64;
        let numbers = [self.workers, self.after, self.first, self.commits, self.collapsed.into(), len];
        numbers.into_iter().chain(self.sizes.iter().copied()).for_each(|number| put(number.into(), &mut out));
        out
    }

    /// Takes it off the front of a note.
    fn take(bytes: &mut &[u8]) -> Option<PartHead> {
        let [workers, after, first, commits] =
            [take_word(bytes)?, take_word(bytes)?, take_word(bytes)?, take_word(bytes)?];
        let (collapsed, len) = (take_word(bytes)? == 1, take_word(bytes)?);
        let sizes = (0..len).map(|_| take_word(bytes)).collect::<Option<Vec<u64>>>()?;
        first.checked_add(len)?;
        (workers > 0).then_some(PartHead { workers, after, first, commits, collapsed, sizes })
    }
}

impl<'c> TeamJournal<'c> {
    /// The journal of an admitted search that begins now, if it shall have one. Nothing is read or written yet.
    pub fn of(
        admitted: &'c Admitted,
        space: &dyn Space,
        question: &Question,
        sound: &'c dyn Fn() -> bool,
    ) -> Option<TeamJournal<'c>> {
        let checkpoints = admitted.search.checkpoints.as_deref()?;
        let number = checkpoints.begin();
        let dir = checkpoints.path().join(format!("search-{number}"));
        let header = header(checkpoints, admitted, space, question);
        Some(TeamJournal { checkpoints, number, dir, header, sound, part: None, totals: Vec::new() })
    }

    /// Whether its rows are collapsed.
    pub fn is_collapsed(&self) -> bool {
        self.header[1] == 1
    }

    /// From here on its rows are collapsed, and those of others do not count.
    pub fn collapse(&mut self) {
        self.header[1] = 1;
        self.part = None;
    }

    /// What workers have committed on this host, in order.
    pub fn parts(&self) -> Result<Vec<CommittedPart>, ExploreError> {
        let mut parts = Vec::new();
        for (run, path) in numbered_directories(&self.dir, "run-").map_err(unusable)? {
            for (worker, path) in numbered_directories(&path, "worker-").map_err(unusable)? {
                let Some(note) = Log::look(&path).map_err(unusable)? else { continue };
                let head = PartHead::take(&mut &note[..]).ok_or_else(|| {
                    unusable(format!("{}: what was committed here is of no such search", path.display()))
                })?;
                parts.push(CommittedPart { run, worker, head });
            }
        }
        parts.sort_by_key(|part| (part.run, part.worker));
        Ok(parts)
    }

    /// Reads what a worker has committed.
    pub fn open<'l>(
        &self,
        (run, worker): (u64, u64),
        space: &'l dyn Space,
        question: &Question,
    ) -> Result<PartReading<'l>, ExploreError> {
        let dir = self.part_path(run, worker);
        let mut journal =
            Journal::open(self.checkpoints, (self.number, &dir), self.header.clone(), self.sound)?;
        let (mut found, mut bytes) = (None, Vec::new());
        let reading = journal.reading_from(space, |note| {
            let mut rest = note;
            let head = PartHead::take(&mut rest)?;
            bytes = rest.to_vec();
            let totals = Totals::read(rest, space, question).filter(|totals| totals.depth == head.depth())?;
            let first = head.first;
            found = Some(head);
            Some((first, totals))
        });
        match (reading.map_err(error_of)?, found) {
            (Some(reading), Some(head)) => Ok(PartReading { reading, ahead: None, head, totals: bytes }),
            _ => Err(unusable(format!("{}: what was committed here is gone", dir.display()))),
        }
    }

    /// Begins the part of a worker in a run, after what is said of that run.
    pub fn begin(&mut self, (run, worker): (u64, u64), head: PartHead) -> Result<(), ExploreError> {
        let dir = self.part_path(run, worker);
        let mut journal =
            Journal::open(self.checkpoints, (self.number, &dir), self.header.clone(), self.sound)?;
        journal.earlier = head.after > 0;
        self.part = Some((journal, PartHead { collapsed: self.is_collapsed(), ..head }));
        Ok(())
    }

    /// Writes all states that this worker has at a depth; the layout is that of now.
    pub fn append<K: Key>(
        &mut self,
        space: &dyn Space,
        depth: u64,
        (chunks, layout): (&[Chunk<K>], &Arc<KeyLayout>),
    ) {
        let Some((journal, head)) = &mut self.part else { return };
        match chunks {
            // Whoever reads it finds each depth, also one without states.
            [] => journal.append(
                space,
                depth,
                &[Chunk::<K> { layout: Arc::clone(layout), keys: Vec::new() }],
                1,
            ),
            chunks => journal.append(space, depth, chunks, 1),
        }
        head.sizes.push(chunks.iter().map(|chunk| chunk.keys.len() as u64).sum());
    }

    /// Says where all workers stand: at the depth whose states were written last, with so many states and these totals.
    pub fn stand(&mut self, stored: u64, level_sizes: &[u64], reports: [&LevelReport; 2]) {
        self.totals = write_totals([level_sizes.len() as u64, 0, stored], level_sizes, reports);
        self.restate();
    }

    fn restate(&mut self) {
        let Some((journal, head)) = &mut self.part else { return };
        let mut note = PartHead { commits: head.commits + 1, ..head.clone() }.write();
        note.extend(&self.totals);
        journal.stand(note);
    }

    /// Makes the last position count.
    pub fn commit(&mut self) {
        let Some((journal, head)) = &mut self.part else { return };
        head.commits += u64::from(journal.commit());
    }

    /// What went wrong since the last call, for the other workers.
    pub fn complaint(&self) -> Option<String> {
        let complaints = self.checkpoints.warnings();
        (!complaints.is_empty()).then(|| complaints.join("; "))
    }

    /// Commits the last position once more where it was the first commit of its run, so that whoever finds it knows that all
    /// workers have one.
    pub fn confirm(&mut self) {
        if self.part.as_ref().is_some_and(|(_, head)| head.commits == 1) {
            self.restate();
            self.commit();
        }
    }

    /// Whether everything that this worker searched so far can be relied upon.
    pub fn is_sound(&self) -> bool {
        (self.sound)()
    }

    /// Ends the journals of all workers, because one of them writes no more, and perhaps says why.
    pub fn end(&mut self, complaint: Option<String>) {
        self.part = None;
        complaint.into_iter().for_each(|complaint| self.checkpoints.warn(complaint));
    }

    fn part_path(&self, run: u64, worker: u64) -> PathBuf {
        self.dir.join(format!("run-{run}")).join(format!("worker-{worker}"))
    }
}

/// What was committed of a part, read depth by depth.
pub(crate) struct PartReading<'l> {
    reading: JournalReading<'l>,
    /// A block that was read and is of a later depth.
    ahead: Option<StateBlock>,
    pub head: PartHead,
    /// The totals of all workers at its depth, as they were written.
    pub totals: Vec<u8>,
}

impl PartReading<'_> {
    /// The next block of states at a depth; `None` after the last one. Depths are read in order, from the first on.
    pub fn block(&mut self, depth: u64) -> Result<Option<StateBlock>, ExploreError> {
        let block = match self.ahead.take() {
            Some(block) => Some(block),
            None => loop {
                match self.reading.next().map_err(error_of)? {
                    None => break None,
                    Some(Piece::Session) => {}
                    Some(Piece::States(block)) => break Some(block),
                }
            },
        };
        match block {
            Some(block) if block.depth == depth => return Ok(Some(block)),
            Some(block) if block.depth < depth => {
                return Err(error_of(self.reading.damaged("states are out of order")));
            }
            later => self.ahead = later,
        }
        let told = depth.checked_sub(self.head.first).and_then(|at| self.head.sizes.get(at as usize));
        match told == Some(&self.reading.size(depth)) {
            true => Ok(None),
            false => Err(error_of(self.reading.damaged("the states are not as many as were counted"))),
        }
    }

    /// Visits the rows of a block.
    pub fn rows(&self, block: &StateBlock, mut visit: impl FnMut(&[Id])) -> Result<(), ExploreError> {
        let visited = self.reading.rows::<BadBlock>(block, |row| {
            visit(row);
            Ok(())
        });
        visited.map_err(|why| error_of(self.reading.bad(&why)))
    }
}

/// The error of a journal that cannot be read.
fn error_of(failure: LoadFailure) -> ExploreError {
    match failure {
        LoadFailure::Error(error) => error,
        _ => unusable("a journal could not be read"),
    }
}
