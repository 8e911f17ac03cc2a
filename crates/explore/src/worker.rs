//! One thread of a breadth-first search. It takes chunks of the present depth from a shared pile,
//! expands their states, and adds what is new to the store and to the pile of the next depth. Successors
//! are collected in batches whose places in the table are asked for early, so that the misses overlap.

use crate::layout::KeyLayout;
use crate::level_report::LevelReport;
use crate::search::{Progress, ProgressCallback};
use crate::state_checker::StateChecker;
use crate::stop_signal::StopSignal;
use crate::store::{Insert, Key};
use crate::visited::{Full, Shelf, Visited};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockReadGuard};
use watchkeeper_logic::{Limit, Question};
use watchkeeper_space::{Action, AmpleSets, Edit, Expansion, Id, Space, SpaceQuery, Successors, apply};

/// Enough to have many misses under way, and few enough to stay in the first-level cache.
const BATCH: usize = 256;
/// Keys remembered by each worker; few enough for the first-level cache.
const RECENT: usize = 1 << 10;
/// States of one depth that one worker takes at a time.
pub(crate) const CHUNK: usize = 4096;

/// Bytes of states between two calls of the callback, and the most steps: a fraction of a second, and little memory, also
/// where rows are long and collapsed.
const LOOK_EVERY: (u64, u64) = (1 << 21, 1 << 13);

/// Some states of one depth, packed in the layout of their time.
pub(crate) struct Chunk<K> {
    pub layout: Arc<KeyLayout>,
    pub keys: Vec<K>,
}

/// A pile of chunks that workers take from and add to.
pub(crate) struct Pile<K>(Mutex<Vec<Chunk<K>>>);

impl<K> Pile<K> {
    pub fn new(chunks: Vec<Chunk<K>>) -> Pile<K> {
        Pile(Mutex::new(chunks))
    }

    fn take(&self) -> Option<Chunk<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn add(&self, chunk: Chunk<K>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }

    pub fn into_chunks(self) -> Vec<Chunk<K>> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The data that the workers of one depth share.
pub(crate) struct Level<'a, K> {
    pub space: &'a dyn Space,
    pub question: &'a Question,
    /// The query and its ample sets, under partial-order reduction.
    pub asked: Option<(&'a SpaceQuery, &'a dyn AmpleSets)>,
    pub visited: &'a Visited<K>,
    /// The states of this depth that are still to be expanded.
    pub now: Pile<K>,
    /// The states of the next depth that are known.
    pub next: Pile<K>,
    /// The bytes of both piles.
    pub queued: AtomicU64,
    /// How many states are still to be expanded at this depth.
    pub left: AtomicU64,
    /// The mark of the states of the next depth.
    pub mark: u64,
    /// Set when the states of the next depth are not needed any more.
    pub discard: AtomicBool,
    pub stop: StopSignal<Stop>,
    /// In a search with a journal: set when every worker shall finish the chunk that it has and take no other one, for a
    /// checkpoint or because of a limit.
    pub pause: Option<StopSignal<Option<Limit>>>,
    /// Transitions before this depth.
    pub transitions: u64,
    pub max_states: Option<u64>,
    /// States that one worker takes at a time.
    pub chunk: usize,
    /// Steps of one worker between two calls of the callback.
    pub look_every: u64,
}

/// Steps between two calls of the callback, where this is a state.
pub(crate) fn look_every(space: &dyn Space, row: &[Id]) -> u64 {
    let mut bytes = Vec::new();
    space.pack(row, &mut bytes);
    (LOOK_EVERY.0 / (bytes.len() as u64).max(1)).clamp(1, LOOK_EVERY.1)
}

/// Why a search ends before its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A limit of the user.
    Limit(Limit),
    /// The keys are too narrow for this space.
    TooWide,
}

impl<K: Key> Level<'_, K> {
    /// Whether no worker takes another chunk.
    fn is_over(&self) -> bool {
        self.stop.is_set() || self.pause.as_ref().is_some_and(StopSignal::is_set)
    }

    fn halt_full(&self, full: Full) {
        self.stop.set(full.limit().map_or(Stop::TooWide, Stop::Limit));
    }
}

