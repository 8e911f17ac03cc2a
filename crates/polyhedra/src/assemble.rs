//! From constraints to a polyhedron: equalities are solved, inequalities that can only hold as equalities are found, a
//! point of the relative interior is chosen, and redundant inequalities are dropped. Every polyhedron is made here or from parts
//! of one that was.

use crate::equalities::Echelon;
use crate::polyhedron::SamplePoint;
use crate::simplex::{Entry, Simplex};
use crate::{Constraint, Overflow, Polyhedron, Relation};

impl Polyhedron {
    /// The points that satisfy further constraints.
    pub fn and(&self, constraints: &[Constraint]) -> Result<Polyhedron, Overflow> {
        let Some(sample) = self.sample_point() else { return Ok(self.clone()) };
        let mut echelon = self.echelon();
        let known = echelon.rows().len();
        for constraint in constraints {
            constraint.admitted(self.dimension())?;
            if constraint.relation() == Relation::Equal && !echelon.add(constraint.row())? {
                return Ok(Polyhedron::empty(self.dimension()));
            }
        }
        let narrower = echelon.rows().len() > known;
        let mut inequalities = Vec::with_capacity(self.inequalities().len() + constraints.len());
        for constraint in constraints.iter().filter(|c| c.relation() != Relation::Equal) {
            let mut reduced = constraint.clone();
            echelon.reduce(reduced.row_mut())?;
            if reduced.is_contradiction() {
                return Ok(Polyhedron::empty(self.dimension()));
            }
            if !reduced.is_trivial() && !self.has_stronger(&reduced) {
                inequalities.push(reduced);
            }
        }
        if inequalities.is_empty() && !narrower {
            return Ok(self.clone());
        }
        inequalities.extend_from_slice(self.inequalities());
        assemble(self.dimension(), echelon, inequalities, Some(sample))
    }

    /// The points that are in both.
    pub fn intersection(&self, other: &Polyhedron) -> Result<Polyhedron, Overflow> {
        self.and(other.constraints())
    }
}

/// The polyhedron of equalities and inequalities. A point that may be in its relative interior saves the search for one.
pub(crate) fn assemble(
    dimension: usize,
    mut echelon: Echelon,
    mut inequalities: Vec<Constraint>,
    candidate: Option<&SamplePoint>,
) -> Result<Polyhedron, Overflow> {
    loop {
        for constraint in &mut inequalities {
            echelon.reduce(constraint.row_mut())?;
            if constraint.is_contradiction() {
                return Ok(Polyhedron::empty(dimension));
            }
        }
        inequalities.retain(|constraint| !constraint.is_trivial());
        drop_weaker(&mut inequalities);
        let used = used_variables(dimension, &inequalities);
        if let Some(sample) = candidate
            && is_inside(sample, &echelon, &inequalities)?
        {
            let mut simplex = Simplex::new(&used, entries(&inequalities), std::iter::empty(), false)?;
            drop_redundant(&mut simplex, &mut inequalities)?;
            return Ok(finish(dimension, &echelon, inequalities, sample.clone()));
        }
        let strict = inequalities.iter().map(|c| Entry { row: c.row(), strict: true });
        let mut simplex = Simplex::new(&used, strict, std::iter::empty(), true)?;
        let Some(row) = simplex.repair()? else {
            let point = simplex.point()?;
            let mut scaled = vec![0; dimension + 1];
            for (&variable, &coordinate) in used.iter().zip(&point) {
                scaled[variable] = coordinate;
            }
            scaled[dimension] = point[used.len()];
            echelon.complete(&mut scaled)?;
            simplex.relax(|index| !inequalities[index].is_strict())?;
            simplex.forget_coordinates();
            drop_redundant(&mut simplex, &mut inequalities)?;
            return Ok(finish(dimension, &echelon, inequalities, SamplePoint::new(scaled)));
        };
        // The slacks of a conflict add up to nothing, so each of them is zero.
        let Some(mut conflict) = simplex.conflict(row) else { return Ok(Polyhedron::empty(dimension)) };
        if conflict.iter().any(|&index| inequalities[index].is_strict()) {
            return Ok(Polyhedron::empty(dimension));
        }
        conflict.sort_unstable();
        for index in conflict.into_iter().rev() {
            let equality = inequalities.remove(index);
            if !echelon.add(equality.row())? {
                return Ok(Polyhedron::empty(dimension));
            }
        }
    }
}

