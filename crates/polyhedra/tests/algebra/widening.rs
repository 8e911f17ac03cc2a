//! Widening keeps its two promises, and sequences that it widens end. Integer points are the first of all.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Ratio, Relation};

use crate::draw::{at, constraints, hold, of, systems};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_newer_set_is_included_and_its_parameters_stay((dimension, lists) in systems(2, 5), fixed in 0usize..=4) {
        let fixed = fixed.min(dimension);
        let (older, newer) = (of(dimension, &lists[0]), of(dimension, &lists[1]));
        let widened = older.widened(&newer, fixed).unwrap();
        prop_assert!(widened.includes(&newer).unwrap());
        let first: Vec<usize> = (0..fixed).collect();
        let (before, after) = (newer.project(&first).unwrap(), widened.project(&first).unwrap());
        prop_assert!(before.includes(&after).unwrap() && after.includes(&before).unwrap());
        for constraint in older.constraints() {
            if !older.is_empty() && newer.entails(constraint).unwrap() {
                prop_assert!(widened.entails(constraint).unwrap());
            }
        }
    }

    #[test]
    fn integer_points_are_the_first((dimension, list) in (1usize..=3)
        .prop_flat_map(|dimension| (Just(dimension), constraints(dimension, 6))))
    {
        let mut points = vec![Vec::new()];
        for _ in 0..dimension {
            points = points.iter().flat_map(|point: &Vec<i64>| {
                (0..=5).map(|next| point.iter().copied().chain([next]).collect::<Vec<i64>>())
            }).collect();
        }
        let ratios = |point: &[i64]| point.iter().map(|&n| Ratio::from(n)).collect::<Vec<Ratio>>();
        points.retain(|point| hold(&list, &ratios(point)));
        let first = points.into_iter().min_by_key(|point| (point.iter().sum::<i64>(), point.clone()));
        prop_assert_eq!(of(dimension, &list).integer_point(5).unwrap(), first);
    }
}

#[test]
fn a_growing_set_is_widened_to_its_limit() {
    // A parameter p of at least 1, and a counter x that grows by p: x = 0, p, 2p, ... and all between.
    let upto = |n: i64| {
        of(
            2,
            &[
                Constraint::new(vec![1, 0], -1, Relation::AtLeast),
                Constraint::new(vec![0, 1], 0, Relation::AtLeast),
                Constraint::new(vec![n, -1], 0, Relation::AtLeast),
            ],
        )
    };
    let limit = upto(1).widened(&upto(2), 1).unwrap();
    let p_and_x = [
        Constraint::new(vec![0, 1], 0, Relation::AtLeast),
        Constraint::new(vec![1, 0], -1, Relation::AtLeast),
    ];
    assert_eq!(limit, of(2, &p_and_x));
    assert_eq!(limit.widened(&upto(3).joined(&limit).unwrap().unwrap(), 1).unwrap(), limit);
}

#[test]
fn a_line_that_a_point_grows_into_is_kept() {
    // From x = y = 0 to x = y, 0 <= x <= 1: the equality survives, the bound does not.
    let point = of(2, &[vec![1, 0], vec![0, 1]].map(|c| Constraint::new(c, 0, Relation::Equal)));
    let diagonal = Constraint::new(vec![1, -1], 0, Relation::Equal);
    let from = Constraint::new(vec![1, 0], 0, Relation::AtLeast);
    let to = Constraint::new(vec![-1, 0], 1, Relation::AtLeast);
    let segment = of(2, &[diagonal.clone(), from.clone(), to]);
    assert_eq!(point.widened(&segment, 0).unwrap(), of(2, &[diagonal, from]));
    assert!(at(&point.widened(&segment, 0).unwrap(), &[Ratio::from(9), Ratio::from(9)]));
    assert_eq!(Polyhedron::empty(2).widened(&segment, 0).unwrap(), segment);
}