/// One thread at one depth.
pub(crate) struct Worker<'l, 's, K: Key> {
    level: &'l Level<'s, K>,
    shelf: Option<RwLockReadGuard<'s, Shelf<K>>>,
    layout: Arc<KeyLayout>,
    epoch: u64,
    /// The state that is being expanded.
    base: K,
    /// Whether an action other than a fault is possible in it, or a cap cut one away.
    moves: bool,
    progress: [bool; 256],
    batch: Vec<K>,
    /// The batch before, with hashes, whose places in the table have been asked for.
    asked: Vec<(K, u64)>,
    /// The batch that is being added.
    due: Vec<(K, u64)>,
    /// Keys that were in a batch not long ago: most states are reached again soon after they
    /// were found, and this saves the way to the table.
    recent: Box<[K; RECENT]>,
    next: Vec<K>,
    /// Successors with an id that does not fit the layout.
    late: Vec<Vec<Id>>,
    row: Vec<Id>,
    /// Steps until the next call of the callback.
    until_look: u64,
    checker: StateChecker<'s>,
    report: LevelReport,
}

impl<'l, 's, K: Key> Worker<'l, 's, K> {
    /// A worker with nothing done.
    pub fn new(level: &'l Level<'s, K>) -> Worker<'l, 's, K> {
        let shape = level.space.shape();
        let mut progress = [true; 256];
        progress[..shape.classes.len()].copy_from_slice(&shape.progress());
        let (layout, epoch) = {
            let shelf = level.visited.open();
            (Arc::clone(&shelf.layout), shelf.epoch)
        };
        Worker {
            level,
            shelf: None,
            layout,
            epoch,
            base: K::ZERO,
            moves: false,
            progress,
            batch: Vec::with_capacity(BATCH),
            asked: Vec::with_capacity(BATCH),
            due: Vec::with_capacity(BATCH),
            recent: Box::new([K::NONE; RECENT]),
            next: Vec::with_capacity(level.chunk),
            late: Vec::new(),
            row: vec![0; shape.slots.len()],
            until_look: level.look_every,
            checker: StateChecker::new(level.space, level.question),
            report: LevelReport::new(level.space, level.question),
        }
    }

    /// Works until the depth is done or the stop signal is set.
    pub fn run(mut self, callback: &dyn ProgressCallback) -> LevelReport {
        while !self.level.is_over() {
            let Some(chunk) = self.level.now.take() else { break };
            self.reopen();
            self.expand_all(&chunk, callback);
            self.shelf = None;
            let freed = (chunk.keys.capacity() * size_of::<K>()) as u64;
            self.level.queued.fetch_sub(freed, Ordering::Relaxed);
            self.level.left.fetch_sub(chunk.keys.len() as u64, Ordering::Relaxed);
            self.look(callback);
        }
        self.reopen();
        self.flush();
        self.flush();
        self.shelf = None;
        self.hand_over();
        self.report.checked_by(self.checker)
    }

    fn expand_all(&mut self, chunk: &Chunk<K>, callback: &dyn ProgressCallback) {
        let (mut row, mut found) = (std::mem::take(&mut self.row), Successors::new());
        row.fill(0);
        for &key in &chunk.keys {
            chunk.layout.decode(key, &mut row);
            self.base = if Arc::ptr_eq(&chunk.layout, &self.layout) {
                key
            } else {
                self.layout.encode(&row).expect("layouts only grow")
            };
            let mut fine = self.checker.state(&row);
            self.expand(&row, &mut found);
            self.report.steps += found.len() as u64;
            self.report.expanded += 1;
            if !self.moves {
                fine &= self.checker.stuck(&row);
            }
            if !fine {
                self.level.discard.store(true, Ordering::Relaxed);
            }
            if !self.late.is_empty() {
                self.widen();
            }
            self.until_look = self.until_look.saturating_sub(found.len() as u64 + 1);
            if self.until_look == 0 {
                self.shelf = None;
                self.look(callback);
                self.reopen();
            }
            if self.level.stop.is_set() {
                break;
            }
        }
        self.row = row;
    }

