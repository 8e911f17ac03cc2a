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
        let mask = places.len() - 1;
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
            at = (at + 1) & mask;
            want += 1 << self.rest_bits;
        }
        Insert::Crowded
    }

    /// Where a scattered key stands, if it does. Only while no thread writes.
    #[inline]
    pub fn find(self, places: &[AtomicU32], home: usize, rest: u32) -> Option<usize> {
        let low = u32::MAX >> (32 - self.level_shift());
        let mask = places.len() - 1;
        let (mut at, mut want) = (home, rest);
        while want <= low {
            let held = places[at].load(Ordering::Relaxed);
            if held == 0 {
                return None;
            }
            if held & low == want {
                return Some(at);
            }
            at = (at + 1) & mask;
            want += 1 << self.rest_bits;
        }
        None
    }

    /// The home, the rest and the depth of what stands at a place.
    pub fn read(self, places: &[AtomicU32], at: usize) -> Option<(usize, u32, u64)> {
        let held = places[at].load(Ordering::Relaxed);
        let far = held << (32 - self.level_shift()) >> (32 - FAR_BITS);
        let home = at.wrapping_sub(far as usize) & (places.len() - 1);
        let rest = held & ((1 << self.rest_bits) - 1);
        (held != 0).then_some((home, rest, u64::from(held >> self.level_shift())))
    }
}

/// Looks for a key of one word from its home on. The word holds the key and the depth above it.
#[inline]
pub(crate) fn insert_word(places: &[AtomicU64], home: usize, key: u64, key_bits: u32, level: u64) -> Insert {
    let mask = places.len() - 1;
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
        at = (at + 1) & mask;
    }
    Insert::Crowded
}

/// Looks for a key of two words from its home on. The first word of a place holds the low 63 bits of the
/// key and a mark that the place is taken; the second holds the rest and the depth. As a depth is never
/// 0, the second word is 0 only until its writer has come that far.
#[inline]
pub(crate) fn insert_pair(words: &[AtomicU64], home: usize, key: u128, key_bits: u32, level: u64) -> Insert {
    let mask = words.len() / 2 - 1;
    let (low, high) = ((key as u64) << 1 | 1, (key >> 63) as u64);
    let high_bits = key_bits - 63;
    let mut at = home;
    for _ in 0..=mask {
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
        at = (at + 1) & mask;
    }
    Insert::Crowded
}

/// Where a key of one word stands, if it does. Only while no thread writes.
#[inline]
pub(crate) fn find_word(places: &[AtomicU64], home: usize, key: u64, key_bits: u32) -> Option<usize> {
    let mask = places.len() - 1;
    let mut at = home;
    for _ in 0..places.len() {
        let held = places[at].load(Ordering::Relaxed);
        if held == 0 {
            return None;
        }
        if (held ^ key) << (64 - key_bits) == 0 {
            return Some(at);
        }
        at = (at + 1) & mask;
    }
    None
}

/// Where a key of two words stands, if it does. Others may add keys meanwhile: of these it may know or not.
#[inline]
pub(crate) fn find_pair(words: &[AtomicU64], home: usize, key: u128, key_bits: u32) -> Option<usize> {
    let mask = words.len() / 2 - 1;
    let (low, high) = ((key as u64) << 1 | 1, (key >> 63) as u64);
    let high_bits = key_bits - 63;
    let mut at = home;
    for _ in 0..=mask {
        let (held, rest) = (words[2 * at].load(Ordering::Relaxed), words[2 * at + 1].load(Ordering::Relaxed));
        if held == 0 {
            return None;
        }
        // A second word that is not written yet is nobody's, also if the one that is looked for is 0.
        if held == low && rest != 0 && (rest ^ high) << (64 - high_bits) == 0 {
            return Some(at);
        }
        at = (at + 1) & mask;
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
