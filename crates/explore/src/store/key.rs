//! Packed states of one word or two: reading and writing their fields, and scattering them over a table.

use crate::layout::{Field, FieldRun};
use std::ops::{BitAnd, BitOr, Not, Shl, Shr};
use watchkeeper_space::Id;

/// A packed state.
pub(crate) trait Key:
    Copy
    + Eq
    + Send
    + Sync
    + std::fmt::Debug
    + From<Id>
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// The bits for the fields and the depth together.
    const BITS: u32;
    /// The lowest bit at which the depth may begin.
    const LEVEL_FLOOR: u32;
    /// The words of a place that holds a whole key.
    const WORDS: usize;
    /// The key whose fields are all 0.
    const ZERO: Self;
    /// No key at all: the bits above the fields are never all set.
    const NONE: Self;

    /// The content of a field.
    #[inline]
    fn get(self, field: Field) -> Id {
        (self >> field.shift).split().0 as Id & field.max
    }

    /// The key with another content of a field.
    #[inline]
    fn with(self, field: Field, id: Id) -> Self {
        (self & !(Self::from(field.max) << field.shift)) | Self::from(id) << field.shift
    }

    /// This key with some neighbouring bits of another one, where it has none set.
    #[inline]
    fn with_run(self, other: Self, run: FieldRun) -> Self {
        self | (other >> run.from & Self::NONE >> (8 * size_of::<Self>() as u32 - run.bits)) << run.to
    }

    /// Bits that look random, the high ones most of all. For keys of one word no two keys of `key_bits`
    /// bits share them, and [`Key::unscatter`] finds the key again.
    fn scatter(self, key_bits: u32) -> u64;

    /// The key that was scattered to these bits; `None` for keys of two words.
    fn unscatter(scattered: u64, key_bits: u32) -> Option<Self>;

    /// Ten bits by which a worker remembers keys: cheaper than scattering, and spread well enough for that.
    fn spot(self) -> usize;

    /// The low word and the rest.
    fn split(self) -> (u64, u64);

    /// The key of these words.
    fn join(low: u64, high: u64) -> Self;
}

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// The number that undoes a multiplication with an odd number, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let (mut x, mut round) = (odd, 0);
    while round < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

impl Key for u64 {
    const BITS: u32 = 64;
    const LEVEL_FLOOR: u32 = 0;
    const WORDS: usize = 1;
    const ZERO: u64 = 0;
    const NONE: u64 = u64::MAX;

    /// A permutation of the numbers of `key_bits` bits: multiplications with odd numbers, and exclusive
    /// ors with the upper half, each of which can be undone.
    #[inline]
    fn scatter(self, key_bits: u32) -> u64 {
        let (spare, half) = (64 - key_bits, key_bits.div_ceil(2));
        let mut x = self;
        x ^= x >> half;
        x = x.wrapping_mul(FIRST) << spare >> spare;
        x ^= x >> half;
        x.wrapping_mul(SECOND) << spare
    }

    #[inline]
    fn unscatter(scattered: u64, key_bits: u32) -> Option<u64> {
        let (spare, half) = (64 - key_bits, key_bits.div_ceil(2));
        let mut x = scattered >> spare;
        x = x.wrapping_mul(const { inverse(SECOND) }) << spare >> spare;
        x ^= x >> half;
        x = x.wrapping_mul(const { inverse(FIRST) }) << spare >> spare;
        Some(x ^ x >> half)
    }

    #[inline]
    fn spot(self) -> usize {
        (self.wrapping_mul(FIRST) >> 54) as usize
    }

    #[inline]
    fn split(self) -> (u64, u64) {
        (self, 0)
    }

    #[inline]
    fn join(low: u64, _: u64) -> u64 {
        low
    }
}

impl Key for u128 {
    const BITS: u32 = 127;
    const LEVEL_FLOOR: u32 = 64;
    const WORDS: usize = 2;
    const ZERO: u128 = 0;
    const NONE: u128 = u128::MAX;

    #[inline]
    fn scatter(self, _: u32) -> u64 {
        let high = ((self >> 64) as u64).scatter(64);
        (self as u64 ^ high.rotate_left(23)).scatter(64)
    }

    fn unscatter(_: u64, _: u32) -> Option<u128> {
        None
    }

    #[inline]
    fn spot(self) -> usize {
        let high = ((self >> 64) as u64).wrapping_mul(SECOND);
        ((self as u64 ^ high).wrapping_mul(FIRST) >> 54) as usize
    }

    #[inline]
    fn split(self) -> (u64, u64) {
        (self as u64, (self >> 64) as u64)
    }

    #[inline]
    fn join(low: u64, high: u64) -> u128 {
        u128::from(high) << 64 | u128::from(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattering_is_undone() {
        for key_bits in 1..=63 {
            for i in 0..500u64 {
                let key = i.wrapping_mul(0x1234_5678_9abc_def1) >> (64 - key_bits);
                assert_eq!(u64::unscatter(key.scatter(key_bits), key_bits), Some(key), "{key} of {key_bits}");
            }
        }
    }

    #[test]
    fn small_keys_are_spread_over_the_high_bits() {
        let mut seen = std::collections::HashSet::new();
        for key in 0..4096u64 {
            seen.insert(key.scatter(40) >> 50);
        }
        assert!(seen.len() > 14_000 / 2 / 2, "{} of 16384 places for 4096 keys", seen.len());
    }
}
