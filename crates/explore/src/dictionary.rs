//! The dictionary between the ids of two runs. A stream of rows that leaves the process tells each content of a slot once,
//! before the first row that has it; who reads the stream makes ids of its own from what is told, and translates rows by
//! looking them up. Nothing here knows where the bytes go, and no bytes make it panic or ask for memory that they do not
//! account for.

use std::collections::{HashMap, HashSet};
use thiserror::Error;
use watchkeeper_space::{Id, Parts};

/// What one stream of rows has told of the contents of slots. Ids are those of the writer.
#[derive(Default)]
pub struct PartsWriter {
    tables: Tables<ToldIds>,
    /// For each table the id up to which all ids of a slot were told: most rows have none beyond.
    below: Tables<Id>,
    bytes: Vec<u8>,
}

/// The other end: ids of the writer to ids of this process.
#[derive(Default)]
pub struct PartsReader {
    tables: Tables<OwnIds>,
    changes: bool,
}

/// What was read is not what was written here, in words for the user. Whoever knows where the bytes came from adds that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum BadParts {
    /// The bytes end within an entry, or are no entry.
    #[error("the contents of states are cut off or damaged; begin anew, without what was stored")]
    Damaged,
    /// The space does not know this content.
    #[error(
        "a content of slot {slot} is none of this scenario: it is damaged, or was written for another scenario or by \
         another version; use the scenario and the version that wrote it, or begin anew"
    )]
    Unknown {
        /// The slot.
        slot: usize,
    },
    /// One id has been told with two contents.
    #[error(
        "id {id} of slot {slot} stands for two contents: rows of two runs were mixed; begin anew, without what was \
         stored"
    )]
    Ambiguous {
        /// The slot.
        slot: usize,
        /// The id of the writer.
        id: Id,
    },
    /// A row has an id that was never told.
    #[error(
        "a state has id {id} in slot {slot}, which was never told: something is missing or damaged; begin anew, \
         without what was stored"
    )]
    Untold {
        /// The slot.
        slot: usize,
        /// The id of the writer.
        id: Id,
    },
    /// The contents of a row do not go together.
    #[error("the parts of a state do not go together: they are damaged; begin anew, without what was stored")]
    NoState,
}

impl PartsWriter {
    /// A stream that has told nothing.
    pub fn new() -> PartsWriter {
        PartsWriter::default()
    }

    /// Whether all contents of this row were told.
    pub fn knows(&self, parts: &dyn Parts, row: &[Id]) -> bool {
        let table = parts.table(row);
        let told = self.tables.get(table).unwrap_or(&[]);
        is_below(self.below.get(table), row)
            || told.len() >= row.len() && told.iter().zip(row).all(|(told, &id)| told.contains(id))
    }

    /// Appends the contents of this row that were not told before; nothing if all were. [`PartsReader::learn`] reads it, if
    /// it gets everything that a stream tells, in this order.
    pub fn describe(&mut self, parts: &dyn Parts, row: &[Id], out: &mut Vec<u8>) {
        let table = parts.table(row);
        if is_below(self.below.get(table), row) {
            return;
        }
        let (told, below) = (self.tables.get_or_add(table), self.below.get_or_add(table));
        if told.len() < row.len() {
            told.resize_with(row.len(), ToldIds::default);
            below.resize(row.len(), 0);
        }
        for (slot, (told, &id)) in told.iter_mut().zip(row).enumerate() {
            if told.contains(id) {
                continue;
            }
            told.insert(id);
            while told.contains(below[slot]) {
                below[slot] += 1;
            }
            self.bytes.clear();
            parts.part(table, slot, id, &mut self.bytes);
            for number in [u64::from(table), slot as u64, u64::from(id), self.bytes.len() as u64] {
                put(number, out);
            }
            out.extend_from_slice(&self.bytes);
        }
    }
}

impl PartsReader {
    /// The reader of a stream of which nothing has been read.
    pub fn new() -> PartsReader {
        PartsReader::default()
    }

    /// Takes in what [`PartsWriter::describe`] appended, once or several times. After an error the stream is of no use.
    pub fn learn(&mut self, parts: &dyn Parts, told: &[u8]) -> Result<(), BadParts> {
        let mut rest = told;
        while !rest.is_empty() {
            let table = take_id(&mut rest)?;
            let slot = take_id(&mut rest)? as usize;
            let id = take_id(&mut rest)?;
            let len = usize::try_from(take(&mut rest)?).map_err(|_| BadParts::Damaged)?;
            let (bytes, after) = rest.split_at_checked(len).ok_or(BadParts::Damaged)?;
            rest = after;
            let own = parts.part_id(table, slot, bytes).ok_or(BadParts::Unknown { slot })?;
            let slots = self.tables.get_or_add(table);
            // The first row of a table tells its slots one after the other, so no slot is told before the one on its left.
            match slot.cmp(&slots.len()) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => slots.push(OwnIds::default()),
                std::cmp::Ordering::Greater => return Err(BadParts::Damaged),
            }
            match slots[slot].get(id) {
                Some(before) if before != own => return Err(BadParts::Ambiguous { slot, id }),
                Some(_) => {}
                None => slots[slot].insert(id, own),
            }
            self.changes |= own != id || !parts.is_settled();
        }
        Ok(())
    }

    /// Makes a row of the writer the row by which this run knows the state, and settles it ([`Parts::settle`]). The row has
    /// as many ids as the space has slots. After an error it is of no use.
    pub fn translate(&self, parts: &dyn Parts, row: &mut [Id]) -> Result<(), BadParts> {
        let slots = self.tables.get(parts.table(row)).unwrap_or(&[]);
        for (slot, id) in row.iter_mut().enumerate() {
            let own = slots.get(slot).and_then(|ids| ids.get(*id));
            *id = own.ok_or(BadParts::Untold { slot, id: *id })?;
        }
        match parts.settle(row) {
            true => Ok(()),
            false => Err(BadParts::NoState),
        }
    }

    /// The id in this run of an id of the writer, if it was told. A row that is translated like this is none of this run
    /// before [`Parts::settle`].
    pub fn own_id(&self, table: Id, slot: usize, id: Id) -> Option<Id> {
        self.tables.get(table)?.get(slot)?.get(id)
    }

    /// Whether all ids that were told so far mean the same in this run, and rows need no settling: then
    /// [`PartsReader::translate`] changes no row, and only refuses those with ids that were never told.
    pub fn is_identity(&self) -> bool {
        !self.changes
    }
}

