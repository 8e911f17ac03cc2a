//! Packed states of one word or two, and how each claims its place in a table that many threads share.

use crate::layout::Field;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_space::Id;

/// What was found at a place of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// It was free and now holds the key.
    Fresh,
    /// It holds the key already.
    Known,
    /// It holds another key.
    Other,
}

/// A packed state.
pub(crate) trait Key: Copy + Eq + Send + Sync + std::fmt::Debug + 'static {
    /// The bits for the fields and the depth together.
    const BITS: u32;
    /// The lowest bit at which the depth may begin.
    const LEVEL_FLOOR: u32;
    /// The words of a place.
    const WORDS: usize;
    /// The key whose fields are all 0.
    const ZERO: Self;

    /// What stands in a field.
    fn get(self, field: Field) -> Id;

    /// The key with something else in a field.
    fn with(self, field: Field, id: Id) -> Self;

    /// Bits that look random.
    fn hash(self) -> u64;

    /// Looks at one place, and takes it if it is free. `level` is not 0 and lies above `key_bits`.
    fn claim(self, place: &[AtomicU64], key_bits: u32, level: u64) -> Place;

    /// What a place holds: the key and its depth; `None` if it is free. Only while nobody writes.
    fn read(place: &[AtomicU64], key_bits: u32) -> Option<(Self, u64)>;
}

/// Two rounds of multiply and shift: every bit of the key reaches the high bits, which choose the place.
#[inline]
fn mix(mut x: u64) -> u64 {
    x ^= x >> 32;
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x.wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

impl Key for u64 {
    const BITS: u32 = 64;
    const LEVEL_FLOOR: u32 = 0;
    const WORDS: usize = 1;
    const ZERO: u64 = 0;

    #[inline]
    fn get(self, field: Field) -> Id {
        (self >> field.shift) as Id & field.max
    }

    #[inline]
    fn with(self, field: Field, id: Id) -> u64 {
        (self & !(u64::from(field.max) << field.shift)) | u64::from(id) << field.shift
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self)
    }

    #[inline]
    fn claim(self, place: &[AtomicU64], key_bits: u32, level: u64) -> Place {
        // One word tells all, so no other memory is published with it and relaxed order is enough.
        let mut held = place[0].load(Ordering::Relaxed);
        if held == 0 {
            match place[0].compare_exchange(0, self | level << key_bits, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Place::Fresh,
                Err(other) => held = other,
            }
        }
        // The depth above the key is shifted out.
        if (held ^ self) << (64 - key_bits) == 0 { Place::Known } else { Place::Other }
    }

    fn read(place: &[AtomicU64], key_bits: u32) -> Option<(u64, u64)> {
        let held = place[0].load(Ordering::Relaxed);
        (held != 0).then_some((held & ((1 << key_bits) - 1), held >> key_bits))
    }
}

/// The first word holds the low 63 bits of the key and a mark that the place is taken. The second holds
/// the rest and the depth; as a depth is never 0, it is 0 only until its writer has come that far.
impl Key for u128 {
    const BITS: u32 = 127;
    const LEVEL_FLOOR: u32 = 64;
    const WORDS: usize = 2;
    const ZERO: u128 = 0;

    #[inline]
    fn get(self, field: Field) -> Id {
        (self >> field.shift) as Id & field.max
    }

    #[inline]
    fn with(self, field: Field, id: Id) -> u128 {
        (self & !(u128::from(field.max) << field.shift)) | u128::from(id) << field.shift
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self as u64 ^ mix((self >> 64) as u64).rotate_left(23))
    }

    #[inline]
    fn claim(self, place: &[AtomicU64], key_bits: u32, level: u64) -> Place {
        let (low, high) = ((self as u64) << 1 | 1, (self >> 63) as u64);
        let high_bits = key_bits - 63;
        let mut held = place[0].load(Ordering::Acquire);
        if held == 0 {
            match place[0].compare_exchange(0, low, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    place[1].store(high | level << high_bits, Ordering::Release);
                    return Place::Fresh;
                }
                Err(other) => held = other,
            }
        }
        if held != low {
            return Place::Other;
        }
        let mut rest = place[1].load(Ordering::Acquire);
        while rest == 0 {
            std::hint::spin_loop();
            rest = place[1].load(Ordering::Acquire);
        }
        if (rest ^ high) << (64 - high_bits) == 0 { Place::Known } else { Place::Other }
    }

    fn read(place: &[AtomicU64], key_bits: u32) -> Option<(u128, u64)> {
        let low = place[0].load(Ordering::Acquire);
        let rest = place[1].load(Ordering::Acquire);
        let high_bits = key_bits - 63;
        let high = rest & ((1 << high_bits) - 1);
        (low != 0).then_some((u128::from(low >> 1) | u128::from(high) << 63, rest >> high_bits))
    }
}
