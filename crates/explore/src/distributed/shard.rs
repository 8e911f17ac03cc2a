//! One worker's part of the states, and their way in and out: what belongs to others leaves in batches, with the contents
//! that the receiver has not been told yet; what arrives is translated once and added like a state of its own.

mod travel;

use super::incoming::Incoming;
use super::owner::Owners;
use super::sums::Halted;
use super::{Exchange, Travelling};
use crate::dictionary::PartsWriter;
use crate::layout::KeyLayout;
use crate::store::{Insert, Key};
use crate::visited::{Full, Visited};
use crate::worker::{CHUNK, Chunk};
use std::sync::Arc;
use watchkeeper_space::{Edit, Id, Parts};

/// Keys that are added together: enough to have many misses under way.
const BATCH: usize = 256;
/// States whose places in the list of keys that have left are looked at together, for the same reason; one bit each.
const LOOKED: usize = 64;
/// States that leave together.
const SHIPPED: usize = 2048;
/// The places of the list of keys that were looked at not long ago: few enough for the first-level cache.
const RECENT: usize = 1 << 10;
/// The least and the most places of the list of keys that have left; between them there are half as many as states here.
/// More would not stay in the second-level cache, and to miss there costs more than to send some states twice.
const SENT: (usize, usize) = (1 << 12, 1 << 16);

/// The states of one worker.
pub(super) struct StateShard<'s, K> {
    pub parts: &'s dyn Parts,
    pub visited: Visited<K>,
    pub owners: Owners<'s>,
    pub layout: Arc<KeyLayout>,
    /// The states of the next depth that are known here.
    pub next: Vec<Chunk<K>>,
    /// The mark of the states of the next depth.
    pub mark: u64,
    /// The state that is being expanded.
    pub base: K,
    /// Set when the states of the next depth are not needed any more.
    pub discard: bool,
    /// Set when another worker has stopped.
    pub called_off: bool,
    pub halted: Option<Halted>,
    /// Steps whose target is certainly stored.
    pub settled: u64,
    /// States that this worker has read from a checkpoint.
    pub read: u64,
    me: usize,
    slots: usize,
    fresh: Vec<K>,
    batch: Vec<K>,
    hashed: Vec<(K, u64)>,
    recent: Box<[K]>,
    sent: Box<[K]>,
    candidates: Vec<Candidate<K>>,
    outgoing: Vec<Outgoing<K>>,
    incoming: Vec<Incoming<K>>,
    after: Vec<Id>,
}

/// A state of another worker, which has perhaps left already.
struct Candidate<K> {
    key: K,
    hash: u64,
    /// Its table, if it is known.
    table: Option<Id>,
}

/// States on their way to a worker.
struct Outgoing<K> {
    told: Vec<u8>,
    keys: Vec<K>,
    /// The table of these states, unless they are of several.
    table: OutgoingTable,
    writer: PartsWriter,
}

/// Of which table states are that leave together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutgoingTable {
    /// There are none yet.
    Open,
    /// All of this one.
    Only(Id),
    /// Of several, or nobody knows.
    Mixed,
}

