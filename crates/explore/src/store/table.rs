//! The exact store: an open-addressing table of packed states that many threads fill at once. It is cut
//! into shards that grow one after the other, so that growing never needs the old and the new table at
//! the same time. Once it is large, the place of a key tells so much of it that half a word is enough.

use super::Key;
use super::memory::{SHARD_BITS, SMALLEST_BITS, Words};
use super::place::{Compact, Insert, find_pair, find_word, insert_pair, insert_word, read_pair, read_word};
use crate::layout::KeyLayout;
use crate::threads::in_threads;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 1 << SHARD_BITS;
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

/// How the places of a table look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    /// Each shard has `1 << places_bits` places.
    places_bits: u32,
    key_bits: u32,
    compact: Option<Compact>,
}

impl Form {
    fn new<K: Key>(places_bits: u32, key_bits: u32, deepest: u64) -> Form {
        let fits = || Compact::fit(key_bits, SHARD_BITS + places_bits, deepest);
        Form { places_bits, key_bits, compact: if K::WORDS == 1 { fits() } else { None } }
    }

    fn bytes<K: Key>(self) -> u64 {
        let place = if self.compact.is_some() { 4 } else { 8 * K::WORDS as u64 };
        place << (SHARD_BITS + self.places_bits)
    }

    fn shard<K: Key>(self) -> Option<Words> {
        Words::zeroed((self.bytes::<K>() >> SHARD_BITS) as usize / 8)
    }

    /// The high bits of the hash name the shard, and those after them the place in it.
    #[inline]
    fn home(self, hash: u64) -> (usize, usize) {
        let shard = hash >> (64 - SHARD_BITS);
        let place = hash << SHARD_BITS >> (64 - self.places_bits);
        (shard as usize, place as usize)
    }

    /// The bits of the hash that neither the shard nor the place in it tell.
    #[inline]
    fn rest(self, compact: Compact, hash: u64) -> u32 {
        // Two shifts, as a rest of no bits must come out as 0.
        (hash << SHARD_BITS << self.places_bits >> 1 >> (63 - compact.rest_bits)) as u32
    }

    #[inline]
    fn insert<K: Key>(self, shard: &Words, key: K, hash: u64, level: u64) -> Insert {
        let (_, home) = self.home(hash);
        match self.compact {
            Some(form) => form.insert(shard.halves(), home, self.rest(form, hash), level),
            None if K::WORDS == 1 => insert_word(shard.words(), home, key.split().0, self.key_bits, level),
            None => {
                let (low, high) = key.split();
                insert_pair(shard.words(), home, u128::join(low, high), self.key_bits, level)
            }
        }
    }

    #[inline]
    fn find<K: Key>(self, shard: &Words, key: K, hash: u64) -> Option<usize> {
        let (_, home) = self.home(hash);
        match self.compact {
            Some(form) => form.find(shard.halves(), home, self.rest(form, hash)),
            None if K::WORDS == 1 => find_word(shard.words(), home, key.split().0, self.key_bits),
            None => {
                let (low, high) = key.split();
                find_pair(shard.words(), home, u128::join(low, high), self.key_bits)
            }
        }
    }

    /// Calls `visit` for every key of a shard with its depth. Only while no thread writes.
    fn each<K: Key>(self, number: usize, shard: &Words, mut visit: impl FnMut(K, u64)) {
        self.each_place(number, shard, |_, key, level| visit(key, level));
    }

    /// The same, with where in the shard it stands.
    fn each_place<K: Key>(self, number: usize, shard: &Words, mut visit: impl FnMut(usize, K, u64)) {
        for at in 0..1usize << self.places_bits {
            let held = match self.compact {
                Some(form) => form.read(shard.halves(), at).and_then(|(home, rest, level)| {
                    let high = (number as u64) << self.places_bits | home as u64;
                    let scattered = high << (64 - SHARD_BITS - self.places_bits)
                        | u64::from(rest) << 1 << (63 - SHARD_BITS - self.places_bits - form.rest_bits);
                    Some((K::unscatter(scattered, self.key_bits)?, level))
                }),
                None if K::WORDS == 1 => read_word(shard.words(), at, self.key_bits),
                None => read_pair(shard.words(), at, self.key_bits),
            };
            if let Some((key, level)) = held {
                visit(at, key, level);
            }
        }
    }
}

