//! The journal of a breadth-first search: what it must write down so that another process can go on where it stood. States
//! are written when they are found, chunk by chunk and in the order in which they will be expanded; a commit makes them count,
//! and says how far the search has come. A search that is resumed reads them back, with the ids of its own run, and neither
//! expands nor counts again what was expanded before.
//!
//! A disk that fails ends the journal and not the search: memory holds everything, and the last commit stays.
//!
//! Several workers that search together have a journal each ([`TeamJournal`]).

mod bytes;
mod checkpoints;
mod load;
mod reading;
mod states;
mod team;
mod totals;

pub use checkpoints::Checkpoints;
pub(crate) use load::{LoadFailure, LoadedSearch};
pub(crate) use reading::{BadBlock, JournalReading, Piece};
pub(crate) use team::{CommittedPart, PartHead, PartReading, TeamJournal};
pub(crate) use totals::{Totals, write_totals};

use crate::ExploreError;
use crate::admission::Admitted;
use crate::dictionary::PartsWriter;
use crate::layout::KeyLayout;
use crate::store::Key;
use crate::threads::over_pieces;
use crate::worker::Chunk;
use checkpoints::unusable;
use std::path::Path;
use std::sync::Arc;
use watchkeeper_disk::{DiskError, Log};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Parts, Shape, Space};

/// What the blocks of a journal are.
mod kind {
    /// Whose it is: the first block.
    pub(super) const HEADER: u8 = 1;
    /// From here on ids are those of another run.
    pub(super) const SESSION: u8 = 2;
    /// Contents of slots.
    pub(super) const PARTS: u8 = 3;
    /// The fields of the keys that follow.
    pub(super) const LAYOUT: u8 = 4;
    /// States of one depth.
    pub(super) const STATES: u8 = 5;
}

/// The version of what is in the blocks.
const FORMAT: u8 = 1;
/// Bytes of contents that are collected before they become a block.
const TOLD: usize = 1 << 20;
/// Chunks that threads pack before they are written, and those that are worth a thread.
const TOGETHER: usize = 256;
const WORTH_A_THREAD: usize = 4;

/// A chunk on its way into the log.
struct PackedChunk {
    states: Vec<u8>,
    untold: Vec<Vec<Id>>,
}

/// What a search writes down, if it does.
pub(crate) enum SearchJournal<'c> {
    Without,
    /// One process searches.
    Alone(Journal<'c>),
    /// This is one of several workers.
    Together(TeamJournal<'c>),
}

impl<'c> SearchJournal<'c> {
    /// The journal of an admitted search that begins now, alone or on several workers, if it shall have one. It is committed
    /// only while what was searched so far is sound.
    pub fn of(
        admitted: &'c Admitted,
        space: &dyn Space,
        question: &Question,
        (sound, alone): (&'c dyn Fn() -> bool, bool),
    ) -> Result<SearchJournal<'c>, ExploreError> {
        Ok(match alone {
            true => Journal::of(admitted, space, question, sound)?
                .map_or(SearchJournal::Without, SearchJournal::Alone),
            false => {
                let journal = TeamJournal::of(admitted, space, question, sound);
                journal.map_or(SearchJournal::Without, SearchJournal::Together)
            }
        })
    }

    /// Forgets everything, because the search begins again with collapsed rows; unless it had them before.
    pub fn collapse(&mut self) {
        match self {
            SearchJournal::Without => {}
            SearchJournal::Alone(journal) => journal.collapse(),
            SearchJournal::Together(journal) => journal.collapse(),
        }
    }
}

/// The journal of one search.
pub(crate) struct Journal<'c> {
    log: Log,
    checkpoints: &'c Checkpoints,
    number: usize,
    /// Format, whether rows are collapsed, and the words that name the search.
    header: Vec<u8>,
    writer: PartsWriter,
    layout: Option<Arc<KeyLayout>>,
    /// How far the search has come in what was appended, if that is farther than the last commit.
    position: Option<Vec<u8>>,
    /// Whether this session has begun in the log.
    begun: bool,
    /// Whether everything that was searched so far can be relied upon.
    sound: &'c dyn Fn() -> bool,
    /// Whether an earlier run has left a checkpoint that stays.
    earlier: bool,
    dead: bool,
}

