//! Making zones, cutting them and comparing them.

use crate::dice::Dice;
use crate::model::{Model, assert_canonical, draw_constraint, grid, members, satisfies, scale};
use std::collections::BTreeMap;
use watchkeeper_zones::Zone;

#[test]
fn constraints_make_the_zone_of_their_points() {
    let mut dice = Dice::new(1);
    let mut empty = 0;
    for clocks in 1..=3 {
        let points = grid(clocks, 2);
        for _ in 0..1000 {
            let model = Model::draw(&mut dice, clocks, 2, true);
            let expected: Vec<bool> = points.iter().map(|point| model.has(point, scale(clocks))).collect();
            match model.zone() {
                Some(zone) => {
                    assert_canonical(&zone);
                    assert_eq!(members(&zone, &points), expected, "{model:?}");
                    assert!(expected.contains(&true), "{model:?}");
                }
                None => {
                    assert!(!expected.contains(&true), "{model:?}");
                    empty += 1;
                }
            }
        }
    }
    assert!((500..2500).contains(&empty), "{empty}");
}

#[test]
fn a_constraint_keeps_the_points_that_satisfy_it() {
    let mut dice = Dice::new(2);
    let mut emptied = 0;
    for clocks in 1..=3 {
        let points = grid(clocks, 2);
        for _ in 0..1000 {
            let (model, mut zone) = Model::draw_zone(&mut dice, clocks, 2, true);
            let before = members(&zone, &points);
            let (i, j, bound) = draw_constraint(&mut dice, clocks, 3);
            let kept =
                |(point, &was): (&Vec<i32>, &bool)| was && satisfies(point, scale(clocks), (i, j, bound));
            let expected: Vec<bool> = points.iter().zip(&before).map(kept).collect();
            let allowed = zone.allows(i, j, bound);
            assert_eq!(allowed, expected.contains(&true), "{model:?}");
            assert_eq!(zone.constrain(i, j, bound), allowed);
            if allowed {
                assert_canonical(&zone);
                assert_eq!(members(&zone, &points), expected, "{model:?} and {i} - {j} {bound}");
            } else {
                emptied += 1;
            }
        }
    }
    assert!((300..2000).contains(&emptied), "{emptied}");
}

#[test]
fn constraints_one_by_one_are_as_good_as_all_at_once() {
    let mut dice = Dice::new(3);
    for case in 0..4000 {
        let model = Model::draw(&mut dice, 2 + case % 5, 9, case % 2 == 0);
        let mut zone = Zone::everything(model.clocks);
        let kept = model.constraints.iter().all(|&(i, j, bound)| zone.constrain(i, j, bound));
        assert_eq!(kept.then_some(zone), model.zone(), "{model:?}");
    }
}

#[test]
fn an_intersection_has_the_points_of_both() {
    let mut dice = Dice::new(4);
    let mut emptied = 0;
    for clocks in 1..=3 {
        let points = grid(clocks, 2);
        for _ in 0..1000 {
            let (_, mut zone) = Model::draw_zone(&mut dice, clocks, 2, true);
            let (_, other) = Model::draw_zone(&mut dice, clocks, 2, false);
            let (one, two) = (members(&zone, &points), members(&other, &points));
            let expected: Vec<bool> = one.iter().zip(&two).map(|(a, b)| a & b).collect();
            let kept = zone.intersect(&other);
            assert_eq!(kept, expected.contains(&true));
            if kept {
                assert_canonical(&zone);
                assert_eq!(members(&zone, &points), expected);
            } else {
                emptied += 1;
            }
        }
    }
    assert!((300..2500).contains(&emptied), "{emptied}");
}

#[test]
fn equal_sets_are_equal_zones() {
    let mut dice = Dice::new(5);
    for (clocks, most) in [(1, 3), (2, 2), (3, 1)] {
        let points = grid(clocks, most);
        let mut zones: BTreeMap<Vec<bool>, Zone> = BTreeMap::new();
        let mut again = 0;
        for _ in 0..3000 {
            let (model, zone) = Model::draw_zone(&mut dice, clocks, most, true);
            match zones.get(&members(&zone, &points)) {
                Some(known) => {
                    assert_eq!(*known, zone, "{model:?}");
                    again += 1;
                }
                None => {
                    zones.insert(members(&zone, &points), zone);
                }
            }
        }
        assert!(again > 500, "{again} of 3000 with {clocks} clocks were known");
        let mut matrices: Vec<&Zone> = zones.values().collect();
        matrices.sort();
        matrices.dedup();
        assert_eq!(matrices.len(), zones.len(), "different sets are different zones");
    }
}

#[test]
fn inclusion_is_that_of_the_points() {
    let mut dice = Dice::new(6);
    let mut included = 0;
    for clocks in 1..=3 {
        let points = grid(clocks, 2);
        for _ in 0..2000 {
            let (_, small) = Model::draw_zone(&mut dice, clocks, 2, true);
            let (_, large) = Model::draw_zone(&mut dice, clocks, 2, false);
            let (inner, outer) = (members(&small, &points), members(&large, &points));
            let expected = inner.iter().zip(&outer).all(|(a, b)| a <= b);
            assert_eq!(large.includes(&small), expected, "{large} and {small}");
            included += usize::from(expected);
        }
    }
    assert!((600..5000).contains(&included), "{included}");
}

#[test]
fn points_and_everything_are_what_they_say() {
    let zone = Zone::point(&[-3, 0, 7]);
    assert_canonical(&zone);
    for point in grid(3, 1) {
        let moved = [point[0] - 12, point[1], point[2] + 28];
        assert_eq!(zone.contains(&moved, 4), point == [0, 0, 0]);
        assert!(Zone::everything(3).contains(&moved, 4));
    }
    assert_eq!(Zone::point(&[]), Zone::everything(0));
    let mut reused = zone.clone();
    reused.set_everything(1);
    assert_eq!(reused, Zone::everything(1));
    reused.clone_from(&zone);
    assert_eq!(reused, zone);
}
