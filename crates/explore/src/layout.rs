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

/// The fields of all slots, and the place of the depth above them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    /// The slots that can hold anything but 0, with their fields.
    live: Vec<(u32, Field)>,
    key_bits: u32,
    level_bits: u32,
}

impl Layout {
    /// The tightest layout for slots whose largest ids are these and for depths up to `deepest`, or
    /// `None` if that is more than a key has.
    pub fn fit<K: Key>(largest: &[Id], deepest: u64) -> Option<Layout> {
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
        enough.then_some(Layout { fields, live, key_bits, level_bits })
    }

    /// A layout with one bit to spare in every field that this needs, if a key has room for it; else the
    /// tightest.
    pub fn roomy<K: Key>(largest: &[Id], deepest: u64) -> Option<Layout> {
        let doubled: Vec<Id> =
            largest.iter().map(|&id| if id > 1 { id.saturating_mul(2) | 1 } else { id }).collect();
        Layout::fit::<K>(&doubled, deepest).or_else(|| Layout::fit::<K>(largest, deepest))
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
        let layout = Layout::fit::<u64>(&largest, 100).expect("fits");
        let wide = Layout::fit::<u128>(&largest, 100).expect("fits");
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
    fn a_key_has_room_for_its_fields_and_the_depth_or_is_refused() {
        assert!(Layout::fit::<u64>(&[Id::MAX, Id::MAX], 0).is_none(), "no bit is left to mark a taken place");
        assert!(Layout::fit::<u64>(&[Id::MAX, Id::MAX >> 3], 7).is_some());
        assert!(Layout::fit::<u64>(&[Id::MAX, Id::MAX >> 3], 8).is_none());
        assert!(Layout::fit::<u128>(&[Id::MAX; 3], 1 << 30).is_some());
        assert!(Layout::fit::<u128>(&[Id::MAX; 3], 1 << 31).is_none());
        assert!(Layout::fit::<u128>(&[Id::MAX; 4], 1).is_none());
    }
}
