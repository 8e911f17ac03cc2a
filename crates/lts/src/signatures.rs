//! The signatures of the states of one block, each different one with a number. They are compared entry by entry, so that
//! two that are taken for equal are equal. The memory is used again for the next block, and clearing costs no more than was used.

/// Different signatures in the order in which they were met.
#[derive(Default)]
pub(crate) struct SignatureTable {
    entries: Vec<u64>,
    /// Where the entries of each signature end.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Numbers of signatures, one more than they are, by hash; the first places are in use.
    places: Vec<u32>,
    mask: usize,
    new: Vec<u64>,
}

impl SignatureTable {
    /// No signature, and room for so many.
    pub fn clear(&mut self, most: usize) {
        self.entries.clear();
        self.ends.clear();
        self.hashes.clear();
        let wanted = (2 * most).next_power_of_two().clamp(4, 1 << 12);
        self.resize(wanted);
    }

    fn resize(&mut self, wanted: usize) {
        if self.places.len() < wanted {
            self.places = vec![0; wanted];
        } else {
            self.places[..wanted].fill(0);
        }
        self.mask = wanted - 1;
    }

    /// The number of different signatures.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The entries of a signature, in order.
    pub fn get(&self, number: u32) -> &[u64] {
        let number = number as usize;
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.entries[begin..self.ends[number]]
    }

    /// Begins a signature; its entries are pushed in any order, and may come twice.
    pub fn begin(&mut self) -> &mut Vec<u64> {
        self.new.clear();
        &mut self.new
    }

    /// The new signature has the entries of this one.
    pub fn include(&mut self, number: u32) {
        let number = number as usize;
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        self.new.extend_from_slice(&self.entries[begin..self.ends[number]]);
    }

    /// The new signature has these entries too.
    pub fn include_all(&mut self, entries: &[u64]) {
        self.new.extend_from_slice(entries);
    }

    /// The number of the signature that was begun.
    pub fn end(&mut self) -> u32 {
        if !self.new.is_sorted_by(|a, b| a < b) {
            self.new.sort_unstable();
            self.new.dedup();
        }
        let hash = self.new.iter().fold(self.new.len() as u64, |hash, entry| {
            let mixed = (hash.rotate_left(26) ^ entry).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        });
        let mut at = hash as usize & self.mask;
        while let Some(number) = self.places[at].checked_sub(1) {
            if self.hashes[number as usize] == hash && self.get(number) == self.new {
                return number;
            }
            at = (at + 1) & self.mask;
        }
        let number = self.len() as u32;
        self.places[at] = number + 1;
        self.hashes.push(hash);
        self.entries.extend_from_slice(&self.new);
        self.ends.push(self.entries.len());
        if 2 * self.len() > self.mask {
            self.resize(2 * (self.mask + 1));
            for (number, &hash) in self.hashes.iter().enumerate() {
                let mut at = hash as usize & self.mask;
                while self.places[at] != 0 {
                    at = (at + 1) & self.mask;
                }
                self.places[at] = number as u32 + 1;
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_signatures_have_one_number() {
        let mut table = SignatureTable::default();
        for _ in 0..2 {
            table.clear(1);
            for value in (0..5000u64).chain(0..5000) {
                table.begin().extend([value + 1, value, value + 1]);
                assert_eq!(u64::from(table.end()), value);
            }
            assert_eq!((table.len(), table.get(7)), (5000, &[7, 8][..]));
            table.begin().push(9);
            table.include(7);
            table.include_all(&[1]);
            assert_eq!(table.end(), 5000);
            assert_eq!(table.get(5000), [1, 7, 8, 9]);
        }
    }
}
