//! One small number for each different value. Equal values have equal ids, so a state is a row of ids
//! and a comparison of states never looks at a value. Which value has which id depends on which thread
//! came first; nothing that leaves this crate may depend on it.

use crate::Arena;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use watchkeeper_space::Id;

/// Values of type `K`, each with what is remembered about it.
pub struct Interner<K, M> {
    entries: Arena<Interned<K, M>>,
    ids: Mutex<HashMap<Key<K>, Id>>,
    heap: AtomicUsize,
}

/// A value, and what is remembered about it.
pub struct Interned<K, M> {
    /// The value.
    pub value: Arc<K>,
    /// What is remembered.
    pub memo: M,
}

impl<K: Eq + Hash, M> Default for Interner<K, M> {
    fn default() -> Interner<K, M> {
        Interner::new()
    }
}

impl<K: Eq + Hash, M> Interner<K, M> {
    /// No values yet.
    pub fn new() -> Interner<K, M> {
        Interner { entries: Arena::new(), ids: Mutex::new(HashMap::new()), heap: AtomicUsize::new(0) }
    }

    /// The value of an id, with what is remembered about it.
    #[inline]
    pub fn get(&self, id: Id) -> &Interned<K, M> {
        self.entries.get(id)
    }

    /// The same, for an id that may never have been given out.
    pub fn find(&self, id: Id) -> Option<&Interned<K, M>> {
        self.entries.find(id)
    }

    /// The id of a value. For a new one, `memo` tells what to remember about it and how many bytes the
    /// two hold on the heap.
    pub fn intern(&self, value: K, memo: impl FnOnce(&K) -> (M, usize)) -> Id {
        let mut ids = self.ids.lock().expect("no writer panics");
        if let Some(&id) = ids.get(&value) {
            return id;
        }
        let (memo, heap) = memo(&value);
        self.heap.fetch_add(heap + size_of::<K>(), Ordering::Relaxed);
        let value = Arc::new(value);
        let id = self.entries.push(Interned { value: Arc::clone(&value), memo });
        ids.insert(Key(value), id);
        id
    }

    /// The bytes held, nearly.
    pub fn bytes(&self) -> usize {
        let ids = self.ids.lock().expect("no writer panics").capacity();
        self.entries.bytes() + ids * (size_of::<(Key<K>, Id)>() + 1) + self.heap.load(Ordering::Relaxed)
    }
}

impl<M> Interner<Box<[u8]>, M> {
    /// The id of a value that has one, by its bytes, which need not be owned.
    pub fn known(&self, bytes: &[u8]) -> Option<Id> {
        self.ids.lock().expect("no writer panics").get(bytes).copied()
    }
}

/// A value to be found by.
#[derive(PartialEq, Eq, Hash)]
struct Key<K>(Arc<K>);

impl<K> Borrow<K> for Key<K> {
    fn borrow(&self) -> &K {
        &self.0
    }
}

impl Borrow<[u8]> for Key<Box<[u8]>> {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_without_a_box() {
        let interner: Interner<Box<[u8]>, ()> = Interner::new();
        let id = interner.intern(vec![1, 2].into(), |_| ((), 0));
        assert_eq!(
            (interner.known(&[1, 2]), interner.known(&[1]), interner.known(&[])),
            (Some(id), None, None)
        );
    }

    #[test]
    fn equal_values_have_one_id_also_across_threads() {
        let interner: Interner<String, usize> = Interner::new();
        std::thread::scope(|scope| {
            for t in 0..4 {
                let interner = &interner;
                scope.spawn(move || {
                    for i in 0..300 {
                        let text = format!("{}", (i * 7 + t) % 100);
                        let id = interner.intern(text.clone(), |value| (value.len(), value.len()));
                        assert_eq!(*interner.get(id).value, text);
                        assert_eq!(interner.get(id).memo, text.len());
                    }
                });
            }
        });
        assert_eq!(interner.entries.len(), 100);
    }
}
