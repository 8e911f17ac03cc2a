//! One small number for each different value. Equal values have equal ids, so a state is a row of ids
//! and a comparison of states never looks at a value. Which value has which id depends on which thread
//! came first; nothing that leaves this crate may depend on it.

use crate::Arena;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use watchkeeper_space::Id;

/// Values of type `K`, each with what is remembered about it.
pub struct Interner<K, M> {
    entries: Arena<Interned<K, M>>,
    ids: Mutex<HashMap<Arc<K>, Id>>,
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
        ids.insert(value, id);
        id
    }

    /// The bytes held, nearly.
    pub fn bytes(&self) -> usize {
        let ids = self.ids.lock().expect("no writer panics").capacity();
        self.entries.bytes() + ids * (size_of::<(Arc<K>, Id)>() + 1) + self.heap.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
