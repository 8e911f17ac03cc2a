//! The polyhedron: its constraints in canonical form, and a point of it. What holds at the point need not be asked of the
//! simplex, so most answers of "no" cost a few products.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use crate::arithmetic::dot;
use crate::equalities::Echelon;
use crate::simplex::{Entry, Minimum, Simplex};
use crate::{Constraint, Overflow, Ratio, Relation};

/// A convex set of rational points, given by equalities, inequalities and strict inequalities.
///
/// Its constraints are irredundant; each equality has a variable that no other constraint has; and inequalities that
/// only hold as equalities are equalities. So equal sets usually have equal constraints, and are equal values. Only where a strict
/// inequality cuts off a face smaller than a facet can the same set have two forms.
#[derive(Clone)]
pub struct Polyhedron {
    dimension: usize,
    constraints: Vec<Constraint>,
    /// None if it is empty.
    sample: Option<SamplePoint>,
}

/// A point in the relative interior, with a common denominator as the last entry.
#[derive(Clone)]
pub(crate) struct SamplePoint {
    scaled: Vec<i64>,
    ratios: OnceLock<Box<[Ratio]>>,
}

/// The infimum of a linear form over a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extremum {
    /// The polyhedron has no point.
    Empty,
    /// The form becomes as small as one likes.
    Unbounded,
    /// The greatest lower bound.
    At {
        /// The bound.
        value: Ratio,
        /// Whether some point of the polyhedron has this value.
        attained: bool,
    },
}

impl Polyhedron {
    /// All points.
    pub fn universe(dimension: usize) -> Polyhedron {
        let mut scaled = vec![0; dimension + 1];
        scaled[dimension] = 1;
        Polyhedron { dimension, constraints: Vec::new(), sample: Some(SamplePoint::new(scaled)) }
    }

    /// No point. Its one constraint is a contradiction.
    pub fn empty(dimension: usize) -> Polyhedron {
        let contradiction = Constraint::new(vec![0; dimension], -1, Relation::AtLeast);
        Polyhedron { dimension, constraints: vec![contradiction], sample: None }
    }

    /// The points that satisfy all constraints, each of which must have this dimension.
    pub fn of(dimension: usize, constraints: &[Constraint]) -> Result<Polyhedron, Overflow> {
        Polyhedron::universe(dimension).and(constraints)
    }

    /// One whose parts are known to be canonical.
    pub(crate) fn of_canonical(
        dimension: usize,
        constraints: Vec<Constraint>,
        sample: SamplePoint,
    ) -> Polyhedron {
        debug_assert!(constraints.iter().all(|constraint| {
            let value = sample.value(constraint);
            value.is_err() || value.is_ok_and(|value| constraint.relation().holds(value))
        }));
        Polyhedron { dimension, constraints, sample: Some(sample) }
    }

