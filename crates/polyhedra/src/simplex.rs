//! An exact simplex method. A dictionary expresses the slack of some inequalities by that of others, with integer
//! entries over one common denominator (Edmonds' integer pivoting), so no pivot needs a greatest common divisor. Constants
//! have a second part, a multiple of an infinitesimal: a strict inequality says that its form is at least the infinitesimal
//! (Dutertre and de Moura 2006). So strict and non-strict inequalities are decided alike. Bland's rule makes every
//! loop end.

use std::cmp::Ordering;

use crate::Overflow;
use crate::arithmetic::narrow;

/// A dictionary: each row is the value of its variable in terms of the variables of the columns, which are all zero.
/// The first variables are coordinates, which have no sign; then come the slacks, which are at least zero; then
/// forms, which restrict nothing and are asked for their least value.
#[derive(Clone, Debug)]
pub(crate) struct Simplex {
    coordinates: usize,
    slacks: usize,
    /// Entries of a row: the columns, the constant, and the infinitesimal part of the constant.
    width: usize,
    entries: Vec<i64>,
    denominator: i64,
    /// Whether the entries are small: see [`large_bits`].
    large_bits: u64,
    basic: Vec<usize>,
    columns: Vec<usize>,
}

/// How small a form can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Minimum {
    /// Below the floor; how far was not asked.
    Below,
    /// Without any bound.
    Unbounded,
    /// Numerator, infinitesimal part and denominator of the least value.
    At(i64, i64, i64),
}

/// A row of a dictionary to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The coefficients of all coordinates, then the constant.
    pub(crate) row: &'a [i64],
    /// Whether it is at least the infinitesimal rather than zero.
    pub(crate) strict: bool,
}

