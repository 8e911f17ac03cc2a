//! Short rows of words, each kept once and numbered in the order in which they came. One thread fills it; the
//! words lie one after the other, so that millions of rows cost little more than their words.

use watchkeeper_space::Id;

/// A place of the table that nothing is in.
const FREE: u32 = u32::MAX;

/// Rows of the same length, by number.
pub(crate) struct Rows {
    width: usize,
    words: Vec<Id>,
    /// Open addressing over row numbers; its length is a power of two.
    table: Vec<u32>,
    len: usize,
}

impl Rows {
    /// No rows yet, of this many words each.
    pub fn new(width: usize) -> Rows {
        Rows { width, words: Vec::new(), table: vec![FREE; 64], len: 0 }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The row of a number.
    pub fn row(&self, number: u32) -> &[Id] {
        let at = number as usize * self.width;
        &self.words[at..at + self.width]
    }

    /// The number of a row, and whether it is new.
    pub fn intern(&mut self, row: &[Id]) -> (u32, bool) {
        if 2 * (self.len + 1) > self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = scattered(row) & mask;
        while self.table[at] != FREE {
            let number = self.table[at];
            if self.row(number) == row {
                return (number, false);
            }
            at = (at + 1) & mask;
        }
        let number = self.len as u32;
        self.table[at] = number;
        self.words.extend_from_slice(row);
        self.len += 1;
        (number, true)
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        (self.words.capacity() + self.table.len()) * size_of::<u32>()
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![FREE; size];
        for number in 0..self.len as u32 {
            let mut at = scattered(self.row(number)) & (size - 1);
            while self.table[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number;
        }
    }
}

/// A number in which every word of the row has a part.
fn scattered(row: &[Id]) -> usize {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in row {
        hash = (hash ^ u64::from(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    }
    hash as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_number_and_a_number_one_row() {
        let mut rows = Rows::new(2);
        for i in 0..1000 {
            assert_eq!(rows.intern(&[i % 7, i]), (i, true));
        }
        for i in 0..1000 {
            assert_eq!(rows.intern(&[i % 7, i]), (i, false));
            assert_eq!(rows.row(i), [i % 7, i]);
        }
        assert_eq!(rows.len(), 1000);
        assert!(rows.bytes() >= 8000);
    }
}
