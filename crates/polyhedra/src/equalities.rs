//! A system of linear equalities in reduced echelon form: each has a variable of its own, its pivot, which no other
//! equality has. Variables are eliminated from the last to the first, so that what is left is said about the first.

use crate::Overflow;
use crate::arithmetic::{combine, make_primitive, narrow};

/// Equalities, each a row whose last entry is the constant, with a positive coefficient at its pivot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echelon {
    rows: Vec<(usize, Vec<i64>)>,
}

impl Echelon {
    /// The pivots and rows.
    pub(crate) fn rows(&self) -> &[(usize, Vec<i64>)] {
        &self.rows
    }

    /// Adds an equality; false if it contradicts the others.
    pub(crate) fn add(&mut self, row: &[i64]) -> Result<bool, Overflow> {
        let last = row.len() - 1;
        self.add_with(row, |row| row[..last].iter().rposition(|&entry| entry != 0))
    }

    /// The same, with a pivot that the caller chooses among the nonzero coefficients of the reduced row. Without
    /// one, the row must be a constant.
    pub(crate) fn add_with(
        &mut self,
        row: &[i64],
        choose: impl Fn(&[i64]) -> Option<usize>,
    ) -> Result<bool, Overflow> {
        let mut row = row.to_vec();
        self.reduce(&mut row)?;
        let Some(pivot) = choose(&row) else {
            return Ok(row[row.len() - 1] == 0);
        };
        make_primitive(&mut row);
        if row[pivot] < 0 {
            row.iter_mut().for_each(|entry| *entry = -*entry);
        }
        for (_, other) in &mut self.rows {
            eliminate(other, &row, pivot)?;
        }
        self.rows.push((pivot, row));
        Ok(true)
    }

    /// One whose rows are known to be in this form.
    pub(crate) fn of_reduced(rows: Vec<(usize, Vec<i64>)>) -> Echelon {
        Echelon { rows }
    }

    /// Eliminates the pivots from a row. A positive multiple of the row is kept, so inequalities may be reduced too.
    pub(crate) fn reduce(&self, row: &mut [i64]) -> Result<(), Overflow> {
        self.rows.iter().try_for_each(|(pivot, equality)| eliminate(row, equality, *pivot))
    }

    /// Gives the pivots of a point, whose other coordinates are known, the values that the equalities ask for. The
    /// coordinates have a common denominator, which is the last entry.
    pub(crate) fn complete(&self, point: &mut [i64]) -> Result<(), Overflow> {
        let mut scale = 1i128;
        for (pivot, row) in &self.rows {
            let coefficient = i128::from(row[*pivot]);
            let common =
                crate::arithmetic::gcd_wide(scale.unsigned_abs(), coefficient.unsigned_abs()) as i128;
            scale = scale.checked_mul(coefficient / common).ok_or(Overflow)?;
        }
        let scale = narrow(scale)?;
        if scale != 1 {
            for entry in point.iter_mut() {
                *entry = narrow(i128::from(*entry) * i128::from(scale))?;
            }
        }
        for (pivot, row) in &self.rows {
            point[*pivot] = 0;
            let sum = crate::arithmetic::dot(row, point)?;
            point[*pivot] = narrow(-sum / i128::from(row[*pivot]))?;
        }
        make_primitive(point);
        Ok(())
    }
}

/// Eliminates a variable from a row by an equality whose coefficient of it is positive.
fn eliminate(row: &mut [i64], equality: &[i64], pivot: usize) -> Result<(), Overflow> {
    if row[pivot] == 0 {
        return Ok(());
    }
    let common = crate::arithmetic::gcd(row[pivot].unsigned_abs(), equality[pivot].unsigned_abs()) as i64;
    combine(row, equality[pivot] / common, equality, -(row[pivot] / common))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_are_eliminated_from_the_last_variable_on() {
        let mut echelon = Echelon::default();
        assert_eq!(echelon.add(&[1, 1, 1, -6]), Ok(true));
        assert_eq!(echelon.add(&[0, 2, -1, 0]), Ok(true));
        assert_eq!(echelon.add(&[1, 3, 0, -6]), Ok(true));
        assert_eq!(echelon.rows(), [(2, vec![2, 0, 3, -12]), (1, vec![1, 3, 0, -6])]);
        assert_eq!(echelon.add(&[1, 3, 0, -5]), Ok(false));
        let mut point = [3, 0, 0, 1];
        echelon.complete(&mut point).unwrap();
        assert_eq!(point, [3, 1, 2, 1]);
        let mut row = [0, 1, 1, 0];
        echelon.reduce(&mut row).unwrap();
        assert_eq!(row, [-1, 0, 0, 6]);
    }
}
