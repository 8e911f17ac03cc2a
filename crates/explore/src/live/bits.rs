//! Sets of numbered things, one bit for each. One kind is filled by many threads at once and then frozen.

use std::sync::atomic::{AtomicU64, Ordering};

/// A set of numbers below a length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `len`.
    pub fn none(len: usize) -> Bits {
        Bits { words: vec![0; len.div_ceil(64)] }
    }

    /// All numbers below `len`.
    pub fn all(len: usize) -> Bits {
        let mut bits = Bits { words: vec![u64::MAX; len.div_ceil(64)] };
        if let (Some(last), rest @ 1..) = (bits.words.last_mut(), len % 64) {
            *last = (1 << rest) - 1;
        }
        bits
    }

    #[inline]
    pub fn has(&self, at: u32) -> bool {
        self.words[at as usize / 64] >> (at % 64) & 1 == 1
    }

    #[inline]
    pub fn add(&mut self, at: u32) {
        self.words[at as usize / 64] |= 1 << (at % 64);
    }

    #[inline]
    pub fn remove(&mut self, at: u32) {
        self.words[at as usize / 64] &= !(1 << (at % 64));
    }

    /// Removes what is not in another set of the same length.
    pub fn keep(&mut self, other: &Bits) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The numbers in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    i as u32 * 64 + bit
                })
            })
        })
    }

    /// The numbers below `len` that are not in it.
    pub fn complement(&self, len: usize) -> Bits {
        let mut bits = Bits::all(len);
        bits.words.iter_mut().zip(&self.words).for_each(|(word, other)| *word &= !other);
        bits
    }

    pub fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }
}

/// A set that many threads add to.
pub(crate) struct SharedBits {
    words: Vec<AtomicU64>,
}

impl SharedBits {
    /// The empty set of numbers below `len`.
    pub fn none(len: usize) -> SharedBits {
        SharedBits { words: (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    pub fn add(&self, at: u32) {
        self.words[at as usize / 64].fetch_or(1 << (at % 64), Ordering::Relaxed);
    }

    /// The set, once nobody adds any more.
    pub fn frozen(self) -> Bits {
        Bits { words: self.words.into_iter().map(AtomicU64::into_inner).collect() }
    }
}

/// How many of the bits before a place are set: the place's number among those that are taken.
pub(crate) struct Ranks {
    words: Vec<u64>,
    /// The number of bits set before each block of eight words.
    before: Vec<u32>,
}

impl Ranks {
    /// The ranks of these words of bits.
    pub fn of(words: Vec<u64>) -> Ranks {
        let mut count = 0;
        let before = words.chunks(8).map(|block| {
            let at = count;
            count += block.iter().map(|word| word.count_ones()).sum::<u32>();
            at
        });
        let before = before.collect();
        Ranks { words, before }
    }

    /// The number of bits set before this one.
    #[inline]
    pub fn rank(&self, at: usize) -> u32 {
        let (word, block) = (at / 64, at / 512);
        let mut rank = self.before[block];
        for other in &self.words[block * 8..word] {
            rank += other.count_ones();
        }
        rank + (self.words[word] & ((1 << (at % 64)) - 1)).count_ones()
    }

    pub fn bytes(&self) -> u64 {
        8 * self.words.len() as u64 + 4 * self.before.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_what_was_added_and_no_more() {
        let mut bits = Bits::none(130);
        [0, 63, 64, 129].into_iter().for_each(|at| bits.add(at));
        bits.remove(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 63, 129]);
        assert_eq!(bits.complement(130).iter().count(), 127);
        assert_eq!(Bits::all(130).iter().count(), 130);
        assert!(Bits::none(130).is_empty() && !bits.is_empty());
    }

    #[test]
    fn ranks_count_what_is_before() {
        let bits: Vec<usize> = (0..2000).filter(|i| i % 3 == 0 || i % 7 == 1).collect();
        let mut words = vec![0u64; 2048 / 64];
        bits.iter().for_each(|&at| words[at / 64] |= 1 << (at % 64));
        let ranks = Ranks::of(words);
        for (i, &at) in bits.iter().enumerate() {
            assert_eq!(ranks.rank(at), i as u32);
        }
    }
}
