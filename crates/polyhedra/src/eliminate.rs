//! Projection: variables are eliminated by equalities where there are any, and else by Fourier and Motzkin's method, the one
//! with the fewest combinations first. Redundant combinations are dropped before they multiply. Also the changes of
//! variables that need no elimination.

use crate::arithmetic::{combine, gcd, make_primitive, narrow};
use crate::assemble::{assemble, finish, without_redundant};
use crate::equalities::Echelon;
use crate::polyhedron::SamplePoint;
use crate::{Constraint, Overflow, Polyhedron, Relation};

impl Polyhedron {
    /// The points of some variables, in the order given, that values of the others complete to a point of this polyhedron.
    pub fn project(&self, keep: &[usize]) -> Result<Polyhedron, Overflow> {
        let Some(sample) = self.sample_point() else { return Ok(Polyhedron::empty(keep.len())) };
        let mut eliminated = vec![true; self.dimension()];
        keep.iter().for_each(|&variable| eliminated[variable] = false);
        let mut inequalities = self.inequalities().to_vec();
        let kept_equalities = if self.equalities().is_empty() {
            Vec::new()
        } else {
            let mut echelon = Echelon::default();
            for equality in self.equalities() {
                // An eliminated variable first; a kept one if there is no other.
                echelon.add_with(equality.row(), |row| {
                    let found = |wanted: bool| {
                        (0..self.dimension()).rfind(|&v| eliminated[v] == wanted && row[v] != 0)
                    };
                    found(true).or_else(|| found(false))
                })?;
            }
            for constraint in &mut inequalities {
                echelon.reduce(constraint.row_mut())?;
            }
            // No other equality has the pivot, so an equality for an eliminated variable says nothing of the rest.
            let kept = |(pivot, row): &(usize, Vec<i64>)| (!eliminated[*pivot]).then(|| row.clone());
            echelon.rows().iter().filter_map(kept).collect()
        };
        if fourier_motzkin(&mut inequalities, &eliminated)? {
            without_redundant(self.dimension(), &mut inequalities)?;
        }
        let rename = |row: &[i64]| {
            let mut renamed: Vec<i64> = keep.iter().map(|&variable| row[variable]).collect();
            renamed.push(row[self.dimension()]);
            renamed
        };
        let mut scaled = rename(sample.scaled());
        make_primitive(&mut scaled);
        let sample = SamplePoint::new(scaled);
        let mut echelon = Echelon::default();
        for row in kept_equalities {
            echelon.add(&rename(&row))?;
        }
        let mut renamed = Vec::with_capacity(inequalities.len());
        for constraint in inequalities {
            let mut row = rename(constraint.row());
            echelon.reduce(&mut row)?;
            make_primitive(&mut row);
            renamed.push(Constraint::of_row(row, constraint.relation()));
        }
        Ok(finish(keep.len(), &echelon, renamed, sample))
    }

    /// The same points with further variables, which nothing restricts.
    pub fn with_dimensions(&self, extra: usize) -> Polyhedron {
        let dimension = self.dimension() + extra;
        let Some(sample) = self.sample_point() else { return Polyhedron::empty(dimension) };
        let longer = |row: &[i64]| {
            let (last, first) = row.split_last().expect("a row has a last entry");
            let mut row = Vec::with_capacity(dimension + 1);
            row.extend_from_slice(first);
            row.resize(dimension, 0);
            row.push(*last);
            row
        };
        let constraints = self.constraints().iter();
        let constraints = constraints.map(|c| Constraint::of_row(longer(c.row()), c.relation())).collect();
        Polyhedron::of_canonical(dimension, constraints, SamplePoint::new(longer(sample.scaled())))
    }

