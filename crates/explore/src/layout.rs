//! How a row of ids becomes one short word: each slot has a field just wide enough for the ids that have
//! been seen there. Ids are handed out while the search runs, so a layout may turn out too narrow; it is
//! then replaced by a wider one and every stored word is laid out again.

use crate::store::Key;
use watchkeeper_space::{Edit, Id};

/// Where one slot of a row lies in a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// The number of bits to the right of it.
    pub shift: u32,
    /// The largest id that fits, which is also its mask.
    pub max: Id,
}

/// Keys up to so many bits get spare bits when they are laid out anew: there is room for more, and for depths.
const SHORT: u32 = 40;
/// Ids up to this are counters and flags that stay small, and get no spare bits.
const SMALL: Id = 7;

/// Neighbouring fields that move together when keys are laid out anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FieldRun {
    pub from: u32,
    pub to: u32,
    pub bits: u32,
}

/// How keys of one layout become keys of a wider one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Relay {
    runs: Vec<FieldRun>,
}

impl Relay {
    /// The key of the same row in the wider layout.
    #[inline]
    pub fn key<K: Key>(&self, key: K) -> K {
        self.runs.iter().fold(K::ZERO, |wider, &run| wider.with_run(key, run))
    }
}

/// The fields of all slots, and the place of the depth above them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeyLayout {
    fields: Vec<Field>,
    /// The slots that can hold anything but 0, with their fields.
    live: Vec<(u32, Field)>,
    key_bits: u32,
    level_bits: u32,
}

impl KeyLayout {
    /// The tightest layout for slots whose largest ids are these and for depths up to `deepest`, or
    /// `None` if that is more than a key has.
    pub fn fit<K: Key>(largest: &[Id], deepest: u64) -> Option<KeyLayout> {
        let mut shift = 0;
        let mut fields = Vec::with_capacity(largest.len());
        for &id in largest {
            let bits = Id::BITS - id.leading_zeros();
            fields.push(Field { shift, max: if bits == 0 { 0 } else { Id::MAX >> (Id::BITS - bits) } });
            shift += bits;
        }
        let key_bits = shift.max(K::LEVEL_FLOOR).max(1);
        let level_bits = K::BITS.checked_sub(key_bits)?.min(u64::BITS - 1);
        let enough = deepest.checked_shr(level_bits).unwrap_or(0) == 0 && level_bits > 0;
        let live = fields.iter().enumerate().filter(|(_, field)| field.max > 0);
        let live = live.map(|(slot, field)| (slot as u32, *field)).collect();
        enough.then_some(KeyLayout { fields, live, key_bits, level_bits })
    }

    /// A layout with one bit to spare in every field that this needs, if a key has room for it; else the
    /// tightest.
    pub fn roomy<K: Key>(largest: &[Id], deepest: u64) -> Option<KeyLayout> {
        let doubled: Vec<Id> =
            largest.iter().map(|&id| if id > 1 { id.saturating_mul(2) | 1 } else { id }).collect();
        KeyLayout::fit::<K>(&doubled, deepest).or_else(|| KeyLayout::fit::<K>(largest, deepest))
    }

    /// A layout for this row too, with `spare` bits more in the slots whose ids have outgrown their fields; only if keys
    /// stay short.
    pub fn spared<K: Key>(&self, row: &[Id], spare: u32, deepest: u64) -> Option<KeyLayout> {
        let wide = |(field, &id): (&Field, &Id)| match id > field.max.max(SMALL) {
            true => id.saturating_mul(1 << spare) | Id::MAX >> (Id::BITS - spare),
            false => id.max(field.max),
        };
        let largest: Vec<Id> = self.fields.iter().zip(row).map(wide).collect();
        let short = |layout: &KeyLayout| layout.key_bits <= SHORT.max(K::LEVEL_FLOOR + SHORT / 2);
        KeyLayout::fit::<K>(&largest, deepest).filter(short)
    }

    /// How keys of this layout become keys of a wider one.
    pub fn onto(&self, wider: &KeyLayout) -> Relay {
        let mut runs: Vec<FieldRun> = Vec::new();
        for (old, new) in self.fields.iter().zip(&wider.fields) {
            let bits = Id::BITS - old.max.leading_zeros();
            match runs.last_mut() {
                Some(run) if (run.from + run.bits, run.to + run.bits) == (old.shift, new.shift) => {
                    run.bits += bits
                }
                _ => runs.push(FieldRun { from: old.shift, to: new.shift, bits }),
            }
        }
        runs.retain(|run| run.bits > 0);
        Relay { runs }
    }

    /// Where each slot lies.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The largest id that fits into each slot.
    pub fn largest(&self) -> Vec<Id> {
        self.fields.iter().map(|field| field.max).collect()
    }

    /// The greatest depth that fits above the key.
    pub fn deepest(&self) -> u64 {
        (1 << self.level_bits) - 1
    }

    /// The number of bits below the depth.
    pub fn key_bits(&self) -> u32 {
        self.key_bits
    }

