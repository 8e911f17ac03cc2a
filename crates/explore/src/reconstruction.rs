//! Trace reconstruction: a path from an initial state to a given one. The store keeps no parents, only the depth of each
//! state; so the states one depth less are expanded again to find a predecessor. The whole path costs at most one more
//! expansion of each state, and not a byte of memory while the search runs. One scan of the store gathers the states of as
//! many depths as a fraction of its memory holds.

use crate::store::Key;
use crate::threads::over_pieces;
use crate::visited::{Shelf, Visited};
use std::ops::Range;
use std::sync::RwLockReadGuard;
use watchkeeper_space::{Id, Space, Successors};

/// Gathered states that one thread takes at a time.
const CHUNK: usize = 1 << 10;

/// A shortest path to `row`, a state of the last depth, where `sizes` are the numbers of states at each depth. Among
/// equally short paths it takes the smallest by packed bytes, so that it does not depend on threads.
pub(crate) fn path<K: Key>(
    space: &dyn Space,
    visited: &Visited<K>,
    row: &[Id],
    sizes: &[u64],
    workers: usize,
) -> Vec<Vec<Id>> {
    let (most, mut depth) = (visited.gathered(), sizes.len() - 1);
    let back = Back { space, shelf: visited.open(), workers };
    let mut path = vec![row.to_vec()];
    let mut target: K = back.shelf.layout.encode(row).expect("a stored state fits its layout");
    let mut go = |found: Option<K>| {
        let key = found.expect("every stored state has a predecessor one depth less");
        path.push(back.row(key));
        key
    };
    while depth > 0 {
        let (mut first, mut sum) = (depth, 0);
        while first > 0 && sum + sizes[first - 1] <= most {
            first -= 1;
            sum += sizes[first];
        }
        if first == depth {
            // One depth alone is too much to gather.
            depth -= 1;
            target = go(back.stored(depth, target));
            continue;
        }
        for keys in back.gather(first..depth).iter().rev() {
            target = go(back.among(keys, target));
        }
        depth = first;
    }
    path.reverse();
    path
}

/// The store, read backwards.
struct Back<'a, K> {
    space: &'a dyn Space,
    shelf: RwLockReadGuard<'a, Shelf<K>>,
    workers: usize,
}

impl<K: Key> Back<'_, K> {
    fn row(&self, key: K) -> Vec<Id> {
        let mut row = vec![0; self.space.shape().slots.len()];
        self.shelf.layout.decode(key, &mut row);
        row
    }

    /// The states of each of some depths.
    fn gather(&self, depths: Range<usize>) -> Vec<Vec<K>> {
        let mut all: Vec<Vec<K>> = vec![Vec::new(); depths.len()];
        let parts = self.in_pieces(
            || vec![Vec::new(); depths.len()],
            |part: &mut Vec<Vec<K>>, key, depth| {
                if depths.contains(&depth) {
                    part[depth - depths.start].push(key);
                }
            },
        );
        for part in parts {
            all.iter_mut().zip(part).for_each(|(all, part)| all.extend(part));
        }
        all
    }

    /// The first of these states that leads to the target, by packed bytes.
    fn among(&self, keys: &[K], target: K) -> Option<K> {
        let workers = if keys.len() > CHUNK { self.workers } else { 1 };
        let found = over_pieces(
            workers,
            keys.len().div_ceil(CHUNK),
            || Look::new(self, target),
            |look, piece| keys[piece * CHUNK..].iter().take(CHUNK).for_each(|&key| look.at(key)),
        );
        first(found.into_iter().map(|look| look.best))
    }

    /// The same among all stored states of a depth.
    fn stored(&self, depth: usize, target: K) -> Option<K> {
        let found = self.in_pieces(
            || Look::new(self, target),
            |look, key, at| {
                if at == depth {
                    look.at(key);
                }
            },
        );
        first(found.into_iter().map(|look| look.best))
    }

    /// Visits every stored state with its depth, in threads that each have a value of their own.
    fn in_pieces<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, K, usize) + Sync,
    ) -> Vec<T> {
        let table = &self.shelf.table;
        over_pieces(self.workers, table.pieces(), start, |own, piece| {
            // The initial states are marked with 1.
            table.each(piece, |key, mark| visit(own, key, mark as usize - 1));
        })
    }
}

/// A state that leads to the target, with its packed bytes.
type Best<K> = Option<(Vec<u8>, K)>;

fn first<K>(found: impl IntoIterator<Item = Best<K>>) -> Option<K> {
    found.into_iter().flatten().min_by(|a, b| a.0.cmp(&b.0)).map(|(_, key)| key)
}

/// One thread's search for predecessors of the target.
struct Look<'a, K> {
    back: &'a Back<'a, K>,
    target: K,
    row: Vec<Id>,
    found: Successors,
    best: Best<K>,
}

impl<'a, K: Key> Look<'a, K> {
    fn new(back: &'a Back<'a, K>, target: K) -> Look<'a, K> {
        let row = vec![0; back.space.shape().slots.len()];
        Look { back, target, row, found: Successors::new(), best: None }
    }

    fn at(&mut self, key: K) {
        let (space, layout) = (self.back.space, &self.back.shelf.layout);
        layout.decode(key, &mut self.row);
        self.found.clear();
        space.expand(&self.row, &mut self.found);
        if self.found.iter().any(|(_, edits)| layout.edited(key, edits) == Some(self.target)) {
            let mut bytes = Vec::new();
            space.pack(&self.row, &mut bytes);
            if self.best.as_ref().is_none_or(|(known, _)| bytes < *known) {
                self.best = Some((bytes, key));
            }
        }
    }
}
