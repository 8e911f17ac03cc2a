//! A remembered function of two ids. Reads take no lock: one multiplication and, nearly always, one
//! cache line. What is remembered is never forgotten or changed, so a table that has grown keeps its
//! predecessors only for readers that are still in them.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use watchkeeper_space::Id;

/// The first table has this many entries, each next one twice as many.
const FIRST: usize = 16;
const TABLES: usize = 28;

/// From a pair of ids to an id.
pub(crate) struct Memo {
    tables: [OnceLock<Box<[MemoEntry]>>; TABLES],
    newest: AtomicUsize,
    used: Mutex<usize>,
}

/// One place of a table. The key is written last, so that whoever sees it sees the value too.
struct MemoEntry {
    /// The pair as one number, plus one; 0 if the place is free.
    key: AtomicU64,
    value: AtomicU32,
}

impl Memo {
    pub(crate) fn new() -> Memo {
        Memo { tables: [const { OnceLock::new() }; TABLES], newest: AtomicUsize::new(0), used: Mutex::new(0) }
    }

    /// What is remembered of this pair.
    #[inline]
    pub(crate) fn get(&self, a: Id, b: Id) -> Option<Id> {
        let table = self.tables[self.newest.load(Ordering::Acquire)].get()?;
        let key = key(a, b);
        let mut i = home(key, table.len());
        loop {
            match table[i].key.load(Ordering::Acquire) {
                0 => return None,
                found if found == key => return Some(table[i].value.load(Ordering::Relaxed)),
                _ => i = (i + 1) & (table.len() - 1),
            }
        }
    }

    /// Remembers a value, unless another thread was faster; what is remembered now.
    pub(crate) fn insert(&self, a: Id, b: Id, value: Id) -> Id {
        let mut used = self.used.lock().expect("no writer panics");
        if let Some(known) = self.get(a, b) {
            return known;
        }
        let newest = self.newest.load(Ordering::Acquire);
        let mut table = self.tables[newest].get_or_init(|| free_places(FIRST << newest));
        if (*used + 1) * 2 > table.len() {
            let wider = free_places(table.len() * 2);
            for entry in table {
                let key = entry.key.load(Ordering::Acquire);
                if key != 0 {
                    put(&wider, key, entry.value.load(Ordering::Relaxed));
                }
            }
            table = self.tables[newest + 1].get_or_init(|| wider);
            self.newest.store(newest + 1, Ordering::Release);
        }
        put(table, key(a, b), value);
        *used += 1;
        value
    }

    /// The pairs of which something is remembered.
    pub(crate) fn pairs(&self) -> Vec<(Id, Id)> {
        let table = self.tables[self.newest.load(Ordering::Acquire)].get();
        let keys = table.into_iter().flatten().map(|entry| entry.key.load(Ordering::Acquire));
        keys.filter(|&key| key != 0).map(|key| (((key - 1) >> 32) as Id, (key - 1) as Id)).collect()
    }

    /// The bytes of all tables.
    pub(crate) fn bytes(&self) -> usize {
        let places: usize = self.tables.iter().filter_map(OnceLock::get).map(|table| table.len()).sum();
        size_of::<Self>() + places * size_of::<MemoEntry>()
    }
}

#[inline]
fn key(a: Id, b: Id) -> u64 {
    (u64::from(a) << 32 | u64::from(b)) + 1
}

/// Where the search for a key begins in a table of `len` places, a power of two.
#[inline]
fn home(key: u64, len: usize) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (len - 1)
}

fn free_places(len: usize) -> Box<[MemoEntry]> {
    (0..len).map(|_| MemoEntry { key: AtomicU64::new(0), value: AtomicU32::new(0) }).collect()
}

fn put(table: &[MemoEntry], key: u64, value: Id) {
    let mut i = home(key, table.len());
    while table[i].key.load(Ordering::Relaxed) != 0 {
        i = (i + 1) & (table.len() - 1);
    }
    table[i].value.store(value, Ordering::Relaxed);
    table[i].key.store(key, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_every_pair_apart_while_it_grows() {
        let memo = Memo::new();
        assert_eq!(memo.get(0, 0), None);
        for a in 0..60 {
            for b in 0..60 {
                assert_eq!(memo.insert(a, b, a * 100 + b), a * 100 + b);
                assert_eq!(memo.get(b, a).is_some(), b < a || a == b);
            }
            // Rows that are complete stay so, also across a change of tables.
            assert!((0..60).all(|b| memo.get(a, b) == Some(a * 100 + b)));
        }
        assert_eq!(memo.get(Id::MAX - 1, 0), None);
    }

    #[test]
    fn the_first_value_stands() {
        let memo = Memo::new();
        assert_eq!(memo.insert(1, 2, 3), 3);
        assert_eq!(memo.insert(1, 2, 4), 3);
        assert_eq!(memo.get(1, 2), Some(3));
    }

    #[test]
    fn readers_never_see_a_wrong_value_while_writers_write() {
        let memo = Memo::new();
        std::thread::scope(|scope| {
            for t in 0..4 {
                let memo = &memo;
                scope.spawn(move || {
                    for i in 0..2000u32 {
                        let (a, b) = ((i * 7 + t) % 211, i % 97);
                        match memo.get(a, b) {
                            Some(value) => assert_eq!(value, a * 1000 + b),
                            None => assert_eq!(memo.insert(a, b, a * 1000 + b), a * 1000 + b),
                        }
                    }
                });
            }
        });
    }
}
