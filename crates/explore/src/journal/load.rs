//! Reading a journal back into memory: the states with their depths go into the store, with the ids of this run; those that
//! wait to be expanded make the piles of the present depth and the next.

use super::reading::{BadBlock, JournalReading, Piece, StateBlock};
use super::{Journal, Totals};
use crate::ExploreError;
use crate::search::{Progress, ProgressCallback};
use crate::store::Key;
use crate::threads::over_pieces;
use crate::visited::{Full, Visited};
use crate::worker::Chunk;
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_logic::{Limit, Question};
use watchkeeper_space::{Id, Space};

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
        let Some(reading) = self.reading(space, question)? else { return Ok(None) };
        let mut load = Load {
            space,
            visited,
            workers,
            callback,
            reading,
            depth: None,
            batch: Vec::new(),
            initial: Vec::new(),
            now: Vec::new(),
            next: Vec::new(),
        };
        load.all()?;
        Ok(Some(LoadedSearch { totals: load.reading.totals, now: load.now, next: load.next }))
    }
}

/// One reading.
struct Load<'l, K> {
    space: &'l dyn Space,
    visited: &'l Visited<K>,
    workers: usize,
    callback: &'l dyn ProgressCallback,
    reading: JournalReading<'l>,
    /// The depth that was begun last.
    depth: Option<u64>,
    batch: Vec<StateBlock>,
    initial: Vec<Vec<Id>>,
    now: Vec<Chunk<K>>,
    next: Vec<Chunk<K>>,
}

/// The states of a block in this run: their rows, where these are needed, and else only in the store.
type TakenIn<K> = Result<(Vec<Vec<Id>>, Chunk<K>), Refused>;

/// Why a block cannot be taken in.
enum Refused {
    Full(Full),
    Bad(BadBlock),
    Twice,
}

impl From<BadBlock> for Refused {
    fn from(bad: BadBlock) -> Refused {
        Refused::Bad(bad)
    }
}

impl<K: Key> Load<'_, K> {
    fn all(&mut self) -> Result<(), LoadFailure> {
        while let Some(piece) = self.reading.next()? {
            match piece {
                Piece::Session => self.take_in()?,
                Piece::States(block) => self.states(block)?,
            }
        }
        self.take_in()?;
        self.reading.fits(self.visited.len(), std::mem::take(&mut self.initial))
    }

    /// Puts a block of states aside until there are enough of them.
    fn states(&mut self, block: StateBlock) -> Result<(), LoadFailure> {
        if self.depth != Some(block.depth) {
            self.take_in()?;
            self.depth = Some(block.depth);
            // Their depth must fit beside them, like the one after it.
            self.visited.widen(&vec![0; self.space.shape().slots.len()], block.depth + 2)?;
        }
        self.batch.push(block);
        if self.batch.len() >= TOGETHER { self.take_in() } else { Ok(()) }
    }

    /// Takes in the blocks that were put aside, all of the depth that was begun last.
    fn take_in(&mut self) -> Result<(), LoadFailure> {
        let Some(depth) = self.depth else { return Ok(()) };
        let batch = std::mem::take(&mut self.batch);
        let visit = |own: &mut Vec<(usize, TakenIn<K>)>, place: usize| {
            own.push((place, self.block(&batch[place])));
        };
        let mut taken = over_pieces(self.workers, batch.len(), Vec::new, visit);
        let mut taken: Vec<(usize, TakenIn<K>)> = taken.drain(..).flatten().collect();
        taken.sort_unstable_by_key(|(place, _)| *place);
        for (place, block) in taken {
            let (rows, chunk) = block.map_err(|refused| match refused {
                Refused::Full(full) => LoadFailure::Full(full),
                Refused::Bad(why) => self.reading.bad(&why),
                Refused::Twice => self.reading.damaged("a state is there twice"),
            })?;
            if depth == 0 {
                self.initial.extend(rows);
            }
            match (batch[place].expanded, depth == self.reading.totals.depth) {
                (true, _) => {}
                (false, true) => self.now.push(chunk),
                (false, false) => self.next.push(chunk),
            }
        }
        self.look(depth)
    }

    /// Takes in one block.
    fn block(&self, block: &StateBlock) -> TakenIn<K> {
        let keep = block.depth == 0 || !block.expanded;
        let mut rows = Vec::with_capacity(if keep { block.count } else { 0 });
        self.reading.rows(block, |row| {
            if !self.visited.add_row(row, block.depth + 1).map_err(Refused::Full)? {
                return Err(Refused::Twice);
            }
            if keep {
                rows.push(row.to_vec());
            }
            Ok(())
        })?;
        // Every row is in the store, so the layout of now has room for it.
        let layout = Arc::clone(&self.visited.open().layout);
        let keys = rows.iter().map(|row| layout.encode(row)).collect::<Option<Vec<K>>>();
        Ok((rows, Chunk { layout, keys: keys.ok_or(BadBlock::NoStates)? }))
    }

    /// Checks memory, and calls the callback.
    fn look(&self, depth: u64) -> Result<(), LoadFailure> {
        let piles = self.now.iter().chain(&self.next).map(|chunk| chunk.keys.capacity() * size_of::<K>());
        self.visited.beside((piles.sum::<usize>() + self.space.bytes()) as u64)?;
        let totals = &self.reading.totals;
        let progress = Progress {
            distinct_states: self.visited.len(),
            transitions: totals.all.steps + totals.part.steps,
            depth,
            queue: totals.stored - self.visited.len().min(totals.stored),
            bytes: self.visited.bytes(),
        };
        match self.callback.on_progress(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(limit) => Err(LoadFailure::Stopped(limit)),
        }
    }
}
