//! One small number for each different zone of a world in dense time. A zone is kept in its compact form,
//! once, whatever number of states it is part of.

use crate::intern::Interner;
use std::cmp::Ordering;
use watchkeeper_core::Pack;
use watchkeeper_space::Id;
use watchkeeper_zones::{Stored, Zone};

/// The zones so far, each with its extent and its outline.
pub(crate) struct ZoneIds {
    zones: Interner<Stored, (i64, u64)>,
}

impl ZoneIds {
    pub(crate) fn new() -> ZoneIds {
        ZoneIds { zones: Interner::new() }
    }

    pub(crate) fn intern(&self, zone: &Zone) -> Id {
        self.zones.intern(zone.store(), |stored| ((stored.extent(), outline(zone)), stored.bytes()))
    }

    pub(crate) fn thaw_into(&self, id: Id, zone: &mut Zone) {
        self.zones.get(id).value.thaw_into(zone);
    }

    /// An order of zones that is the same in every run.
    pub(crate) fn compare(&self, a: Id, b: Id) -> Ordering {
        if a == b { Ordering::Equal } else { self.zones.get(a).value.cmp(&self.zones.get(b).value) }
    }

    #[inline]
    pub(crate) fn covers(&self, large: Id, small: Id) -> bool {
        large == small || self.zones.get(large).value.covers(&self.zones.get(small).value)
    }

    #[inline]
    pub(crate) fn extent(&self, id: Id) -> i64 {
        self.zones.get(id).memo.0
    }

    #[inline]
    pub(crate) fn outline(&self, id: Id) -> u64 {
        self.zones.get(id).memo.1
    }

    /// Appends the canonical bytes of a zone.
    pub(crate) fn pack(&self, id: Id, out: &mut Vec<u8>) {
        let zone = self.zones.get(id).value.thaw();
        for limit in zone.entries() {
            i64::from(limit.value() * 2 + i32::from(!limit.is_strict())).pack(out);
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.zones.bytes()
    }
}

/// Eight sums of limits, each as 7 bits: if one zone covers another, none of its sums is smaller. Limits on
/// clocks that lie side by side are in different sums, because they often change together.
fn outline(zone: &Zone) -> u64 {
    let mut sums = [0i64; 8];
    for (i, limit) in zone.entries().iter().enumerate() {
        sums[i % 8] += i64::from(limit.value()) * 2 + i64::from(!limit.is_strict());
    }
    sums.iter().fold(0, |outline, &sum| outline << 8 | coarse(sum))
}

/// A number in 7 bits that grows with another one: finely around 0, coarsely far from it.
fn coarse(sum: i64) -> u64 {
    let size = sum.unsigned_abs();
    // Sixteen steps to each doubling from 16 on.
    let steps = match size {
        0..16 => size / 2,
        _ => {
            let power = size.ilog2();
            u64::from(power - 3) * 8 + (size >> (power - 3)) - 8
        }
    };
    let steps = steps.min(63) as i64;
    (64 + if sum < 0 { -steps } else { steps }) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_numbers_grow_with_fine_ones() {
        let mut last = 0;
        for sum in -100_000..100_000 {
            let now = coarse(sum);
            assert!(now >= last && now < 128, "{sum}: {now} after {last}");
            last = now;
        }
        assert!(coarse(20) > coarse(0) && coarse(0) > coarse(-20));
    }
}