impl Simplex {
    /// A dictionary of inequalities and forms over those coordinates alone that `used` names. The coordinates are
    /// given up for slacks at once, and their rows are kept only if the caller wants a point.
    pub(crate) fn new<'a>(
        used: &[usize],
        inequalities: impl Iterator<Item = Entry<'a>>,
        forms: impl Iterator<Item = Entry<'a>>,
        with_point: bool,
    ) -> Result<Simplex, Overflow> {
        let width = used.len() + 2;
        let mut simplex = Simplex {
            coordinates: used.len(),
            slacks: 0,
            width,
            entries: Vec::with_capacity(width * 32),
            denominator: 1,
            large_bits: 0,
            basic: Vec::with_capacity(32),
            columns: (0..used.len()).collect(),
        };
        let mut count = 0;
        for entry in inequalities {
            simplex.push(used, entry, used.len() + count);
            count += 1;
        }
        simplex.slacks = count;
        for (index, entry) in forms.enumerate() {
            simplex.push(used, entry, used.len() + count + index);
        }
        simplex.give_up_coordinates(with_point)?;
        Ok(simplex)
    }

    fn push(&mut self, used: &[usize], entry: Entry<'_>, variable: usize) {
        self.entries.extend(used.iter().map(|&coordinate| entry.row[coordinate]));
        self.entries.push(entry.row[entry.row.len() - 1]);
        self.entries.push(-i64::from(entry.strict));
        self.basic.push(variable);
        self.large_bits = entry.row.iter().fold(self.large_bits, |bits, &entry| bits | large_bits(entry));
    }

    /// Exchanges every coordinate for a slack that depends on it.
    fn give_up_coordinates(&mut self, with_point: bool) -> Result<(), Overflow> {
        // Rows with few coordinates change little else.
        let count = |row: &[i64]| row[..row.len() - 2].iter().filter(|entry| **entry != 0).count() as u64;
        let mut counts: Vec<u64> = self.entries.chunks_exact(self.width).map(count).collect();
        for column in 0..self.coordinates {
            let mut best = None;
            for (row, &count) in counts.iter().enumerate() {
                let entry = self.entries[row * self.width + column].unsigned_abs();
                if entry == 0 || !self.is_slack(self.basic[row]) {
                    continue;
                }
                let cost = (entry, count);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, row));
                }
            }
            if let Some((_, row)) = best {
                self.pivot(row, column)?;
                if !with_point {
                    self.remove(row);
                    counts.swap_remove(row);
                }
            }
        }
        Ok(())
    }

    fn row(&self, row: usize) -> &[i64] {
        &self.entries[row * self.width..(row + 1) * self.width]
    }

    /// Whether no product of two entries needs wide arithmetic.
    fn is_small(&self) -> bool {
        self.large_bits >> 31 == 0
    }

    /// The constant of a row and its infinitesimal part.
    fn constant(&self, row: usize) -> (i64, i64) {
        let end = (row + 1) * self.width;
        (self.entries[end - 2], self.entries[end - 1])
    }

    fn is_slack(&self, variable: usize) -> bool {
        variable >= self.coordinates && variable < self.coordinates + self.slacks
    }

    /// Takes a row out, and with it whatever its variable demands.
    fn remove(&mut self, row: usize) {
        let last = self.basic.len() - 1;
        self.basic.swap_remove(row);
        self.entries.copy_within(last * self.width.., row * self.width);
        self.entries.truncate(last * self.width);
    }

    /// Exchanges the variable of a row for that of a column.
    fn pivot(&mut self, row: usize, column: usize) -> Result<(), Overflow> {
        let width = self.width;
        let old = self.denominator;
        let pivot = self.entries[row * width + column];
        let (sign, new) = (pivot.signum(), pivot.abs());
        debug_assert!(pivot != 0);
        let small = self.is_small();
        let division = ExactDivision::by(old);
        let (before, rest) = self.entries.split_at_mut(row * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = sign * other[column];
            if factor == 0 && new == old {
                continue;
            }
            let pairs = other.iter_mut().zip(pivot_row.iter());
            if !small {
                for (entry, &pivoted) in pairs {
                    let product =
                        i128::from(new) * i128::from(*entry) - i128::from(factor) * i128::from(pivoted);
                    *entry = narrow(product / i128::from(old))?;
                }
            } else if old == 1 {
                match (new, factor) {
                    (1, 1) => pairs.for_each(|(entry, pivoted)| *entry -= pivoted),
                    (1, -1) => pairs.for_each(|(entry, pivoted)| *entry += pivoted),
                    _ => pairs.for_each(|(entry, pivoted)| *entry = new * *entry - factor * pivoted),
                }
            } else {
                pairs.for_each(|(entry, pivoted)| *entry = division.of(new * *entry - factor * pivoted));
            }
            other[column] = factor;
            self.large_bits = other.iter().fold(self.large_bits, |bits, &entry| bits | large_bits(entry));
        }
        for entry in pivot_row.iter_mut() {
            *entry *= -sign;
        }
        pivot_row[column] = sign * old;
        self.denominator = new;
        std::mem::swap(&mut self.basic[row], &mut self.columns[column]);
        Ok(())
    }

    /// Makes all slacks at least zero. If that cannot be, returns a row that shows it: its variable is negative, and no
    /// variable of a column can raise it.
    pub(crate) fn repair(&mut self) -> Result<Option<usize>, Overflow> {
        loop {
            let broken = (0..self.basic.len())
                .filter(|&row| self.is_slack(self.basic[row]) && self.constant(row) < (0, 0))
                .min_by_key(|&row| self.basic[row]);
            let Some(row) = broken else { return Ok(None) };
            let entries = self.row(row);
            let raising = (0..self.coordinates)
                .filter(|&column| entries[column] > 0)
                .min_by_key(|&column| self.columns[column]);
            let Some(column) = raising else { return Ok(Some(row)) };
            self.pivot(row, column)?;
        }
    }

    /// The inequalities that a row without a solution combines, unless its constant alone refutes them.
    pub(crate) fn conflict(&self, row: usize) -> Option<Vec<usize>> {
        if self.constant(row).0 < 0 {
            return None;
        }
        let entries = self.row(row);
        let involved = (0..self.coordinates).filter(|&column| entries[column] != 0);
        let mut conflict: Vec<usize> =
            involved.map(|column| self.columns[column] - self.coordinates).collect();
        conflict.push(self.basic[row] - self.coordinates);
        Some(conflict)
    }

    /// Goes back from strict inequalities to those that are not: `relaxed` tells which.
    pub(crate) fn relax(&mut self, relaxed: impl Fn(usize) -> bool) -> Result<(), Overflow> {
        let is_relaxed = |simplex: &Simplex, variable: usize| {
            simplex.is_slack(variable) && relaxed(variable - simplex.coordinates)
        };
        for row in 0..self.basic.len() {
            let mut part = i128::from(self.constant(row).1);
            for column in 0..self.coordinates {
                if is_relaxed(self, self.columns[column]) {
                    part -= i128::from(self.row(row)[column]);
                }
            }
            if is_relaxed(self, self.basic[row]) {
                part += i128::from(self.denominator);
            }
            let part = narrow(part)?;
            self.large_bits |= large_bits(part);
            self.entries[(row + 1) * self.width - 1] = part;
        }
        Ok(())
    }

    /// Coordinates that satisfy all inequalities of a repaired dictionary, with their common denominator as the last entry. Only
    /// of a dictionary that kept the rows of coordinates.
    pub(crate) fn point(&self) -> Result<Vec<i64>, Overflow> {
        // The infinitesimal becomes 1 / divisor, as large as the slacks allow, and at most 1.
        let mut divisor = 1i64;
        for row in (0..self.basic.len()).filter(|&row| self.is_slack(self.basic[row])) {
            let (constant, part) = self.constant(row);
            if part < 0 {
                divisor = divisor.max(-(part.div_euclid(constant)));
            }
        }
        let mut point = vec![0; self.coordinates + 1];
        for row in (0..self.basic.len()).filter(|&row| self.basic[row] < self.coordinates) {
            let (constant, part) = self.constant(row);
            point[self.basic[row]] = narrow(i128::from(constant) * i128::from(divisor) + i128::from(part))?;
        }
        point[self.coordinates] = narrow(i128::from(self.denominator) * i128::from(divisor))?;
        Ok(point)
    }

    /// Drops the rows of coordinates, which only a point needs.
    pub(crate) fn forget_coordinates(&mut self) {
        for row in (0..self.basic.len()).rev() {
            if self.basic[row] < self.coordinates {
                self.remove(row);
            }
        }
    }

    /// Marks inequalities of a repaired dictionary that are evidently not redundant: those of the columns without
    /// which the vertex could be left.
    pub(crate) fn mark_needed(&self, needed: &mut [bool]) {
        let held: Vec<usize> = (0..self.basic.len())
            .filter(|&row| self.is_slack(self.basic[row]) && self.constant(row).0 <= 0)
            .collect();
        for (column, &variable) in self.columns.iter().enumerate() {
            if self.is_slack(variable) && held.iter().all(|&row| self.row(row)[column] <= 0) {
                needed[variable - self.coordinates] = true;
            }
        }
    }

    /// Whether an inequality of a repaired dictionary follows from the others. If it does, it is taken out.
    pub(crate) fn drop_if_redundant(&mut self, inequality: usize, strict: bool) -> Result<bool, Overflow> {
        let variable = self.coordinates + inequality;
        let row = match self.basic.iter().position(|&basic| basic == variable) {
            Some(row) => row,
            None => {
                let column = self.columns.iter().position(|&other| other == variable);
                let column = column.expect("a variable is a row or a column");
                // Without it, the variable could fall until another slack is zero.
                let Some(row) = self.first_blocked(column, 1, None) else { return Ok(false) };
                let (constant, part) = self.constant(row);
                let step = if strict { self.row(row)[column] } else { 1 };
                if (constant, part) >= (0, step) {
                    return Ok(false);
                }
                self.pivot(row, column)?;
                row
            }
        };
        let redundant = matches!(self.minimise(row, Some(strict))?, Minimum::At(..));
        if redundant {
            self.remove(row);
        } else if let Some(row) = self.repair()? {
            unreachable!("row {row} refutes inequalities that have a solution");
        }
        Ok(redundant)
    }

    /// The least value of a form, in a repaired dictionary.
    pub(crate) fn least(&mut self, form: usize) -> Result<Minimum, Overflow> {
        let row = self.row_of_form(form);
        self.minimise(row, None)
    }

    /// Whether a form is at least zero, or above zero, in the whole of a repaired dictionary.
    pub(crate) fn entails(&mut self, form: usize, strict: bool) -> Result<bool, Overflow> {
        let row = self.row_of_form(form);
        Ok(matches!(self.minimise(row, Some(strict))?, Minimum::At(..)))
    }

    fn row_of_form(&self, form: usize) -> usize {
        let variable = self.coordinates + self.slacks + form;
        self.basic.iter().position(|&basic| basic == variable).expect("forms are always rows")
    }

    /// Makes the variable of a row as small as the slacks of all other rows allow. With a floor it stops as soon as the variable
    /// can be negative (false), or, counted without its own infinitesimal, not positive (true).
    fn minimise(&mut self, row: usize, floor: Option<bool>) -> Result<Minimum, Overflow> {
        loop {
            let (constant, part) = self.constant(row);
            if let Some(strict) = floor
                && is_below(i128::from(constant), i128::from(part), self.denominator, strict)?
            {
                return Ok(Minimum::Below);
            }
            let entries = self.row(row);
            if (0..self.coordinates).any(|at| self.columns[at] < self.coordinates && entries[at] != 0) {
                return Ok(if floor.is_some() { Minimum::Below } else { Minimum::Unbounded });
            }
            let lowering = (0..self.coordinates)
                .filter(|&column| entries[column] < 0)
                .min_by_key(|&column| self.columns[column]);
            let Some(column) = lowering else {
                return Ok(Minimum::At(constant, part, self.denominator));
            };
            let slope = entries[column];
            let Some(blocked) = self.first_blocked(column, -1, Some(row)) else {
                return Ok(if floor.is_some() { Minimum::Below } else { Minimum::Unbounded });
            };
            if let Some(strict) = floor {
                let limit = -self.row(blocked)[column];
                let (ahead, ahead_part) = self.constant(blocked);
                let value = |own: i64, other: i64| {
                    i128::from(own) * i128::from(limit) + i128::from(slope) * i128::from(other)
                };
                let scale = i128::from(self.denominator).checked_mul(i128::from(limit)).ok_or(Overflow)?;
                let unit = if strict { scale } else { 0 };
                let part = value(part, ahead_part).checked_add(unit).ok_or(Overflow)?;
                let value = (value(constant, ahead), part);
                if value < (0, i128::from(strict)) {
                    return Ok(Minimum::Below);
                }
            }
            self.pivot(blocked, column)?;
        }
    }

    /// The slack that is the first to become zero when the variable of a column moves: up, where entries are
    /// negative, or down, where they are positive.
    fn first_blocked(&self, column: usize, sign: i64, except: Option<usize>) -> Option<usize> {
        let small = self.is_small();
        let mut best: Option<(usize, i64)> = None;
        for row in 0..self.basic.len() {
            let rate = sign * self.row(row)[column];
            if rate <= 0 || Some(row) == except || !self.is_slack(self.basic[row]) {
                continue;
            }
            let Some((first, first_rate)) = best else {
                best = Some((row, rate));
                continue;
            };
            let (mine, its) = (self.constant(row), self.constant(first));
            let compare = |mine: i64, its: i64| {
                if small {
                    return (mine * first_rate).cmp(&(its * rate));
                }
                (i128::from(mine) * i128::from(first_rate)).cmp(&(i128::from(its) * i128::from(rate)))
            };
            let order = compare(mine.0, its.0)
                .then_with(|| compare(mine.1, its.1))
                .then_with(|| self.basic[row].cmp(&self.basic[first]));
            if order == Ordering::Less {
                best = Some((row, rate));
            }
        }
        best.map(|(row, _)| row)
    }
}

