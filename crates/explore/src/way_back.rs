//! From a state back to the start. The store keeps no parents, only the depth of each state; so the
//! states one depth less are expanded again to see which of them lead here. The whole way costs at most
//! one more expansion of each state, and not a byte of memory while the search runs.

use crate::store::Key;
use crate::threads::in_threads;
use crate::visited::Visited;
use std::sync::atomic::{AtomicUsize, Ordering};
use watchkeeper_space::{Id, Space, Successors};

/// A shortest path to `row`, which was found at depth `level - 1`. Among equally short ones it takes
/// the smallest by packed bytes, so that it does not depend on threads.
pub(crate) fn path<K: Key>(
    space: &dyn Space,
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
            let (mut best, mut found): (Option<(Vec<u8>, K)>, _) = (None, Successors::new());
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
                    found.clear();
                    space.expand(&row, &mut found);
                    if found.iter().any(|(_, edits)| shelf.layout.edited(key, edits) == Some(target)) {
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
