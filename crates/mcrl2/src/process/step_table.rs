//! What two components do together, remembered by the number of the partner's local state: a read is two loads, and nobody
//! waits for anybody. Cells for small numbers lie in rows that appear when they are first needed; the few large numbers are in
//! a map behind a lock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, RwLock};
use watchkeeper_space::Id;

/// Where the rows end; the last one ends where the map begins.
const ENDS: [u32; 4] = [16, 128, 1024, 8192];

/// Numbers by numbers; each is set once, or twice to the same effect.
#[derive(Default)]
pub(crate) struct StepTable {
    rows: [OnceLock<Box<[AtomicU32]>>; ENDS.len()],
    others: OnceLock<RwLock<HashMap<Id, u32>>>,
}

impl StepTable {
    /// What is remembered for this number.
    #[inline]
    pub(crate) fn find(&self, id: Id) -> Option<u32> {
        let Some((row, cell)) = place(id) else { return self.find_other(id) };
        match self.rows[row].get()?[cell].load(Ordering::Acquire) {
            0 => None,
            known => Some(known - 1),
        }
    }

    /// Remembers something for this number.
    pub(crate) fn set(&self, id: Id, value: u32) {
        let Some((row, cell)) = place(id) else {
            let others = self.others.get_or_init(RwLock::default);
            others.write().expect("no writer panics").insert(id, value);
            return;
        };
        let from = if row == 0 { 0 } else { ENDS[row - 1] };
        let cells = self.rows[row].get_or_init(|| (from..ENDS[row]).map(|_| AtomicU32::new(0)).collect());
        cells[cell].store(value + 1, Ordering::Release);
    }

    #[cold]
    fn find_other(&self, id: Id) -> Option<u32> {
        self.others.get()?.read().expect("no writer panics").get(&id).copied()
    }
}

/// The row and the cell of a number, if it is small.
#[inline]
fn place(id: Id) -> Option<(usize, usize)> {
    let mut from = 0;
    for (row, &end) in ENDS.iter().enumerate() {
        if id < end {
            return Some((row, (id - from) as usize));
        }
        from = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_are_found_again() {
        let table = StepTable::default();
        let ids = [0, 15, 16, 127, 128, 1023, 1024, 8191, 8192, 70_000];
        for (value, &id) in ids.iter().enumerate() {
            assert_eq!(table.find(id), None);
            table.set(id, value as u32);
        }
        for (value, &id) in ids.iter().enumerate() {
            assert_eq!((table.find(id), table.find(id + 2)), (Some(value as u32), None));
        }
    }
}
