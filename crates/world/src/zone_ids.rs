//! One small number for each different zone of a world in dense time. A zone is kept in its compact form,
//! once, whatever number of states it is part of.

use crate::intern::Interner;
use std::cmp::Ordering;
use watchkeeper_core::Pack;
use watchkeeper_space::Id;
use watchkeeper_zones::{Stored, Zone};

/// The zones so far, each with its extent.
pub(crate) struct ZoneIds {
    zones: Interner<Stored, i64>,
}

impl ZoneIds {
    pub(crate) fn new() -> ZoneIds {
        ZoneIds { zones: Interner::new() }
    }

    pub(crate) fn intern(&self, zone: &Zone) -> Id {
        self.zones.intern(zone.store(), |stored| (stored.extent(), stored.bytes()))
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
        self.zones.get(id).memo
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
