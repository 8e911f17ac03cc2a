//! How all places of a table look, and where in it a key belongs. A table may have any number of places, so that it can grow by
//! as much as a limit leaves: the home of a key is the product of its scattered bits, as a fraction, and that number. Of the
//! keys with one home no two agree in their low bits, so that these are all that a compact place must keep.

use super::Key;
use super::memory::{SHARD_BITS, Words};
use super::place::{
    Compact, Insert, find_pair, find_word, insert_pair, insert_word, put_pair, put_word, read_pair, read_word,
};

/// The number of shards of a table.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;

/// The places of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// The places of each shard.
    pub places: usize,
    pub key_bits: u32,
    /// How places of half a word look; `None` where places hold whole keys.
    pub compact: Option<Compact>,
    /// The share of the first place in all scattered keys, as a fraction of 64 bits.
    share: u64,
}

impl Form {
    /// The smallest places that such keys and depths fit, in shards of so many places, two or more.
    pub fn new<K: Key>(places: usize, key_bits: u32, deepest: u64) -> Form {
        let fits = || Compact::fit(key_bits, SHARD_BITS + places.ilog2(), deepest);
        let compact = if K::WORDS == 1 { fits() } else { None };
        Form { places, key_bits, compact, share: ((1u128 << 64) / places as u128) as u64 }
    }

    /// The places of all shards.
    pub fn all_places(self) -> u64 {
        (SHARDS * self.places) as u64
    }

    /// Whether this depth can be kept with a key.
    pub fn keeps(self, level: u64) -> bool {
        self.compact.is_none_or(|compact| level <= compact.deepest())
    }

    /// The bytes of one place.
    pub fn width<K: Key>(self) -> u64 {
        if self.compact.is_some() { 4 } else { 8 * K::WORDS as u64 }
    }

    /// The bytes of all places.
    pub fn bytes<K: Key>(self) -> u64 {
        self.width::<K>() * self.all_places()
    }

    /// An empty shard; `None` if there is no memory.
    pub fn shard<K: Key>(self) -> Option<Words> {
        Words::zeroed((self.width::<K>() * self.places as u64).div_ceil(8) as usize)
    }

    /// The high bits of the hash name the shard; the others are a fraction, and as great a part of all places lies before the home.
    #[inline]
    pub fn home(self, hash: u64) -> (usize, usize) {
        ((hash >> (64 - SHARD_BITS)) as usize, self.home_of(hash << SHARD_BITS))
    }

    #[inline]
    fn home_of(self, fraction: u64) -> usize {
        ((u128::from(fraction) * self.places as u128) >> 64) as usize
    }

    /// The low bits of the scattered key: those that shard and home do not tell.
    #[inline]
    pub fn rest(self, compact: Compact, hash: u64) -> u32 {
        (hash >> (64 - self.key_bits)) as u32 & ((1 << compact.rest_bits) - 1)
    }

    /// The hash with this shard, home and rest.
    fn hash(self, compact: Compact, shard: usize, home: usize, rest: u32) -> u64 {
        let unused = 64 - self.key_bits.saturating_sub(SHARD_BITS).max(1);
        // No more than the first number with this home, and hardly less: `share` is rounded.
        let least = (home as u64).wrapping_mul(self.share) >> unused;
        let mask = (1u64 << compact.rest_bits) - 1;
        let mut number = least + (u64::from(rest).wrapping_sub(least) & mask);
        while self.home_of(number << unused) < home {
            number += mask + 1;
        }
        (shard as u64) << (64 - SHARD_BITS) | number << unused >> SHARD_BITS
    }

