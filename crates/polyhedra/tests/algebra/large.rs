//! Numbers near the limits: an operation has the right answer or none. Coefficients are around the sizes at which the
//! arithmetic changes: 2^30, below which products are not checked, and 2^62.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron, Ratio, Relation};

use crate::draw::grid;

fn constraint(dimension: usize) -> impl Strategy<Value = Constraint> {
    let near = |size: i64| (size - 2..=size + 2).prop_flat_map(|n| prop_oneof![Just(n), Just(-n)]);
    let number = || {
        prop_oneof![
            6 => -2i64..=2,
            2 => near(1 << 15),
            3 => near((1 << 30) - 2),
            1 => near(1 << 31),
            1 => near(1 << 45),
            1 => near(1 << 62),
            1 => Just(i64::MIN),
        ]
    };
    let relation = prop_oneof![Just(Relation::Equal), Just(Relation::AtLeast), Just(Relation::Above)];
    (prop::collection::vec(number(), dimension), number(), relation)
        .prop_map(|(coefficients, constant, relation)| Constraint::new(coefficients, constant, relation))
}

fn systems() -> impl Strategy<Value = (usize, Vec<Constraint>, Constraint)> {
    (1usize..=3).prop_flat_map(|dimension| {
        (Just(dimension), prop::collection::vec(constraint(dimension), 1..6), constraint(dimension))
    })
}

fn hold(constraints: &[Constraint], point: &[Ratio]) -> bool {
    constraints.iter().all(|constraint| constraint.holds_at(point).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn an_answer_is_right_or_an_overflow((dimension, list, asked) in systems()) {
        let out_of_range = |constraint: &Constraint| constraint.holds_at(&vec![Ratio::ZERO; dimension]).is_err();
        let polyhedron = match Polyhedron::of(dimension, &list) {
            Ok(polyhedron) => polyhedron,
            Err(Overflow) => return Ok(()),
        };
        prop_assert!(polyhedron.is_empty() || !list.iter().any(out_of_range));
        let points: Vec<Vec<Ratio>> = grid(dimension).into_iter().step_by(3).collect();
        if !list.iter().any(out_of_range) {
            for point in &points {
                prop_assert_eq!(polyhedron.contains(point).unwrap(), hold(&list, point));
            }
            for constraint in &list {
                let holds = polyhedron.sample().map(|sample| constraint.holds_at(sample));
                prop_assert_ne!(holds, Some(Ok(false)));
            }
        }
        if out_of_range(&asked) {
            prop_assert!(polyhedron.is_empty() || polyhedron.entails(&asked) == Err(Overflow));
            return Ok(());
        }
        let entails = polyhedron.entails(&asked);
        let meets = polyhedron.meets(&asked);
        for point in points.iter().filter(|point| polyhedron.contains(point).unwrap()) {
            let holds = asked.holds_at(point).unwrap();
            prop_assert!(entails != Ok(true) || holds);
            prop_assert!(meets != Ok(false) || !holds);
            if let Ok(shadow) = polyhedron.project(&[0]) {
                prop_assert!(shadow.contains(&point[..1]).unwrap());
            }
        }
        if let Ok(both) = polyhedron.and(std::slice::from_ref(&asked)) {
            prop_assert!(meets.is_err() || meets == Ok(!both.is_empty()));
        }
        if let (Ok(shadow), Some(sample)) = (polyhedron.project(&[0]), polyhedron.sample()) {
            prop_assert_ne!(shadow.contains(&sample[..1]), Ok(false));
        }
    }
}
