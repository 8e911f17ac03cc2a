//! The form in which a search keeps millions of zones: immutable, without the diagonal, two bytes an entry
//! where they fit. It must never compare wrongly where they do not: both widths and unbounded entries
//! mix freely.

use crate::{DbmBound, Zone};

/// A zone for keeping. Equal zones are equal here, so it can be looked up by its hash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stored(Words);

/// The words of the entries off the diagonal, row by row. Narrow if all fit, so that there is one form of
/// each zone. The greatest number of either width is an entry without a bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Words {
    Narrow(Box<[i16]>),
    Wide(Box<[i32]>),
}

/// How many entries are compared before looking at the outcome: enough to fill the registers of a wide
/// machine, and few enough not to go on long after the first difference.
const CHUNK: usize = 32;

impl Stored {
    /// The number of clocks.
    pub fn clocks(&self) -> usize {
        // There are k (k + 1) entries, and k is the only integer whose square is that close below.
        self.len().isqrt()
    }

    /// Writes the zone to `out`.
    pub fn thaw_into(&self, out: &mut Zone) {
        match &self.0 {
            Words::Narrow(words) => thaw(words, self.clocks(), widened, out),
            Words::Wide(words) => thaw(words, self.clocks(), |word| word, out),
        }
    }

    /// The zone again.
    pub fn thaw(&self) -> Zone {
        let mut zone = Zone::default();
        self.thaw_into(&mut zone);
        zone
    }

    /// Whether every valuation of the other zone is in this one.
    pub fn includes(&self, small: &Stored) -> bool {
        match (&self.0, &small.0) {
            (Words::Narrow(large), Words::Narrow(small)) => above(large, small, |a, b| a >= b),
            (Words::Wide(large), Words::Wide(small)) => above(large, small, |a, b| a >= b),
            (Words::Narrow(large), Words::Wide(small)) => above(large, small, |a, b| widened(a) >= b),
            (Words::Wide(large), Words::Narrow(small)) => above(large, small, |a, b| a >= widened(b)),
        }
    }

    /// The sum of the entries: if this zone includes another one and they differ, its extent is greater.
    pub fn extent(&self) -> i64 {
        match &self.0 {
            Words::Narrow(words) => words.chunks(CHUNK).map(narrow_sum).sum(),
            Words::Wide(words) => words.iter().map(|&word| i64::from(word)).sum(),
        }
    }

    /// Whether this is the kept form of a zone.
    pub fn is(&self, zone: &Zone) -> bool {
        fn same<W: Copy>(words: &[W], zone: &Zone, widened: impl Fn(W) -> i32) -> bool {
            let side = zone.side();
            let runs = zone.entries()[1..].chunks_exact(side + 1);
            words.len() == zone.clocks() * side
                && words.chunks_exact(side).zip(runs).all(|(words, run)| {
                    let pairs = words.iter().zip(run);
                    pairs.fold(true, |all, (&word, bound)| all & (widened(word) == bound.word()))
                })
        }
        match &self.0 {
            Words::Narrow(words) => same(words, zone, widened),
            Words::Wide(words) => same(words, zone, |word| word),
        }
    }

    /// The bytes on the heap.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Words::Narrow(words) => size_of_val::<[i16]>(words),
            Words::Wide(words) => size_of_val::<[i32]>(words),
        }
    }

    fn len(&self) -> usize {
        match &self.0 {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
        }
    }
}

impl From<&Zone> for Stored {
    fn from(zone: &Zone) -> Stored {
        // The diagonal fits in any case, so all of the matrix can be looked at in one go.
        let narrow = zone.entries().iter().fold(true, |all, bound| all & fits(bound.word()));
        Stored(if narrow {
            Words::Narrow(off_diagonal(zone, |word| word.min(i32::from(i16::MAX)) as i16))
        } else {
            Words::Wide(off_diagonal(zone, |word| word))
        })
    }
}

impl Zone {
    /// This zone for keeping.
    pub fn store(&self) -> Stored {
        Stored::from(self)
    }

    /// A number that the zone decides, for looking it up; the same in every run. Four lanes at a time, since
    /// one multiplication need not wait for the one before.
    pub fn fingerprint(&self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut lanes = [self.entries().len() as u64, 1, 2, 3];
        let mut chunks = self.entries().chunks_exact(4);
        for chunk in &mut chunks {
            for (lane, bound) in lanes.iter_mut().zip(chunk) {
                *lane = (lane.rotate_left(23) ^ bound.word() as u32 as u64).wrapping_mul(ODD);
            }
        }
        for (lane, bound) in lanes.iter_mut().zip(chunks.remainder()) {
            *lane = (lane.rotate_left(23) ^ bound.word() as u32 as u64).wrapping_mul(ODD);
        }
        let mixed = lanes.iter().fold(0u64, |all, lane| (all.rotate_left(17) ^ lane).wrapping_mul(ODD));
        mixed ^ mixed >> 32
    }
}

/// The words of a zone off its diagonal. After the first entry a matrix is a row of `side` entries off the
/// diagonal, one on it, and so on.
fn off_diagonal<W>(zone: &Zone, word: impl Fn(i32) -> W) -> Box<[W]> {
    let side = zone.side();
    let mut words = Vec::with_capacity(zone.clocks() * side);
    for run in zone.entries()[1..].chunks_exact(side + 1) {
        words.extend(run[..side].iter().map(|bound| word(bound.word())));
    }
    words.into_boxed_slice()
}

fn thaw<W: Copy>(words: &[W], clocks: usize, widened: impl Fn(W) -> i32, out: &mut Zone) {
    let entries = out.blank(clocks);
    entries.push(DbmBound::ZERO);
    for run in words.chunks_exact(clocks + 1) {
        entries.extend(run.iter().map(|&word| DbmBound::of_word(widened(word))));
        entries.push(DbmBound::ZERO);
    }
}

/// Whether two zones have as many entries, and each is at least the other. Within a chunk there is no
/// branch, so that all of it is compared at once.
#[inline]
fn above<A: Copy, B: Copy>(large: &[A], small: &[B], at_least: impl Fn(A, B) -> bool) -> bool {
    large.len() == small.len()
        && large
            .chunks(CHUNK)
            .zip(small.chunks(CHUNK))
            .all(|(large, small)| large.iter().zip(small).fold(true, |all, (&a, &b)| all & at_least(a, b)))
}

/// The sum of a few words as if they were wide; apart from those without a bound it is small.
#[inline]
fn narrow_sum(words: &[i16]) -> i64 {
    let sum: i32 = words.iter().map(|&word| i32::from(word)).sum();
    let unbounded: i32 = words.iter().map(|&word| i32::from(word == i16::MAX)).sum();
    i64::from(sum) + i64::from(unbounded) * (i64::from(i32::MAX) - i64::from(i16::MAX))
}

#[inline]
fn widened(word: i16) -> i32 {
    if word == i16::MAX { i32::MAX } else { i32::from(word) }
}

#[inline]
fn fits(word: i32) -> bool {
    (word == i32::MAX) | ((word >= i32::from(i16::MIN)) & (word < i32::from(i16::MAX)))
}
