//! Emptiness, samples, canonical forms, intersection, entailment, inclusion and least values.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Extremum, Overflow, Polyhedron, Ratio, Relation};

use crate::draw::{at, constraint, constraints, grid, hold, of, systems};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn membership_is_that_of_the_constraints((dimension, lists) in systems(1, 7)) {
        let polyhedron = of(dimension, &lists[0]);
        for point in grid(dimension) {
            prop_assert_eq!(at(&polyhedron, &point), hold(&lists[0], &point), "{:?}", point);
        }
        match polyhedron.sample() {
            Some(sample) => prop_assert!(hold(&lists[0], sample) && !polyhedron.is_empty()),
            None => prop_assert!(polyhedron.is_empty()),
        }
    }

    #[test]
    fn samples_are_in_the_relative_interior((dimension, lists) in systems(1, 7)) {
        let polyhedron = of(dimension, &lists[0]);
        let Some(sample) = polyhedron.sample() else { return Ok(()) };
        for constraint in polyhedron.constraints().iter().filter(|c| c.relation() != Relation::Equal) {
            let strict = Constraint::new(constraint.coefficients().to_vec(), constraint.constant(), Relation::Above);
            prop_assert!(strict.holds_at(sample).unwrap());
        }
    }

    #[test]
    fn no_constraint_is_redundant((dimension, lists) in systems(1, 8)) {
        let polyhedron = of(dimension, &lists[0]);
        for left_out in 0..polyhedron.constraints().len() {
            let mut rest = polyhedron.constraints().to_vec();
            let constraint = rest.remove(left_out);
            prop_assert!(!of(dimension, &rest).entails(&constraint).unwrap(), "{:?}", constraint);
        }
    }

    #[test]
    fn the_order_of_constraints_does_not_matter_to_closed_sets((dimension, lists) in systems(1, 8)) {
        let closed: Vec<Constraint> = lists[0].iter().filter(|c| c.relation() != Relation::Above).cloned().collect();
        let forward = of(dimension, &closed);
        let backward: Vec<Constraint> = closed.iter().rev().cloned().collect();
        prop_assert_eq!(&forward, &of(dimension, &backward));
        let mut step_by_step = Polyhedron::universe(dimension);
        for constraint in &closed {
            step_by_step = step_by_step.and(std::slice::from_ref(constraint)).unwrap();
        }
        prop_assert_eq!(&forward, &step_by_step);
    }

    #[test]
    fn intersections_have_what_both_have((dimension, lists) in systems(2, 5)) {
        let (a, b) = (of(dimension, &lists[0]), of(dimension, &lists[1]));
        let both = a.intersection(&b).unwrap();
        for point in grid(dimension) {
            prop_assert_eq!(at(&both, &point), at(&a, &point) && at(&b, &point));
        }
        prop_assert!(a.includes(&both).unwrap() && b.includes(&both).unwrap());
    }

    #[test]
    fn entailment_and_meeting_are_told_by_intersections(
        (dimension, list, asked) in (1usize..=4)
            .prop_flat_map(|dimension| (Just(dimension), constraints(dimension, 6), constraint(dimension)))
    ) {
        let polyhedron = of(dimension, &list);
        let meets = !polyhedron.and(std::slice::from_ref(&asked)).unwrap().is_empty();
        prop_assert_eq!(polyhedron.meets(&asked).unwrap(), meets);
        let breaks = asked.negated().iter().any(|negated| {
            !polyhedron.and(std::slice::from_ref(negated)).unwrap().is_empty()
        });
        prop_assert_eq!(polyhedron.entails(&asked).unwrap(), !breaks);
        for point in grid(dimension).iter().filter(|point| hold(&list, point)) {
            let holds = asked.holds_at(point).unwrap();
            prop_assert!((!holds || meets) && (holds || breaks));
        }
    }

    #[test]
    fn inclusion_is_told_by_points((dimension, lists) in systems(2, 4)) {
        let (a, b) = (of(dimension, &lists[0]), of(dimension, &lists[1]));
        let includes = a.includes(&b).unwrap();
        for point in grid(dimension) {
            prop_assert!(!includes || at(&a, &point) || !at(&b, &point));
        }
        // A point outside exists if and only if some constraint is broken.
        let outside = a.constraints().iter().flat_map(Constraint::negated)
            .map(|negated| b.and(&[negated]).unwrap()).find(|outside| !outside.is_empty());
        prop_assert_eq!(includes, outside.is_none());
        if let Some(point) = outside.as_ref().and_then(Polyhedron::sample) {
            prop_assert!(at(&b, point) && !at(&a, point));
        }
    }

    #[test]
    fn least_values_are_bounds_and_tight(
        (dimension, list, form) in (1usize..=4).prop_flat_map(|dimension| {
            (Just(dimension), constraints(dimension, 6), prop::collection::vec(-2i64..=2, dimension))
        })
    ) {
        let polyhedron = of(dimension, &list);
        let below = |value: Ratio, relation| {
            // form REL value, times the denominator
            let denominator = i64::try_from(value.denominator()).unwrap();
            let coefficients = form.iter().map(|c| -c * denominator).collect();
            Constraint::new(coefficients, i64::try_from(value.numerator()).unwrap(), relation)
        };
        match polyhedron.least(&form).unwrap() {
            Extremum::Empty => prop_assert!(polyhedron.is_empty()),
            Extremum::Unbounded => prop_assert!(polyhedron.meets(&below(Ratio::from(-1000), Relation::AtLeast)).unwrap()),
            Extremum::At { value, attained } => {
                prop_assert!(!polyhedron.meets(&below(value, Relation::Above)).unwrap());
                prop_assert_eq!(polyhedron.meets(&below(value, Relation::Equal)).unwrap(), attained);
                let more = value.add(Ratio::new(1, 1000).unwrap()).unwrap();
                prop_assert!(polyhedron.meets(&below(more, Relation::AtLeast)).unwrap());
            }
        }
    }
}