    /// Takes the shelf again, and lays out anew what was packed for another layout.
    fn reopen(&mut self) {
        let shelf = self.level.visited.open();
        if shelf.epoch != self.epoch {
            self.hand_over();
            let relay = self.layout.onto(&shelf.layout);
            self.base = relay.key(self.base);
            self.batch.iter_mut().for_each(|key| *key = relay.key(*key));
            for (key, hash) in self.asked.iter_mut().chain(&mut self.due) {
                *key = relay.key(*key);
                *hash = shelf.table.hash(*key);
            }
            self.recent.fill(K::NONE);
            (self.layout, self.epoch) = (Arc::clone(&shelf.layout), shelf.epoch);
        }
        self.shelf = Some(shelf);
    }

    #[inline]
    fn push(&mut self, key: K) {
        if key == self.base {
            self.report.settled += 1;
            return;
        }
        let seen = &mut self.recent[key.spot()];
        if *seen == key {
            // It was in a batch at this depth, and is settled if that was.
            self.report.settled += 1;
            return;
        }
        *seen = key;
        self.batch.push(key);
        if self.batch.len() == BATCH {
            self.flush();
        }
    }

    /// Asks for the places of this batch, and adds the one before, whose places have come meanwhile. Asking
    /// for all at once lets the processor work on several misses of the translation buffer at a time.
    #[inline(never)]
    fn flush(&mut self) {
        std::mem::swap(&mut self.due, &mut self.asked);
        if let Some(shelf) = &self.shelf {
            // A table that could not grow has shards of two sizes.
            let whole = !shelf.broken;
            self.asked.extend(self.batch.drain(..).map(|key| {
                let hash = shelf.table.hash(key);
                if whole {
                    shelf.table.prefetch(hash);
                }
                (key, hash)
            }));
        }
        self.add_due();
    }

    /// Adds a batch to the store, and what is new in it to the next depth.
    fn add_due(&mut self) {
        if self.level.discard.load(Ordering::Relaxed) || self.level.stop.is_set() {
            return self.due.clear();
        }
        let Some(shelf) = self.shelf.as_ref().filter(|shelf| !shelf.broken) else {
            return self.due.clear();
        };
        let before = self.next.len();
        let (next, mut crowded) = (&mut self.next, Vec::new());
        shelf.table.insert_all(&self.due, self.level.mark, |found, key, hash| match found {
            Insert::Fresh => next.push(key),
            Insert::Known => {}
            Insert::Crowded => crowded.push((key, hash)),
        });
        self.report.settled += (self.due.len() - crowded.len()) as u64;
        let (added, places) = ((self.next.len() - before) as u64, shelf.table.places());
        let slack = (BATCH * 64) as u64;
        let mut grown = Ok(());
        if added > 0 && self.level.visited.counted(added, &shelf.table, slack) {
            self.shelf = None;
            grown = self.level.visited.grow(slack, self.level.mark);
        }
        if !crowded.is_empty() {
            self.shelf = None;
            grown = grown.and_then(|()| self.level.visited.uncrowd(places, self.level.mark));
        }
        self.due.clear();
        self.due.extend_from_slice(&crowded);
        if let Err(full) = grown {
            self.level.halt_full(full);
        }
        if self.shelf.is_none() {
            self.reopen();
        }
        if !self.due.is_empty() {
            return self.add_due();
        }
        if self.next.len() + BATCH >= self.level.chunk {
            self.hand_over();
        }
    }

    /// Gives the states found so far to the pile of the next depth.
    fn hand_over(&mut self) {
        if self.next.is_empty() {
            return;
        }
        let chunk = self.level.chunk;
        while self.next.len() > chunk {
            let keys = self.next.split_off(self.next.len() - chunk);
            self.add_chunk(keys);
        }
        let keys = std::mem::replace(&mut self.next, Vec::with_capacity(chunk));
        self.add_chunk(keys);
    }