    /// The number of variables.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.sample.is_none()
    }

    /// Irredundant constraints in canonical order: equalities first.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// A point in its relative interior, if it has any point.
    pub fn sample(&self) -> Option<&[Ratio]> {
        self.sample.as_ref().map(SamplePoint::ratios)
    }

    pub(crate) fn sample_point(&self) -> Option<&SamplePoint> {
        self.sample.as_ref()
    }

    /// Whether a point is in it.
    pub fn contains(&self, point: &[Ratio]) -> Result<bool, Overflow> {
        for constraint in &self.constraints {
            if !constraint.holds_at(point)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every point satisfies a constraint.
    pub fn entails(&self, constraint: &Constraint) -> Result<bool, Overflow> {
        self.entails_all(std::slice::from_ref(constraint))
    }

    /// Whether some point satisfies a constraint.
    pub fn meets(&self, constraint: &Constraint) -> Result<bool, Overflow> {
        let Some(sample) = &self.sample else { return Ok(false) };
        constraint.admitted(self.dimension())?;
        if constraint.relation().holds(sample.value(constraint)?) {
            return Ok(true);
        }
        // A convex set that reaches both sides of a hyperplane meets it.
        for side in constraint.inequalities() {
            for opposite in side.negated() {
                if self.entails(&opposite)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether every point of another polyhedron is in this one.
    pub fn includes(&self, other: &Polyhedron) -> Result<bool, Overflow> {
        if other.is_empty() {
            return Ok(true);
        }
        if self.is_empty() {
            return Ok(false);
        }
        other.entails_all(&self.constraints)
    }

    /// The infimum of a linear form.
    pub fn least(&self, coefficients: &[i64]) -> Result<Extremum, Overflow> {
        if self.is_empty() {
            return Ok(Extremum::Empty);
        }
        if coefficients.contains(&i64::MIN) {
            return Err(Overflow);
        }
        // Equalities may scale the form; an extra entry keeps the scale.
        let mut scaled = coefficients.to_vec();
        scaled.extend([0, 1]);
        for (pivot, equality) in self.echelon().rows() {
            let mut equality = equality.clone();
            equality.push(0);
            let factor = scaled[*pivot];
            if factor != 0 {
                crate::arithmetic::combine(&mut scaled, equality[*pivot], &equality, -factor)?;
            }
        }
        let scale = scaled.pop().unwrap_or(1);
        let form = Entry { row: &scaled, strict: false };
        let mut simplex = self.simplex(&[form])?;
        match simplex.least(0)? {
            Minimum::At(value, part, denominator) => {
                let denominator = i128::from(denominator).checked_mul(i128::from(scale)).ok_or(Overflow)?;
                let value = Ratio::new(i128::from(value), denominator)?;
                Ok(Extremum::At { value, attained: part == 0 })
            }
            Minimum::Unbounded | Minimum::Below => Ok(Extremum::Unbounded),
        }
    }

    /// The inequalities.
    pub(crate) fn inequalities(&self) -> &[Constraint] {
        &self.constraints[self.equalities().len()..]
    }

    /// The equalities.
    pub(crate) fn equalities(&self) -> &[Constraint] {
        let count = self.constraints.iter().take_while(|c| c.relation() == Relation::Equal).count();
        &self.constraints[..count]
    }

    /// The equalities with their pivots.
    pub(crate) fn echelon(&self) -> Echelon {
        let with_pivot = |constraint: &Constraint| {
            let mut row = constraint.row().to_vec();
            let pivot = constraint.coefficients().iter().rposition(|&entry| entry != 0).unwrap_or(0);
            if row[pivot] < 0 {
                row.iter_mut().for_each(|entry| *entry = -*entry);
            }
            (pivot, row)
        };
        Echelon::of_reduced(self.equalities().iter().map(with_pivot).collect())
    }

    /// Whether every point satisfies all constraints.
    fn entails_all(&self, constraints: &[Constraint]) -> Result<bool, Overflow> {
        let Some(sample) = &self.sample else { return Ok(true) };
        for constraint in constraints {
            constraint.admitted(self.dimension())?;
            if !constraint.relation().holds(sample.value(constraint)?) {
                return Ok(false);
            }
        }
        let mut all = true;
        self.ask(constraints, |_, entailed| {
            all = entailed;
            entailed
        })?;
        Ok(all)
    }

    /// Which constraints every point satisfies.
    pub(crate) fn entailed(&self, constraints: &[Constraint]) -> Result<Vec<bool>, Overflow> {
        let mut entailed = vec![true; constraints.len()];
        if let Some(sample) = &self.sample {
            for (constraint, entailed) in constraints.iter().zip(&mut entailed) {
                constraint.admitted(self.dimension())?;
                *entailed = constraint.relation().holds(sample.value(constraint)?);
            }
            let open: Vec<usize> = (0..constraints.len()).filter(|&index| entailed[index]).collect();
            let asked: Vec<Constraint> = open.iter().map(|&index| constraints[index].clone()).collect();
            self.ask(&asked, |index, answer| {
                entailed[open[index]] = answer;
                true
            })?;
        }
        Ok(entailed)
    }

    /// Tells of constraints that hold at the sample whether every point satisfies them, as long as the listener wants
    /// to know. What is not told is satisfied.
    fn ask(
        &self,
        constraints: &[Constraint],
        mut tell: impl FnMut(usize, bool) -> bool,
    ) -> Result<(), Overflow> {
        let mut open: Vec<(usize, Constraint)> = Vec::new();
        let echelon = self.echelon();
        for (index, constraint) in constraints.iter().enumerate() {
            if self.constraints.contains(constraint) {
                continue;
            }
            let mut reduced = constraint.clone();
            echelon.reduce(reduced.row_mut())?;
            if reduced.is_trivial() || self.has_stronger(&reduced) {
                continue;
            }
            // The inequalities restrict no dimension of the equalities, so another equality is broken somewhere.
            if reduced.relation() != Relation::Equal && !reduced.is_contradiction() {
                open.push((index, reduced));
            } else if !tell(index, false) {
                return Ok(());
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let forms: Vec<Entry<'_>> =
            open.iter().map(|(_, c)| Entry { row: c.row(), strict: c.is_strict() }).collect();
        let mut simplex = self.simplex(&forms)?;
        for (form, (index, constraint)) in open.iter().enumerate() {
            if !tell(*index, simplex.entails(form, constraint.is_strict())?) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether one of the inequalities has the same coefficients and demands as much.
    pub(crate) fn has_stronger(&self, constraint: &Constraint) -> bool {
        self.inequalities().iter().any(|own| {
            own.coefficients() == constraint.coefficients()
                && (own.constant() < constraint.constant()
                    || own.constant() == constraint.constant() && own.relation() >= constraint.relation())
        })
    }

    /// A repaired dictionary of the inequalities, with forms to ask for.
    fn simplex(&self, forms: &[Entry<'_>]) -> Result<Simplex, Overflow> {
        let inequalities = self.inequalities();
        let used: Vec<usize> = (0..self.dimension)
            .filter(|&v| inequalities.iter().any(|c| c.row()[v] != 0) || forms.iter().any(|f| f.row[v] != 0))
            .collect();
        let rows = inequalities.iter().map(|c| Entry { row: c.row(), strict: c.is_strict() });
        let mut simplex = Simplex::new(&used, rows, forms.iter().copied(), false)?;
        let refuted = simplex.repair()?;
        debug_assert_eq!(refuted, None, "a polyhedron with a sample has a solution");
        Ok(simplex)
    }
}

impl PartialEq for Polyhedron {
    fn eq(&self, other: &Polyhedron) -> bool {
        self.dimension == other.dimension && self.constraints == other.constraints
    }
}

impl Eq for Polyhedron {}

impl Hash for Polyhedron {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dimension.hash(state);
        self.constraints.hash(state);
    }
}

impl fmt::Debug for Polyhedron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}: {:?}}}", self.dimension, self.constraints)
    }
}

impl SamplePoint {
    /// A point whose last entry is the common denominator of the others.
    pub(crate) fn new(scaled: Vec<i64>) -> SamplePoint {
        SamplePoint { scaled, ratios: OnceLock::new() }
    }

    /// The coordinates, then their common denominator.
    pub(crate) fn scaled(&self) -> &[i64] {
        &self.scaled
    }

    /// A positive multiple of the value that a constraint compares with zero.
    pub(crate) fn value(&self, constraint: &Constraint) -> Result<i128, Overflow> {
        dot(constraint.row(), &self.scaled)
    }

    /// The point half way to another, if its numbers fit.
    pub(crate) fn middle(&self, other: &SamplePoint) -> Option<SamplePoint> {
        let (a, b) = (*self.scaled.last()?, *other.scaled.last()?);
        let mut middle = self.scaled.clone();
        crate::arithmetic::combine(&mut middle, b, &other.scaled, a).ok()?;
        Some(SamplePoint::new(middle))
    }

    fn ratios(&self) -> &[Ratio] {
        self.ratios.get_or_init(|| {
            let (denominator, numerators) = self.scaled.split_last().expect("a point has a denominator");
            let ratio = |&numerator: &i64| Ratio::new(i128::from(numerator), i128::from(*denominator));
            numerators.iter().map(|n| ratio(n).expect("narrow numbers make a ratio")).collect()
        })
    }
}