/// Whether a value is negative, or, with its own infinitesimal added, not positive.
fn is_below(constant: i128, part: i128, denominator: i64, strict: bool) -> Result<bool, Overflow> {
    let unit = if strict { i128::from(denominator) } else { 0 };
    Ok((constant, part.checked_add(unit).ok_or(Overflow)?) < (0, i128::from(strict)))
}

/// A division that leaves nothing, by a shift and by the inverse of an odd number modulo 2^64.
#[derive(Clone, Copy, Debug)]
struct ExactDivision {
    shift: u32,
    inverse: i64,
}

impl ExactDivision {
    fn by(divisor: i64) -> ExactDivision {
        let shift = divisor.trailing_zeros();
        let odd = divisor >> shift;
        // Each step doubles the number of bits that are right; an odd number is its own inverse modulo 8.
        let mut inverse = odd;
        if odd != 1 {
            for _ in 0..5 {
                inverse = inverse.wrapping_mul(2i64.wrapping_sub(odd.wrapping_mul(inverse)));
            }
        }
        ExactDivision { shift, inverse }
    }

    #[inline]
    fn of(self, multiple: i64) -> i64 {
        (multiple >> self.shift).wrapping_mul(self.inverse)
    }
}

/// A bit from the 31st on, unless the number is from -2^30 to 2^30 - 1. The difference of two products of such numbers fits.
#[inline]
fn large_bits(entry: i64) -> u64 {
    entry.wrapping_add(1 << 30) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_divisions_are_divisions() {
        for divisor in (1..100).chain([1 << 40, (1 << 31) - 1, 3 << 20, i64::MAX]) {
            for quotient in [0, 1, -1, 7, -12, 12345, -(1 << 20)] {
                if let Some(multiple) = divisor.checked_mul(quotient) {
                    assert_eq!(ExactDivision::by(divisor).of(multiple), quotient);
                }
            }
        }
    }
}
