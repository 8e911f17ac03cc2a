//! Rows of one length in the order in which they were found, each once. They stand one after the other, and a table of
//! their numbers tells whether a row is among them.

use watchkeeper_space::Id;

/// Different rows.
pub(super) struct RowTable {
    width: usize,
    len: usize,
    cells: Vec<Id>,
    /// For each place the number of a row plus one, or 0. There are more than twice as many places as rows.
    places: Vec<usize>,
}

impl RowTable {
    pub(super) fn new(width: usize) -> RowTable {
        RowTable { width, len: 0, cells: Vec::new(), places: vec![0; 64] }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn row(&self, at: usize) -> &[Id] {
        &self.cells[at * self.width..(at + 1) * self.width]
    }

    /// Adds a row, unless it is there.
    pub(super) fn insert(&mut self, row: &[Id]) {
        debug_assert_eq!(row.len(), self.width, "all rows are of one length");
        let mut place = self.home(row);
        while let Some(other) = self.places[place].checked_sub(1) {
            if self.row(other) == row {
                return;
            }
            place = (place + 1) % self.places.len();
        }
        self.cells.extend_from_slice(row);
        self.len += 1;
        self.places[place] = self.len;
        if 2 * (self.len + 1) > self.places.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        self.places = vec![0; 2 * self.places.len()];
        for at in 0..self.len {
            let mut place = self.home(self.row(at));
            while self.places[place] != 0 {
                place = (place + 1) % self.places.len();
            }
            self.places[place] = at + 1;
        }
    }

    /// Where a row is looked for first; the number of places is a power of two.
    fn home(&self, row: &[Id]) -> usize {
        let mixed = row.iter().fold(0u64, |mixed, id| {
            (mixed.rotate_left(5) ^ u64::from(*id)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (mixed >> 32) as usize & (self.places.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_there_once_in_the_order_of_its_first_insertion() {
        let mut table = RowTable::new(3);
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        for i in 0u32..5_000 {
            let row = [i % 17, (i * i) % 23, i % 5];
            table.insert(&row);
            if seen.insert(row) {
                order.push(row);
            }
        }
        assert!(order.len() > 1_000, "{} rows", order.len());
        assert_eq!((0..table.len()).map(|at| table.row(at).to_vec()).collect::<Vec<_>>(), order);
    }

    #[test]
    fn a_system_without_variables_has_one_row() {
        let mut table = RowTable::new(0);
        table.insert(&[]);
        table.insert(&[]);
        assert_eq!((table.len(), table.row(0)), (1, &[][..]));
    }
}