impl<K: Key> StateTable<K> {
    /// An empty table for keys of this layout; `None` if there is no memory.
    pub fn new(layout: &KeyLayout) -> Option<StateTable<K>> {
        StateTable::of(Form::new::<K>(SMALLEST_BITS, layout.key_bits(), layout.deepest().min(255)))
    }

    /// The same, as small as can be; for tests.
    pub fn tiny(layout: &KeyLayout) -> Option<StateTable<K>> {
        StateTable::of(Form::new::<K>(TINY_BITS, layout.key_bits(), layout.deepest().min(255)))
    }

    fn of(form: Form) -> Option<StateTable<K>> {
        let shards = (0..SHARDS).map(|_| form.shard::<K>()).collect::<Option<Vec<_>>>()?;
        Some(StateTable { shards, form, keys: PhantomData })
    }

    /// The number of keys that there is room for, free places included.
    pub fn places(&self) -> u64 {
        1 << (SHARD_BITS + self.form.places_bits)
    }

    /// The bytes that the table holds.
    pub fn bytes(&self) -> u64 {
        self.form.bytes::<K>()
    }

    /// The bytes that it would hold after it has grown.
    pub fn bytes_grown(&self, deepest: u64) -> u64 {
        self.grown(deepest).bytes::<K>()
    }

    /// Small tables grow fast, so that little is moved often; large ones only double.
    fn grown(&self, deepest: u64) -> Form {
        let more = match self.form.places_bits + SHARD_BITS {
            ..20 => 3,
            20..23 => 2,
            _ => 1,
        };
        Form::new::<K>(self.form.places_bits + more, self.form.key_bits, deepest)
    }

