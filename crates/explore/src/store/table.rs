//! The exact store: an open-addressing table of packed states that many threads fill at once. It is cut
//! into shards that grow one after the other, so that growing never needs the old and the new table at
//! the same time. Once it is large, the place of a key tells so much of it that half a word is enough.

use super::Key;
use super::form::{Form, SHARDS};
use super::memory::{SMALLEST_BITS, Words};
use super::place::{Insert, after, read_pair, read_word};
use crate::layout::KeyLayout;
use crate::threads::in_threads;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The least that the places of a shard, as bits of whole words, allow; for tests.
const TINY_BITS: u32 = 6;
/// Keys that are moved together to another table: enough to have many misses under way.
const BATCH: usize = 64;
/// Sizes of a table, each twice the one before, for which it is decided what spare bits would cost.
const FAR_SIGHTED: u32 = 4;

/// A set of keys, each with the depth at which it was added.
pub(crate) struct StateTable<K> {
    shards: Vec<Words>,
    form: Form,
    keys: PhantomData<K>,
}

impl<K: Key> StateTable<K> {
    /// An empty table for keys of this layout; `None` if there is no memory.
    pub fn new(layout: &KeyLayout) -> Option<StateTable<K>> {
        StateTable::smallest(SMALLEST_BITS, layout)
    }

    /// The same, as small as can be; for tests.
    pub fn tiny(layout: &KeyLayout) -> Option<StateTable<K>> {
        StateTable::smallest(TINY_BITS, layout)
    }

    fn smallest(bits: u32, layout: &KeyLayout) -> Option<StateTable<K>> {
        StateTable::of(Form::new::<K>(1 << bits, layout.key_bits(), layout.deepest().min(255)))
    }

    fn of(form: Form) -> Option<StateTable<K>> {
        let shards = (0..SHARDS).map(|_| form.shard::<K>()).collect::<Option<Vec<_>>>()?;
        Some(StateTable { shards, form, keys: PhantomData })
    }

    /// How its places look.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The number of keys that there is room for, free places included.
    pub fn places(&self) -> u64 {
        self.form.all_places()
    }

    /// The bytes that the table holds.
    pub fn bytes(&self) -> u64 {
        self.form.bytes::<K>()
    }

    /// The bits by which a key finds its place.
    #[inline]
    pub fn hash(&self, key: K) -> u64 {
        key.scatter(self.form.key_bits)
    }

