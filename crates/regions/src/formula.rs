//! The simplest condition that tells two regions apart. The hyperplanes of their facets cut both into cells; on a
//! cell every constraint along a hyperplane is true or false, so the search for few constraints is one over
//! sets of cells (`cover`). What it finds is verified with polyhedra, and the exact pieces are there if that fails.

use crate::condition::Condition;
use crate::cover::{self, PlaneLiteral, Signs};
use std::collections::BTreeSet;
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron, Ratio, Relation, covers};

/// The most cells that the hyperplanes cut each region into.
const MOST_CELLS: usize = 400;
/// The integer coordinates that a witness of a difference is looked for in.
const WITNESS: i64 = 60;

/// A condition that is true on all of `yes` and false on all of `no`, within the domain; what is in neither does not
/// matter. `yes` and `no` must have no point in common.
///
/// It has as few constraints and alternatives as could be found, and then as small coefficients; constraints are looked for
/// among the facets of the pieces and their negations. Equal questions have equal answers.
pub fn simplest(
    yes: &[Polyhedron],
    no: &[Polyhedron],
    domain: &[Polyhedron],
    parameters: &[String],
) -> Result<Condition, Overflow> {
    let dimension = parameters.len();
    let given = Facets { own: facets(yes), other: facets(no) };
    let (exact, yes, no) = (yes, within(yes, domain)?, within(no, domain)?);
    if no.is_empty() {
        return Ok(Condition::always(dimension));
    }
    if yes.is_empty() {
        return Ok(Condition::never(dimension));
    }
    // Numbers that are too large for a shortcut are no reason to have no answer.
    if let Ok(Some(short)) = shorter(given, &yes, &no, dimension)
        && separates(&short, &yes, &no) == Ok(true)
    {
        return Ok(short);
    }
    Ok(Condition::exactly(&Polyhedron::coalesced(exact.to_vec())?, dimension))
}

/// The constraints of the pieces of both sides, as they are and as the domain cuts them.
struct Facets {
    own: BTreeSet<Constraint>,
    other: BTreeSet<Constraint>,
}

fn facets(pieces: &[Polyhedron]) -> BTreeSet<Constraint> {
    pieces.iter().flat_map(|piece| piece.constraints().iter().cloned()).collect()
}

/// Whether two regions are the same within the domain: nothing, or a point where they differ, which is an integer point
/// where a small one was found.
pub fn same_region(
    a: &[Polyhedron],
    b: &[Polyhedron],
    domain: &[Polyhedron],
) -> Result<Option<Vec<Ratio>>, Overflow> {
    let mut different = minus(within(a, domain)?, b)?;
    different.extend(minus(within(b, domain)?, a)?);
    for piece in &different {
        if let Some(point) = piece.integer_point(WITNESS)? {
            return Ok(Some(point.into_iter().map(Ratio::from).collect()));
        }
    }
    Ok(different.first().and_then(Polyhedron::sample).map(<[Ratio]>::to_vec))
}