    /// The key of a row, or `None` if an id does not fit.
    pub fn encode<K: Key>(&self, row: &[Id]) -> Option<K> {
        let mut key = K::ZERO;
        for (field, &id) in self.fields.iter().zip(row) {
            if id > field.max {
                return None;
            }
            key = key.with(*field, id);
        }
        Some(key)
    }

    /// The key after some edits, or `None` if an id does not fit.
    #[inline]
    pub fn edited<K: Key>(&self, mut key: K, edits: &[Edit]) -> Option<K> {
        for edit in edits {
            let field = self.fields[edit.slot as usize];
            if edit.id > field.max {
                return None;
            }
            key = key.with(field, edit.id);
        }
        Some(key)
    }

    /// The row of a key. Slots that only ever hold 0 are left alone, so `row` must be all 0 or have been
    /// decoded with this layout or a narrower one.
    #[inline]
    pub fn decode<K: Key>(&self, key: K, row: &mut [Id]) {
        if 2 * self.live.len() > self.fields.len() {
            // To write zeros costs less than to look where they are.
            return row.iter_mut().zip(&self.fields).for_each(|(id, field)| *id = key.get(*field));
        }
        for &(slot, field) in &self.live {
            row[slot as usize] = key.get(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_the_way_into_a_key_and_back() {
        let largest = [69, 70, 69, 1, 1, 0, 3, 1023];
        let layout = KeyLayout::fit::<u64>(&largest, 100).expect("fits");
        let wide = KeyLayout::fit::<u128>(&largest, 100).expect("fits");
        let mut back = vec![0; largest.len()];
        for row in [[0; 8], largest, [69, 0, 1, 0, 1, 0, 2, 512]] {
            layout.decode(layout.encode::<u64>(&row).expect("fits"), &mut back);
            assert_eq!(back, row);
            wide.decode(wide.encode::<u128>(&row).expect("fits"), &mut back);
            assert_eq!(back, row);
        }
        assert_eq!(layout.encode::<u64>(&[128, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(layout.encode::<u64>(&[0, 0, 0, 0, 0, 1, 0, 0]), None);
    }

    #[test]
    fn keys_keep_their_rows_when_they_are_laid_out_anew() {
        fn moved<K: Key>(old: &[Id], new: &[Id]) {
            let (narrow, wide) =
                (KeyLayout::fit::<K>(old, 9).expect("fits"), KeyLayout::fit::<K>(new, 9).expect("fits"));
            let relay = narrow.onto(&wide);
            for salt in 0..50u32 {
                let row: Vec<Id> = old
                    .iter()
                    .map(|&most| most.wrapping_sub(salt.wrapping_mul(most / 7 + 1)) & most)
                    .collect();
                let key: K = narrow.encode(&row).expect("fits");
                assert_eq!(Some(relay.key(key)), wide.encode(&row), "{row:?} of {old:?} in {new:?}");
            }
        }
        let old = [1, 0, 31, 7, 0, 1023, 3];
        for new in [old, [1, 1, 31, 7, 0, 1023, 3], [3, 1, 63, 7, 5, 4095, 7], [1, 0, 31, 7, 0, 1023, 15]] {
            moved::<u64>(&old, &new);
            moved::<u128>(&old, &new);
        }
        moved::<u128>(&[u32::MAX >> 8; 3], &[u32::MAX >> 2; 3]);
        moved::<u64>(&[0, 0, 1], &[1, 0, 1]);
    }

    #[test]
    fn what_outgrows_its_field_gets_spare_bits_while_keys_are_short() {
        let layout = KeyLayout::fit::<u64>(&[31, 1, 255], 100).expect("fits");
        let spared = layout.spared::<u64>(&[32, 2, 0], 2, 100).expect("short");
        assert_eq!(spared.largest(), [255, 3, 255], "a counter that stays small gets what it needs");
        let long = KeyLayout::fit::<u64>(&[Id::MAX, 255], 100).expect("fits");
        assert!(long.spared::<u64>(&[0, 256], 2, 100).is_none(), "42 bits are not short");
    }

    #[test]
    fn a_key_has_room_for_its_fields_and_the_depth_or_is_refused() {
        assert!(
            KeyLayout::fit::<u64>(&[Id::MAX, Id::MAX], 0).is_none(),
            "no bit is left to mark a taken place"
        );
        assert!(KeyLayout::fit::<u64>(&[Id::MAX, Id::MAX >> 3], 7).is_some());
        assert!(KeyLayout::fit::<u64>(&[Id::MAX, Id::MAX >> 3], 8).is_none());
        assert!(KeyLayout::fit::<u128>(&[Id::MAX; 3], 1 << 30).is_some());
        assert!(KeyLayout::fit::<u128>(&[Id::MAX; 3], 1 << 31).is_none());
        assert!(KeyLayout::fit::<u128>(&[Id::MAX; 4], 1).is_none());
    }
}