    /// Asks for the place of a key with this hash to be near.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let (shard, place) = self.form.home(hash);
        let word = if self.form.compact.is_some() { place / 2 } else { place * K::WORDS };
        self.shards[shard].prefetch(word);
    }

    /// Adds a key unless it is there.
    pub fn insert(&self, key: K, hash: u64, level: u64) -> Insert {
        self.form.insert(&self.shards[self.form.home(hash).0], key, hash, level)
    }

    /// Adds many keys, each with its hash, and says what came of each.
    #[inline]
    pub fn insert_all(&self, batch: &[(K, u64)], level: u64, mut told: impl FnMut(Insert, K, u64)) {
        let form = self.form;
        match form.compact {
            // The form is looked at once for the whole batch.
            Some(compact) => {
                for &(key, hash) in batch {
                    let (shard, home) = form.home(hash);
                    let rest = form.rest(compact, hash);
                    told(compact.insert(self.shards[shard].halves(), home, rest, level), key, hash);
                }
            }
            None => {
                for &(key, hash) in batch {
                    told(self.insert(key, hash, level), key, hash);
                }
            }
        }
    }

    /// The number of pieces that [`StateTable::each`] can be asked for.
    pub fn pieces(&self) -> usize {
        SHARDS
    }

    /// Calls `visit` for every key of one piece of the table with its depth. Only while no thread writes.
    pub fn each(&self, piece: usize, mut visit: impl FnMut(K, u64)) {
        self.each_place(piece, |_, key, level| visit(key, level));
    }

    /// The same, with the place at which each key stands: in the order of the places, which for a piece are
    /// those from `piece` times the places of a piece on.
    pub fn each_place(&self, piece: usize, mut visit: impl FnMut(usize, K, u64)) {
        let base = piece * self.form.places;
        self.form.each_place(piece, &self.shards[piece], |at, key, level| visit(base + at, key, level));
    }

    /// The place at which a key with this hash stands, if it does. Only while no thread writes.
    #[inline]
    pub fn place(&self, key: K, hash: u64) -> Option<usize> {
        let (shard, _) = self.form.home(hash);
        let at = self.form.find(&self.shards[shard], key, hash)?;
        Some(shard * self.form.places + at)
    }

    /// The depth at which a key was added, if it is there. Others may add keys meanwhile: of these it may know or not.
    pub fn depth(&self, key: K) -> Option<u64> {
        let hash = self.hash(key);
        let (number, _) = self.form.home(hash);
        let shard = &self.shards[number];
        let at = self.form.find(shard, key, hash)?;
        let level = match self.form.compact {
            Some(form) => form.read(shard.halves(), at).map(|(_, _, level)| level),
            None if K::WORDS == 1 => {
                read_word::<K>(shard.words(), at, self.form.key_bits).map(|(_, level)| level)
            }
            None => read_pair::<K>(shard.words(), at, self.form.key_bits).map(|(_, level)| level),
        };
        // A depth is 0 only until its writer has come that far. What was there before is found before any place
        // that is being written: no place on the way to it was free when it was added.
        level.filter(|&level| level != 0)
    }

    /// Moves every key to places of another form; `false` if there is no memory for them, and then the table must not be used any
    /// more. A key stays in its shard, so that each thread needs the memory of one shard more at a time.
    pub fn reshape(&mut self, new: Form, workers: usize) -> bool {
        let old = self.form;
        let moved_all = AtomicBool::new(true);
        let shards = Mutex::new(self.shards.iter_mut().enumerate());
        let next = || shards.lock().unwrap_or_else(PoisonError::into_inner).next();
        in_threads(workers, || {
            while let Some((number, shard)) = next() {
                match moved::<K>(number, shard, old, new) {
                    Some(fresh) => *shard = fresh,
                    None => moved_all.store(false, Ordering::Relaxed),
                }
            }
        });
        self.form = new;
        moved_all.into_inner()
    }

    /// Whether places are as small with keys of this layout as with those of another one, now and when the table has
    /// grown a few times.
    pub fn as_small(&self, layout: &KeyLayout, other: &KeyLayout, deepest: u64) -> bool {
        let compact = |layout: &KeyLayout, more| {
            Form::new::<K>(self.form.places << more, layout.key_bits(), deepest).compact.is_some()
        };
        (0..FAR_SIGHTED).all(|more| compact(layout, more) == compact(other, more))
    }

    /// The same keys laid out anew in another table, each as `map` says; `None` if there is no memory, or they would crowd.
    pub fn relaid(&self, form: Form, workers: usize, map: impl Fn(K) -> K + Sync) -> Option<StateTable<K>> {
        let other = StateTable::of(form)?;
        self.move_all(&other, workers, &map).then_some(other)
    }

    /// Lays the keys out anew in the same places, each as `map` says, for want of memory for a second table: slower, and by one
    /// thread. The new form has as many places of the same width. `false` if keys would crowd, and then the table must not be
    /// used any more.
    pub fn relay_in_place(&mut self, new: Form, map: impl Fn(K) -> K) -> bool {
        let old = std::mem::replace(&mut self.form, new);
        assert_eq!((old.places, old.width::<K>()), (new.places, new.width::<K>()), "the same places");
        let mut settled = vec![0u64; (new.all_places() as usize).div_ceil(64)];
        for number in 0..SHARDS {
            for at in 0..old.places {
                if is_set(&settled, number * new.places + at) {
                    continue;
                }
                let mut homeless = old.read::<K>(number, &self.shards[number], at);
                if homeless.is_some() {
                    old.clear::<K>(&self.shards[number], at);
                }
                // It takes the first place that no key of the new form has, and whoever was there is the next.
                while let Some((key, level)) = homeless {
                    let key = map(key);
                    let hash = key.scatter(new.key_bits);
                    let (shard, home) = new.home(hash);
                    let (mut place, mut far) = (home, 0);
                    while far < new.places && is_set(&settled, shard * new.places + place) {
                        (place, far) = (after(place, new.places), far + 1);
                    }
                    homeless = old.read(shard, &self.shards[shard], place);
                    if far == new.places || !new.put(&self.shards[shard], (place, far), key, hash, level) {
                        return false;
                    }
                    let index = shard * new.places + place;
                    settled[index / 64] |= 1 << (index % 64);
                }
            }
        }
        true
    }

    /// The bytes that this needs beside the places.
    pub fn bytes_in_place(form: Form) -> u64 {
        form.all_places().div_ceil(8)
    }

    /// Adds every key to another table, each as `map` says; whether all found a place. Keys wait in a batch while their
    /// places come near.
    fn move_all(&self, other: &StateTable<K>, workers: usize, map: &(impl Fn(K) -> K + Sync)) -> bool {
        let (next, fits) = (AtomicUsize::new(0), AtomicBool::new(true));
        in_threads(workers, || {
            let mut batch: Vec<(K, u64, u64)> = Vec::with_capacity(BATCH);
            let add = |batch: &mut Vec<(K, u64, u64)>| {
                let fresh = |(key, hash, level)| other.insert(key, hash, level) == Insert::Fresh;
                if !batch.drain(..).map(fresh).fold(true, |all, fresh| all & fresh) {
                    fits.store(false, Ordering::Relaxed);
                }
            };
            while fits.load(Ordering::Relaxed) {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= self.pieces() {
                    break;
                }
                self.each(piece, |key, level| {
                    let key = map(key);
                    let hash = other.hash(key);
                    other.prefetch(hash);
                    batch.push((key, hash, level));
                    if batch.len() == BATCH {
                        add(&mut batch);
                    }
                });
            }
            add(&mut batch);
        });
        fits.into_inner()
    }
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