    /// Adds a key to its shard unless it is there.
    #[inline]
    pub fn insert<K: Key>(self, shard: &Words, key: K, hash: u64, level: u64) -> Insert {
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

    /// Where in its shard a key stands, if it does.
    #[inline]
    pub fn find<K: Key>(self, shard: &Words, key: K, hash: u64) -> Option<usize> {
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

    /// The key at a place of a shard, with its depth.
    #[inline]
    pub fn read<K: Key>(self, number: usize, shard: &Words, at: usize) -> Option<(K, u64)> {
        match self.compact {
            Some(form) => form.read(shard.halves(), at).and_then(|(home, rest, level)| {
                Some((K::unscatter(self.hash(form, number, home, rest), self.key_bits)?, level))
            }),
            None if K::WORDS == 1 => read_word(shard.words(), at, self.key_bits),
            None => read_pair(shard.words(), at, self.key_bits),
        }
    }

    /// Writes a key to a place that is so far from its home; `false` if that is too far. Only while no other thread looks.
    pub fn put<K: Key>(
        self,
        shard: &Words,
        (at, far): (usize, usize),
        key: K,
        hash: u64,
        level: u64,
    ) -> bool {
        match self.compact {
            Some(form) => return form.put(shard.halves(), (at, far), self.rest(form, hash), level),
            None if K::WORDS == 1 => put_word(shard.words(), at, key.split().0, self.key_bits, level),
            None => {
                let (low, high) = key.split();
                put_pair(shard.words(), at, u128::join(low, high), self.key_bits, level);
            }
        }
        true
    }

    /// Empties a place. Only while no other thread looks.
    pub fn clear<K: Key>(self, shard: &Words, at: usize) {
        match self.compact {
            Some(_) => Compact::clear(shard.halves(), at),
            None => super::place::clear(&shard.words()[at * K::WORDS..(at + 1) * K::WORDS]),
        }
    }

    /// Calls `visit` for every key of a shard with where in it the key stands, and its depth. Only while no thread writes.
    pub fn each_place<K: Key>(self, number: usize, shard: &Words, mut visit: impl FnMut(usize, K, u64)) {
        for at in 0..self.places {
            if let Some((key, level)) = self.read(number, shard, at) {
                visit(at, key, level);
            }
        }
    }

    /// The forms of larger tables for such keys, the largest first. Small tables grow fast, so that little is moved often;
    /// large ones double, or take an eighth less of that, and so on down to an eighth more than before.
    pub fn larger<K: Key>(self, deepest: u64) -> impl Iterator<Item = Form> {
        let most = match self.all_places().ilog2() {
            ..20 => 64,
            20..23 => 32,
            _ => 16,
        };
        let eighths = (9..=16).chain([32, 64]).rev().filter(move |&eighths| eighths <= most);
        // Whole words of a set with one bit for each place.
        let places = eighths.map(move |eighths| self.places / 8 * eighths / 64 * 64);
        let more = places.filter(move |&places| places > self.places);
        more.map(move |places| Form::new::<K>(places, self.key_bits, deepest))
    }

    /// The form of as many places for other keys, or for greater depths.
    pub fn relaid<K: Key>(self, key_bits: u32, deepest: u64) -> Form {
        Form::new::<K>(self.places, key_bits, deepest)
    }

    /// The form with the places of another one, and as wide, for the keys of this one.
    pub fn with_places_of(self, other: Form) -> Form {
        let compact = other.compact.map(|_| {
            let home_bits = SHARD_BITS + other.places.ilog2();
            Compact { rest_bits: self.key_bits.saturating_sub(home_bits) }
        });
        Form { key_bits: self.key_bits, compact, ..other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_at_a_place_tells_the_whole_hash_for_any_number_of_places() {
        for places in [64, 80, 256, 65 * 64, 100 * 64, 127 * 64, (1 << 20) - 64, 3 << 19] {
            for key_bits in [1, 3, 5, 6, 9, 14, 21, 26, 33] {
                let form = Form::new::<u64>(places, key_bits, 100);
                let Some(compact) = form.compact else { continue };
                for i in 0..3000u64 {
                    // The first and last homes, and some between.
                    let low = [0, u64::MAX >> (64 - key_bits), i.wrapping_mul(0x9e37_79b9_7f4a_7c15)];
                    for scattered in low.map(|at| (at ^ (i / 3)) & (u64::MAX >> (64 - key_bits))) {
                        let hash = scattered << (64 - key_bits);
                        let ((shard, home), rest) = (form.home(hash), form.rest(compact, hash));
                        assert!(home < places && u64::from(rest) < 1 << compact.rest_bits);
                        assert_eq!(
                            form.hash(compact, shard, home, rest),
                            hash,
                            "{key_bits} bits, {places} places"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_table_grows_by_an_eighth_at_least_and_never_loses_places() {
        let mut form = Form::new::<u64>(1024, 40, 100);
        while form.places < 1 << 22 {
            let larger: Vec<Form> = form.larger::<u64>(100).collect();
            assert!(larger.is_sorted_by_key(|larger| usize::MAX - larger.places));
            assert!(larger.iter().all(|larger| larger.places % 64 == 0 && larger.places > form.places));
            let least = larger.last().expect("one more step");
            assert!(least.places <= form.places / 8 * 9);
            form = *least;
        }
    }
}
