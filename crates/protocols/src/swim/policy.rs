//! What can be added to SWIM: how patient a process is with others while it is slow itself, and what counts in a suspicion.
//! A policy touches neither the table nor the news; those belong to the skeleton.

use std::fmt::Debug;
use std::hash::Hash;
use watchkeeper_core::Pack;

/// What can be added to SWIM. The defaults add nothing.
pub trait SwimPolicy: Clone + PartialEq + Eq + Debug + Send + Sync + 'static {
    /// What a process remembers for it; `()` if nothing.
    type Memory: Clone + Eq + Hash + Pack + Debug + Default + Send + Sync;

    /// A duration of the probe, for a process that remembers this.
    fn stretched(&self, _memory: &Self::Memory, duration: u32) -> u32 {
        duration
    }

    /// A probe was answered.
    fn answered(&self, _memory: &mut Self::Memory) {}

    /// A probe failed, in which so many of the helpers that were asked, if any were, have not said that they are there.
    fn failed(&self, _memory: &mut Self::Memory, _asked: u8, _silent: u8) {}

    /// The process had to refute a suspicion.
    fn refuted(&self, _memory: &mut Self::Memory) {}

    /// Whether helpers say that a target has not answered them.
    fn refuses(&self) -> bool {
        false
    }

    /// How many further members have to suspect a member until the time for its refutation is the shortest, in a group
    /// of so many; `None` if suspicions are not counted.
    fn confirmations(&self, _up: usize) -> Option<u32> {
        None
    }

    /// The time for a refutation when so many further members suspect, of which this is the shortest.
    fn patience(&self, shortest: u64, _further: u32, _up: usize) -> u64 {
        shortest
    }

    /// Whether a process tells a member that it suspects of that before anything else.
    fn tells_suspects(&self) -> bool {
        false
    }
}

/// SWIM as it is, with suspicion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PlainSwim;

impl SwimPolicy for PlainSwim {
    type Memory = ();
}

/// The logarithm of a number to the base 10, in thousandths, rounded; 0 for 0.
pub fn log10_thousandths(number: u32) -> u32 {
    /// The logarithm of 2 to the base 10, in units of 2 to the power of -32.
    const LOG10_OF_2: u64 = 1_292_913_986;
    /// The binary digits after the point that are computed of the logarithm to the base 2.
    const DIGITS: u32 = 20;
    let Some(whole) = number.checked_ilog2() else { return 0 };
    // The number as 1 and a fraction, in units of 2 to the power of -31.
    let mut fraction = u64::from(number) << (31 - whole);
    let mut logarithm = u64::from(whole);
    for _ in 0..DIGITS {
        fraction = (fraction * fraction) >> 31;
        logarithm <<= 1;
        if fraction >= 1 << 32 {
            fraction >>= 1;
            logarithm |= 1;
        }
    }
    let scaled = u128::from(logarithm) * u128::from(LOG10_OF_2) * 1000;
    ((scaled + (1 << (31 + DIGITS))) >> (32 + DIGITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_that_of_the_standard_library() {
        for number in (1..100_000).chain([1 << 30, u32::MAX]) {
            let exact = f64::from(number).log10() * 1000.0;
            let ours = f64::from(log10_thousandths(number));
            assert!((exact - ours).abs() <= 0.51, "{number}: {ours} for {exact}");
        }
        assert_eq!([0, 1, 10, 100, 128, 10_000].map(log10_thousandths), [0, 0, 1000, 2000, 2107, 4000]);
    }
}
