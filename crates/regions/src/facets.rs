//! Integer points beside the facets of a region, where a mistake in its boundary would show. They are found from rational
//! points that are spread over each facet; nothing here asks whether a property holds there.

use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_polyhedra::{Constraint, Extremum, Overflow, Polyhedron, Ratio, Relation};

/// Integer points beside a facet of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FacetPoints {
    /// The facet, as a constraint of a piece.
    pub facet: Constraint,
    /// Points of the region, nearest to the facet first.
    pub inside: Vec<Vec<i64>>,
    /// Points of the domain that are not in the region, nearest to the facet first.
    pub outside: Vec<Vec<i64>>,
}

/// For every facet of the pieces that is no facet of the domain, up to `count` integer points with coordinates from 0
/// to `most` on each side of it: in one of the pieces, and in none of them but in the domain. They are spread along the
/// facet, and near it. A point on the facet is on the side that it belongs to. Equal questions have equal answers.
pub fn beside_facets(
    pieces: &[Polyhedron],
    domain: &[Polyhedron],
    count: usize,
    most: i64,
) -> Result<Vec<FacetPoints>, Overflow> {
    let mut faces: BTreeMap<&Constraint, Vec<Polyhedron>> = BTreeMap::new();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        for facet in piece.constraints() {
            let mut bounds = true;
            for part in domain {
                bounds &= part.entails(facet)?;
            }
            if !bounds {
                faces.entry(facet).or_default().push(face(piece, facet, most)?);
            }
        }
    }
    let mut found = Vec::new();
    for (facet, faces) in faces {
        let mut near =
            Beside { pieces, domain, facet, most, inside: BTreeSet::new(), outside: BTreeSet::new() };
        // More points than asked for, so that there is a choice.
        let samples = count.saturating_mul(8).clamp(16, count.saturating_mul(2).max(400));
        for point in spread(faces, samples)? {
            near.look_around(&point)?;
        }
        found.push(FacetPoints {
            facet: facet.clone(),
            inside: chosen(near.inside, count),
            outside: chosen(near.outside, count),
        });
    }
    Ok(found)
}

/// The closed facet of a piece, as far as it is in the box of coordinates.
fn face(piece: &Polyhedron, facet: &Constraint, most: i64) -> Result<Polyhedron, Overflow> {
    let as_relation = |constraint: &Constraint, relation: Relation| {
        Constraint::new(constraint.coefficients().to_vec(), constraint.constant(), relation)
    };
    let closed =
        |constraint: &Constraint| as_relation(constraint, constraint.relation().min(Relation::AtLeast));
    let mut constraints: Vec<Constraint> = piece.constraints().iter().map(closed).collect();
    constraints.push(as_relation(facet, Relation::Equal));
    for coordinate in 0..piece.dimension() {
        constraints.push(bound(piece.dimension(), coordinate, 1, 0));
        constraints.push(bound(piece.dimension(), coordinate, -1, most));
    }
    Polyhedron::of(piece.dimension(), &constraints)
}

/// `factor * coordinate + constant >= 0`.
fn bound(dimension: usize, coordinate: usize, factor: i64, constant: i64) -> Constraint {
    let mut row = vec![0; dimension];
    row[coordinate] = factor;
    Constraint::new(row, constant, Relation::AtLeast)
}

/// Up to so many points of bounded polyhedra, spread by cutting each part in half where it is longest.
fn spread(faces: Vec<Polyhedron>, count: usize) -> Result<Vec<Vec<Ratio>>, Overflow> {
    let mut parts: Vec<Polyhedron> = faces.into_iter().filter(|face| !face.is_empty()).collect();
    loop {
        let before = parts.len();
        let mut halves = Vec::with_capacity(2 * before);
        for part in parts {
            match longest(&part)? {
                Some((coordinate, middle)) => {
                    let (above, below) = (narrow(middle.numerator())?, narrow(middle.denominator())?);
                    let dimension = part.dimension();
                    halves.push(part.and(&[bound(dimension, coordinate, -below, above)])?);
                    halves.push(part.and(&[bound(dimension, coordinate, below, -above)])?);
                }
                None => halves.push(part),
            }
        }
        parts = halves;
        if parts.len() >= count || parts.len() == before {
            return Ok(parts.iter().filter_map(Polyhedron::sample).map(<[Ratio]>::to_vec).collect());
        }
    }
}

