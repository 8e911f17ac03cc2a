//! Reading a journal back: the states with their depths go into the store, with the ids of this run; those that wait to be
//! expanded make the piles of the present depth and the next. Whatever does not fit together is an error with the place, and
//! never a state less.

use super::checkpoints::unusable;
use super::states::{read_head, read_layout, read_rows};
use super::{Journal, Totals, kind};
use crate::ExploreError;
use crate::dictionary::{BadParts, PartsReader};
use crate::layout::KeyLayout;
use crate::search::{Progress, ProgressCallback};
use crate::store::Key;
use crate::threads::over_pieces;
use crate::visited::{Full, Visited};
use crate::worker::Chunk;
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_disk::LogReader;
use watchkeeper_logic::{Limit, Question};
use watchkeeper_space::{Id, Parts, Space};

/// Blocks that threads read together.
const TOGETHER: usize = 64;

/// Where a search goes on.
pub(crate) struct LoadedSearch<K> {
    pub totals: Totals,
    /// The states of the present depth that are still to be expanded, in the order of the journal.
    pub now: Vec<Chunk<K>>,
    /// Those of the next depth that are known, in the same order.
    pub next: Vec<Chunk<K>>,
}

/// Why a search cannot go on.
pub(crate) enum LoadFailure {
    /// The journal is damaged or does not fit.
    Error(ExploreError),
    /// The store has no room for these states.
    Full(Full),
    /// The callback ended it.
    Stopped(Limit),
}

impl From<Full> for LoadFailure {
    fn from(full: Full) -> LoadFailure {
        LoadFailure::Full(full)
    }
}

impl Journal<'_> {
    /// Goes back to the last commit, and reads what was committed into an empty store; `None` if nothing was.
    pub fn load<K: Key>(
        &mut self,
        space: &dyn Space,
        question: &Question,
        visited: &Visited<K>,
        (workers, callback): (usize, &dyn ProgressCallback),
    ) -> Result<Option<LoadedSearch<K>>, LoadFailure> {
        let failed = |why: &dyn std::fmt::Display| LoadFailure::Error(unusable(why));
        self.forget_run();
        if self.dead {
            return Ok(None);
        }
        self.log.rewind().map_err(|why| failed(&why))?;
        let (Some(note), Some(parts)) = (self.log.note(), space.parts()) else { return Ok(None) };
        let reader = self.log.read().map_err(|why| failed(&why))?;
        let Some(totals) = Totals::read(note, space, question) else {
            return Err(failed(&reader.damaged("the note of the last commit does not fit this search")));
        };
        let mut load = Load {
            space,
            parts,
            visited,
            workers,
            callback,
            reader,
            totals,
            dictionary: PartsReader::new(),
            layout: None,
            batch: Vec::new(),
            sizes: Vec::new(),
            initial: Vec::new(),
            now: Vec::new(),
            next: Vec::new(),
        };
        load.all()?;
        Ok(Some(LoadedSearch { totals: load.totals, now: load.now, next: load.next }))
    }
}

/// One reading.
struct Load<'l, K> {
    space: &'l dyn Space,
    parts: &'l dyn Parts,
    visited: &'l Visited<K>,
    workers: usize,
    callback: &'l dyn ProgressCallback,
    reader: LogReader,
    totals: Totals,
    dictionary: PartsReader,
    layout: Option<Arc<KeyLayout>>,
    batch: Vec<StateBlock>,
    /// The number of states at each depth so far.
    sizes: Vec<u64>,
    initial: Vec<Vec<Id>>,
    now: Vec<Chunk<K>>,
    next: Vec<Chunk<K>>,
}

/// A block of states that was read and not yet taken in.
struct StateBlock {
    layout: Arc<KeyLayout>,
    count: usize,
    bytes: Vec<u8>,
    use_as: Use,
}

/// What states are needed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The store alone.
    Known,
    /// The pile of the present depth.
    Now,
    /// The pile of the next depth.
    Next,
}

/// The states of a block in this run: their rows, where these are needed, and else only in the store.
type TakenIn<K> = Result<(Vec<Vec<Id>>, Chunk<K>), BadBlock>;

/// Why a block cannot be taken in.
enum BadBlock {
    Full(Full),
    Parts(BadParts),
    Twice,
    NoStates,
}

