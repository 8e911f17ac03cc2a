//! States that arrive from one worker. Its ids become ids of this worker field by field, by lists that are filled when a
//! content comes for the first time, so that most states are never unpacked. What the lists do not know goes the long way,
//! by the dictionary; they never guess.

use crate::dictionary::{BadParts, PartsReader};
use crate::layout::KeyLayout;
use crate::store::Key;
use std::sync::Arc;
use watchkeeper_space::{Id, Parts};

/// The bits of neighbouring fields that are looked up together: few enough for the lists to stay in the cache.
const TOGETHER: u32 = 11;

/// What is known of the states that arrive from a worker.
pub(super) struct Incoming<K> {
    reader: PartsReader,
    largest: Vec<u64>,
    layout: Option<KeyLayout>,
    groups: Vec<FieldGroup<K>>,
    /// What the groups are for: a table, and the layout of this worker.
    groups_for: Option<(Id, Arc<KeyLayout>)>,
}

/// Neighbouring fields of the sender.
struct FieldGroup<K> {
    first: usize,
    end: usize,
    shift: u32,
    mask: usize,
    /// Their bits in keys of this worker, for all bits of the sender; [`Key::NONE`] if they have not come yet. None for a
    /// field that is too wide.
    keys: Vec<K>,
}

impl<K> Default for Incoming<K> {
    fn default() -> Incoming<K> {
        let (reader, largest) = (PartsReader::new(), Vec::new());
        Incoming { reader, largest, layout: None, groups: Vec::new(), groups_for: None }
    }
}

impl<K: Key> Incoming<K> {
    /// Begins a message: what it tells of contents, and the layout of its keys.
    pub fn begin(&mut self, parts: &dyn Parts, told: &[u8], largest: Vec<u64>) -> Result<(), BadParts> {
        self.reader.learn(parts, told)?;
        if self.layout.is_none() || self.largest != largest {
            let ids: Option<Vec<Id>> = largest.iter().map(|&id| Id::try_from(id).ok()).collect();
            self.layout = ids.and_then(|ids| KeyLayout::fit::<K>(&ids, 0));
            self.largest = largest;
            self.groups_for = None;
        }
        self.layout.as_ref().map(|_| ()).ok_or(BadParts::Damaged)
    }

    /// Whether the keys are those of this worker.
    pub fn is_plain(&self, own: &KeyLayout) -> bool {
        self.reader.is_identity()
            && self.layout.as_ref().is_some_and(|layout| layout.largest() == own.largest())
    }

    /// The key of this worker for one of the sender, whose state is of this table and needs no settling; `None` if an id was
    /// not told or does not fit.
    #[inline]
    pub fn key(&mut self, table: Id, key: K, own: &Arc<KeyLayout>) -> Option<K> {
        match &self.groups_for {
            Some((known, layout)) if *known == table && Arc::ptr_eq(layout, own) => {}
            _ => self.group(table, own),
        }
        let mut all = K::ZERO;
        for group in &mut self.groups {
            let at = (key >> group.shift).split().0 as usize & group.mask;
            let bits = match group.keys.get(at) {
                Some(&bits) if bits != K::NONE => bits,
                _ => {
                    let bits = group.translated(&self.reader, self.layout.as_ref()?, (table, own), key)?;
                    if let Some(place) = group.keys.get_mut(at) {
                        *place = bits;
                    }
                    bits
                }
            };
            all = all | bits;
        }
        Some(all)
    }

    /// The row of a key of the sender, in ids of this worker.
    pub fn row(&self, parts: &dyn Parts, key: K, row: &mut [Id]) -> Result<(), BadParts> {
        row.fill(0);
        self.layout.as_ref().ok_or(BadParts::Damaged)?.decode(key, row);
        self.reader.translate(parts, row)
    }