/// A shard's keys in a new shard of another form.
fn moved<K: Key>(number: usize, shard: &Words, old: Form, new: Form) -> Option<Words> {
    let fresh = new.shard::<K>()?;
    let mut fits = true;
    old.each_place(number, shard, |_, key: K, level| {
        fits &= new.insert(&fresh, key, key.scatter(new.key_bits), level) == Insert::Fresh;
    });
    fits.then_some(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn keeps_what_it_is_given<K: Key>(largest: &[u32], key_of: impl Fn(u64) -> K, count: u64, compact: bool) {
        let layout = KeyLayout::fit::<K>(largest, 100).expect("fits");
        let mut table = StateTable::<K>::new(&layout).expect("memory");
        let mut expected = HashMap::new();
        for i in 0..count {
            let (key, level) = (key_of(i * i % 300_007), 1 + i % 7);
            if (expected.len() as u64 + 1) * 4 > table.places() * 3 {
                // By twice and more, and by each of the fractions.
                let larger: Vec<Form> = table.form.larger::<K>(100).collect();
                assert!(table.reshape(larger[i as usize % larger.len()], 2));
            }
            let mut found = table.insert(key, table.hash(key), level);
            if found == Insert::Crowded {
                assert!(table.reshape(table.form.larger::<K>(100).next().expect("larger"), 2));
                found = table.insert(key, table.hash(key), level);
            }
            let shown = format!("{key:?}");
            let known = if expected.contains_key(&shown) { Insert::Known } else { Insert::Fresh };
            assert_eq!(found, known, "{shown}");
            expected.entry(shown).or_insert(level);
        }
        let mut found = HashMap::new();
        for piece in 0..table.pieces() {
            table.each(piece, |key, level| assert_eq!(found.insert(format!("{key:?}"), level), None));
        }
        assert_eq!(found, expected);
        let mut last = None;
        for piece in 0..table.pieces() {
            table.each_place(piece, |place, key, level| {
                assert_eq!((table.place(key, table.hash(key)), table.depth(key)), (Some(place), Some(level)));
                assert!(last < Some(place), "places come in order");
                last = Some(place);
            });
        }
        let strangers = (0..1000).map(|i| key_of(300_007 + i));
        strangers
            .filter(|key| !expected.contains_key(&format!("{key:?}")))
            .for_each(|key| assert_eq!((table.place(key, table.hash(key)), table.depth(key)), (None, None)));
        assert_eq!(table.form.compact.is_some(), compact);
    }

    #[test]
    fn narrow_keys_are_kept_with_their_depth() {
        keeps_what_it_is_given::<u64>(
            &[u32::MAX, 0xffff],
            |i| (i * 77_777_777) & 0xffff_ffff_ffff,
            20_000,
            false,
        );
    }

    #[test]
    fn compact_places_keep_keys_with_their_depth() {
        keeps_what_it_is_given::<u64>(&[0xfffff], |i| i, 200_000, true);
        keeps_what_it_is_given::<u64>(&[0xfff, 0xffff], |i| (i * 77_777) & 0xfff_ffff, 200_000, true);
        keeps_what_it_is_given::<u64>(&[0x3ff], |i| i % 1024, 20_000, true);
    }

    #[test]
    fn wide_keys_are_kept_with_their_depth() {
        keeps_what_it_is_given::<u128>(&[u32::MAX; 3], |i| u128::from(i * 77_777) << 31, 20_000, false);
    }

    #[test]
    fn two_threads_add_each_key_once() {
        let layout = KeyLayout::fit::<u128>(&[0xffff; 5], 100).expect("fits");
        let mut table = StateTable::<u128>::new(&layout).expect("memory");
        while table.places() < 40_000 {
            let larger = table.form.larger::<u128>(1).next().expect("larger");
            assert!(table.reshape(larger, 1));
        }
        let fresh = |key: u128| table.insert(key, table.hash(key), 1) == Insert::Fresh;
        let count = || (0..20_000u128).filter(|i| fresh(i << 60)).count();
        let added: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(added, 20_000);
    }
}
