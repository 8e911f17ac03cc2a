//! The three forms that a place of a table can have, and how a thread claims one while others do. Every
//! form is exact: from a place and where it stands, the whole key and its depth can be read again.

use super::Key;
use super::atomics::{AtomicU32, AtomicU64, Ordering, spin_loop};

/// What came of looking for a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Insert {
    /// It was not there and now is.
    Fresh,
    /// It was there.
    Known,
    /// It was not found, and there is no room for it near where it belongs: the table must grow.
    Crowded,
}

/// Bits that tell how far from its home a key in a compact place stands.
pub(crate) const FAR_BITS: u32 = 9;

/// A compact place is half a word: where it stands tells the high bits of the scattered key, so only the
/// rest is kept, with the distance from home and the depth, which is never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Compact {
    /// The bits of the scattered key that the home does not tell.
    pub rest_bits: u32,
}

impl Compact {
    /// The form for keys of `key_bits` in a table with `1 << home_bits` places, if depths up to
    /// `deepest`, and then some, can be kept.
    pub fn fit(key_bits: u32, home_bits: u32, deepest: u64) -> Option<Compact> {
        let rest_bits = key_bits.saturating_sub(home_bits);
        let form = Compact { rest_bits };
        let roomy = (rest_bits + FAR_BITS) + 10 <= 32;
        (roomy && deepest < 1 << (32 - rest_bits - FAR_BITS - 1)).then_some(form)
    }

    /// The greatest depth that can be kept.
    pub fn deepest(self) -> u64 {
        (1 << (32 - self.level_shift())) - 1
    }

    fn level_shift(self) -> u32 {
        self.rest_bits + FAR_BITS
    }

    /// Looks for a scattered key from its home on.
    #[inline]
    pub fn insert(self, places: &[AtomicU32], home: usize, rest: u32, level: u64) -> Insert {
        let low = u32::MAX >> (32 - self.level_shift());
        let (mut at, mut want) = (home, rest);
        while want <= low {
            let mut held = places[at].load(Ordering::Relaxed);
            if held == 0 {
                let new = want | (level as u32) << self.level_shift();
                match places[at].compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Insert::Fresh,
                    Err(other) => held = other,
                }
            }
            if held & low == want {
                return Insert::Known;
            }
            at = after(at, places.len());
            want += 1 << self.rest_bits;
        }
        Insert::Crowded
    }

    /// Where a scattered key stands, if it does. Only while no thread writes.
    #[inline]
    pub fn find(self, places: &[AtomicU32], home: usize, rest: u32) -> Option<usize> {
        let low = u32::MAX >> (32 - self.level_shift());
        let (mut at, mut want) = (home, rest);
        while want <= low {
            let held = places[at].load(Ordering::Relaxed);
            if held == 0 {
                return None;
            }
            if held & low == want {
                return Some(at);
            }
            at = after(at, places.len());
            want += 1 << self.rest_bits;
        }
        None
    }

    /// The home, the rest and the depth of what stands at a place.
    pub fn read(self, places: &[AtomicU32], at: usize) -> Option<(usize, u32, u64)> {
        let held = places[at].load(Ordering::Relaxed);
        let far = held << (32 - self.level_shift()) >> (32 - FAR_BITS);
        let home = before(at, far as usize, places.len());
        let rest = held & ((1 << self.rest_bits) - 1);
        (held != 0).then_some((home, rest, u64::from(held >> self.level_shift())))
    }

    /// Writes a key to a place that is so far from its home; `false` if that is too far. Only while no other thread looks.
    pub fn put(self, places: &[AtomicU32], (at, far): (usize, usize), rest: u32, level: u64) -> bool {
        if far >> FAR_BITS != 0 {
            return false;
        }
        let held = rest | (far as u32) << self.rest_bits | (level as u32) << self.level_shift();
        places[at].store(held, Ordering::Relaxed);
        true
    }

    /// Empties a place. Only while no other thread looks.
    pub fn clear(places: &[AtomicU32], at: usize) {
        places[at].store(0, Ordering::Relaxed);
    }
}

/// The place after this one, round and round.
#[inline]
pub(crate) fn after(at: usize, places: usize) -> usize {
    if at + 1 == places { 0 } else { at + 1 }
}

/// The place so far before this one.
#[inline]
fn before(at: usize, far: usize, places: usize) -> usize {
    if far <= at { at - far } else { (at + places - far % places) % places }
}

