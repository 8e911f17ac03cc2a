//! Storage that only grows, read by many threads without a lock. What is stored never moves, so a read
//! is two loads and hands out a plain reference; only writers take turns.

use std::sync::{Mutex, OnceLock};
use watchkeeper_space::Id;

/// The first bucket holds `1 << FIRST` cells, each next one twice as many as the one before.
const FIRST: u32 = 3;
const BUCKETS: usize = (u32::BITS - FIRST) as usize;

type Bucket<T> = OnceLock<Box<[OnceLock<T>]>>;

/// An append-only list.
pub struct Arena<T> {
    buckets: [Bucket<T>; BUCKETS],
    len: Mutex<Id>,
}

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena::new()
    }
}

impl<T> Arena<T> {
    /// An empty list.
    pub fn new() -> Arena<T> {
        Arena { buckets: [const { OnceLock::new() }; BUCKETS], len: Mutex::new(0) }
    }

    /// What was stored under this id.
    #[inline]
    pub fn get(&self, id: Id) -> &T {
        self.find(id).expect("an id is only handed out after its value is stored")
    }

    /// What was stored under this id, if anything was.
    #[inline]
    pub fn find(&self, id: Id) -> Option<&T> {
        let (bucket, cell) = place(id);
        self.buckets.get(bucket)?.get()?[cell].get()
    }

    /// Stores a value and names it. Ids are given in order from 0.
    pub fn push(&self, value: T) -> Id {
        let mut len = self.len.lock().expect("no writer panics");
        let id = *len;
        let (bucket, cell) = place(id);
        let room = || (0..1usize << (bucket as u32 + FIRST)).map(|_| OnceLock::new()).collect();
        let cells = self.buckets[bucket].get_or_init(room);
        assert!(cells[cell].set(value).is_ok(), "only one writer at a time gives out a cell");
        *len += 1;
        id
    }

    /// How many values are stored.
    pub fn len(&self) -> usize {
        *self.len.lock().expect("no writer panics") as usize
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all cells, used or not.
    pub fn bytes(&self) -> usize {
        let cells: usize = self.buckets.iter().filter_map(OnceLock::get).map(|cells| cells.len()).sum();
        size_of::<Self>() + cells * size_of::<OnceLock<T>>()
    }
}

/// The bucket of an id and its cell there.
#[inline]
fn place(id: Id) -> (usize, usize) {
    let shifted = u64::from(id) + (1 << FIRST);
    let bucket = shifted.ilog2() - FIRST;
    (bucket as usize, (shifted - (1 << (bucket + FIRST))) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_each_other_without_a_gap() {
        let mut expected = (0, 0);
        for id in 0..5000 {
            assert_eq!(place(id), expected);
            expected.1 += 1;
            if expected.1 == 8 << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn values_stay_where_they_are_while_others_come() {
        let arena = Arena::new();
        let first = arena.push(7u64);
        let seen: *const u64 = arena.get(first);
        for i in 0..1000 {
            assert_eq!(arena.push(i), i as Id + 1);
        }
        assert!(std::ptr::eq(seen, arena.get(first)));
        assert_eq!((*arena.get(0), *arena.get(1000), arena.len()), (7, 999, 1001));
    }

    #[test]
    fn threads_get_ids_of_their_own() {
        let arena = Arena::new();
        std::thread::scope(|scope| {
            for t in 0..4u32 {
                let arena = &arena;
                scope.spawn(move || {
                    for i in 0..500 {
                        let id = arena.push((t, i));
                        assert_eq!(*arena.get(id), (t, i));
                    }
                });
            }
        });
        assert_eq!(arena.len(), 2000);
    }
}
