//! The exact store: an open-addressing table of packed states that many threads fill at once. It is cut
//! into shards that grow one after the other, so that growing never needs the old and the new table at
//! the same time.

use super::Key;
use super::key::Place;
use super::memory::Words;
use crate::layout::Layout;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

const SHARD_BITS: u32 = 5;
const SHARDS: usize = 1 << SHARD_BITS;
const SMALLEST: usize = 1 << 6;

/// A set of keys, each with the depth at which it was added.
pub(crate) struct Table<K> {
    shards: Vec<Words>,
    places_bits: u32,
    key_bits: u32,
    keys: PhantomData<K>,
}

impl<K: Key> Table<K> {
    /// An empty table for keys of this layout; `None` if there is no memory.
    pub fn new(layout: &Layout) -> Option<Table<K>> {
        Table::with_places(SMALLEST, layout.key_bits())
    }

    fn with_places(places: usize, key_bits: u32) -> Option<Table<K>> {
        debug_assert!(places.is_power_of_two());
        let shards = (0..SHARDS).map(|_| Words::zeroed(places * K::WORDS)).collect::<Option<Vec<_>>>()?;
        Some(Table { shards, places_bits: places.trailing_zeros(), key_bits, keys: PhantomData })
    }

    /// The number of keys that there is room for, free places included.
    pub fn places(&self) -> u64 {
        (SHARDS as u64) << self.places_bits
    }

    /// The bytes that the table holds.
    pub fn bytes(&self) -> u64 {
        Table::<K>::bytes_for(self.places())
    }

    /// The bytes that a table with so many places holds.
    pub fn bytes_for(places: u64) -> u64 {
        places * K::WORDS as u64 * 8
    }

    /// The shard comes from the low bits of the hash and the place in it from the high ones.
    #[inline]
    fn home(&self, hash: u64) -> (&Words, usize) {
        let shard = hash as usize & (SHARDS - 1);
        (&self.shards[shard], (hash >> (64 - self.places_bits)) as usize)
    }

    /// Asks for the place of a key with this hash to be near.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let (shard, place) = self.home(hash);
        shard.prefetch(place * K::WORDS);
    }

    /// Adds a key unless it is there; whether it was added. There must be a free place.
    #[inline]
    pub fn insert(&self, key: K, hash: u64, level: u64) -> bool {
        let (shard, mut place) = self.home(hash);
        let words = shard.words();
        let mask = (1usize << self.places_bits) - 1;
        loop {
            let at = place * K::WORDS;
            match key.claim(&words[at..at + K::WORDS], self.key_bits, level) {
                Place::Fresh => return true,
                Place::Known => return false,
                Place::Other => place = (place + 1) & mask,
            }
        }
    }

    /// The number of pieces that [`Table::each`] can be asked for.
    pub fn pieces(&self) -> usize {
        SHARDS
    }

    /// Calls `visit` for every key of one piece of the table with its depth. Only while nobody writes.
    pub fn each(&self, piece: usize, visit: impl FnMut(K, u64)) {
        each(&self.shards[piece], self.key_bits, visit);
    }

    /// Moves everything into twice as many places; `false` if there is no memory for them, and then the
    /// table must not be used any more.
    pub fn grow(&mut self, workers: usize) -> bool {
        let (key_bits, places_bits) = (self.key_bits, self.places_bits + 1);
        let grown = AtomicBool::new(true);
        let share = SHARDS.div_ceil(workers.max(1));
        std::thread::scope(|scope| {
            for shards in self.shards.chunks_mut(share) {
                let grown = &grown;
                scope.spawn(move || {
                    for shard in shards {
                        match moved::<K>(shard, key_bits, places_bits) {
                            Some(fresh) => *shard = fresh,
                            None => grown.store(false, Ordering::Relaxed),
                        }
                    }
                });
            }
        });
        self.places_bits = places_bits;
        grown.into_inner()
    }

    /// The same keys laid out anew, each as `map` says, in as many places; `None` if there is no memory.
    pub fn relaid(&self, layout: &Layout, map: impl Fn(K) -> K) -> Option<Table<K>> {
        let other = Table::with_places(1 << self.places_bits, layout.key_bits())?;
        for piece in 0..self.pieces() {
            self.each(piece, |key, level| {
                let key = map(key);
                other.insert(key, key.hash(), level);
            });
        }
        Some(other)
    }
}

fn each<K: Key>(shard: &Words, key_bits: u32, mut visit: impl FnMut(K, u64)) {
    for place in shard.words().chunks_exact(K::WORDS) {
        if let Some((key, level)) = K::read(place, key_bits) {
            visit(key, level);
        }
    }
}

/// A shard's keys in a new shard with `1 << places_bits` places. A key stays in its shard when the table
/// grows, because the shard does not depend on the number of places.
fn moved<K: Key>(shard: &Words, key_bits: u32, places_bits: u32) -> Option<Words> {
    let fresh = Words::zeroed(K::WORDS << places_bits)?;
    let words = fresh.words();
    let mask = (1usize << places_bits) - 1;
    each(shard, key_bits, |key: K, level| {
        let mut place = (key.hash() >> (64 - places_bits)) as usize;
        while key.claim(&words[place * K::WORDS..][..K::WORDS], key_bits, level) != Place::Fresh {
            place = (place + 1) & mask;
        }
    });
    Some(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn keeps_what_it_is_given<K: Key>(key_of: impl Fn(u64) -> K) {
        let layout = Layout::fit::<K>(&[0xffff, 0xffff], 100).expect("fits");
        let mut table = Table::<K>::new(&layout).expect("memory");
        let mut expected = HashMap::new();
        for i in 0..20_000u64 {
            let (key, level) = (key_of(i * i % 30_011), 1 + i % 7);
            if (expected.len() as u64 + 1) * 2 > table.places() {
                assert!(table.grow(2));
            }
            let fresh = table.insert(key, key.hash(), level);
            let shown = format!("{key:?}");
            assert_eq!(fresh, !expected.contains_key(&shown), "{shown}");
            expected.entry(shown).or_insert(level);
        }
        let mut found = HashMap::new();
        for piece in 0..table.pieces() {
            table.each(piece, |key, level| assert_eq!(found.insert(format!("{key:?}"), level), None));
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn narrow_keys_are_kept_with_their_depth() {
        keeps_what_it_is_given::<u64>(|i| i * 77_777 & 0xffff_ffff);
    }

    #[test]
    fn wide_keys_are_kept_with_their_depth() {
        keeps_what_it_is_given::<u128>(|i| u128::from(i * 77_777 & 0xffff_ffff));
    }

    #[test]
    fn two_threads_add_each_key_once() {
        let layout = Layout::fit::<u128>(&[0xffff, 0xffff, 0xffff, 0xffff, 0xffff], 100).expect("fits");
        let mut table = Table::<u128>::new(&layout).expect("memory");
        while table.places() < 40_000 {
            assert!(table.grow(1));
        }
        let added: usize = std::thread::scope(|scope| {
            let count = || (0..20_000u128).filter(|i| table.insert(i << 60, (i << 60).hash(), 1)).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(added, 20_000);
    }
}