impl<'c> Journal<'c> {
    /// The journal of an admitted search that begins now, if it shall have one.
    pub fn of(
        admitted: &'c Admitted,
        space: &dyn Space,
        question: &Question,
        sound: &'c dyn Fn() -> bool,
    ) -> Result<Option<Journal<'c>>, ExploreError> {
        let Some(checkpoints) = &admitted.search.checkpoints else { return Ok(None) };
        let number = checkpoints.begin();
        let dir = checkpoints.path().join(format!("search-{number}"));
        let header = header(checkpoints, admitted, space, question);
        Journal::open(checkpoints, (number, &dir), header, sound).map(Some)
    }

    /// The journal in a directory, of the search with this header: empty, or that of a search with the same one that was
    /// interrupted.
    fn open(
        checkpoints: &'c Checkpoints,
        (number, dir): (usize, &Path),
        header: Vec<u8>,
        sound: &'c dyn Fn() -> bool,
    ) -> Result<Journal<'c>, ExploreError> {
        let log = Log::open(dir, checkpoints.most()).map_err(unusable)?;
        let mut journal = Journal {
            log,
            checkpoints,
            number,
            header,
            writer: PartsWriter::new(),
            layout: None,
            position: None,
            begun: false,
            sound,
            earlier: false,
            dead: false,
        };
        journal.identify()?;
        Ok(journal)
    }

    /// Refuses the journal of another search.
    fn identify(&mut self) -> Result<(), ExploreError> {
        if self.log.note().is_none() {
            return Ok(());
        }
        let (mut reader, mut first) = (self.log.read().map_err(unusable)?, Vec::new());
        let found = reader.next(&mut first).map_err(unusable)?;
        let same = |first: &[u8]| match (first, &self.header[..]) {
            ([format, _, name @ ..], [own, _, own_name @ ..]) => format == own && name == own_name,
            _ => false,
        };
        if found != Some(kind::HEADER) || !same(&first) {
            return Err(ExploreError::Checkpoint(format!(
                "{}: this is the checkpoint of another search, or of another version of the program\n  Nothing was \
                 searched. Resume it with the program and the command that wrote it, or begin anew with another directory.",
                self.log.path().display()
            )));
        }
        self.header = first;
        Ok(())
    }

    /// Whether its rows are collapsed.
    pub fn is_collapsed(&self) -> bool {
        self.header[1] == 1
    }

    /// Forgets everything, because the search begins again with collapsed rows; unless it had them before.
    pub fn collapse(&mut self) {
        if self.is_collapsed() {
            return;
        }
        self.header[1] = 1;
        self.forget_run();
        let done = self.log.restart();
        self.heed(done);
    }

    /// What a new run must not rely on: the ids and the layouts of the one before.
    fn forget_run(&mut self) {
        (self.writer, self.layout, self.begun, self.position) = (PartsWriter::new(), None, false, None);
    }

    /// Writes the states of some chunks, found at this depth, by so many threads. They are expanded in this order.
    pub fn append<K: Key>(&mut self, space: &dyn Space, depth: u64, chunks: &[Chunk<K>], workers: usize) {
        let Some(parts) = space.parts() else { return };
        for chunks in chunks.chunks(TOGETHER) {
            if self.dead {
                return;
            }
            let workers = workers.min(chunks.len() / WORTH_A_THREAD).max(1);
            let writer = &self.writer;
            let visit = |own: &mut Vec<_>, place: usize| {
                own.push((place, packed(parts, writer, depth, &chunks[place])))
            };
            let mut packed: Vec<(usize, PackedChunk)> =
                over_pieces(workers, chunks.len(), Vec::new, visit).into_iter().flatten().collect();
            packed.sort_unstable_by_key(|(place, _)| *place);
            let mut packed = packed.iter().zip(chunks);
            let done = packed.try_for_each(|((_, packed), chunk)| self.write(parts, chunk, packed));
            self.heed(done);
        }
    }

    fn write<K: Key>(
        &mut self,
        parts: &dyn Parts,
        chunk: &Chunk<K>,
        packed: &PackedChunk,
    ) -> Result<(), DiskError> {
        if !self.begun {
            self.begun = true;
            if self.log.bytes() == 0 {
                self.log.append(kind::HEADER, &self.header)?;
            }
            self.log.append(kind::SESSION, &[])?;
        }
        let mut bytes = Vec::new();
        if self.layout.as_ref().is_none_or(|layout| !Arc::ptr_eq(layout, &chunk.layout)) {
            states::write_layout(&chunk.layout, &mut bytes);
            self.log.append(kind::LAYOUT, &bytes)?;
            self.layout = Some(Arc::clone(&chunk.layout));
            bytes.clear();
        }
        for row in &packed.untold {
            self.writer.describe(parts, row, &mut bytes);
            if bytes.len() >= TOLD {
                self.log.append(kind::PARTS, &bytes)?;
                bytes.clear();
            }
        }
        if !bytes.is_empty() {
            self.log.append(kind::PARTS, &bytes)?;
        }
        self.log.append(kind::STATES, &packed.states)
    }

    /// Says how far the search has come in what was appended, by [`write_totals`].
    pub fn stand(&mut self, totals: Vec<u8>) {
        self.position = Some(totals);
    }

    /// Makes the last position count, with all that was appended before it. Nothing may have been appended since. Whether
    /// there was a position, and all went well.
    pub fn commit(&mut self) -> bool {
        let Some(position) = self.position.take().filter(|_| !self.dead) else { return false };
        if !(self.sound)() {
            self.dead = true;
            return false;
        }
        let done = self.log.commit(&position);
        self.heed(done);
        !self.dead
    }

    /// Ends the journal where the disk failed.
    pub fn heed(&mut self, done: Result<(), DiskError>) {
        let Err(why) = done else { return };
        self.dead = true;
        let stays = match self.earlier || self.log.note().is_some() {
            true => "the last one that is complete stays and can be resumed",
            false => "there is none that could be resumed",
        };
        let number = self.number;
        self.checkpoints.warn(format!("no more checkpoints of search {number} were written: {why}; {stays}"));
    }
}

/// What names a search: the format, whether its rows are collapsed, the command, the question and the space.
fn header(checkpoints: &Checkpoints, admitted: &Admitted, space: &dyn Space, question: &Question) -> Vec<u8> {
    let (asked, Shape { slots, atoms, classes, caps, .. }) = (&admitted.asked, space.shape());
    let mut header = vec![FORMAT, 0];
    header.extend_from_slice(checkpoints.identity().as_bytes());
    let what = format!("\n{question:?}\n{asked:?}\n{slots:?}\n{atoms:?}\n{classes:?}\n{caps:?}");
    header.extend_from_slice(what.as_bytes());
    header
}

/// The bytes of a chunk, and its rows with contents that were not told.
fn packed<K: Key>(parts: &dyn Parts, writer: &PartsWriter, depth: u64, chunk: &Chunk<K>) -> PackedChunk {
    let (mut row, mut untold) = (vec![0; chunk.layout.largest().len()], Vec::new());
    for &key in &chunk.keys {
        chunk.layout.decode(key, &mut row);
        if !writer.knows(parts, &row) {
            untold.push(row.clone());
        }
    }
    PackedChunk { states: states::packed(depth, &chunk.keys), untold }
}
