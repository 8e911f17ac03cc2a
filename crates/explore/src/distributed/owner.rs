//! To which worker a state belongs: decided by a hash of its content, which is the same in every run whatever the ids are.
//! Each content of a slot has a hash of its own, computed once from its bytes; the hash of a state is their sum, so a step
//! changes it by what the step edits. Where states are told apart up to renaming, the smallest hash of all renamings counts.

use super::Travelling;
use watchkeeper_space::{Edit, Id, Parts, Symmetries};

/// Computes the hashes of states.
pub(super) struct Owners<'s> {
    parts: &'s dyn Parts,
    symmetry: Option<&'s dyn Symmetries>,
    workers: u64,
    /// For each table and slot the hashes of the ids seen, 0 where there is none yet.
    tables: Vec<(Id, Vec<Vec<u64>>)>,
    bytes: Vec<u8>,
    after: Vec<Id>,
    renamed: Vec<Id>,
}

impl<'s> Owners<'s> {
    /// No hash computed yet.
    pub fn new(travelling: Travelling<'s>, parts: &'s dyn Parts, workers: usize) -> Owners<'s> {
        let (bytes, after, renamed) = (Vec::new(), Vec::new(), Vec::new());
        let symmetry = travelling.symmetry;
        Owners { parts, symmetry, workers: workers as u64, tables: Vec::new(), bytes, after, renamed }
    }

    /// The worker that owns the states with this hash.
    #[inline]
    pub fn owner(&self, hash: u64) -> usize {
        ((u128::from(scatter(hash)) * u128::from(self.workers)) >> 64) as usize
    }

    /// What [`Owners::edited`] begins with.
    pub fn base(&mut self, row: &[Id]) -> Base {
        if self.symmetry.is_some() {
            return Base { table: 0, sum: 0 };
        }
        let table = self.parts.table(row);
        self.after.clear();
        self.after.extend_from_slice(row);
        Base { table, sum: self.sum(table, row) }
    }

    /// The hash of a row.
    pub fn hash(&mut self, row: &[Id]) -> u64 {
        let Some(symmetry) = self.symmetry else {
            let table = self.parts.table(row);
            return self.sum(table, row);
        };
        let mut renamed = std::mem::take(&mut self.renamed);
        let mut least = u64::MAX;
        for number in 0..symmetry.symmetries() {
            symmetry.renamed(number, row, &mut renamed);
            let table = self.parts.table(&renamed);
            least = least.min(self.sum(table, &renamed));
        }
        self.renamed = renamed;
        least
    }

    /// The hash of the row of the last [`Owners::base`] after some edits, no two of which are of one slot, and whether it is
    /// certainly of the table of that row.
    #[inline]
    pub fn edited(&mut self, base: Base, row: &[Id], edits: &[Edit]) -> (u64, bool) {
        let mut after = std::mem::take(&mut self.after);
        if self.symmetry.is_some() {
            after.clear();
            after.extend_from_slice(row);
        }
        edits.iter().for_each(|edit| after[edit.slot as usize] = edit.id);
        let alike = self.symmetry.is_none() && self.parts.table(&after) == base.table;
        let hash = match alike {
            false => self.hash(&after),
            true => edits.iter().fold(base.sum, |sum, edit| {
                let slot = edit.slot as usize;
                let old = self.part(base.table, slot, row[slot]);
                sum.wrapping_sub(old).wrapping_add(self.part(base.table, slot, edit.id))
            }),
        };
        edits.iter().for_each(|edit| after[edit.slot as usize] = row[edit.slot as usize]);
        self.after = after;
        (hash, alike)
    }

    fn sum(&mut self, table: Id, row: &[Id]) -> u64 {
        row.iter().enumerate().fold(0, |sum: u64, (slot, &id)| sum.wrapping_add(self.part(table, slot, id)))
    }

    /// The hash of a content.
    #[inline]
    fn part(&mut self, table: Id, slot: usize, id: Id) -> u64 {
        let known = match self.tables.first() {
            Some((first, slots)) if *first == table => slots.get(slot).and_then(|ids| ids.get(id as usize)),
            _ => None,
        };
        match known {
            Some(&hash) if hash != 0 => hash,
            _ => self.new_part(table, slot, id),
        }
    }

    #[cold]
    fn new_part(&mut self, table: Id, slot: usize, id: Id) -> u64 {
        let place = match self.tables.iter().position(|(known, _)| *known == table) {
            Some(place) => place,
            None => {
                self.tables.push((table, Vec::new()));
                self.tables.len() - 1
            }
        };
        // The table in use comes first: a space of several tables is searched one table after the other, more or less.
        self.tables.swap(0, place);
        if let Some(&hash) = self.tables[0].1.get(slot).and_then(|ids| ids.get(id as usize))
            && hash != 0
        {
            return hash;
        }
        self.bytes.clear();
        self.parts.part(table, slot, id, &mut self.bytes);
        let start = scatter(u64::from(table) << 32 ^ slot as u64 ^ 0x9e37_79b9_7f4a_7c15);
        let hash = self.bytes.chunks(8).fold(start ^ self.bytes.len() as u64, |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            scatter(hash ^ u64::from_le_bytes(word)).rotate_left(29)
        });
        let hash = scatter(hash).max(1);
        // An id far from all others is not kept: a list up to it would have no end.
        if (id as usize) < FAR {
            let slots = &mut self.tables[0].1;
            if slots.len() <= slot {
                slots.resize_with(slot + 1, Vec::new);
            }
            let ids = &mut slots[slot];
            if ids.len() <= id as usize {
                ids.resize((id as usize + 1).next_power_of_two(), 0);
            }
            ids[id as usize] = hash;
        }
        hash
    }
}

/// Ids from here on have no hash that is kept.
const FAR: usize = 1 << 22;

/// The state whose steps are looked at.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub table: Id,
    sum: u64,
}

/// Bits that look random, for bits that do not.
#[inline]
fn scatter(mut bits: u64) -> u64 {
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits ^= bits >> 32;
    bits = bits.wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits ^ bits >> 32
}