/// Whether each id of a row is below the one of its slot, without a branch for each.
#[inline]
fn is_below(below: Option<&[Id]>, row: &[Id]) -> bool {
    below.is_some_and(|below| {
        below.len() == row.len() && below.iter().zip(row).fold(true, |all, (&below, &id)| all & (id < below))
    })
}

/// What is known of each slot, for each table. Nearly all spaces have one.
struct Tables<T>(Vec<(Id, Vec<T>)>);

impl<T> Default for Tables<T> {
    fn default() -> Tables<T> {
        Tables(Vec::new())
    }
}

impl<T> Tables<T> {
    fn place(&self, table: Id) -> Result<usize, usize> {
        match self.0.first() {
            Some((first, _)) if *first == table => Ok(0),
            _ => self.0.binary_search_by_key(&table, |(table, _)| *table),
        }
    }

    fn get(&self, table: Id) -> Option<&[T]> {
        self.place(table).ok().map(|place| &self.0[place].1[..])
    }

    fn get_or_add(&mut self, table: Id) -> &mut Vec<T> {
        let place = self.place(table).unwrap_or_else(|place| {
            self.0.insert(place, (table, Vec::new()));
            place
        });
        &mut self.0[place].1
    }
}

/// Words of bits that a slot may have from the first id on.
const NEAR: usize = 1 << 15;

/// The ids of a slot that were told: a bit for each, as long as they are dense.
#[derive(Default)]
struct ToldIds {
    bits: Vec<u64>,
    count: usize,
    far: HashSet<Id>,
}

impl ToldIds {
    fn contains(&self, id: Id) -> bool {
        match self.bits.get(id as usize / 64) {
            Some(bits) if bits >> (id % 64) & 1 == 1 => true,
            _ => !self.far.is_empty() && self.far.contains(&id),
        }
    }

    fn insert(&mut self, id: Id) {
        self.count += 1;
        let word = id as usize / 64;
        if word >= self.bits.len() {
            if word > 64 * self.count + NEAR {
                self.far.insert(id);
                return;
            }
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (id % 64);
    }
}

/// The id in this run for each id of a slot that was told.
#[derive(Default)]
struct OwnIds {
    near: Vec<Id>,
    count: usize,
    /// The length of the list when it was last looked whether ids that were far have become near.
    moved: usize,
    /// Ids far above the number of those that were told, as only damaged bytes and sparse spaces have them, and ids that
    /// stand for [`NONE`].
    far: HashMap<Id, Id>,
}

/// No id of this run, in a list of them.
const NONE: Id = Id::MAX;

impl OwnIds {
    fn get(&self, id: Id) -> Option<Id> {
        match self.near.get(id as usize) {
            Some(&own) if own != NONE => Some(own),
            _ => self.far.get(&id).copied(),
        }
    }

    fn insert(&mut self, id: Id, own: Id) {
        self.count += 1;
        let place = id as usize;
        let room = 16 * self.count + 64;
        if own == NONE || place >= room {
            self.far.insert(id, own);
            return;
        }
        if place >= self.near.len() {
            self.near.resize(room.min(2 * self.near.len()).max(place + 1), NONE);
            self.move_near();
        }
        self.near[place] = own;
    }

    /// Ids that are told in any order are far at first, until there are enough of them. To look for them when the list has
    /// grown by as many costs no more than to make it grow did.
    fn move_near(&mut self) {
        if self.far.is_empty() || self.near.len() - self.moved < self.far.len() {
            return;
        }
        self.moved = self.near.len();
        let near = &mut self.near;
        self.far.retain(|&id, &mut own| {
            let stays = own == NONE || id as usize >= near.len();
            if !stays {
                near[id as usize] = own;
            }
            stays
        });
    }
}

/// Appends a number: seven bits to a byte, the low ones first, and the eighth says that more follow.
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front.
fn take(bytes: &mut &[u8]) -> Result<u64, BadParts> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(BadParts::Damaged)?;
        *bytes = rest;
        let low = u64::from(byte & 0x7f);
        if low << shift >> shift != low {
            return Err(BadParts::Damaged);
        }
        number |= low << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(BadParts::Damaged)
}

fn take_id(bytes: &mut &[u8]) -> Result<Id, BadParts> {
    Id::try_from(take(bytes)?).map_err(|_| BadParts::Damaged)
}

#[cfg(test)]
#[path = "dictionary_tests.rs"]
mod tests;