/// Whether a condition is true on all of `yes` and false on all of `no`.
fn separates(condition: &Condition, yes: &[Polyhedron], no: &[Polyhedron]) -> Result<bool, Overflow> {
    let regions = condition.regions()?;
    for piece in yes {
        if !covers(&regions, piece)? {
            return Ok(false);
        }
    }
    for piece in no {
        for region in &regions {
            if !piece.intersection(region)?.is_empty() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The pieces within the domain.
pub(crate) fn within(pieces: &[Polyhedron], domain: &[Polyhedron]) -> Result<Vec<Polyhedron>, Overflow> {
    let mut inside = Vec::new();
    for piece in pieces {
        for part in domain {
            inside.push(piece.intersection(part)?);
        }
    }
    Polyhedron::coalesced(inside)
}

/// These pieces without those.
pub(crate) fn minus(mut pieces: Vec<Polyhedron>, others: &[Polyhedron]) -> Result<Vec<Polyhedron>, Overflow> {
    for other in others {
        let mut left = Vec::new();
        for piece in pieces {
            left.extend(piece.minus(other)?);
        }
        pieces = left;
    }
    Ok(pieces)
}

/// A short condition by cells, if there is one.
fn shorter(
    mut given: Facets,
    yes: &[Polyhedron],
    no: &[Polyhedron],
    dimension: usize,
) -> Result<Option<Condition>, Overflow> {
    given.own.extend(facets(yes));
    given.other.extend(facets(no));
    let planes = hyperplanes(&given, yes, no)?;
    let yes_cells = cells(yes, &planes)?;
    let no_cells = cells(no, &planes)?;
    Ok(cover::least(&literals(&planes, &given), &yes_cells, &no_cells, dimension))
}

/// The hyperplanes of all facets, each as an equality, the simplest first. Those that do not tell any part of `yes` from
/// any part of `no` are left out.
fn hyperplanes(given: &Facets, yes: &[Polyhedron], no: &[Polyhedron]) -> Result<Vec<Constraint>, Overflow> {
    let plane = |facet: &Constraint| {
        Constraint::new(facet.coefficients().to_vec(), facet.constant(), Relation::Equal)
    };
    let all: BTreeSet<Constraint> = given.own.iter().chain(&given.other).map(plane).collect();
    let mut planes = Vec::new();
    for plane in all {
        let mut seen = Signs::NONE;
        for piece in yes.iter().chain(no) {
            seen = seen.and_also(signs(piece, &plane)?);
        }
        if !seen.is_one() {
            planes.push(plane);
        }
    }
    planes.sort_by_key(|plane| (size(plane), plane.clone()));
    Ok(planes)
}

/// How much there is to read in a constraint.
pub(crate) fn size(constraint: &Constraint) -> u64 {
    let weight = |&coefficient: &i64| match coefficient {
        0 => 0,
        other => 1u64.saturating_add(other.unsigned_abs()),
    };
    let numbers = constraint.coefficients().iter().map(weight);
    numbers.fold(weight(&constraint.constant()), u64::saturating_add)
}

/// Which sides of a hyperplane a piece has points on.
fn signs(piece: &Polyhedron, plane: &Constraint) -> Result<Signs, Overflow> {
    let mut signs = Signs::NONE;
    for literal in Signs::SINGLE {
        if piece.meets(&along(plane, literal))? {
            signs = signs.and_also(literal);
        }
    }
    Ok(signs)
}

/// The constraint that a point is on these sides of a hyperplane.
fn along(plane: &Constraint, sides: Signs) -> Constraint {
    let row = plane.coefficients().to_vec();
    let turned = || plane.coefficients().iter().map(|coefficient| -coefficient).collect();
    match sides {
        Signs::ZERO => plane.clone(),
        Signs::POSITIVE => Constraint::new(row, plane.constant(), Relation::Above),
        Signs::NOT_NEGATIVE => Constraint::new(row, plane.constant(), Relation::AtLeast),
        Signs::NEGATIVE => Constraint::new(turned(), -plane.constant(), Relation::Above),
        _ => Constraint::new(turned(), -plane.constant(), Relation::AtLeast),
    }
}

/// The parts into which the hyperplanes cut the pieces: of each, the sides of all hyperplanes that it has points on. Beyond
/// the most cells, some are left uncut and so have points on several sides.
fn cells(pieces: &[Polyhedron], planes: &[Constraint]) -> Result<Vec<Vec<Signs>>, Overflow> {
    let mut parts: Vec<(Polyhedron, Vec<Signs>)> =
        pieces.iter().map(|piece| (piece.clone(), Vec::new())).collect();
    for plane in planes {
        let mut count = parts.len();
        let mut next = Vec::with_capacity(count);
        for (part, known) in parts {
            let met = signs(&part, plane)?;
            let uncut = met.is_one() || count + 2 > MOST_CELLS;
            let sides =
                if uncut { vec![met] } else { Signs::SINGLE.into_iter().filter(|s| met.has(*s)).collect() };
            count += sides.len() - 1;
            for side in sides {
                let cell = if uncut { part.clone() } else { part.and(&[along(plane, side)])? };
                next.push((cell, known.iter().copied().chain([side]).collect()));
            }
        }
        parts = next;
    }
    let distinct: BTreeSet<Vec<Signs>> = parts.into_iter().map(|(_, signs)| signs).collect();
    Ok(distinct.into_iter().collect())
}

/// The constraints along the hyperplanes, each with its weight: those that are facets of `yes`, or exclude one of `no`,
/// as they are come first among equals.
fn literals(planes: &[Constraint], given: &Facets) -> Vec<PlaneLiteral> {
    let excluding = given.other.iter().flat_map(Constraint::negated);
    let facets: BTreeSet<Constraint> = given.own.iter().cloned().chain(excluding).collect();
    let mut literals = Vec::new();
    for (index, plane) in planes.iter().enumerate() {
        for sides in Signs::CONVEX {
            let constraint = along(plane, sides);
            let weight = (size(&constraint), !facets.contains(&constraint));
            literals.push(PlaneLiteral { plane: index, sides, constraint, weight });
        }
    }
    literals.sort_by_key(|literal| (literal.weight, literal.plane, literal.sides));
    literals
}