    #[cold]
    fn group(&mut self, table: Id, own: &Arc<KeyLayout>) {
        self.groups.clear();
        self.groups_for = Some((table, Arc::clone(own)));
        let fields = self.layout.as_ref().map_or(&[][..], KeyLayout::fields);
        let bits = |slot: usize| Id::BITS - fields[slot].max.leading_zeros();
        let mut first = 0;
        while first < fields.len() {
            let (mut end, mut wide) = (first + 1, bits(first));
            while end < fields.len() && wide + bits(end) <= TOGETHER {
                wide += bits(end);
                end += 1;
            }
            let listed = wide <= TOGETHER;
            let keys = if listed { vec![K::NONE; 1 << wide] } else { Vec::new() };
            let mask = if listed { (1 << wide) - 1 } else { usize::MAX };
            self.groups.push(FieldGroup { first, end, shift: fields[first].shift, mask, keys });
            first = end;
        }
    }
}

impl<K: Key> FieldGroup<K> {
    /// The bits of these fields in a key of this worker.
    fn translated(
        &self,
        reader: &PartsReader,
        layout: &KeyLayout,
        (table, own): (Id, &KeyLayout),
        key: K,
    ) -> Option<K> {
        let mut bits = K::ZERO;
        for slot in self.first..self.end {
            let id = reader.own_id(table, slot, key.get(layout.fields()[slot]))?;
            let field = own.fields()[slot];
            if id > field.max {
                return None;
            }
            bits = bits.with(field, id);
        }
        Some(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::PartsWriter;

    /// Slots whose contents have another id in the other run: the sender's id, and ten more.
    struct Shifted;

    impl Parts for Shifted {
        fn part(&self, _: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
            out.push(slot as u8);
            out.extend_from_slice(&id.to_le_bytes());
        }

        fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
            let (&told, bytes) = bytes.split_first()?;
            let id = Id::from_le_bytes(bytes.try_into().ok()?);
            (usize::from(told) == slot).then_some(id + 10)
        }
    }

    fn keys_arrive_as_their_rows_do<K: Key>() {
        let largest: [Id; 6] = [0, 5, 40, 70_000, 1, 300];
        let rows: Vec<Vec<Id>> = (0..900u32)
            .map(|i| largest.iter().map(|&most| i.wrapping_mul(7919) % (most + 1)).collect())
            .collect();
        let theirs = KeyLayout::fit::<K>(&largest, 0).expect("fits");
        let wider = largest.map(|id| id + 10);
        let own = Arc::new(KeyLayout::fit::<K>(&wider, 9).expect("fits"));
        let narrow = Arc::new(KeyLayout::fit::<K>(&[15; 6], 9).expect("fits"));
        let (mut writer, mut incoming) = (PartsWriter::new(), Incoming::<K>::default());
        let largest: Vec<u64> = theirs.largest().into_iter().map(u64::from).collect();
        let untold: K = theirs.encode(&rows[7]).expect("fits");
        for (number, row) in rows.iter().enumerate() {
            let mut told = Vec::new();
            writer.describe(&Shifted, row, &mut told);
            incoming.begin(&Shifted, &told, largest.clone()).expect("what was told");
            let key: K = theirs.encode(row).expect("fits");
            let wanted: Vec<Id> = row.iter().map(|id| id + 10).collect();
            for _ in 0..2 {
                assert_eq!(incoming.key(0, key, &own), own.encode(&wanted), "{row:?}");
            }
            let mut long = vec![0; row.len()];
            incoming.row(&Shifted, key, &mut long).expect("all was told");
            assert_eq!(long, wanted);
            let fits = wanted.iter().all(|&id| id <= 15);
            assert_eq!(incoming.key(0, key, &narrow).is_some(), fits, "{row:?} in a narrow key");
            if number == 3 {
                assert_eq!(incoming.key(0, untold, &own), None, "nobody has told its ids yet");
            }
            assert_eq!(incoming.key(1, key, &own), None, "nothing was told of this table");
        }
    }

    #[test]
    fn a_key_arrives_as_its_row_does() {
        keys_arrive_as_their_rows_do::<u64>();
        keys_arrive_as_their_rows_do::<u128>();
    }
}
