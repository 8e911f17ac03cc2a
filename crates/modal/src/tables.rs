//! Rows of numbers, each kept once and known by its number: states, environments, nodes of a game.

/// A table of different rows of one width.
#[derive(Clone, Debug)]
pub(crate) struct NumberRows {
    width: usize,
    rows: Vec<u32>,
    count: usize,
    /// A hash table of the numbers of rows, each plus 1; 0 is a free place. Its length is a power of two.
    index: Vec<u32>,
}

impl NumberRows {
    pub(crate) fn new(width: usize) -> NumberRows {
        NumberRows { width, rows: Vec::new(), count: 0, index: vec![0; 16] }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn row(&self, number: u32) -> &[u32] {
        &self.rows[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// The number of a row, and whether it is new.
    pub(crate) fn intern(&mut self, row: &[u32]) -> (u32, bool) {
        debug_assert_eq!(row.len(), self.width);
        if (self.count + 1) * 4 > self.index.len() * 3 {
            self.grow();
        }
        let mask = self.index.len() - 1;
        let mut place = hash(row) as usize & mask;
        loop {
            match self.index[place] {
                0 => break,
                known if self.row(known - 1) == row => return (known - 1, false),
                _ => place = (place + 1) & mask,
            }
        }
        self.rows.extend_from_slice(row);
        self.count += 1;
        self.index[place] = self.count as u32;
        ((self.count - 1) as u32, true)
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.rows.capacity() + self.index.capacity())
    }

    fn grow(&mut self) {
        let mut index = vec![0u32; self.index.len() * 2];
        let mask = index.len() - 1;
        for number in 0..self.count as u32 {
            let mut place = hash(self.row(number)) as usize & mask;
            while index[place] != 0 {
                place = (place + 1) & mask;
            }
            index[place] = number + 1;
        }
        self.index = index;
    }
}

fn hash(row: &[u32]) -> u64 {
    let mixed = row.iter().fold(0x243F_6A88_85A3_08D3u64, |hash, &number| {
        (hash ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_number() {
        let mut table = NumberRows::new(2);
        for turn in 0..2 {
            for number in 0..1000u32 {
                assert_eq!(table.intern(&[number / 7, number]), (number, turn == 0));
            }
        }
        assert_eq!((table.len(), table.row(8)), (1000, &[1, 8][..]));
        let mut empty = NumberRows::new(0);
        assert_eq!((empty.intern(&[]), empty.intern(&[])), ((0, true), (0, false)));
    }
}