    /// The points y for which this polyhedron has the point whose coordinate i is the sum of `columns[i][k]` times y_k: each
    /// variable is replaced by a linear form over new ones.
    pub fn substituted(&self, columns: &[Vec<i64>], new_dimension: usize) -> Result<Polyhedron, Overflow> {
        let Some(sample) = self.sample_point() else { return Ok(Polyhedron::empty(new_dimension)) };
        let mut echelon = Echelon::default();
        let mut inequalities = Vec::with_capacity(self.constraints().len());
        for constraint in self.constraints() {
            let mut wide = vec![0i128; new_dimension];
            for (&coefficient, column) in constraint.coefficients().iter().zip(columns) {
                if coefficient == 0 {
                    continue;
                }
                for (sum, &entry) in wide.iter_mut().zip(column) {
                    let product = i128::from(coefficient) * i128::from(entry);
                    *sum = sum.checked_add(product).ok_or(Overflow)?;
                }
            }
            let mut row = wide.into_iter().map(narrow).collect::<Result<Vec<i64>, Overflow>>()?;
            row.push(constraint.constant());
            make_primitive(&mut row);
            if constraint.relation() != Relation::Equal {
                inequalities.push(Constraint::of_row(row, constraint.relation()));
            } else if !echelon.add(&row)? {
                return Ok(Polyhedron::empty(new_dimension));
            }
        }
        let Some(origin) = origin(sample.scaled(), columns, new_dimension) else {
            return assemble(new_dimension, echelon, inequalities, None);
        };
        // Every point is the image of one, so what was irredundant still is.
        for constraint in &mut inequalities {
            echelon.reduce(constraint.row_mut())?;
        }
        Ok(finish(new_dimension, &echelon, inequalities, SamplePoint::new(origin)))
    }
}

/// A point that is mapped to the given one, if each of its coordinates can be had from a new variable of its own.
fn origin(image: &[i64], columns: &[Vec<i64>], new_dimension: usize) -> Option<Vec<i64>> {
    let mut origin = vec![0; new_dimension + 1];
    origin[new_dimension] = *image.last()?;
    for (index, column) in columns.iter().enumerate() {
        let is_own = |&k: &usize| {
            let others = columns.iter().enumerate().filter(|(other, _)| *other != index);
            column[k].unsigned_abs() == 1 && others.into_iter().all(|(_, other)| other[k] == 0)
        };
        let own = (0..new_dimension).find(is_own)?;
        origin[own] = column[own] * image[index];
    }
    Some(origin)
}

/// Eliminates variables from inequalities without hidden equalities. Returns whether some may be
/// redundant, because inequalities were combined.
fn fourier_motzkin(inequalities: &mut Vec<Constraint>, eliminated: &[bool]) -> Result<bool, Overflow> {
    let mut combined = false;
    loop {
        let signs = |variable: usize| {
            let count =
                |sign: i64| inequalities.iter().filter(|c| c.row()[variable].signum() == sign).count();
            (count(1), count(-1))
        };
        let next = (0..eliminated.len())
            .filter(|&variable| eliminated[variable])
            .map(|variable| (variable, signs(variable)))
            .filter(|(_, (above, below))| above + below > 0)
            .min_by_key(|(_, (above, below))| (above * below) as isize - (above + below) as isize);
        let Some((variable, (above, below))) = next else { return Ok(combined) };
        // What is redundant must not multiply.
        if combined && above * below > above + below {
            without_redundant(eliminated.len(), inequalities)?;
            combined = false;
            continue;
        }
        let mut rest = Vec::with_capacity(inequalities.len() + above * below);
        let (mut lower, mut upper) = (Vec::with_capacity(above), Vec::with_capacity(below));
        for constraint in inequalities.drain(..) {
            match constraint.row()[variable].signum() {
                0 => rest.push(constraint),
                1 => lower.push(constraint),
                _ => upper.push(constraint),
            }
        }
        for low in &lower {
            for high in &upper {
                let sum = combination(low, high, variable)?;
                // A system with a point inside has no contradiction, and no equality in disguise.
                if !sum.is_trivial() {
                    rest.push(sum);
                }
            }
        }
        *inequalities = rest;
        if above * below > 0 {
            combined = true;
        }
    }
}

/// The consequence of two inequalities that lacks a variable, which has opposite signs in them.
fn combination(low: &Constraint, high: &Constraint, variable: usize) -> Result<Constraint, Overflow> {
    let (up, down) = (low.row()[variable], -high.row()[variable]);
    let common = gcd(up.unsigned_abs(), down.unsigned_abs()) as i64;
    let mut sum = low.clone();
    combine(sum.row_mut(), down / common, high.row(), up / common)?;
    let relation = low.relation().max(high.relation());
    Ok(Constraint::of_row(sum.row().to_vec(), relation))
}
