//! From a state back to the start. The store keeps no parents, only the depth of each state; so the
//! states one depth less are expanded again to see which of them lead here. The whole way costs at most
//! one more expansion of each state, and not a byte of memory while the search runs.

use crate::erased::Erased;
use crate::layout::Layout;
use crate::store::Key;
use crate::threads::in_threads;
use crate::visited::Visited;
use std::sync::atomic::{AtomicUsize, Ordering};
use watchkeeper_space::{Action, Edit, Id, Sink, Space};

/// A shortest path to `row`, which was found at depth `level - 1`. Among equally short ones it takes
/// the smallest by packed bytes, so that it does not depend on threads.
pub(crate) fn path<K: Key>(
    space: &Erased<'_>,
    visited: &Visited<K>,
    row: &[Id],
    level: u64,
    workers: usize,
) -> Vec<Vec<Id>> {
    let shelf = visited.open();
    let mut path = vec![row.to_vec()];
    let mut target: K = shelf.layout.encode(row).expect("a stored state fits its layout");
    for level in (1..level).rev() {
        let piece = AtomicUsize::new(0);
        let look = || {
            let mut best: Option<(Vec<u8>, K)> = None;
            loop {
                let piece = piece.fetch_add(1, Ordering::Relaxed);
                if piece >= shelf.table.pieces() {
                    return best;
                }
                let mut row = vec![0; space.shape().slots.len()];
                shelf.table.each(piece, |key, at| {
                    if at != level {
                        return;
                    }
                    shelf.layout.decode(key, &mut row);
                    let mut sink = Leads { layout: &shelf.layout, base: key, target, found: false };
                    space.expand(&row, &mut sink);
                    if sink.found {
                        let mut bytes = Vec::new();
                        space.pack(&row, &mut bytes);
                        if best.as_ref().is_none_or(|(known, _)| bytes < *known) {
                            best = Some((bytes, key));
                        }
                    }
                });
            }
        };
        let found = in_threads(workers, look).into_iter().flatten();
        let best = found.min_by(|a, b| a.0.cmp(&b.0));
        target = best.expect("every stored state has a predecessor one depth less").1;
        let mut row = vec![0; space.shape().slots.len()];
        shelf.layout.decode(target, &mut row);
        path.push(row);
    }
    path.reverse();
    path
}

/// Whether a step leads to the target.
struct Leads<'a, K> {
    layout: &'a Layout,
    base: K,
    target: K,
    found: bool,
}

impl<K: Key> Sink for Leads<'_, K> {
    fn step(&mut self, _: Action, edits: &[Edit]) {
        let mut key = self.base;
        for edit in edits {
            let field = self.layout.field(edit.slot);
            if edit.id > field.max {
                return;
            }
            key = key.with(field, edit.id);
        }
        self.found |= key == self.target;
    }
}
