//! Linear constraints with integer coefficients: a linear form that is zero, at least zero, or above zero. A constraint
//! is kept with the smallest integer coefficients, so that multiples of it are equal.

use std::fmt;

use crate::arithmetic::make_primitive;
use crate::{Overflow, Ratio};

/// How a linear form compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// It is zero.
    Equal,
    /// It is zero or positive.
    AtLeast,
    /// It is positive.
    Above,
}

/// A linear form and its relation to zero: `3 x0 - x2 + 5 >= 0`.
///
/// A coefficient of `i64::MIN` is out of range: every operation on such a constraint is an [`Overflow`].
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    /// The coefficients, then the constant.
    row: Box<[i64]>,
    relation: Relation,
}

impl Constraint {
    /// The sum of the coefficients times the variables, plus the constant, in relation to zero. The numbers are divided
    /// by their greatest common divisor, and the first coefficient of an equality is made positive.
    pub fn new(mut coefficients: Vec<i64>, constant: i64, relation: Relation) -> Constraint {
        coefficients.push(constant);
        make_primitive(&mut coefficients);
        if relation == Relation::Equal
            && coefficients.iter().find(|entry| **entry != 0).is_some_and(|&e| e < 0)
        {
            negate(&mut coefficients);
        }
        Constraint::of_row(coefficients, relation)
    }

    /// One from a primitive row whose last entry is the constant.
    pub(crate) fn of_row(row: Vec<i64>, relation: Relation) -> Constraint {
        Constraint { row: row.into(), relation }
    }

    /// The coefficients, then the constant.
    pub(crate) fn row(&self) -> &[i64] {
        &self.row
    }

    /// The same, for positive multiples and for what equalities add.
    pub(crate) fn row_mut(&mut self) -> &mut [i64] {
        &mut self.row
    }

    /// Whether it is strict.
    pub(crate) fn is_strict(&self) -> bool {
        self.relation == Relation::Above
    }

    /// The coefficient of each variable.
    pub fn coefficients(&self) -> &[i64] {
        &self.row[..self.dimension()]
    }

    /// What is added to the variables.
    pub fn constant(&self) -> i64 {
        self.row[self.dimension()]
    }

    /// How the form compares with zero.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The number of variables.
    pub fn dimension(&self) -> usize {
        self.row.len() - 1
    }

    /// Constraints, one of which holds wherever this one does not: one for an inequality, two for an equality.
    pub fn negated(&self) -> Vec<Constraint> {
        match self.relation {
            Relation::Equal => vec![self.turned(false, Relation::Above), self.turned(true, Relation::Above)],
            Relation::AtLeast => vec![self.turned(true, Relation::Above)],
            Relation::Above => vec![self.turned(true, Relation::AtLeast)],
        }
    }

    /// Inequalities that say the same: two for an equality.
    pub fn inequalities(&self) -> Vec<Constraint> {
        match self.relation {
            Relation::Equal => {
                vec![self.turned(false, Relation::AtLeast), self.turned(true, Relation::AtLeast)]
            }
            _ => vec![self.clone()],
        }
    }

    /// Whether it holds at a point of the same dimension.
    pub fn holds_at(&self, point: &[Ratio]) -> Result<bool, Overflow> {
        self.admitted(point.len())?;
        let mut value = Ratio::from(self.constant());
        for (&coefficient, &coordinate) in self.coefficients().iter().zip(point) {
            if coefficient != 0 {
                value = value.add(coordinate.mul(Ratio::from(coefficient))?)?;
            }
        }
        Ok(self.relation.holds(value.numerator()))
    }

    /// Whether it holds everywhere.
    pub fn is_trivial(&self) -> bool {
        self.is_constant() && self.relation.holds(i128::from(self.constant()))
    }

    /// Whether it holds nowhere.
    pub fn is_contradiction(&self) -> bool {
        self.is_constant() && !self.relation.holds(i128::from(self.constant()))
    }

    /// Whether every number in it has a negative. A constraint over other variables is a mistake of the caller.
    pub(crate) fn admitted(&self, dimension: usize) -> Result<(), Overflow> {
        assert_eq!(self.dimension(), dimension, "a constraint and its polyhedron have the same variables");
        if self.row.contains(&i64::MIN) { Err(Overflow) } else { Ok(()) }
    }