/// The coordinate in which a bounded polyhedron is longest, if it is longer than 1, and the middle.
fn longest(part: &Polyhedron) -> Result<Option<(usize, Ratio)>, Overflow> {
    let mut best: Option<(Ratio, usize, Ratio)> = None;
    for coordinate in 0..part.dimension() {
        let mut row = vec![0; part.dimension()];
        row[coordinate] = 1;
        let Extremum::At { value: low, .. } = part.least(&row)? else { return Ok(None) };
        row[coordinate] = -1;
        let Extremum::At { value: high, .. } = part.least(&row)? else { return Ok(None) };
        let high = Ratio::ZERO.sub(high)?;
        let length = high.sub(low)?;
        if length > best.map_or(Ratio::from(1), |(length, ..)| length) {
            let middle = low.add(high)?.div(Ratio::from(2))?;
            // An integer nearby makes no large denominators.
            best = Some((length, coordinate, Ratio::new(middle.ceil(), 1)?.min(high)));
        }
    }
    Ok(best.map(|(_, coordinate, middle)| (coordinate, middle)))
}

fn narrow(number: i128) -> Result<i64, Overflow> {
    i64::try_from(number).map_err(|_| Overflow)
}

/// The points found beside one facet, each with its distance from the hyperplane in units of its form.
struct Beside<'a> {
    pieces: &'a [Polyhedron],
    domain: &'a [Polyhedron],
    facet: &'a Constraint,
    most: i64,
    inside: BTreeSet<(u128, Vec<i64>)>,
    outside: BTreeSet<(u128, Vec<i64>)>,
}

impl Beside<'_> {
    /// Finds the integer points of each side around a point that are nearest to the facet.
    fn look_around(&mut self, point: &[Ratio]) -> Result<(), Overflow> {
        let mut centre = Vec::with_capacity(point.len());
        for coordinate in point {
            centre.push(narrow(coordinate.floor())?);
        }
        // Fewer steps each way where there are many ways.
        let reach = if point.len() <= 4 { -2..=3 } else { 0..=1 };
        let mut best: [Option<(u128, i128, Vec<i64>)>; 2] = [None, None];
        let mut steps = vec![*reach.start(); point.len()];
        loop {
            let near: Vec<i64> = centre.iter().zip(&steps).map(|(c, step)| c.saturating_add(*step)).collect();
            if near.iter().all(|coordinate| (0..=self.most).contains(coordinate)) {
                let side = self.side(&near)?;
                let away = steps.iter().map(|step| i128::from(2 * step - 1).pow(2)).sum();
                let key = (value(self.facet, &near)?.unsigned_abs(), away, near);
                if let Some(side) = side
                    && best[side].as_ref().is_none_or(|best| key < *best)
                {
                    best[side] = Some(key);
                }
            }
            let Some(at) = steps.iter().position(|step| step < reach.end()) else { break };
            steps[..at].fill(*reach.start());
            steps[at] += 1;
        }
        let [inside, outside] = best;
        self.inside.extend(inside.map(|(value, _, point)| (value, point)));
        self.outside.extend(outside.map(|(value, _, point)| (value, point)));
        Ok(())
    }

    /// 0 for a point of the region, 1 for another one of the domain.
    fn side(&self, point: &[i64]) -> Result<Option<usize>, Overflow> {
        Ok(match (has(self.domain, point)?, has(self.pieces, point)?) {
            (false, _) => None,
            (true, true) => Some(0),
            (true, false) => Some(1),
        })
    }
}