/// Looks for a key of one word from its home on. The word holds the key and the depth above it.
#[inline]
pub(crate) fn insert_word(places: &[AtomicU64], home: usize, key: u64, key_bits: u32, level: u64) -> Insert {
    let mut at = home;
    for _ in 0..places.len() {
        // One word tells all, so no other memory is published with it and relaxed order is enough.
        let mut held = places[at].load(Ordering::Relaxed);
        if held == 0 {
            let new = key | level << key_bits;
            match places[at].compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Insert::Fresh,
                Err(other) => held = other,
            }
        }
        // The depth above the key is shifted out.
        if (held ^ key) << (64 - key_bits) == 0 {
            return Insert::Known;
        }
        at = after(at, places.len());
    }
    Insert::Crowded
}

/// Looks for a key of two words from its home on. The first word of a place holds the low 63 bits of the
/// key and a mark that the place is taken; the second holds the rest and the depth. As a depth is never
/// 0, the second word is 0 only until its writer has come that far.
#[inline]
pub(crate) fn insert_pair(words: &[AtomicU64], home: usize, key: u128, key_bits: u32, level: u64) -> Insert {
    let len = words.len() / 2;
    let (low, high) = ((key as u64) << 1 | 1, (key >> 63) as u64);
    let high_bits = key_bits - 63;
    let mut at = home;
    for _ in 0..len {
        let place = &words[2 * at..2 * at + 2];
        let mut held = place[0].load(Ordering::Acquire);
        if held == 0 {
            match place[0].compare_exchange(0, low, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    place[1].store(high | level << high_bits, Ordering::Release);
                    return Insert::Fresh;
                }
                Err(other) => held = other,
            }
        }
        if held == low {
            let mut rest = place[1].load(Ordering::Acquire);
            while rest == 0 {
                spin_loop();
                rest = place[1].load(Ordering::Acquire);
            }
            if (rest ^ high) << (64 - high_bits) == 0 {
                return Insert::Known;
            }
        }
        at = after(at, len);
    }
    Insert::Crowded
}

/// Where a key of one word stands, if it does. Only while no thread writes.
#[inline]
pub(crate) fn find_word(places: &[AtomicU64], home: usize, key: u64, key_bits: u32) -> Option<usize> {
    let mut at = home;
    for _ in 0..places.len() {
        let held = places[at].load(Ordering::Relaxed);
        if held == 0 {
            return None;
        }
        if (held ^ key) << (64 - key_bits) == 0 {
            return Some(at);
        }
        at = after(at, places.len());
    }
    None
}

/// Where a key of two words stands, if it does. Others may add keys meanwhile: of these it may know or not.
#[inline]
pub(crate) fn find_pair(words: &[AtomicU64], home: usize, key: u128, key_bits: u32) -> Option<usize> {
    let len = words.len() / 2;
    let (low, high) = ((key as u64) << 1 | 1, (key >> 63) as u64);
    let high_bits = key_bits - 63;
    let mut at = home;
    for _ in 0..len {
        let (held, rest) = (words[2 * at].load(Ordering::Relaxed), words[2 * at + 1].load(Ordering::Relaxed));
        if held == 0 {
            return None;
        }
        // A second word that is not written yet is nobody's, also if the one that is looked for is 0.
        if held == low && rest != 0 && (rest ^ high) << (64 - high_bits) == 0 {
            return Some(at);
        }
        at = after(at, len);
    }
    None
}

/// The key and depth in a place of one word.
pub(crate) fn read_word<K: Key>(places: &[AtomicU64], at: usize, key_bits: u32) -> Option<(K, u64)> {
    let held = places[at].load(Ordering::Relaxed);
    (held != 0).then_some((K::join(held & ((1 << key_bits) - 1), 0), held >> key_bits))
}

/// The key and depth in a place of two words.
pub(crate) fn read_pair<K: Key>(words: &[AtomicU64], at: usize, key_bits: u32) -> Option<(K, u64)> {
    let low = words[2 * at].load(Ordering::Acquire);
    let rest = words[2 * at + 1].load(Ordering::Acquire);
    let high_bits = key_bits - 63;
    let high = rest & ((1 << high_bits) - 1);
    (low != 0).then(|| (K::join(low >> 1 | high << 63, high >> 1), rest >> high_bits))
}

/// Writes a key of one word to a place. Only while no other thread looks, like the two below.
pub(crate) fn put_word(places: &[AtomicU64], at: usize, key: u64, key_bits: u32, level: u64) {
    places[at].store(key | level << key_bits, Ordering::Relaxed);
}

/// Writes a key of two words to a place.
pub(crate) fn put_pair(words: &[AtomicU64], at: usize, key: u128, key_bits: u32, level: u64) {
    words[2 * at].store((key as u64) << 1 | 1, Ordering::Relaxed);
    words[2 * at + 1].store((key >> 63) as u64 | level << (key_bits - 63), Ordering::Relaxed);
}

/// Empties the words of a place.
pub(crate) fn clear(words: &[AtomicU64]) {
    words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::super::memory::Words;
    use super::*;

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
