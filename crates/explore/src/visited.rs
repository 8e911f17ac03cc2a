//! The states seen so far, shared by all workers. Adding is lock-free; only when the table must grow, or
//! an id no longer fits its field, does one worker stop the others for a moment and lay everything out
//! anew.

use crate::hooks::Hooks;
use crate::layout::KeyLayout;
use crate::store::{Insert, Key, StateTable};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use watchkeeper_logic::Limit;
use watchkeeper_space::Id;

/// The mark of the states that the initial ones lead to, the first that a search adds in number.
const FIRST_MARK: u64 = 2;

/// Bits to spare for an id that has outgrown its field, if they cost nothing.
const SPARE: u32 = 2;
/// Below this many states it is not worth starting threads to lay them out anew.
const WORTH_THREADS: u64 = 1 << 16;

/// Of so many stored states one may be gathered; but so many at least, and so many at most.
const ONE_IN: u64 = 4;
const GATHERED: (u64, u64) = (1 << 12, 1 << 22);

/// Why the store cannot go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The memory limit of so many bytes leaves no room.
    Memory(u64),
    /// The operating system gave no more memory; so many bytes were held.
    System(u64),
    /// States need more bits than a key has.
    TooWide,
}

impl Full {
    /// The limit that ended the search; none where wider keys would help.
    pub fn limit(self) -> Option<Limit> {
        match self {
            Full::Memory(most) => Some(Limit::Memory(most)),
            Full::System(held) => Some(Limit::OutOfMemory(held)),
            Full::TooWide => None,
        }
    }
}

/// The table and the layout of its keys. `epoch` changes with the layout.
pub(crate) struct Shelf<K> {
    pub table: StateTable<K>,
    pub layout: Arc<KeyLayout>,
    pub epoch: u64,
    /// Set when the table could not grow and must not be used any more.
    pub broken: bool,
}

/// All states seen, and the memory that they and others hold.
pub(crate) struct Visited<K> {
    shelf: RwLock<Shelf<K>>,
    count: AtomicU64,
    /// Bytes held outside the table: the queues, and what the space holds.
    beside: AtomicU64,
    peak: AtomicU64,
    max_bytes: Option<u64>,
    workers: usize,
    hooks: Hooks,
}

impl<K: Key> Visited<K> {
    /// Nothing seen yet; the layout has room for these ids.
    pub fn new(
        largest: &[Id],
        max_bytes: Option<u64>,
        workers: usize,
        hooks: Hooks,
    ) -> Result<Visited<K>, Full> {
        let layout = match hooks.narrow {
            false => KeyLayout::roomy::<K>(largest, FIRST_MARK),
            true => KeyLayout::fit::<K>(largest, FIRST_MARK),
        };
        let layout = layout.ok_or(Full::TooWide)?;
        let table = if hooks.small_tables { StateTable::tiny(&layout) } else { StateTable::new(&layout) };
        let table = table.ok_or(Full::System(0))?;
        let shelf = RwLock::new(Shelf { table, layout: Arc::new(layout), epoch: 0, broken: false });
        let (count, beside, peak) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Ok(Visited { shelf, count, beside, peak, max_bytes, workers, hooks })
    }

    /// Shared access, for as long as the guard lives.
    pub fn open(&self) -> RwLockReadGuard<'_, Shelf<K>> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts states that were added; whether the table should grow before many more are.
    pub fn counted(&self, added: u64, table: &StateTable<K>, slack: u64) -> bool {
        let count = self.count.fetch_add(added, Ordering::Relaxed) + added;
        count + slack > self.comfortable(table.places())
    }

    /// The number of keys up to which a table of so many places is quick.
    fn comfortable(&self, places: u64) -> u64 {
        if self.hooks.small_tables { places / 256 } else { places / 4 * 3 }
    }

    /// The number of keys that may be held beside the table for a while when a search is over: a fraction of it.
    pub fn gathered(&self) -> u64 {
        if self.hooks.small_tables { 8 } else { (self.len() / ONE_IN).clamp(GATHERED.0, GATHERED.1) }
    }

    /// Adds one key, and makes room for it if need be; whether it was new. For a few keys, by one thread.
    pub fn add(&self, key: K, level: u64) -> Result<bool, Full> {
        loop {
            let shelf = self.open();
            let (found, places) =
                (shelf.table.insert(key, shelf.table.hash(key), level), shelf.table.places());
            let full = found == Insert::Fresh && self.counted(1, &shelf.table, 1);
            drop(shelf);
            if full {
                self.grow(1, FIRST_MARK)?;
            }
            match found {
                Insert::Fresh => return Ok(true),
                Insert::Known => return Ok(false),
                Insert::Crowded => self.uncrowd(places, FIRST_MARK)?,
            }
        }
    }

