//! Trace reconstruction from the files of the depths, read backwards: the states one depth less are expanded again to find a
//! predecessor, with the choice that [`crate::reconstruction`] makes.

use super::layouts::{DiskKey, Layouts, Relays};
use crate::layout::KeyLayout;
use crate::threads::over_pieces;
use std::sync::Arc;
use watchkeeper_disk::{DiskError, RunCursor, SortedRun};
use watchkeeper_space::{Id, Space, Successors};

/// A shortest path to `row`, a state of the depth after these. Among equally short paths it takes the smallest by packed
/// bytes.
pub(super) fn path<K: DiskKey>(
    space: &dyn Space,
    layouts: &Layouts,
    depths: &[SortedRun<K>],
    row: &[Id],
    workers: usize,
) -> Result<Vec<Vec<Id>>, DiskError> {
    let (_, layout) = layouts.now();
    let back = Back { space, layout, relays: layouts.relays() };
    let mut path = vec![row.to_vec()];
    for states in depths.iter().rev() {
        let target: K = back.layout.encode(&path[path.len() - 1]).expect("a stored state fits its layout");
        let start = || Look { cursor: RunCursor::new(states, &back.relays), best: None, error: None };
        let looks = over_pieces(workers.min(states.blocks()), states.blocks(), start, |look, block| {
            if look.error.is_none() {
                look.error = back.look(look, block, target).err();
            }
        });
        let mut best: Best = None;
        for look in looks {
            if let Some(error) = look.error {
                return Err(error);
            }
            best = [best, look.best].into_iter().flatten().min();
        }
        path.push(best.expect("every stored state has a predecessor one depth less").1);
    }
    path.reverse();
    Ok(path)
}

/// The packed bytes of a state that leads to the target, and the state.
type Best = Option<(Vec<u8>, Vec<Id>)>;

/// One thread's search for predecessors.
struct Look<'a, K> {
    cursor: RunCursor<'a, K>,
    best: Best,
    error: Option<DiskError>,
}

struct Back<'a> {
    space: &'a dyn Space,
    layout: Arc<KeyLayout>,
    relays: Relays,
}

impl Back<'_> {
    fn look<K: DiskKey>(&self, look: &mut Look<'_, K>, block: usize, target: K) -> Result<(), DiskError> {
        let mut row = vec![0; self.space.shape().slots.len()];
        let mut found = Successors::new();
        for &key in look.cursor.block(block)? {
            self.layout.decode(key, &mut row);
            found.clear();
            self.space.expand(&row, &mut found);
            if found.iter().any(|(_, edits)| self.layout.edited(key, edits) == Some(target)) {
                let mut bytes = Vec::new();
                self.space.pack(&row, &mut bytes);
                if look.best.as_ref().is_none_or(|(known, _)| bytes < *known) {
                    look.best = Some((bytes, row.clone()));
                }
            }
        }
        Ok(())
    }
}