#[test]
fn overflow_is_an_error() {
    let big = i64::MAX / 2;
    let odd = [
        Constraint::new(vec![big, 3, 7], 1, Relation::AtLeast),
        Constraint::new(vec![5, big - 1, 11], -1, Relation::AtLeast),
        Constraint::new(vec![13, 17, big - 2], 5, Relation::AtLeast),
        Constraint::new(vec![-1, -1, -1], 1, Relation::Above),
    ];
    assert_eq!(Polyhedron::of(3, &odd).unwrap_err(), Overflow);
    let least = Constraint::new(vec![i64::MIN, 1, 0], 0, Relation::AtLeast);
    assert_eq!(Polyhedron::of(3, std::slice::from_ref(&least)).unwrap_err(), Overflow);
    assert_eq!(Polyhedron::universe(3).entails(&least), Err(Overflow));
    assert_eq!(Polyhedron::universe(3).meets(&least), Err(Overflow));
    assert_eq!(Polyhedron::universe(3).least(&[i64::MIN, 0, 0]), Err(Overflow));
}

#[test]
fn hidden_equalities_are_made_explicit() {
    // x <= y <= z <= x
    let ring = [vec![-1, 1, 0], vec![0, -1, 1], vec![1, 0, -1]]
        .map(|coefficients| Constraint::new(coefficients, 0, Relation::AtLeast));
    let polyhedron = of(3, &ring);
    let equal = [vec![1, -1, 0], vec![1, 0, -1]].map(|c| Constraint::new(c, 0, Relation::Equal));
    assert_eq!(polyhedron.constraints(), equal);
    let strict = polyhedron.and(&[Constraint::new(vec![-1, 0, 1], 0, Relation::Above)]).unwrap();
    assert!(strict.is_empty() && strict.constraints()[0].is_contradiction());
}
