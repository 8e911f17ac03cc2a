//! Larger systems, of the kind that a search with parameters has: a few parameters, then the remaining times of
//! obligations. There are too many points to try, so operations are held against each other.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation, covers};

use crate::draw::{at, of};

const PARAMETERS: usize = 3;

/// Parameters in order, times between zero and a multiple of a parameter, and some comparisons.
fn timed(times: usize) -> impl Strategy<Value = Polyhedron> {
    let dimension = PARAMETERS + times;
    let relation = || prop_oneof![Just(Relation::Equal), Just(Relation::AtLeast), Just(Relation::Above)];
    let limits = prop::collection::vec((0..PARAMETERS, 1i64..=2, 0i64..=2), times);
    let comparison = (0..PARAMETERS, -1i64..=2, 0..times, 0..times, -2i64..=2, relation());
    (limits, prop::collection::vec(comparison, 0..5)).prop_map(move |(limits, comparisons)| {
        let constraint = |terms: &[(usize, i64)], constant: i64, relation: Relation| {
            let mut coefficients = vec![0; dimension];
            terms.iter().for_each(|&(variable, coefficient)| coefficients[variable] += coefficient);
            Constraint::new(coefficients, constant, relation)
        };
        let mut constraints = vec![
            constraint(&[(0, 1)], 0, Relation::AtLeast),
            constraint(&[(1, 1), (0, -1)], 0, Relation::AtLeast),
            constraint(&[(2, 1), (1, -2)], 0, Relation::Above),
        ];
        for (time, (parameter, factor, constant)) in limits.into_iter().enumerate() {
            let time = PARAMETERS + time;
            constraints.push(constraint(&[(time, 1)], 0, Relation::AtLeast));
            constraints.push(constraint(&[(parameter, factor), (time, -1)], constant, Relation::AtLeast));
        }
        for (parameter, factor, a, b, constant, relation) in comparisons {
            let (a, b) = (PARAMETERS + a, PARAMETERS + b);
            constraints.push(constraint(&[(parameter, factor), (a, 1), (b, -1)], constant, relation));
        }
        of(dimension, &constraints)
    })
}

fn same(a: &Polyhedron, b: &Polyhedron) -> bool {
    a.includes(b).unwrap() && b.includes(a).unwrap()
}

/// Each time is what it was, less what has passed, which is a new variable.
fn passing(dimension: usize) -> Vec<Vec<i64>> {
    let column = |variable: usize| {
        let mut column = vec![0; dimension + 1];
        column[variable] = 1;
        column[dimension] = i64::from(variable >= PARAMETERS);
        column
    };
    (0..dimension).map(column).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn variables_are_eliminated_in_any_order(zone in timed(5), order in Just([3usize, 4, 5, 6, 7]).prop_shuffle()) {
        let at_once = zone.project(&[0, 1, 2]).unwrap();
        let mut step_by_step = zone.clone();
        let mut left: Vec<usize> = (0..zone.dimension()).collect();
        for variable in order {
            let keep: Vec<usize> = (0..left.len()).filter(|&index| left[index] != variable).collect();
            step_by_step = step_by_step.project(&keep).unwrap();
            left.retain(|&other| other != variable);
            prop_assert!(step_by_step.sample().is_none_or(|sample| at(&step_by_step, sample)));
        }
        prop_assert!(same(&at_once, &step_by_step), "{:?} {:?}", at_once, step_by_step);
        // A cylinder over the shadow includes the set.
        prop_assert!(at_once.with_dimensions(5).includes(&zone).unwrap());
        // Every point of the shadow has a point above it.
        if let Some(sample) = at_once.sample() {
            let fixed: Vec<Constraint> =
                (0..3).map(|variable| crate::draw::fixed(8, variable, sample[variable])).collect();
            prop_assert!(!zone.and(&fixed).unwrap().is_empty());
        }
    }

    #[test]
    fn time_passes_alike_with_and_without_a_shortcut(zone in timed(4)) {
        let dimension = zone.dimension();
        let columns = passing(dimension);
        let quick = zone.substituted(&columns, dimension + 1).unwrap();
        // The same map, with the sum said by constraints: no variable is then had from one of its own.
        let constraints: Vec<Constraint> = zone.constraints().iter().map(|constraint| {
            let mut coefficients = constraint.coefficients().to_vec();
            coefficients.push(coefficients[PARAMETERS..].iter().sum());
            Constraint::new(coefficients, constraint.constant(), constraint.relation())
        }).collect();
        let slow = of(dimension + 1, &constraints);
        prop_assert!(same(&quick, &slow));
        prop_assert_eq!(quick.constraints().len(), slow.constraints().len());
        prop_assert!(quick.sample().is_none_or(|sample| at(&slow, sample)));
    }

    #[test]
    fn inclusion_agrees_with_intersection_and_difference(a in timed(4), b in timed(4)) {
        let both = a.intersection(&b).unwrap();
        prop_assert!(same(&both, &b.intersection(&a).unwrap()));
        prop_assert!(a.includes(&both).unwrap() && b.includes(&both).unwrap());
        prop_assert_eq!(a.includes(&b).unwrap(), same(&both, &b));
        let rest = b.minus(&a).unwrap();
        prop_assert_eq!(a.includes(&b).unwrap(), rest.is_empty());
        let mut pieces = rest.clone();
        pieces.push(both);
        prop_assert!(covers(&pieces, &b).unwrap());
        prop_assert_eq!(covers(&rest, &b).unwrap(), a.intersection(&b).unwrap().is_empty());
        let fewer = Polyhedron::coalesced(pieces.clone()).unwrap();
        prop_assert!(fewer.len() <= pieces.len() && covers(&fewer, &b).unwrap());
        for piece in &fewer {
            prop_assert!(b.includes(piece).unwrap());
        }
    }

    #[test]
    fn widening_keeps_the_parameters(a in timed(4), b in timed(4)) {
        let widened = a.widened(&b, PARAMETERS).unwrap();
        prop_assert!(widened.includes(&b).unwrap());
        prop_assert!(same(&widened.project(&[0, 1, 2]).unwrap(), &b.project(&[0, 1, 2]).unwrap()));
    }

    #[test]
    fn constraints_are_irredundant_and_the_same_step_by_step(zone in timed(5)) {
        let dimension = zone.dimension();
        let mut grown = Polyhedron::universe(dimension);
        for constraint in zone.constraints().iter().rev() {
            grown = grown.and(std::slice::from_ref(constraint)).unwrap();
        }
        prop_assert!(same(&grown, &zone));
        prop_assert_eq!(grown.constraints().len(), zone.constraints().len());
        for left_out in 0..zone.constraints().len() {
            let mut rest = zone.constraints().to_vec();
            let constraint = rest.remove(left_out);
            prop_assert!(!of(dimension, &rest).entails(&constraint).unwrap());
        }
    }
}
