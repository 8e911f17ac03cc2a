//! One small number for each different zone of a world in dense time. A zone is kept in its compact form,
//! once, whatever number of states it is part of.

use crate::error::MAX_DURATION;
use std::cmp;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use watchkeeper_automaton::Arena;
use watchkeeper_core::{Pack, Reader};
use watchkeeper_space::Id;
use watchkeeper_zones::{DbmBound, Stored, Zone};

/// The tables by which zones are looked up: writers of different ones do not wait for each other.
const TABLES: usize = 64;

/// At least as long as any clock runs.
const LONGEST: i32 = MAX_DURATION as i32;

/// The zones so far.
pub(crate) struct ZoneIds {
    zones: Arena<Kept>,
    tables: Vec<Mutex<Table>>,
    /// The bytes of zones on the heap.
    heap: AtomicUsize,
}

/// A zone with what a search compares first.
struct Kept {
    zone: Stored,
    extent: i64,
    outline: u64,
}

/// Zones by their fingerprints, in a table of which at most half is used.
#[derive(Default)]
struct Table {
    /// Half of a fingerprint, and one more than the id; 0 if the place is free.
    places: Vec<(u32, Id)>,
    used: usize,
}

impl ZoneIds {
    pub(crate) fn new() -> ZoneIds {
        let tables = (0..TABLES).map(|_| Mutex::new(Table::default())).collect();
        ZoneIds { zones: Arena::new(), tables, heap: AtomicUsize::new(0) }
    }

    /// The id of a zone; one that is known is found without memory of its own.
    pub(crate) fn intern(&self, zone: &Zone) -> Id {
        let fingerprint = zone.fingerprint();
        let mark = (fingerprint >> 32) as u32;
        let table = &self.tables[fingerprint as usize % TABLES];
        let mut table = table.lock().expect("no writer panics");
        if (table.used + 1) * 2 > table.places.len() {
            table.widen(|id| self.zones.get(id).zone.thaw().fingerprint());
        }
        let mut at = home(fingerprint, table.places.len());
        loop {
            match table.places[at] {
                (_, 0) => break,
                (other, id) if other == mark && self.zones.get(id - 1).zone.is(zone) => return id - 1,
                _ => at = (at + 1) & (table.places.len() - 1),
            }
        }
        let stored = zone.store();
        self.heap.fetch_add(stored.bytes(), Ordering::Relaxed);
        let kept = Kept { extent: stored.extent(), outline: outline(zone), zone: stored };
        let id = self.zones.push(kept);
        table.places[at] = (mark, id + 1);
        table.used += 1;
        id
    }

    pub(crate) fn thaw_into(&self, id: Id, zone: &mut Zone) {
        self.zones.get(id).zone.thaw_into(zone);
    }

    /// An order of zones that is the same in every run.
    pub(crate) fn compare(&self, a: Id, b: Id) -> cmp::Ordering {
        if a == b { cmp::Ordering::Equal } else { self.zones.get(a).zone.cmp(&self.zones.get(b).zone) }
    }

    #[inline]
    pub(crate) fn includes(&self, large: Id, small: Id) -> bool {
        large == small || self.zones.get(large).zone.includes(&self.zones.get(small).zone)
    }

    #[inline]
    pub(crate) fn extent(&self, id: Id) -> i64 {
        self.zones.get(id).extent
    }

    #[inline]
    pub(crate) fn outline(&self, id: Id) -> u64 {
        self.zones.get(id).outline
    }

    /// Appends the canonical bytes of a zone.
    pub(crate) fn pack(&self, id: Id, out: &mut Vec<u8>) {
        let zone = self.zones.get(id).zone.thaw();
        for limit in zone.entries() {
            i64::from(limit.value() * 2 + i32::from(!limit.is_strict())).pack(out);
        }
    }

    /// The id of the zone of some canonical bytes, with at most so many clocks, none of which is past its end; `None` if
    /// they are of none.
    pub(crate) fn read(&self, bytes: &[u8], most: usize) -> Option<Id> {
        let mut reader = Reader::new(bytes);
        let mut entries = Vec::new();
        while !reader.is_empty() {
            let word = i32::try_from(i64::unpack(&mut reader).ok()?).ok()?;
            let value = word >> 1;
            let bound = if word & 1 == 1 { DbmBound::at_most(value) } else { DbmBound::below(value) };
            entries.push(Some(bound).filter(|bound| bound.is_none() || value.abs() <= 2 * LONGEST)?);
        }
        let side = entries.len().isqrt();
        if side == 0 || side * side != entries.len() || side - 1 > most {
            return None;
        }
        let at = |i: usize, j: usize| entries[i * side + j];
        let ended = (1..side).any(|clock| at(clock, 0) > DbmBound::ZERO || at(0, clock).is_none());
        let constraints: Vec<(usize, usize, DbmBound)> =
            (0..side * side).map(|at| (at / side, at % side, entries[at])).collect();
        let zone = Zone::from_constraints(side - 1, &constraints).filter(|zone| zone.entries() == entries)?;
        (!ended).then(|| self.intern(&zone))
    }

    /// The number of clocks of a zone.
    pub(crate) fn clocks(&self, id: Id) -> usize {
        self.zones.get(id).zone.clocks()
    }

    pub(crate) fn bytes(&self) -> usize {
        let places = |table: &Mutex<Table>| table.lock().expect("no writer panics").places.capacity();
        let tables: usize = self.tables.iter().map(places).sum();
        self.zones.bytes() + tables * size_of::<(u32, Id)>() + self.heap.load(Ordering::Relaxed)
    }
}

impl Table {
    /// Makes the table twice as large. Only half of each fingerprint is kept, so they are asked for.
    fn widen(&mut self, fingerprint: impl Fn(Id) -> u64) {
        let len = (self.places.len() * 2).max(16);
        let old = std::mem::replace(&mut self.places, vec![(0, 0); len]);
        for (mark, id) in old.into_iter().filter(|(_, id)| *id != 0) {
            let mut at = home(fingerprint(id - 1), len);
            while self.places[at].1 != 0 {
                at = (at + 1) & (len - 1);
            }
            self.places[at] = (mark, id);
        }
    }
}

/// Where the search for a zone begins in a table of `len` places, a power of two. The lowest bits chose the
/// table.
fn home(fingerprint: u64, len: usize) -> usize {
    (fingerprint / TABLES as u64) as usize & (len - 1)
}

/// Eight sums of bounds, each as 7 bits: if one zone includes another, none of its sums is smaller. Bounds on
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
    fn equal_zones_have_one_id_also_across_threads() {
        let ids = ZoneIds::new();
        let zone = |i: i32| {
            let mut zone = Zone::point(&[-(i % 7) - 1, -(i % 5) * 9000 - 1, -1 - i % 3]);
            zone.up_to(0);
            zone
        };
        std::thread::scope(|scope| {
            for t in 0..4 {
                let (ids, zone) = (&ids, &zone);
                scope.spawn(move || {
                    for i in 0..400 {
                        let one = zone(i * 11 + t);
                        let id = ids.intern(&one);
                        let mut again = Zone::default();
                        ids.thaw_into(id, &mut again);
                        assert_eq!(again, one);
                        assert!(ids.includes(id, id) && ids.extent(id) == one.store().extent());
                    }
                });
            }
        });
        assert_eq!(ids.zones.len(), 105);
    }

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
