//! States in the blocks of a journal: the keys of a chunk in ascending order, each as the difference from the one before.
//! What a key means is said by the layout that was written last, and by the contents that were told before it.

use super::bytes::{put, take, take_word};
use crate::layout::KeyLayout;
use crate::store::Key;
use watchkeeper_space::Id;

/// The keys of some states at this depth.
pub(super) fn packed<K: Key>(depth: u64, keys: &[K]) -> Vec<u8> {
    let word = |&key: &K| {
        let (low, high) = key.split();
        u128::join(low, high)
    };
    let mut keys = keys.to_vec();
    keys.sort_unstable_by_key(word);
    let mut out = Vec::with_capacity(4 * keys.len());
    put(depth.into(), &mut out);
    put(keys.len() as u128, &mut out);
    let mut before = 0;
    for key in &keys {
        put(word(key) - before, &mut out);
        before = word(key);
    }
    out
}

/// The depth of a block of states, and how many there are.
pub(super) fn read_head(bytes: &mut &[u8]) -> Option<(u64, usize)> {
    let depth = take_word(bytes)?;
    let count = usize::try_from(take(bytes)?).ok()?;
    // Each state has a byte at least.
    (count <= bytes.len()).then_some((depth, count))
}

/// Calls `visit` for the row of each state that follows; `None` if something else does.
pub(super) fn read_rows<E>(
    mut bytes: &[u8],
    count: usize,
    (layout, slots): (&KeyLayout, usize),
    mut visit: impl FnMut(&mut [Id]) -> Result<(), E>,
) -> Option<Result<(), E>> {
    let (mut row, mut key) = (vec![0; slots], 0u128);
    for _ in 0..count {
        key = key.checked_add(take(&mut bytes)?)?;
        if key >> layout.key_bits() != 0 {
            return None;
        }
        row.fill(0);
        layout.decode(key, &mut row);
        if let Err(why) = visit(&mut row) {
            return Some(Err(why));
        }
    }
    bytes.is_empty().then_some(Ok(()))
}

/// Appends the fields of a layout.
pub(super) fn write_layout(layout: &KeyLayout, out: &mut Vec<u8>) {
    layout.largest().into_iter().for_each(|id| put(id.into(), out));
}

/// The layout of so many slots; for keys of two words, in which those of one word look the same.
pub(super) fn read_layout(mut bytes: &[u8], slots: usize) -> Option<KeyLayout> {
    let largest = (0..slots).map(|_| Id::try_from(take(&mut bytes)?).ok());
    let layout = KeyLayout::fit::<u128>(&largest.collect::<Option<Vec<Id>>>()?, 1)?;
    bytes.is_empty().then_some(layout)
}