    /// Adds one row, and makes room for it if need be; whether it was new. For any number of threads, while the table
    /// keeps this depth. The calling thread must hold no guard.
    pub fn add_row(&self, row: &[Id], level: u64) -> Result<bool, Full> {
        loop {
            let shelf = self.open();
            self.whole(&shelf)?;
            let Some(key) = shelf.layout.encode::<K>(row) else {
                drop(shelf);
                self.widen(row, level)?;
                continue;
            };
            let (found, places) =
                (shelf.table.insert(key, shelf.table.hash(key), level), shelf.table.places());
            let full = found == Insert::Fresh && self.counted(1, &shelf.table, 1);
            drop(shelf);
            if full {
                self.grow(1, level.max(FIRST_MARK))?;
            }
            match found {
                Insert::Fresh => return Ok(true),
                Insert::Known => return Ok(false),
                Insert::Crowded => self.uncrowd(places, level.max(FIRST_MARK))?,
            }
        }
    }

    /// Bytes held now.
    pub fn bytes(&self) -> u64 {
        self.open().table.bytes() + self.beside.load(Ordering::Relaxed)
    }

    /// The most bytes held at any time.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Says how many bytes are held outside the table; fails if that is too much.
    pub fn beside(&self, bytes: u64) -> Result<(), Full> {
        self.beside.store(bytes, Ordering::Relaxed);
        let now = self.bytes();
        self.peak.fetch_max(now, Ordering::Relaxed);
        self.within(now)
    }

    /// That the table can be used: one that could not grow has shards of two sizes, and stays as it is.
    fn whole(&self, shelf: &Shelf<K>) -> Result<(), Full> {
        if shelf.broken { Err(Full::System(shelf.table.bytes())) } else { Ok(()) }
    }

    /// Whether so many bytes may be held.
    fn within(&self, bytes: u64) -> Result<(), Full> {
        self.max_bytes.filter(|&most| bytes > most).map_or(Ok(()), |most| Err(Full::Memory(most)))
    }

    /// Makes room for more states, if there is need: twice the places if memory allows, and else the
    /// last free places of the present ones. Depths up to `level` can be kept. This thread must hold no guard.
    pub fn grow(&self, slack: u64, level: u64) -> Result<(), Full> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        if self.len() + slack <= self.comfortable(shelf.table.places()) {
            return Ok(());
        }
        self.enlarge(&mut shelf, slack, level)
    }

    /// Makes room where keys crowd, if the table still has as many places as when they were found to.
    pub fn uncrowd(&self, places: u64, level: u64) -> Result<(), Full> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        if shelf.table.places() != places {
            return Ok(());
        }
        // No free place will do here, so there is no use in filling the last ones.
        self.enlarge(&mut shelf, u64::MAX / 2, level)
    }

    fn enlarge(&self, shelf: &mut Shelf<K>, slack: u64, level: u64) -> Result<(), Full> {
        self.whole(shelf)?;
        let (count, places) = (self.len(), shelf.table.places());
        let grown = shelf.table.bytes_grown(level) + self.beside.load(Ordering::Relaxed);
        // While the table grows, each worker holds one old shard beside its new one.
        let pieces = shelf.table.pieces();
        let moving = grown / pieces as u64 * self.workers.min(pieces) as u64;
        if let Err(full) = self.within(grown + moving) {
            return if count + slack <= tight(places) { Ok(()) } else { Err(full) };
        }
        self.peak.fetch_max(grown + moving, Ordering::Relaxed);
        shelf.broken = !shelf.table.grow(level, self.workers);
        if shelf.broken { Err(Full::System(grown)) } else { Ok(()) }
    }

    /// Lays everything out so that this row and this depth fit. This thread must hold no guard.
    pub fn widen(&self, row: &[Id], deepest: u64) -> Result<(), Full> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        self.whole(&shelf)?;
        let old = Arc::clone(&shelf.layout);
        if old.encode::<K>(row).is_some() && deepest <= old.deepest() && shelf.table.keeps(deepest) {
            return Ok(());
        }
        let needed: Vec<Id> = old.largest().iter().zip(row).map(|(&most, &id)| most.max(id)).collect();
        let tight = KeyLayout::fit::<K>(&needed, deepest).ok_or(Full::TooWide)?;
        // What has grown will grow again; but places must not grow for that.
        let spared = (1..=SPARE).rev().filter(|_| !self.hooks.narrow).find_map(|spare| {
            let layout = old.spared::<K>(row, spare, deepest)?;
            shelf.table.as_small(&layout, &tight, deepest).then_some(layout)
        });
        let layout = spared.unwrap_or(tight);
        let relaid_bytes = shelf.table.bytes_relaid(&layout, deepest);
        let held = shelf.table.bytes() + relaid_bytes + self.beside.load(Ordering::Relaxed);
        self.within(held)?;
        self.peak.fetch_max(held, Ordering::Relaxed);
        let relay = old.onto(&layout);
        let workers = if self.len() < WORTH_THREADS && !self.hooks.threads { 1 } else { self.workers };
        let table = shelf.table.relaid(&layout, deepest, workers, |key| relay.key(key));
        let table = table.ok_or(Full::System(held - relaid_bytes))?;
        *shelf = Shelf { table, layout: Arc::new(layout), epoch: shelf.epoch + 1, broken: false };
        Ok(())
    }
}

/// The number of keys beyond which probing would take for ever.
fn tight(places: u64) -> u64 {
    places / 16 * 15
}