impl<K: Key> Load<'_, K> {
    fn all(&mut self) -> Result<(), LoadFailure> {
        let mut payload = Vec::new();
        while let Some(kind) = self.reader.next(&mut payload).map_err(|why| self.failed(why))? {
            match kind {
                kind::HEADER => {}
                kind::SESSION => {
                    self.take_in()?;
                    (self.dictionary, self.layout) = (PartsReader::new(), None);
                }
                kind::PARTS => {
                    let learned = self.dictionary.learn(self.parts, &payload);
                    learned.map_err(|why| self.damaged(&why.to_string()))?;
                }
                kind::LAYOUT => {
                    let layout = read_layout(&payload, self.slots());
                    let layout = layout.ok_or_else(|| self.damaged("a layout of keys is none"))?;
                    self.layout = Some(Arc::new(layout));
                }
                kind::STATES => self.states(&payload)?,
                _ => return Err(self.damaged("a block is of an unknown kind")),
            }
        }
        self.take_in()?;
        self.fits()
    }

    /// Puts a block of states aside until there are enough of them.
    fn states(&mut self, payload: &[u8]) -> Result<(), LoadFailure> {
        let mut rest = payload;
        let head = read_head(&mut rest).zip(self.layout.clone());
        let Some(((depth, count), layout)) = head else {
            return Err(self.damaged("a block of states is none"));
        };
        let present = self.totals.depth;
        if depth > present + 1 || depth > self.sizes.len() as u64 || depth + 1 < self.sizes.len() as u64 {
            return Err(self.damaged("states are out of order"));
        }
        if depth == self.sizes.len() as u64 {
            self.take_in()?;
            self.sizes.push(0);
            // Their depth must fit beside them, like the one after it.
            self.visited.widen(&vec![0; self.slots()], depth + 2)?;
        }
        let before = self.sizes[depth as usize];
        self.sizes[depth as usize] = before + count as u64;
        let expanded = depth < present || depth == present && before < self.totals.done;
        if expanded && depth == present && before + count as u64 > self.totals.done {
            return Err(self.damaged("a block of states was expanded in part"));
        }
        let use_as = match depth {
            _ if expanded => Use::Known,
            _ if depth == present => Use::Now,
            _ => Use::Next,
        };
        self.batch.push(StateBlock { layout, count, bytes: rest.to_vec(), use_as });
        if self.batch.len() >= TOGETHER { self.take_in() } else { Ok(()) }
    }

    /// Takes in the blocks that were put aside, all of the depth that was begun last.
    fn take_in(&mut self) -> Result<(), LoadFailure> {
        let Some(depth) = self.sizes.len().checked_sub(1).map(|depth| depth as u64) else { return Ok(()) };
        let batch = std::mem::take(&mut self.batch);
        let visit = |own: &mut Vec<(usize, TakenIn<K>)>, place: usize| {
            own.push((place, self.block(&batch[place], depth)));
        };
        let mut taken = over_pieces(self.workers, batch.len(), Vec::new, visit);
        let mut taken: Vec<(usize, TakenIn<K>)> = taken.drain(..).flatten().collect();
        taken.sort_unstable_by_key(|(place, _)| *place);
        for (place, block) in taken {
            let (rows, chunk) = block.map_err(|bad| match bad {
                BadBlock::Full(full) => LoadFailure::Full(full),
                BadBlock::Parts(why) => self.damaged(&why.to_string()),
                BadBlock::Twice => self.damaged("a state is there twice"),
                BadBlock::NoStates => self.damaged("a block of states is none"),
            })?;
            if depth == 0 {
                self.initial.extend(rows);
            }
            match batch[place].use_as {
                Use::Known => {}
                Use::Now => self.now.push(chunk),
                Use::Next => self.next.push(chunk),
            }
        }
        self.look(depth)
    }

    /// Takes in one block.
    fn block(&self, block: &StateBlock, depth: u64) -> TakenIn<K> {
        let keep = depth == 0 || block.use_as != Use::Known;
        let mut rows = Vec::with_capacity(if keep { block.count } else { 0 });
        let visit = |row: &mut [Id]| {
            self.dictionary.translate(self.parts, row).map_err(BadBlock::Parts)?;
            if !self.visited.add_row(row, depth + 1).map_err(BadBlock::Full)? {
                return Err(BadBlock::Twice);
            }
            if keep {
                rows.push(row.to_vec());
            }
            Ok(())
        };
        read_rows(&block.bytes, block.count, (&block.layout, self.slots()), visit)
            .unwrap_or(Err(BadBlock::NoStates))?;
        // Every row is in the store, so the layout of now has room for it.
        let layout = Arc::clone(&self.visited.open().layout);
        let keys = rows.iter().map(|row| layout.encode(row)).collect::<Option<Vec<K>>>();
        Ok((rows, Chunk { layout, keys: keys.ok_or(BadBlock::NoStates)? }))
    }

    /// Whether what was read is what the totals say, and begins where this space does.
    fn fits(&mut self) -> Result<(), LoadFailure> {
        let Totals { depth, done, stored, level_sizes, .. } = &self.totals;
        let at = |depth: u64| self.sizes.get(depth as usize).copied().unwrap_or(0);
        let counted = level_sizes.iter().eq(self.sizes.iter().take(level_sizes.len()))
            && *done <= at(*depth)
            && *stored == self.sizes.iter().sum::<u64>()
            && *stored == self.visited.len();
        if !counted {
            return Err(self.damaged("the states are not as many as were counted"));
        }
        let mut initial = self.space.initial();
        initial.sort();
        initial.dedup();
        self.initial.sort();
        if initial != self.initial {
            return Err(self.damaged("the initial states are not those of this search"));
        }
        Ok(())
    }

    /// Checks memory, and calls the callback.
    fn look(&self, depth: u64) -> Result<(), LoadFailure> {
        let piles = self.now.iter().chain(&self.next).map(|chunk| chunk.keys.capacity() * size_of::<K>());
        self.visited.beside((piles.sum::<usize>() + self.space.bytes()) as u64)?;
        let progress = Progress {
            distinct_states: self.visited.len(),
            transitions: self.totals.all.steps + self.totals.part.steps,
            depth,
            queue: self.totals.stored - self.visited.len().min(self.totals.stored),
            bytes: self.visited.bytes(),
        };
        match self.callback.on_progress(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(limit) => Err(LoadFailure::Stopped(limit)),
        }
    }

    fn slots(&self) -> usize {
        self.space.shape().slots.len()
    }

    fn damaged(&self, what: &str) -> LoadFailure {
        self.failed(self.reader.damaged(what))
    }

    fn failed(&self, why: watchkeeper_disk::DiskError) -> LoadFailure {
        LoadFailure::Error(unusable(why))
    }
}
