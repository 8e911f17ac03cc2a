//! Integer points. The search goes through the projections one variable at a time, so it only tries values that rational
//! points have; it ends because the caller bounds every coordinate.

use crate::arithmetic::gcd;
use crate::{Constraint, Overflow, Polyhedron, Relation};

impl Polyhedron {
    /// An integer point whose coordinates are from 0 to `most`, with the smallest sum of coordinates, and the first of
    /// those in the order of their coordinates. Meant for few dimensions and small ranges.
    pub fn integer_point(&self, most: i64) -> Result<Option<Vec<i64>>, Overflow> {
        let dimension = self.dimension();
        if self.is_empty() || most < 0 {
            return Ok(None);
        }
        // The sum comes first, as a variable of its own.
        let row = |first: i64, coefficients: &[i64]| {
            let mut row = vec![first];
            row.extend_from_slice(coefficients);
            row
        };
        let mut constraints = vec![Constraint::new(row(1, &vec![-1; dimension]), 0, Relation::Equal)];
        for constraint in self.constraints() {
            let Some((coefficients, constant)) = tightened(constraint)? else { return Ok(None) };
            let relation = constraint.relation().min(Relation::AtLeast);
            constraints.push(Constraint::new(row(0, &coefficients), constant, relation));
        }
        for variable in 0..dimension {
            let mut unit = vec![0; dimension];
            unit[variable] = 1;
            constraints.push(Constraint::new(row(0, &unit), 0, Relation::AtLeast));
            unit[variable] = -1;
            constraints.push(Constraint::new(row(0, &unit), most, Relation::AtLeast));
        }
        let mut shadows = vec![Polyhedron::of(dimension + 1, &constraints)?];
        if shadows[0].is_empty() {
            return Ok(None);
        }
        for kept in (1..=dimension).rev() {
            let shadow = shadows[shadows.len() - 1].project(&(0..kept).collect::<Vec<usize>>())?;
            shadows.push(shadow);
        }
        shadows.reverse();
        let mut point = Vec::with_capacity(dimension + 1);
        let found = complete(&shadows, &mut point)?;
        Ok(found.then(|| point[1..].to_vec()))
    }
}

/// The form of a constraint that integer points satisfy as well if they satisfy the constraint: not strict, and as
/// tight as the common divisor of the coefficients allows. None if no integer point satisfies an equality.
fn tightened(constraint: &Constraint) -> Result<Option<(Vec<i64>, i64)>, Overflow> {
    let coefficients = constraint.coefficients();
    let constant = constraint.constant();
    let divisor = coefficients.iter().fold(0, |divisor, c| gcd(divisor, c.unsigned_abs()));
    let divisor = i64::try_from(divisor.max(1)).map_err(|_| Overflow)?;
    let strict = i64::from(constraint.relation() == Relation::Above);
    let constant = constant.checked_sub(strict).ok_or(Overflow)?;
    if constraint.relation() == Relation::Equal && constant % divisor != 0 {
        return Ok(None);
    }
    Ok(Some((coefficients.iter().map(|c| c / divisor).collect(), constant.div_euclid(divisor))))
}

/// Completes the first coordinates of an integer point, the smallest values first. Each shadow has one variable more
/// than the one before.
fn complete(shadows: &[Polyhedron], point: &mut Vec<i64>) -> Result<bool, Overflow> {
    let Some((shadow, others)) = shadows.split_first() else { return Ok(true) };
    let Some((least, greatest)) = range(shadow, point)? else { return Ok(false) };
    for value in least..=greatest {
        point.push(value);
        if complete(others, point)? {
            return Ok(true);
        }
        point.pop();
    }
    Ok(false)
}

/// The integers that the last variable may have beside given values of the others.
fn range(shadow: &Polyhedron, point: &[i64]) -> Result<Option<(i64, i64)>, Overflow> {
    let (mut least, mut greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
    for constraint in shadow.constraints() {
        let (slope, first) = constraint.coefficients().split_last().expect("a shadow has a variable");
        let rest = crate::arithmetic::dot(first, point)?;
        let rest = rest.checked_add(i128::from(constraint.constant())).ok_or(Overflow)?;
        let slope = i128::from(*slope);
        let strict = i128::from(constraint.relation() == Relation::Above);
        if slope == 0 {
            if !constraint.relation().holds(rest) {
                return Ok(None);
            }
            continue;
        }
        // slope * value + rest - strict >= 0, over integers.
        let rest = rest.checked_sub(strict).ok_or(Overflow)?;
        if slope > 0 || constraint.relation() == Relation::Equal {
            let (slope, rest) = if slope > 0 { (slope, rest) } else { (-slope, -rest) };
            least = least.max(-(rest.div_euclid(slope)));
        }
        if slope < 0 || constraint.relation() == Relation::Equal {
            let (slope, rest) = if slope < 0 { (-slope, rest) } else { (slope, -rest) };
            greatest = greatest.min(rest.div_euclid(slope));
        }
    }
    if least > greatest {
        return Ok(None);
    }
    let narrow = |value: i128| i64::try_from(value).map_err(|_| Overflow);
    Ok(Some((narrow(least)?, narrow(greatest)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dimension: usize, rows: &[(&[i64], i64, Relation)]) -> Polyhedron {
        let constraint = |&(row, constant, relation): &(&[i64], i64, Relation)| {
            Constraint::new(row.to_vec(), constant, relation)
        };
        Polyhedron::of(dimension, &rows.iter().map(constraint).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_smallest_sum_comes_first() {
        use Relation::{Above, AtLeast, Equal};
        // 2x > 3y, y > 1
        let wedge = of(2, &[(&[2, -3], 0, Above), (&[0, 1], -1, Above)]);
        assert_eq!(wedge.integer_point(10), Ok(Some(vec![4, 2])));
        assert_eq!(wedge.integer_point(3), Ok(None));
        assert_eq!(wedge.integer_point(-1), Ok(None));
        let odd = of(2, &[(&[2, -2], 1, Equal)]);
        assert_eq!(odd.integer_point(1000), Ok(None));
        let thin = of(2, &[(&[3, 0], -1, AtLeast), (&[-3, 0], 2, AtLeast)]);
        assert_eq!(thin.integer_point(1000), Ok(None));
        assert_eq!(Polyhedron::universe(3).integer_point(5), Ok(Some(vec![0, 0, 0])));
        assert_eq!(Polyhedron::universe(0).integer_point(5), Ok(Some(vec![])));
        assert_eq!(Polyhedron::empty(2).integer_point(5), Ok(None));
    }
}
