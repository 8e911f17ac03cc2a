//! What a zone means: constraints, taken literally, and the points that satisfy them. Nothing here uses
//! the algebra that it is held against.

use crate::dice::Dice;
use watchkeeper_zones::{DbmBound, Zone};

pub type Constraint = (usize, usize, DbmBound);

/// Constraints that nobody has simplified.
#[derive(Clone, Debug)]
pub struct Model {
    pub clocks: usize,
    pub constraints: Vec<Constraint>,
}

impl Model {
    /// A few constraints with constants up to `most`, in a box of that size if it is to be bounded.
    pub fn draw(dice: &mut Dice, clocks: usize, most: i32, bounded: bool) -> Model {
        let mut constraints = Vec::new();
        if bounded {
            for i in 1..=clocks {
                constraints.push((i, 0, DbmBound::at_most(most)));
                constraints.push((0, i, DbmBound::at_most(most)));
            }
        }
        for _ in 0..dice.below(2 * clocks + 2) {
            constraints.push(draw_constraint(dice, clocks, most));
        }
        Model { clocks, constraints }
    }

    /// A model that some point satisfies, and its zone.
    pub fn draw_zone(dice: &mut Dice, clocks: usize, most: i32, bounded: bool) -> (Model, Zone) {
        loop {
            let model = Model::draw(dice, clocks, most, bounded);
            if let Some(zone) = model.zone() {
                return (model, zone);
            }
        }
    }

    pub fn zone(&self) -> Option<Zone> {
        Zone::from_constraints(self.clocks, &self.constraints)
    }

    /// Whether the point `point / scale` satisfies every constraint.
    pub fn has(&self, point: &[i32], scale: i32) -> bool {
        self.constraints.iter().all(|&constraint| satisfies(point, scale, constraint))
    }
}

pub fn draw_constraint(dice: &mut Dice, clocks: usize, most: i32) -> Constraint {
    let i = dice.below(clocks + 1);
    let j = (i + 1 + dice.below(clocks)) % (clocks + 1);
    let v = dice.between(-most, most);
    (i, j, if dice.coin() { DbmBound::at_most(v) } else { DbmBound::below(v) })
}

pub fn satisfies(point: &[i32], scale: i32, (i, j, bound): Constraint) -> bool {
    let x = |i: usize| if i == 0 { 0 } else { point[i - 1] };
    let (difference, most) = (x(i) - x(j), bound.value() * scale);
    bound.is_none() || if bound.is_strict() { difference < most } else { difference <= most }
}

/// The grid that tells all sets apart.
pub fn scale(clocks: usize) -> i32 {
    clocks as i32 + 1
}

/// All points of the grid in the box from `-most` to `most`.
pub fn grid(clocks: usize, most: i32) -> Vec<Vec<i32>> {
    let mut points = vec![Vec::new()];
    for _ in 0..clocks {
        let longer = |point: &Vec<i32>| {
            let point = point.clone();
            (-most * scale(clocks)..=most * scale(clocks)).map(move |x| [&point[..], &[x]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// All points of the grid in the box, or as many as asked for, drawn among them.
pub fn sample(dice: &mut Dice, clocks: usize, most: i32, count: usize) -> Vec<Vec<i32>> {
    let side = (2 * most * scale(clocks) + 1) as usize;
    if side.pow(clocks as u32) <= count {
        return grid(clocks, most);
    }
    let edge = most * scale(clocks);
    (0..count).map(|_| (0..clocks).map(|_| dice.between(-edge, edge)).collect()).collect()
}

/// Which points of the grid in the box are in the zone.
pub fn members(zone: &Zone, points: &[Vec<i32>]) -> Vec<bool> {
    points.iter().map(|point| zone.contains(point, scale(zone.clocks()))).collect()
}

/// No entry is weaker than what follows from two others, and none contradicts.
pub fn assert_canonical(zone: &Zone) {
    let side = zone.clocks() + 1;
    assert_eq!(zone.entries().len(), side * side);
    for i in 0..side {
        assert_eq!(zone.bound(i, i), DbmBound::ZERO, "{zone:?}");
        for j in 0..side {
            for l in 0..side {
                assert!(zone.bound(i, j) <= zone.bound(i, l) + zone.bound(l, j), "{zone:?}");
            }
        }
    }
}
