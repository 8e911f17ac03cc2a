//! Unions of polyhedra, which are lists of pieces: what one leaves of another, whether pieces cover a set, and which
//! pieces can be one. The union of all pieces never changes, not even at a boundary.

use crate::polyhedron::SamplePoint;
use crate::{Constraint, Overflow, Polyhedron};

impl Polyhedron {
    /// What is in this polyhedron and not in the other, as pieces of which no two share a point.
    pub fn minus(&self, other: &Polyhedron) -> Result<Vec<Polyhedron>, Overflow> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        if self.intersection(other)?.is_empty() {
            return Ok(vec![self.clone()]);
        }
        // What breaks a constraint is a piece; the rest keeps it, and so has nothing in common with that piece.
        let mut rest = self.clone();
        let mut pieces = Vec::new();
        for constraint in other.constraints() {
            if rest.entails(constraint)? {
                continue;
            }
            for negated in constraint.negated() {
                let piece = rest.and(&[negated])?;
                if !piece.is_empty() {
                    pieces.push(piece);
                }
            }
            rest = rest.and(std::slice::from_ref(constraint))?;
        }
        Ok(pieces)
    }

    /// The union, if it is a polyhedron. Where only strict inequalities at a face smaller than a facet make it one, it may
    /// not be found.
    pub fn joined(&self, other: &Polyhedron) -> Result<Option<Polyhedron>, Overflow> {
        if self.includes(other)? {
            return Ok(Some(self.clone()));
        }
        if other.includes(self)? {
            return Ok(Some(other.clone()));
        }
        if let (Some(a), Some(b)) = (self.sample_point(), other.sample_point())
            && let Some(middle) = a.middle(b)
            && !self.has(&middle)?
            && !other.has(&middle)?
        {
            return Ok(None);
        }
        let (mut envelope, mine) = self.inequalities_in(other)?;
        let (further, its) = other.inequalities_in(self)?;
        envelope.extend(further);
        let envelope = Polyhedron::of(self.dimension(), &envelope)?;
        // A point of the envelope in neither set breaks a constraint of each.
        for broken in &mine {
            let outside = envelope.and(&broken.negated())?;
            for broken in &its {
                if outside.meets(&broken.negated()[0])? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(envelope))
    }

    /// Fewer pieces with the same union: empty and included ones are dropped, and two whose union is a polyhedron are joined,
    /// until nothing changes.
    pub fn coalesced(pieces: Vec<Polyhedron>) -> Result<Vec<Polyhedron>, Overflow> {
        let mut done: Vec<Polyhedron> = Vec::with_capacity(pieces.len());
        for mut piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
            let mut next = 0;
            while next < done.len() {
                match done[next].joined(&piece)? {
                    // A union may have a convex union with what was compared before.
                    Some(union) => {
                        done.remove(next);
                        piece = union;
                        next = 0;
                    }
                    None => next += 1,
                }
            }
            done.push(piece);
        }
        Ok(done)
    }

    /// The inequalities that another polyhedron satisfies, and those that it breaks. An equality counts as two.
    pub(crate) fn inequalities_in(
        &self,
        other: &Polyhedron,
    ) -> Result<(Vec<Constraint>, Vec<Constraint>), Overflow> {
        let parts: Vec<Constraint> = self.constraints().iter().flat_map(Constraint::inequalities).collect();
        let entailed = other.entailed(&parts)?;
        let (mut kept, mut broken) = (Vec::new(), Vec::new());
        for (part, entailed) in parts.into_iter().zip(entailed) {
            if entailed { kept.push(part) } else { broken.push(part) }
        }
        Ok((kept, broken))
    }

    /// Whether a point is in it.
    fn has(&self, point: &SamplePoint) -> Result<bool, Overflow> {
        for constraint in self.constraints() {
            if !constraint.relation().holds(point.value(constraint)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether every point of a polyhedron is in one of the pieces.
pub fn covers(pieces: &[Polyhedron], whole: &Polyhedron) -> Result<bool, Overflow> {
    let pieces: Vec<&Polyhedron> = pieces.iter().filter(|piece| !piece.is_empty()).collect();
    covers_all(&pieces, whole)
}

fn covers_all(pieces: &[&Polyhedron], whole: &Polyhedron) -> Result<bool, Overflow> {
    let Some(sample) = whole.sample_point() else { return Ok(true) };
    let mut home = None;
    for (index, piece) in pieces.iter().enumerate() {
        if piece.has(sample)? {
            home = Some(index);
            break;
        }
    }
    let Some(home) = home else { return Ok(false) };
    // What the piece leaves has no point in common with it, so the others must cover that.
    let others: Vec<&Polyhedron> =
        pieces.iter().enumerate().filter(|(index, _)| *index != home).map(|(_, piece)| *piece).collect();
    for rest in whole.minus(pieces[home])? {
        if !covers_all(&others, &rest)? {
            return Ok(false);
        }
    }
    Ok(true)
}