    /// Whether this depth can be kept with a key.
    pub fn keeps(&self, level: u64) -> bool {
        self.form.compact.is_none_or(|form| level <= form.deepest())
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
    pub fn each(&self, piece: usize, visit: impl FnMut(K, u64)) {
        self.form.each(piece, &self.shards[piece], visit);
    }

    /// The same, with the place at which each key stands: in the order of the places, which for a piece are
    /// those from `piece` times the places of a piece on.
    pub fn each_place(&self, piece: usize, mut visit: impl FnMut(usize, K, u64)) {
        let base = piece << self.form.places_bits;
        self.form.each_place(piece, &self.shards[piece], |at, key, level| visit(base + at, key, level));
    }

    /// The place at which a key stands, if it does. Only while no thread writes.
    #[inline]
    pub fn place(&self, key: K) -> Option<usize> {
        let hash = self.hash(key);
        let (shard, _) = self.form.home(hash);
        let at = self.form.find(&self.shards[shard], key, hash)?;
        Some(shard << self.form.places_bits | at)
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

    /// Moves everything into more places, from where depths up to `deepest` can be kept; `false`
    /// if there is no memory for them, and then the table must not be used any more. A key stays in its
    /// shard when the table grows.
    pub fn grow(&mut self, deepest: u64, workers: usize) -> bool {
        let (old, new) = (self.form, self.grown(deepest));
        let grown = AtomicBool::new(true);
        let shards = Mutex::new(self.shards.iter_mut().enumerate());
        let next = || shards.lock().unwrap_or_else(PoisonError::into_inner).next();
        in_threads(workers, || {
            while let Some((number, shard)) = next() {
                match moved::<K>(number, shard, old, new) {
                    Some(fresh) => *shard = fresh,
                    None => grown.store(false, Ordering::Relaxed),
                }
            }
        });
        self.form = new;
        grown.into_inner()
    }

    /// The bytes that it would hold in another layout.
    pub fn bytes_relaid(&self, layout: &KeyLayout, deepest: u64) -> u64 {
        Form::new::<K>(self.form.places_bits, layout.key_bits(), deepest).bytes::<K>()
    }

    /// Whether places are as small with keys of this layout as with those of another one, now and when the table has
    /// grown a few times.
    pub fn as_small(&self, layout: &KeyLayout, other: &KeyLayout, deepest: u64) -> bool {
        let compact = |layout: &KeyLayout, more| {
            Form::new::<K>(self.form.places_bits + more, layout.key_bits(), deepest).compact.is_some()
        };
        (0..FAR_SIGHTED).all(|more| compact(layout, more) == compact(other, more))
    }

    /// The same keys laid out anew, each as `map` says, in as many places, or in more if they would crowd;
    /// `None` if there is no memory.
    pub fn relaid(
        &self,
        layout: &KeyLayout,
        deepest: u64,
        workers: usize,
        map: impl Fn(K) -> K + Sync,
    ) -> Option<StateTable<K>> {
        for more in 0..3 {
            let form = Form::new::<K>(self.form.places_bits + more, layout.key_bits(), deepest);
            let other = StateTable::of(form)?;
            if self.move_all(&other, workers, &map) {
                return Some(other);
            }
        }
        None
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

/// A shard's keys in a new shard of another form.
fn moved<K: Key>(number: usize, shard: &Words, old: Form, new: Form) -> Option<Words> {
    let fresh = new.shard::<K>()?;
    let mut fits = true;
    old.each(number, shard, |key: K, level| {
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
                assert!(table.grow(100, 2));
            }
            let mut found = table.insert(key, table.hash(key), level);
            if found == Insert::Crowded {
                assert!(table.grow(100, 2));
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
                assert_eq!((table.place(key), table.depth(key)), (Some(place), Some(level)));
                assert!(last < Some(place), "places come in order");
                last = Some(place);
            });
        }
        let strangers = (0..1000).map(|i| key_of(300_007 + i));
        strangers
            .filter(|key| !expected.contains_key(&format!("{key:?}")))
            .for_each(|key| assert_eq!((table.place(key), table.depth(key)), (None, None)));
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
            assert!(table.grow(1, 1));
        }
        let fresh = |key: u128| table.insert(key, table.hash(key), 1) == Insert::Fresh;
        let count = || (0..20_000u128).filter(|i| fresh(i << 60)).count();
        let added: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(added, 20_000);
    }

    #[test]
    fn a_compact_place_reports_that_it_is_crowded_instead_of_forgetting() {
        let form = Compact { rest_bits: 4 };
        let words = Words::zeroed(1024).expect("memory");
        let far: Vec<Insert> =
            (0..600).map(|i| form.insert(words.halves(), 7, i % 16, 1 + u64::from(i / 16))).collect();
        assert_eq!(
            far.iter().filter(|found| **found == Insert::Fresh).count(),
            16,
            "sixteen rests at one home"
        );
        for home in 0..2048 {
            form.insert(words.halves(), home, 15, 1);
        }
        assert_eq!(form.insert(words.halves(), 9, 14, 1), Insert::Crowded);
    }

    /// Keys that begin their way at the same place and differ in one bit, whichever it is.
    #[test]
    fn keys_that_differ_in_any_one_bit_are_different_keys() {
        fn apart(bits: u32, mut insert: impl FnMut(u128) -> Insert) {
            let base = 0x5555_5555_5555_5555_5555_5555 & (u128::MAX >> (128 - bits));
            let all: Vec<u128> = (0..bits).map(|bit| base ^ 1 << bit).chain([base]).collect();
            for expected in [Insert::Fresh, Insert::Known] {
                all.iter().for_each(|&key| assert_eq!(insert(key), expected, "{key:x} of {bits} bits"));
            }
        }
        for bits in [9, 17, 48, 62] {
            let words = Words::zeroed(64).expect("memory");
            apart(bits, |key| insert_word(words.words(), 3, key as u64, bits, 2));
        }
        for bits in [64, 65, 80, 110] {
            let words = Words::zeroed(256).expect("memory");
            apart(bits, |key| insert_pair(words.words(), 3, key, bits, 2));
        }
        for bits in [1, 4, 13] {
            let words = Words::zeroed(64).expect("memory");
            apart(bits, |key| Compact { rest_bits: bits }.insert(words.halves(), 3, key as u32, 2));
        }
    }
}
