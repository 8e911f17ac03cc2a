//! Random constraints, and the points that they are tried at.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Ratio, Relation};

/// A constraint with small coefficients, many of them zero.
pub fn constraint(dimension: usize) -> impl Strategy<Value = Constraint> {
    let coefficient = prop_oneof![3 => Just(0i64), 3 => -1i64..=1, 1 => -3i64..=3];
    let relation =
        prop_oneof![1 => Just(Relation::Equal), 4 => Just(Relation::AtLeast), 3 => Just(Relation::Above)];
    (prop::collection::vec(coefficient, dimension), -4i64..=4, relation)
        .prop_map(|(coefficients, constant, relation)| Constraint::new(coefficients, constant, relation))
}

/// Up to so many constraints.
pub fn constraints(dimension: usize, most: usize) -> impl Strategy<Value = Vec<Constraint>> {
    prop::collection::vec(constraint(dimension), 0..=most)
}

/// The dimension and several lists of constraints over it.
pub fn systems(lists: usize, most: usize) -> impl Strategy<Value = (usize, Vec<Vec<Constraint>>)> {
    (1usize..=4).prop_flat_map(move |dimension| {
        (Just(dimension), prop::collection::vec(constraints(dimension, most), lists))
    })
}

/// The points of a grid: halves in one and two dimensions, whole numbers in more.
pub fn grid(dimension: usize) -> Vec<Vec<Ratio>> {
    let (range, denominator) = match dimension {
        0 | 1 => (-13..=13, 2),
        2 => (-7..=7, 2),
        3 => (-5..=5, 2),
        _ => (-2..=2, 1),
    };
    let coordinates: Vec<Ratio> = range.map(|n| Ratio::new(n, denominator).unwrap()).collect();
    let mut points = vec![Vec::new()];
    for _ in 0..dimension {
        let longer = |point: &Vec<Ratio>| {
            let point = point.clone();
            coordinates.iter().map(move |&c| point.iter().copied().chain([c]).collect()).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// Whether all constraints hold at a point.
pub fn hold(constraints: &[Constraint], point: &[Ratio]) -> bool {
    constraints.iter().all(|constraint| constraint.holds_at(point).unwrap())
}

pub fn of(dimension: usize, constraints: &[Constraint]) -> Polyhedron {
    Polyhedron::of(dimension, constraints).unwrap()
}

pub fn at(polyhedron: &Polyhedron, point: &[Ratio]) -> bool {
    polyhedron.contains(point).unwrap()
}

/// The constraints that say that a point is this one.
pub fn fixed(dimension: usize, variable: usize, value: Ratio) -> Constraint {
    let mut coefficients = vec![0; dimension];
    coefficients[variable] = i64::try_from(value.denominator()).unwrap();
    Constraint::new(coefficients, -i64::try_from(value.numerator()).unwrap(), Relation::Equal)
}
