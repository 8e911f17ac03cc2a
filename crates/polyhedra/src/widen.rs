//! Widening, for searches whose sets grow without end: what does not hold any longer is given up for good. It is the only
//! operation that approximates, always to the larger set, and never in the variables that the caller holds fixed.

use crate::{Constraint, Overflow, Polyhedron};

impl Polyhedron {
    /// A polyhedron that includes the newer one, with the same projection on the first variables, of which `fixed` are held
    /// fixed. Otherwise it has the constraints of this polyhedron that the newer one satisfies, and those of the newer
    /// one that could stand for a constraint of this one (Halbwachs 1979). A sequence in which each set is widened by a
    /// larger one ends, if its projections do.
    pub fn widened(&self, newer: &Polyhedron, fixed: usize) -> Result<Polyhedron, Overflow> {
        let dimension = newer.dimension();
        if self.is_empty() || newer.is_empty() {
            return Ok(newer.clone());
        }
        let first: Vec<usize> = (0..fixed.min(dimension)).collect();
        let shadow = newer.project(&first)?.with_dimensions(dimension - first.len());
        let (mut kept, given_up) = self.inequalities_in(newer)?;
        if !given_up.is_empty() {
            let parts: Vec<Constraint> =
                self.constraints().iter().flat_map(Constraint::inequalities).collect();
            let (candidates, _) = newer.inequalities_in(self)?;
            for candidate in candidates {
                if !parts.contains(&candidate) && stands_for_one(dimension, &parts, &candidate)? {
                    kept.push(candidate);
                }
            }
        }
        shadow.and(&kept)
    }
}

/// Whether an inequality that the others imply can replace one of them.
fn stands_for_one(dimension: usize, parts: &[Constraint], candidate: &Constraint) -> Result<bool, Overflow> {
    for replaced in 0..parts.len() {
        let mut others = parts.to_vec();
        let replaced = std::mem::replace(&mut others[replaced], candidate.clone());
        if Polyhedron::of(dimension, &others)?.entails(&replaced)? {
            return Ok(true);
        }
    }
    Ok(false)
}