/// Drops inequalities that follow from the others of a full-dimensional system in which none is implied by one other
/// with the same coefficients.
pub(crate) fn without_redundant(
    dimension: usize,
    inequalities: &mut Vec<Constraint>,
) -> Result<(), Overflow> {
    drop_weaker(inequalities);
    let used = used_variables(dimension, inequalities);
    let mut simplex = Simplex::new(&used, entries(inequalities), std::iter::empty(), false)?;
    drop_redundant(&mut simplex, inequalities)
}

/// Keeps the strongest of all inequalities with the same coefficients, each in its first place.
fn drop_weaker(inequalities: &mut Vec<Constraint>) {
    let mut signatures: Vec<i64> = Vec::with_capacity(inequalities.len());
    let mut kept: Vec<Constraint> = Vec::with_capacity(inequalities.len());
    for constraint in inequalities.drain(..) {
        let signature = signature(constraint.coefficients());
        let mut before = signatures.iter().zip(&mut kept);
        let same = |(other, kept): &(&i64, &mut Constraint)| {
            **other == signature && kept.coefficients() == constraint.coefficients()
        };
        match before.find(same) {
            Some((_, other)) => {
                let demand = |c: &Constraint| (-i128::from(c.constant()), c.relation());
                if demand(&constraint) > demand(other) {
                    *other = constraint;
                }
            }
            None => {
                signatures.push(signature);
                kept.push(constraint);
            }
        }
    }
    *inequalities = kept;
}

/// A number that tells most rows apart.
fn signature(row: &[i64]) -> i64 {
    row.iter()
        .fold(0, |mixed: i64, &entry| mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15u64 as i64).wrapping_add(entry))
}

fn used_variables(dimension: usize, inequalities: &[Constraint]) -> Vec<usize> {
    (0..dimension).filter(|&variable| inequalities.iter().any(|c| c.row()[variable] != 0)).collect()
}

fn entries(inequalities: &[Constraint]) -> impl Iterator<Item = Entry<'_>> {
    inequalities.iter().map(|c| Entry { row: c.row(), strict: c.is_strict() })
}

/// Whether a point satisfies all equalities, and all inequalities as if they were strict.
fn is_inside(sample: &SamplePoint, echelon: &Echelon, inequalities: &[Constraint]) -> Result<bool, Overflow> {
    for (_, row) in echelon.rows() {
        if crate::arithmetic::dot(row, sample.scaled())? != 0 {
            return Ok(false);
        }
    }
    for constraint in inequalities {
        if sample.value(constraint)? <= 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn drop_redundant(simplex: &mut Simplex, inequalities: &mut Vec<Constraint>) -> Result<(), Overflow> {
    let refuted = simplex.repair()?;
    debug_assert_eq!(refuted, None, "a point inside is known");
    let mut redundant = vec![false; inequalities.len()];
    let mut needed = vec![false; inequalities.len()];
    simplex.mark_needed(&mut needed);
    for (index, constraint) in inequalities.iter().enumerate() {
        if !needed[index] {
            redundant[index] = simplex.drop_if_redundant(index, constraint.is_strict())?;
            simplex.mark_needed(&mut needed);
        }
    }
    let mut verdicts = redundant.into_iter();
    inequalities.retain(|_| !verdicts.next().unwrap_or(false));
    Ok(())
}

/// Puts canonical constraints into canonical order.
pub(crate) fn finish(
    dimension: usize,
    echelon: &Echelon,
    mut inequalities: Vec<Constraint>,
    sample: SamplePoint,
) -> Polyhedron {
    let equality = |(_, row): &(usize, Vec<i64>)| {
        let (constant, coefficients) = row.split_last().expect("a row has a constant");
        Constraint::new(coefficients.to_vec(), *constant, Relation::Equal)
    };
    let mut constraints: Vec<Constraint> = echelon.rows().iter().map(equality).collect();
    constraints.sort_unstable();
    inequalities.sort_unstable();
    constraints.append(&mut inequalities);
    Polyhedron::of_canonical(dimension, constraints, sample)
}