    fn is_constant(&self) -> bool {
        self.coefficients().iter().all(|&coefficient| coefficient == 0)
    }

    fn turned(&self, over: bool, relation: Relation) -> Constraint {
        let mut turned = Constraint { relation, ..self.clone() };
        if over {
            negate(&mut turned.row);
        }
        turned
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (variable, &coefficient) in self.coefficients().iter().enumerate().filter(|(_, c)| **c != 0) {
            match (first, coefficient < 0) {
                (true, true) => write!(f, "-")?,
                (false, true) => write!(f, " - ")?,
                (false, false) => write!(f, " + ")?,
                (true, false) => {}
            }
            if coefficient.unsigned_abs() != 1 {
                write!(f, "{} ", coefficient.unsigned_abs())?;
            }
            write!(f, "x{variable}")?;
            first = false;
        }
        match self.constant() {
            constant if first => write!(f, "{constant}")?,
            0 => {}
            constant if constant < 0 => write!(f, " - {}", constant.unsigned_abs())?,
            constant => write!(f, " + {constant}")?,
        }
        let relation = match self.relation {
            Relation::Equal => "=",
            Relation::AtLeast => ">=",
            Relation::Above => ">",
        };
        write!(f, " {relation} 0")
    }
}

impl Relation {
    /// Whether a number is in this relation to zero.
    pub(crate) fn holds(self, value: i128) -> bool {
        match self {
            Relation::Equal => value == 0,
            Relation::AtLeast => value >= 0,
            Relation::Above => value > 0,
        }
    }
}

/// A number that has no negative stays what it is, and so stays out of range.
fn negate(row: &mut [i64]) {
    row.iter_mut().for_each(|entry| *entry = entry.wrapping_neg());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_equal() {
        let small = Constraint::new(vec![-1, 2], 3, Relation::AtLeast);
        assert_eq!(Constraint::new(vec![-2, 4], 6, Relation::AtLeast), small);
        assert_ne!(Constraint::new(vec![2, -4], -6, Relation::AtLeast), small);
        assert_eq!(Constraint::new(vec![2, -4], -6, Relation::Equal).to_string(), "x0 - 2 x1 - 3 = 0");
        assert_eq!(Constraint::new(vec![0, -4], -6, Relation::Equal).to_string(), "2 x1 + 3 = 0");
        assert_eq!(small.to_string(), "-x0 + 2 x1 + 3 >= 0");
    }

    #[test]
    fn a_negation_holds_where_the_constraint_does_not() {
        for relation in [Relation::Equal, Relation::AtLeast, Relation::Above] {
            let constraint = Constraint::new(vec![2, -1], 1, relation);
            for (x, y) in (-3..3).flat_map(|x| (-3..3).map(move |y| (x, y))) {
                let point = [Ratio::from(x), Ratio::from(y)];
                let negated = constraint.negated();
                let holds = negated.iter().filter(|negated| negated.holds_at(&point).unwrap()).count();
                assert_eq!(holds, usize::from(!constraint.holds_at(&point).unwrap()));
                let all = constraint.inequalities().iter().all(|part| part.holds_at(&point).unwrap());
                assert_eq!(all, constraint.holds_at(&point).unwrap());
            }
        }
    }

    #[test]
    fn constants_are_trivial_or_contradictions() {
        let trivial = |constant, relation| {
            let constraint = Constraint::new(vec![0], constant, relation);
            assert_ne!(constraint.is_trivial(), constraint.is_contradiction());
            constraint.is_trivial()
        };
        assert!(trivial(0, Relation::Equal) && trivial(0, Relation::AtLeast) && !trivial(0, Relation::Above));
        assert!(!trivial(7, Relation::Equal) && trivial(7, Relation::AtLeast) && trivial(7, Relation::Above));
        assert!(!trivial(i64::MIN, Relation::AtLeast));
        let proper = Constraint::new(vec![1], 0, Relation::AtLeast);
        assert!(!proper.is_trivial() && !proper.is_contradiction());
    }

    #[test]
    fn what_has_no_negative_is_out_of_range() {
        let constraint = Constraint::new(vec![i64::MIN, 1], 0, Relation::AtLeast);
        assert_eq!(constraint.holds_at(&[Ratio::ZERO; 2]), Err(Overflow));
        assert_eq!(constraint.negated()[0].holds_at(&[Ratio::ZERO; 2]), Err(Overflow));
    }
}