    fn add_chunk(&self, keys: Vec<K>) {
        self.level.queued.fetch_add((keys.capacity() * size_of::<K>()) as u64, Ordering::Relaxed);
        self.level.next.add(Chunk { layout: Arc::clone(&self.layout), keys });
    }

    #[cold]
    fn widen(&mut self) {
        for row in std::mem::take(&mut self.late) {
            self.shelf = None;
            if let Err(full) = self.level.visited.widen(&row, self.level.mark) {
                self.level.halt_full(full);
                return self.reopen();
            }
            self.reopen();
            if let Some(key) = self.layout.encode(&row) {
                self.push(key);
            }
        }
    }

    /// Checks memory and limits, and calls the callback. This thread holds no guard of the store.
    fn look(&mut self, callback: &dyn ProgressCallback) {
        let level = self.level;
        self.until_look = level.look_every;
        let (queued, left) = (level.queued.load(Ordering::Relaxed), level.left.load(Ordering::Relaxed));
        if let Err(full) = level.visited.beside(queued + level.space.bytes() as u64) {
            level.halt_full(full);
        }
        let distinct_states = level.visited.len();
        // This depth is still expanded to its end, so that the result does not depend on threads.
        if level.max_states.is_some_and(|most| distinct_states > most) {
            level.discard.store(true, Ordering::Relaxed);
        }
        let progress = Progress {
            distinct_states,
            transitions: level.transitions + self.report.steps,
            depth: level.mark - 2,
            queue: left,
            bytes: level.visited.bytes(),
        };
        match (callback.on_progress(&progress), &level.pause) {
            (ControlFlow::Break(limit), None) => level.stop.set(Stop::Limit(limit)),
            (ControlFlow::Break(limit), Some(pause)) => pause.set(Some(limit)),
            (ControlFlow::Continue(()), Some(pause)) if callback.checkpoint_due() => pause.set(None),
            (ControlFlow::Continue(()), _) => {}
        }
    }
}

impl<K: Key> Worker<'_, '_, K> {
    /// Expands a state, fully or to an ample set, and takes its steps.
    fn expand(&mut self, row: &[Id], found: &mut Successors) {
        let space = self.level.space;
        found.clear();
        match self.level.asked {
            None => space.expand(row, found),
            Some((asked, ample)) => match ample.expand_ample(row, asked, found) {
                Expansion::Ample if self.leads_on(found) => self.report.partial.in_part += 1,
                given => {
                    self.report.partial.whole += 1;
                    if given == Expansion::Ample {
                        found.clear();
                        space.expand(row, found);
                    }
                }
            },
        }
        let moves = |(action, _): (Action, &[Edit])| self.progress[action.class() as usize];
        self.moves = !found.cuts().is_empty() || found.iter().any(moves);
        found.iter().for_each(|(action, edits)| self.step(action, edits));
        found.tallies().iter().for_each(|&(_, class)| self.report.counts[class as usize] += 1);
        found.cuts().iter().for_each(|&cap| self.report.cuts[cap] += 1);
    }

    #[inline]
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.report.counts[action.class() as usize] += 1;
        match self.layout.edited(self.base, edits) {
            Some(key) => self.push(key),
            None => self.put_off(edits),
        }
    }

    #[cold]
    fn put_off(&mut self, edits: &[Edit]) {
        let mut row = vec![0; self.level.space.shape().slots.len()];
        self.layout.decode(self.base, &mut row);
        self.late.push(apply(&row, edits));
    }

    /// Whether one of the steps that are progress leads to a state of the next depth. All states of lesser depths
    /// are in the table before this one begins, so the answer does not depend on what other threads have added.
    fn leads_on(&self, found: &Successors) -> bool {
        let Some(shelf) = self.shelf.as_ref().filter(|shelf| !shelf.broken) else { return false };
        let mut steps = found.iter().filter(|(action, _)| self.progress[action.class() as usize]);
        steps.any(|(_, edits)| {
            // What does not fit the layout was never stored.
            let Some(key) = self.layout.edited(self.base, edits) else { return true };
            key != self.base && shelf.table.depth(key).is_none_or(|mark| mark >= self.level.mark)
        })
    }
}
