//! Memory for tables of a few places. loom keeps a history for every word, so that there must be few; and a word of its is no
//! word in memory, so that words and half words lie side by side instead of over each other.

use super::atomics::{AtomicU32, AtomicU64};

// The name by which the sources of the engines know it.
pub(crate) use LoomWords as Words;

/// Two shards, so that the number of a shard is still a part of the key.
pub(crate) const SHARD_BITS: u32 = 1;
/// Four places in a shard: enough for keys to be far from home, and for a search to end at a free place.
pub(crate) const SMALLEST_BITS: u32 = 2;

/// Words that many threads may share; all 0 at first.
pub(crate) struct LoomWords {
    words: Vec<AtomicU64>,
    halves: Vec<AtomicU32>,
}

impl LoomWords {
    /// `len` words that are 0.
    pub fn zeroed(len: usize) -> Option<LoomWords> {
        let words = (0..len).map(|_| AtomicU64::new(0)).collect();
        Some(LoomWords { words, halves: (0..2 * len).map(|_| AtomicU32::new(0)).collect() })
    }

    /// The words.
    pub fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// The half words.
    pub fn halves(&self) -> &[AtomicU32] {
        &self.halves
    }

    /// Nothing comes nearer here.
    pub fn prefetch(&self, _: usize) {}
}
