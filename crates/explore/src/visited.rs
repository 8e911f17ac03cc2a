//! The states seen so far, shared by all workers. Adding is lock-free; only when the table must grow, or
//! an id no longer fits its field, does one worker stop the others for a moment and lay everything out
//! anew.

use crate::hooks::Hooks;
use crate::layout::KeyLayout;
use crate::store::{Form, Insert, Key, StateTable};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use watchkeeper_logic::Limit;
use watchkeeper_space::Id;

/// The mark of the states that the initial ones lead to, the first that a search adds in number.
const FIRST_MARK: u64 = 2;

/// Bits to spare for an id that has outgrown its field, if they cost nothing.
const SPARE: u32 = 2;
/// Below this many states it is not worth starting threads to lay them out anew.
const WORTH_THREADS: u64 = 1 << 16;

/// States by which one worker's part of the queues may grow until it looks again.
const UNSEEN: u64 = 3 << 12;

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
    /// Set while the limit leaves no room for a larger table: then the last free places are filled too.
    cramped: AtomicBool,
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
        let cramped = AtomicBool::new(false);
        Ok(Visited { shelf, count, beside, peak, cramped, max_bytes, workers, hooks })
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
        count + slack > self.enough(table.places())
    }

    /// The number of keys up to which a table of so many places need not grow.
    fn enough(&self, places: u64) -> u64 {
        if self.cramped.load(Ordering::Relaxed) { tight(places) } else { self.comfortable(places) }
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

    /// Whether so many bytes may be held, and the queues still grow until somebody looks again.
    fn within(&self, bytes: u64) -> Result<(), Full> {
        let Some(most) = self.max_bytes else { return Ok(()) };
        let unseen = (self.workers as u64 * UNSEEN * size_of::<K>() as u64).min(most / 16);
        if bytes > most - unseen { Err(Full::Memory(most)) } else { Ok(()) }
    }

    /// Makes room for more states, if there is need: twice the places, or as many more as memory allows, and else the
    /// last free places of the present ones. Depths up to `level` can be kept. This thread must hold no guard.
    pub fn grow(&self, slack: u64, level: u64) -> Result<(), Full> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        if self.len() + slack <= self.enough(shelf.table.places()) {
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
        let beside = self.beside.load(Ordering::Relaxed);
        // The queues grow with the states, so that a table that takes all that is left now would soon be too large.
        let later =
            |form: &Form| (u128::from(beside) * u128::from(form.all_places()) / u128::from(places)) as u64;
        let larger = || {
            let all = shelf.table.form().larger::<K>(level);
            // Half full tables never crowd; fuller ones might, and then there would be no way back.
            all.filter(|form| form.all_places() >= 2 * places || count <= self.comfortable(form.all_places()))
        };
        let leaves_room = larger().find(|form| self.moving(shelf, *form, later(form)).is_ok());
        let Some(form) = leaves_room.or_else(|| larger().last()) else {
            return self.fill(count, slack, places, self.max_bytes.map_or(Full::System(0), Full::Memory));
        };
        match self.moving(shelf, form, beside) {
            Ok(workers) => self.reshape(shelf, form, workers),
            Err(full) => self.fill(count, slack, places, full),
        }
    }

    /// That there are free places in a table that cannot grow.
    fn fill(&self, count: u64, slack: u64, places: u64, full: Full) -> Result<(), Full> {
        self.cramped.store(true, Ordering::Relaxed);
        if count + slack <= tight(places) { Ok(()) } else { Err(full) }
    }

    /// How many threads may move the keys to places of another form, beside so many bytes: each holds a shard of either form.
    fn moving(&self, shelf: &Shelf<K>, form: Form, beside: u64) -> Result<usize, Full> {
        let (old, new) = (shelf.table.bytes(), form.bytes::<K>());
        let (pieces, held) = (shelf.table.pieces(), old.max(new).saturating_add(beside));
        let shard = old.min(new).div_ceil(pieces as u64);
        let most = self.workers.clamp(1, pieces);
        let fits = |workers: &usize| self.within(held.saturating_add(shard * *workers as u64)).is_ok();
        match (1..=most).rev().find(fits) {
            Some(workers) => Ok(workers),
            None => self.within(held.saturating_add(shard)).map(|()| 1),
        }
    }

    fn reshape(&self, shelf: &mut Shelf<K>, form: Form, workers: usize) -> Result<(), Full> {
        let (old, new) = (shelf.table.bytes(), form.bytes::<K>());
        let moving = old.min(new) / shelf.table.pieces() as u64 * workers as u64;
        self.note(old.max(new) + moving);
        shelf.broken = !shelf.table.reshape(form, workers);
        self.cramped.store(false, Ordering::Relaxed);
        if shelf.broken { Err(Full::System(old)) } else { Ok(()) }
    }

    /// Takes down that tables hold so many bytes for a while.
    fn note(&self, tables: u64) {
        self.peak.fetch_max(tables + self.beside.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Lays everything out so that this row and this depth fit. This thread must hold no guard.
    pub fn widen(&self, row: &[Id], deepest: u64) -> Result<(), Full> {
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        self.whole(&shelf)?;
        let old = Arc::clone(&shelf.layout);
        let fits = old.encode::<K>(row).is_some() && deepest <= old.deepest();
        if fits && shelf.table.form().keeps(deepest) {
            return Ok(());
        }
        if fits {
            // The same keys, with more room for depths.
            let form = shelf.table.form().relaid::<K>(old.key_bits(), deepest);
            let workers = self.moving(&shelf, form, self.beside.load(Ordering::Relaxed))?;
            return self.reshape(&mut shelf, form, workers);
        }
        let needed: Vec<Id> = old.largest().iter().zip(row).map(|(&most, &id)| most.max(id)).collect();
        let tight = KeyLayout::fit::<K>(&needed, deepest).ok_or(Full::TooWide)?;
        // What has grown will grow again; but places must not grow for that.
        let spared = (1..=SPARE).rev().filter(|_| !self.hooks.narrow).find_map(|spare| {
            let layout = old.spared::<K>(row, spare, deepest)?;
            shelf.table.as_small(&layout, &tight, deepest).then_some(layout)
        });
        let layout = spared.unwrap_or(tight);
        let relay = old.onto(&layout);
        self.relay(&mut shelf, &layout, deepest, |key| relay.key(key))?;
        (shelf.layout, shelf.epoch) = (Arc::new(layout), shelf.epoch + 1);
        self.cramped.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Lays out anew what is in the table: in a second table, or in its own places if a limit leaves no room for two.
    fn relay(
        &self,
        shelf: &mut Shelf<K>,
        layout: &KeyLayout,
        deepest: u64,
        map: impl Fn(K) -> K + Sync,
    ) -> Result<(), Full> {
        let workers = if self.len() < WORTH_THREADS && !self.hooks.threads { 1 } else { self.workers };
        let (beside, held) = (self.beside.load(Ordering::Relaxed), shelf.table.bytes());
        let mut form = shelf.table.form().relaid::<K>(layout.key_bits(), deepest);
        while self.within(held + form.bytes::<K>() + beside).is_ok() {
            self.note(held + form.bytes::<K>());
            match shelf.table.relaid(form, workers, &map) {
                Some(table) => {
                    shelf.table = table;
                    return Ok(());
                }
                // There was no room for a key near its home, or no memory; more places help the first.
                None if form.places < shelf.table.form().places << 3 => {
                    form = Form::new::<K>(2 * form.places, layout.key_bits(), deepest);
                }
                None => return Err(Full::System(held)),
            }
        }
        let form = shelf.table.form().relaid::<K>(layout.key_bits(), deepest);
        let same = shelf.table.form().with_places_of(form);
        let settled = StateTable::<K>::bytes_in_place(form);
        self.within(form.bytes::<K>() + settled + beside)?;
        if same != shelf.table.form() {
            let workers = self.moving(shelf, same, beside)?;
            self.reshape(shelf, same, workers)?;
        }
        self.note(form.bytes::<K>() + settled);
        shelf.broken = !shelf.table.relay_in_place(form, map);
        if shelf.broken { Err(self.max_bytes.map_or(Full::System(held), Full::Memory)) } else { Ok(()) }
    }
}

/// The number of keys beyond which probing would take for ever.
fn tight(places: u64) -> u64 {
    places / 16 * 15
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn limited<K: Key>(largest: &[Id], most: u64, workers: usize) -> Visited<K> {
        Visited::new(largest, Some(most), workers, Hooks::default()).expect("room for an empty table")
    }

    /// Numbers that look random, each once.
    fn row(i: u32) -> [Id; 2] {
        let id = i.wrapping_mul(0x9e37_79b1) & 0xff_ffff;
        [id >> 12, id & 0xfff]
    }

    fn contents<K: Key>(visited: &Visited<K>) -> HashMap<Vec<Id>, u64> {
        let (shelf, mut all) = (visited.open(), HashMap::new());
        let mut row = vec![0; shelf.layout.largest().len()];
        for piece in 0..shelf.table.pieces() {
            shelf.table.each(piece, |key: K, level| {
                shelf.layout.decode(key, &mut row);
                assert_eq!(all.insert(row.clone(), level), None, "{row:?} is stored once");
                assert_eq!(shelf.table.depth(key), Some(level));
            });
        }
        all
    }

    fn filled_to_the_limit<K: Key>(largest: &[Id], most: u64, beside: u64) {
        let visited = limited::<K>(largest, most, 2);
        visited.beside(beside).expect("there is room");
        let mut stored = 0;
        let full = loop {
            let key = visited.open().layout.encode(&row(stored)).expect("it fits");
            match visited.add(key, 1 + u64::from(stored % 7)) {
                Ok(fresh) => assert!(fresh, "row {stored} is new"),
                Err(full) => break full,
            }
            stored += 1;
        };
        assert_eq!(full, Full::Memory(most));
        assert!(visited.bytes() <= most && visited.peak() <= most, "the limit is kept");
        assert!(visited.bytes() * 5 >= most * 4, "{} of {most} bytes in use at the end", visited.bytes());
        let found = contents(&visited);
        assert!((0..stored).all(|i| found.get(&row(i)[..]) == Some(&(1 + u64::from(i % 7)))));
        assert!(found.len() as u64 - u64::from(stored) <= 1, "the last one may be in the table");
        let load = found.len() as f64 / visited.open().table.places() as f64;
        assert!(load > 0.6, "{load} of the places are taken");
    }

    #[test]
    fn a_search_uses_most_of_its_memory_before_it_gives_up() {
        for most in [600_000, 800_000, 1 << 20] {
            filled_to_the_limit::<u64>(&[0xfff; 2], most, most / 50);
            filled_to_the_limit::<u64>(&[Id::MAX >> 8, 0xfff_ffff], most, most / 50);
            filled_to_the_limit::<u128>(&[Id::MAX; 2], most, most / 50);
        }
    }

    fn widened_where_it_is<K: Key>(narrow: [Id; 2], wide: [Id; 2], count: u32, room: u64, relaid: bool) {
        let hooks = Hooks { narrow: true, ..Hooks::default() };
        let mut visited = Visited::<K>::new(&narrow, None, 2, hooks).expect("memory");
        for i in 0..count {
            let row = [row(i)[0] & narrow[0], row(i)[1] & narrow[1]];
            let key = visited.open().layout.encode(&row).expect("it fits");
            visited.add(key, 1 + u64::from(i % 7)).expect("no limit");
        }
        let (before, held) = (contents(&visited), visited.bytes());
        visited.max_bytes = Some(held * room / 100);
        assert_eq!(
            visited.widen(&wide, 9),
            if relaid { Ok(()) } else { Err(Full::Memory(held * room / 100)) }
        );
        assert!(visited.bytes() <= held * room / 100);
        assert_eq!(contents(&visited), before);
        let layout = Arc::clone(&visited.open().layout);
        assert_eq!(layout.encode::<K>(&wide).is_some(), relaid);
    }

    #[test]
    fn layouts_widen_in_place_where_there_is_no_room_for_two_tables() {
        // Half words stay half words.
        widened_where_it_is::<u64>([0xfff, 0xfff], [0x1000, 0], 30_000, 120, true);
        // Half words become words of the same number of places.
        widened_where_it_is::<u64>([0xfff, 0xfff], [0xffff_ffff, 0], 30_000, 120, false);
        widened_where_it_is::<u64>([0xfff, 0xfff], [0xffff_ffff, 0], 30_000, 232, true);
        widened_where_it_is::<u64>([Id::MAX >> 8, 0xfffff], [0, 0xff_ffff], 30_000, 120, true);
        widened_where_it_is::<u128>([0xfff, 0xfff], [0x1000, 0], 30_000, 120, true);
        widened_where_it_is::<u128>([0xfff, 0xfff], [0x1000, 0], 30_000, 104, false);
    }
}
