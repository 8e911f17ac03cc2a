//! Widening that keeps what two polyhedra have in common: where a loop moves several remaining times together, each of
//! them changes from round to round, and their difference does not. The equalities that both polyhedra fulfil are kept,
//! though neither may have them among its constraints.

use crate::decisions::Trouble;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};

/// A polyhedron that includes `newer`, has its parameters, the first `parameters` coordinates, and forgets what changed
/// since `older`.
pub(crate) fn widened(
    older: &Polyhedron,
    newer: &Polyhedron,
    parameters: usize,
) -> Result<Polyhedron, Trouble> {
    let common = common_equalities(older, newer).ok_or(Trouble::Overflow)?;
    Ok(older.widened(newer, parameters)?.and(&common)?)
}

/// A basis of the equalities that both fulfil: the combinations of the equalities of one that are combinations of the
/// equalities of the other. `None` if the numbers become too large.
fn common_equalities(a: &Polyhedron, b: &Polyhedron) -> Option<Vec<Constraint>> {
    let rows = |polyhedron: &Polyhedron| -> Vec<Vec<i128>> {
        let equal = polyhedron.constraints().iter().filter(|one| one.relation() == Relation::Equal);
        equal
            .map(|one| one.coefficients().iter().chain([&one.constant()]).map(|&n| i128::from(n)).collect())
            .collect()
    };
    let (left, right) = (rows(a), rows(b));
    if left.is_empty() || right.is_empty() {
        return Some(Vec::new());
    }
    // Rows (l | l) and (r | 0): once the first half is eliminated, second halves span the intersection.
    let width = a.dimension() + 1;
    let doubled = left.iter().map(|row| [row.clone(), row.clone()].concat());
    let single = right.iter().map(|row| [row.clone(), vec![0; width]].concat());
    let mut matrix: Vec<Vec<i128>> = doubled.chain(single).collect();
    let mut done = 0;
    for column in 0..width {
        let Some(pivot) = (done..matrix.len()).find(|&row| matrix[row][column] != 0) else { continue };
        matrix.swap(done, pivot);
        for row in done + 1..matrix.len() {
            let (above, below) = (matrix[done][column], matrix[row][column]);
            if below != 0 {
                let combined = matrix[row].iter().zip(&matrix[done]);
                let combined: Option<Vec<i128>> = combined
                    .map(|(low, high)| low.checked_mul(above)?.checked_sub(high.checked_mul(below)?))
                    .collect();
                matrix[row] = reduced(combined?);
            }
        }
        done += 1;
    }
    let mut common = Vec::new();
    for row in &matrix[done..] {
        let numbers: Option<Vec<i64>> =
            row[width..].iter().map(|&number| i64::try_from(number).ok()).collect();
        let mut numbers = numbers?;
        let constant = numbers.pop()?;
        if numbers.iter().any(|&number| number != 0) {
            common.push(Constraint::new(numbers, constant, Relation::Equal));
        }
    }
    Some(common)
}

/// A row divided by what its numbers have in common.
fn reduced(row: Vec<i128>) -> Vec<i128> {
    let common = row.iter().fold(0u128, |a, b| {
        let (mut a, mut b) = (a, b.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    });
    match i128::try_from(common) {
        Ok(common) if common > 1 => row.into_iter().map(|number| number / common).collect(),
        _ => row,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(coefficients: &[i64], constant: i64) -> Constraint {
        Constraint::new(coefficients.to_vec(), constant, Relation::Equal)
    }

    #[test]
    fn a_difference_that_stays_is_kept_though_both_ends_move() -> Result<(), Trouble> {
        // p is a parameter; x = p and y = p + 5, then x = p - 1 and y = p + 4.
        let older = Polyhedron::of(3, &[equal(&[-1, 1, 0], 0), equal(&[-1, 0, 1], -5)])?;
        let newer = Polyhedron::of(3, &[equal(&[-1, 1, 0], 1), equal(&[-1, 0, 1], -4)])?;
        let wide = widened(&older, &newer, 1)?;
        assert!(wide.includes(&newer)? && wide.includes(&older)?);
        assert!(wide.entails(&equal(&[0, -1, 1], -5))?, "{:?}", wide.constraints());
        assert!(!wide.entails(&equal(&[-1, 1, 0], 1))?);
        Ok(())
    }

    #[test]
    fn parameters_are_never_widened() -> Result<(), Trouble> {
        // p <= 1 and x <= p, then p <= 2 and x <= p + 1: x is given up, and p is not.
        let at_least = |row: &[i64], constant| Constraint::new(row.to_vec(), constant, Relation::AtLeast);
        let older = Polyhedron::of(2, &[at_least(&[-1, 0], 1), at_least(&[1, -1], 0)])?;
        let newer = Polyhedron::of(2, &[at_least(&[-1, 0], 2), at_least(&[1, -1], 1)])?;
        let wide = widened(&older, &newer, 1)?;
        assert!(wide.includes(&newer)? && wide.entails(&at_least(&[-1, 0], 2))?, "{:?}", wide.constraints());
        assert!(!wide.entails(&at_least(&[1, -1], 1))?);
        Ok(())
    }
}