impl<'s, K: Key> StateShard<'s, K> {
    /// A shard without states.
    pub fn new(
        travelling: Travelling<'s>,
        parts: &'s dyn Parts,
        visited: Visited<K>,
        (me, workers): (usize, usize),
    ) -> StateShard<'s, K> {
        let layout = Arc::clone(&visited.open().layout);
        let outgoing = || Outgoing {
            told: Vec::new(),
            keys: Vec::new(),
            table: OutgoingTable::Open,
            writer: PartsWriter::new(),
        };
        StateShard {
            parts,
            visited,
            owners: Owners::new(travelling, parts, workers),
            layout,
            next: Vec::new(),
            mark: 1,
            base: K::ZERO,
            discard: false,
            called_off: false,
            halted: None,
            settled: 0,
            read: 0,
            me,
            slots: travelling.space.shape().slots.len(),
            fresh: Vec::new(),
            batch: Vec::with_capacity(BATCH),
            hashed: Vec::with_capacity(BATCH),
            recent: vec![K::NONE; RECENT].into(),
            sent: vec![K::NONE; SENT.0].into(),
            candidates: Vec::with_capacity(LOOKED),
            outgoing: (0..workers).map(|_| outgoing()).collect(),
            incoming: (0..workers).map(|_| Incoming::default()).collect(),
            after: vec![0; travelling.space.shape().slots.len()],
        }
    }

    /// Whether nothing more is to be done at this depth.
    pub fn is_over(&self) -> bool {
        self.called_off || self.halted.is_some()
    }

    /// Whether states with this hash belong here.
    pub fn owns(&self, hash: u64) -> bool {
        self.owners.owner(hash) == self.me
    }

    /// Ends the work of this worker; the first reason stays.
    pub fn halt(&mut self, why: Halted) {
        self.halted.get_or_insert(why);
    }

    fn halt_full(&mut self, full: Full) {
        self.halt(full.limit().map_or(Halted::TooWide, Halted::Limit));
    }

    /// Takes a step: `row` is the state that it leaves, and `from` its hash.
    #[inline]
    pub fn step(
        &mut self,
        row: &[Id],
        base: super::owner::Base,
        edits: &[Edit],
        exchange: &mut dyn Exchange,
    ) {
        let key = match self.layout.edited(self.base, edits) {
            Some(key) => key,
            None => match self.widened(row, edits) {
                Some(key) => key,
                None => return,
            },
        };
        if key == self.base {
            self.settled += 1;
            return;
        }
        let seen = &mut self.recent[key.spot()];
        if *seen == key {
            self.settled += 1;
            return;
        }
        *seen = key;
        let (hash, alike) = self.owners.edited(base, row, edits);
        let owner = self.owners.owner(hash);
        if owner == self.me {
            return self.add(key);
        }
        self.candidates.push(Candidate { key, hash, table: alike.then_some(base.table) });
        if self.candidates.len() == LOOKED {
            self.leave(exchange);
        }
    }

    /// Puts the states of other workers that have not left not long ago on their way.
    fn leave(&mut self, exchange: &mut dyn Exchange) {
        let mut candidates = std::mem::take(&mut self.candidates);
        let last = self.sent.len() - 1;
        // Without a branch in between, so that many misses are under way.
        let known = candidates.iter().enumerate().fold(0u64, |known, (number, candidate)| {
            known | u64::from(self.sent[candidate.hash as usize & last] == candidate.key) << number
        });
        for (number, Candidate { key, hash, table }) in candidates.drain(..).enumerate() {
            let sent = &mut self.sent[hash as usize & last];
            if known >> number & 1 == 1 || *sent == key {
                self.settled += 1;
                continue;
            }
            *sent = key;
            if self.discard {
                continue;
            }
            self.layout.decode(key, &mut self.after);
            self.put(self.owners.owner(hash), key, table, exchange);
        }
        self.candidates = candidates;
    }

    /// Puts the state whose row was laid out last on its way to its owner.
    #[inline]
    fn put(&mut self, owner: usize, key: K, table: Option<Id>, exchange: &mut dyn Exchange) {
        let out = &mut self.outgoing[owner];
        out.writer.describe(self.parts, &self.after, &mut out.told);
        out.keys.push(key);
        out.table = match (out.table, table) {
            (OutgoingTable::Open, Some(table)) => OutgoingTable::Only(table),
            (OutgoingTable::Only(before), Some(table)) if table == before => out.table,
            _ => OutgoingTable::Mixed,
        };
        if out.keys.len() == SHIPPED {
            self.ship(owner, exchange);
        }
    }

    #[cold]
    fn widened(&mut self, row: &[Id], edits: &[Edit]) -> Option<K> {
        let after = watchkeeper_space::apply(row, edits);
        self.widen(&after, self.mark);
        self.layout.encode(&after)
    }

    /// Adds a state of this worker.
    #[inline]
    pub fn add(&mut self, key: K) {
        self.batch.push(key);
        if self.batch.len() == BATCH {
            self.flush();
        }
    }

    /// Adds a state of this worker that may not fit the layout.
    pub fn add_row(&mut self, row: &[Id]) {
        if let Some(key) = self.key_of(row) {
            self.add(key);
        }
    }

    /// Takes in a state of a checkpoint: here, or on its way to its owner.
    pub fn place(&mut self, row: &[Id], exchange: &mut dyn Exchange) {
        let hash = self.owners.hash(row);
        let owner = self.owners.owner(hash);
        if owner == self.me {
            return self.add_row(row);
        }
        if let Some(key) = self.key_of(row) {
            self.after.copy_from_slice(row);
            self.put(owner, key, None, exchange);
        }
    }

    /// The key of a row that may not fit the layout.
    fn key_of(&mut self, row: &[Id]) -> Option<K> {
        self.layout.encode(row).or_else(|| {
            self.widen(row, self.mark);
            self.layout.encode(row)
        })
    }

    /// Adds the last batch to the table.
    pub fn flush(&mut self) {
        while !self.batch.is_empty() {
            if self.discard || self.is_over() {
                return self.batch.clear();
            }
            let shelf = self.visited.open();
            if shelf.broken {
                drop(shelf);
                return self.batch.clear();
            }
            self.hashed.clear();
            self.hashed.extend(self.batch.drain(..).map(|key| {
                let hash = shelf.table.hash(key);
                shelf.table.prefetch(hash);
                (key, hash)
            }));
            let before = self.fresh.len();
            let (fresh, crowded) = (&mut self.fresh, &mut self.batch);
            shelf.table.insert_all(&self.hashed, self.mark, |found, key, _| match found {
                Insert::Fresh => fresh.push(key),
                Insert::Known => {}
                Insert::Crowded => crowded.push(key),
            });
            self.settled += (self.hashed.len() - self.batch.len()) as u64;
            let (added, places, slack) =
                ((self.fresh.len() - before) as u64, shelf.table.places(), BATCH as u64);
            let full = added > 0 && self.visited.counted(added, &shelf.table, slack);
            drop(shelf);
            let mut grown = if full { self.visited.grow(slack, self.mark) } else { Ok(()) };
            if !self.batch.is_empty() {
                grown = grown.and_then(|()| self.visited.uncrowd(places, self.mark));
            }
            if let Err(full) = grown {
                self.halt_full(full);
            }
        }
        if self.fresh.len() >= CHUNK {
            self.hand_over();
        }
    }

    /// Makes room for the next depth to remember what has left: to send a state twice costs more than to look here.
    pub fn remember(&mut self) {
        let wanted = (self.visited.len() as usize / 2).clamp(SENT.0, SENT.1).next_power_of_two();
        if wanted > self.sent.len() {
            self.sent = vec![K::NONE; wanted].into();
        }
    }

    /// The bytes that are held beside the table.
    pub fn bytes(&self) -> u64 {
        let keys: usize =
            self.next.iter().map(|chunk| chunk.keys.capacity()).sum::<usize>() + self.sent.len();
        let leaving = |out: &Outgoing<K>| out.keys.capacity() * size_of::<K>() + out.told.capacity();
        (keys * size_of::<K>() + self.outgoing.iter().map(leaving).sum::<usize>()) as u64
    }

    /// Gives the states found so far to the next depth.
    pub fn hand_over(&mut self) {
        if !self.fresh.is_empty() {
            let keys = std::mem::take(&mut self.fresh);
            self.next.push(Chunk { layout: Arc::clone(&self.layout), keys });
        }
    }

    /// Lays everything out anew so that a row and a depth fit.
    pub fn widen(&mut self, row: &[Id], deepest: u64) {
        self.flush();
        self.hand_over();
        if let Err(full) = self.visited.widen(row, deepest) {
            self.halt_full(full);
        }
        let shelf = self.visited.open();
        if Arc::ptr_eq(&shelf.layout, &self.layout) {
            return;
        }
        let relay = self.layout.onto(&shelf.layout);
        self.base = relay.key(self.base);
        let leaving = self.outgoing.iter_mut().flat_map(|out| &mut out.keys);
        let leaving = leaving.chain(self.candidates.iter_mut().map(|candidate| &mut candidate.key));
        leaving.chain(&mut self.batch).for_each(|key| *key = relay.key(*key));
        self.recent.fill(K::NONE);
        self.sent.fill(K::NONE);
        self.layout = Arc::clone(&shelf.layout);
    }
}