/// Whether an integer point is in one of the pieces.
fn has(pieces: &[Polyhedron], point: &[i64]) -> Result<bool, Overflow> {
    for piece in pieces {
        let mut all = true;
        for constraint in piece.constraints() {
            let value = value(constraint, point)?;
            all = match constraint.relation() {
                Relation::Equal => value == 0,
                Relation::AtLeast => value >= 0,
                Relation::Above => value > 0,
            };
            if !all {
                break;
            }
        }
        if all {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The form of a constraint at an integer point.
fn value(constraint: &Constraint, point: &[i64]) -> Result<i128, Overflow> {
    constraint.coefficients().iter().zip(point).try_fold(i128::from(constraint.constant()), |sum, (a, b)| {
        sum.checked_add(i128::from(*a) * i128::from(*b)).ok_or(Overflow)
    })
}

/// Up to so many of the nearest points, each far from those before it.
fn chosen(found: BTreeSet<(u128, Vec<i64>)>, count: usize) -> Vec<Vec<i64>> {
    let all: Vec<(u128, Vec<i64>)> = found.into_iter().collect();
    let Some((limit, _)) = all.get(all.len().min(count.saturating_mul(2)).wrapping_sub(1)) else {
        return Vec::new();
    };
    let limit = *limit;
    let mut pool: Vec<(u128, Vec<i64>)> = all.into_iter().take_while(|(value, _)| *value <= limit).collect();
    let apart = |a: &[i64], b: &[i64]| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (i128::from(*a) - i128::from(*b)).unsigned_abs())
            .fold(0, u128::saturating_add)
    };
    let mut taken: Vec<(u128, Vec<i64>)> = Vec::new();
    // How far each is from the nearest of those that are taken.
    let mut lonely = vec![u128::MAX; pool.len()];
    while taken.len() < count && !pool.is_empty() {
        let mut farthest = 0;
        for at in 1..pool.len() {
            if lonely[at] > lonely[farthest] {
                farthest = at;
            }
        }
        lonely.remove(farthest);
        let next = pool.remove(farthest);
        for (distance, (_, point)) in lonely.iter_mut().zip(&pool) {
            *distance = apart(point, &next.1).min(*distance);
        }
        taken.push(next);
    }
    taken.sort();
    taken.into_iter().map(|(_, point)| point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condition;

    fn names() -> Vec<String> {
        ["a", "b"].map(String::from).to_vec()
    }

    fn beside(region: &str, domain: &str, count: usize, most: i64) -> Vec<FacetPoints> {
        let of = |text: &str| Condition::parse(text, &names()).unwrap().regions().unwrap();
        beside_facets(&of(region), &of(domain), count, most).unwrap()
    }

    #[test]
    fn points_are_near_and_spread() {
        let found = beside("2*a > b", "a > 0, b > 0", 4, 20);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.facet.to_string(), "2 x0 - x1 > 0");
        assert_eq!((one.inside.len(), one.outside.len()), (4, 4));
        assert!(one.inside.iter().all(|point| 2 * point[0] - point[1] == 1), "{one:?}");
        assert!(one.outside.iter().all(|point| 2 * point[0] == point[1]), "{one:?}");
        let reach = |points: &[Vec<i64>]| points.iter().map(|point| point[1]).max().unwrap();
        assert!(reach(&one.inside) >= 15 && reach(&one.outside) >= 16, "{one:?}");
        assert!(one.inside.iter().any(|point| point[1] <= 5), "{one:?}");
    }

    #[test]
    fn a_facet_of_the_domain_is_none() {
        let found = beside("a > 0, b > 0, a + b >= 5", "a > 0, b > 0", 3, 10);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.inside.iter().all(|point| point[0] + point[1] == 5));
        assert!(one.outside.iter().all(|point| point[0] + point[1] == 4));
        assert!(beside("always", "a > 0", 3, 10).is_empty());
        assert!(beside("never", "a > 0", 3, 10).is_empty());
    }

    #[test]
    fn an_equality_has_its_points_inside() {
        let found = beside("a = b", "a >= 0, b >= 0", 3, 10);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.inside.len() == 3 && one.inside.iter().all(|point| point[0] == point[1]));
        assert!(one.outside.len() == 3 && one.outside.iter().all(|point| point[0].abs_diff(point[1]) == 1));
    }

    #[test]
    fn without_room_there_are_no_points() {
        let found = beside("3*a > 1, 3*a < 2", "a >= 0, b >= 0", 2, 10);
        assert!(found.iter().all(|points| points.inside.is_empty()), "{found:?}");
        assert!(beside("a > b", "always", 2, -1).iter().all(|p| p.inside.is_empty() && p.outside.is_empty()));
        assert!(beside("a > b", "always", 0, 5).iter().all(|p| p.inside.is_empty() && p.outside.is_empty()));
    }
}
