//! The largest ids of the first states, so that a search begins with fields that are wide enough for a while. It only saves
//! work, so it ends early where rows are long; and the progress callback may stop it, like any search.

use crate::search::{Progress, ProgressCallback, Search};
use std::collections::HashSet;
use std::ops::ControlFlow;
use watchkeeper_logic::Limit;
use watchkeeper_space::{Id, Space, successors};

/// States expanded in advance.
const SCOUTED: usize = 2000;
/// The most bytes of rows that are held for it.
const HELD: usize = 16 << 20;
/// The most ids that are read for it: fewer states where rows are long.
const BUDGET: usize = 1 << 26;
/// Expansions between two calls of the callback; fewer where rows are long.
const LOOK_EVERY: usize = 64;

/// The largest id in each slot among the first states; or why the search ends here.
pub(crate) fn scout(
    space: &dyn Space,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Vec<Id>, Limit> {
    let slots = space.shape().slots.len();
    let mut largest = vec![0; slots];
    let mut note = |row: &[Id]| largest.iter_mut().zip(row).for_each(|(most, &id)| *most = id.max(*most));
    let mut queue = space.initial();
    queue.iter().for_each(|row| note(row));
    if search.hooks.narrow {
        return Ok(largest);
    }
    let mut known: HashSet<Vec<Id>> = queue.iter().cloned().collect();
    let row_bytes = 2 * (slots * size_of::<Id>() + size_of::<Vec<Id>>());
    let most = (HELD.min(search.max_bytes.map_or(HELD, |most| most as usize / 4)) / row_bytes).max(1);
    let every = (LOOK_EVERY * 32 / slots.max(1)).clamp(1, LOOK_EVERY);
    let (mut at, mut transitions) = (0, 0u64);
    while at < queue.len() && at < SCOUTED && transitions as usize * slots < BUDGET {
        if at % every == 0 {
            let bytes = (known.len() * row_bytes + space.bytes()) as u64;
            let distinct_states = known.len() as u64;
            let progress = Progress { distinct_states, transitions, bytes, ..Progress::default() };
            if let ControlFlow::Break(limit) = callback.on_progress(&progress) {
                return Err(limit);
            }
            if let Some(most) = search.max_bytes.filter(|&most| bytes > most) {
                return Err(Limit::Memory(most));
            }
        }
        let row = queue[at].clone();
        for (_, row) in successors(space, &row) {
            transitions += 1;
            note(&row);
            if known.len() < most && known.insert(row.clone()) {
                queue.push(row);
            }
        }
        at += 1;
    }
    Ok(largest)
}
