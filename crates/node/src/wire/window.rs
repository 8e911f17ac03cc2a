//! Which of the last numbers have been seen, as bits in a ring. A number is taken at most once, and nothing grows:
//! what falls out of the window counts as seen.

use super::DatagramRefusal;

/// How many numbers a window is wide: the highest that was seen and those just below it.
pub const WINDOW: u64 = 1024;

const WORDS: usize = (WINDOW / 64) as usize;

/// The numbers of one sender in one incarnation that have been seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    /// 0 before the first.
    highest: u64,
    /// The bit of a number is at the number modulo the width. Those of numbers that were never seen are 0.
    seen: [u64; WORDS],
}

impl Window {
    pub(super) const EMPTY: Window = Window { highest: 0, seen: [0; WORDS] };

    /// The highest number that was seen; 0 if none was.
    pub(super) fn highest(&self) -> u64 {
        self.highest
    }

    /// Whether a number may be marked as seen: it is in the window or above it, and was not seen before.
    pub(super) fn check(&self, number: u64) -> Result<(), DatagramRefusal> {
        if number > self.highest {
            return Ok(());
        }
        if number == 0 || self.highest - number >= WINDOW {
            return Err(DatagramRefusal::TooOld);
        }
        let (word, bit) = place(number);
        if self.seen[word] & bit != 0 { Err(DatagramRefusal::Replayed) } else { Ok(()) }
    }

    /// Marks a number as seen that was checked.
    pub(super) fn mark(&mut self, number: u64) {
        if number > self.highest {
            if number - self.highest >= WINDOW {
                self.seen = [0; WORDS];
            } else {
                for (word, mask) in masks(self.highest + 1, number) {
                    self.seen[word] &= !mask;
                }
            }
            self.highest = number;
        }
        let (word, bit) = place(number);
        self.seen[word] |= bit;
    }

    /// How many of the numbers from `first` to `last`, all of them in the window, were not seen.
    pub(super) fn unseen(&self, first: u64, last: u64) -> u64 {
        debug_assert!(last <= self.highest && self.highest - first < WINDOW, "numbers of the window");
        masks(first, last).map(|(word, mask)| u64::from((!self.seen[word] & mask).count_ones())).sum()
    }
}

fn place(number: u64) -> (usize, u64) {
    ((number / 64) as usize % WORDS, 1 << (number % 64))
}

/// The words and the bits in them of the numbers from `first` to `last`, which are less than a window apart. A word
/// comes twice if the window begins and ends in it.
fn masks(first: u64, last: u64) -> impl Iterator<Item = (usize, u64)> {
    let mut at = first;
    let mut left = if first > last { 0 } else { (last - first).min(WINDOW - 1) + 1 };
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let (word, bit) = place(at);
        let count = left.min(64 - at % 64);
        let mask = (u64::MAX >> (64 - count)) * bit;
        at = at.wrapping_add(count);
        left -= count;
        Some((word, mask))
    })
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
