//! Formulas of random regions are held against the regions at every point of a grid, and by polyhedra.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Ratio, Relation, covers};
use watchkeeper_regions::{Condition, beside_facets, same_region, simplest};

const PARAMETERS: [&str; 3] = ["a", "b", "max-delta"];

fn names(dimension: usize) -> Vec<String> {
    PARAMETERS[..dimension].iter().map(|name| name.to_string()).collect()
}

fn constraint(dimension: usize) -> impl Strategy<Value = Constraint> {
    let coefficient = prop_oneof![2 => Just(0i64), 3 => -1i64..=1, 1 => -3i64..=3];
    let relation =
        prop_oneof![1 => Just(Relation::Equal), 4 => Just(Relation::AtLeast), 3 => Just(Relation::Above)];
    (prop::collection::vec(coefficient, dimension), -3i64..=3, relation)
        .prop_map(|(row, constant, relation)| Constraint::new(row, constant, relation))
}

fn condition(dimension: usize) -> impl Strategy<Value = Condition> {
    let conjunction = prop::collection::vec(constraint(dimension), 0..=3);
    prop::collection::vec(conjunction, 0..=3).prop_map(move |all| Condition::any(dimension, all))
}

/// Several conditions over as many parameters.
fn conditions(count: usize) -> impl Strategy<Value = (usize, Vec<Condition>)> {
    (1usize..=3)
        .prop_flat_map(move |dimension| (Just(dimension), prop::collection::vec(condition(dimension), count)))
}

fn grid(dimension: usize) -> Vec<Vec<Ratio>> {
    let coordinates: Vec<Ratio> = (-7..=7).map(|half| Ratio::new(half, 2).unwrap()).collect();
    (0..dimension).fold(vec![Vec::new()], |points, _| {
        let longer = |point: Vec<Ratio>| {
            coordinates.iter().map(|&c| point.iter().copied().chain([c]).collect()).collect::<Vec<_>>()
        };
        points.into_iter().flat_map(longer).collect()
    })
}

fn holds(condition: &Condition, point: &[Ratio]) -> bool {
    condition.conjunctions().iter().any(|all| all.iter().all(|one| one.holds_at(point).unwrap()))
}

fn within(pieces: &[Polyhedron], point: &[Ratio]) -> bool {
    pieces.iter().any(|piece| piece.contains(point).unwrap())
}

/// What of a region is not in another.
fn minus(a: &[Polyhedron], b: &[Polyhedron]) -> Vec<Polyhedron> {
    b.iter()
        .fold(a.to_vec(), |left, other| left.iter().flat_map(|piece| piece.minus(other).unwrap()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_again((dimension, conditions) in conditions(1)) {
        let names = names(dimension);
        let text = conditions[0].text(&names);
        let again = Condition::parse(&text, &names).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        for point in grid(dimension) {
            prop_assert_eq!(holds(&again, &point), holds(&conditions[0], &point), "{} at {:?}", text, point);
        }
        prop_assert_eq!(again.text(&names), text);
    }

    #[test]
    fn any_text_is_a_condition_or_a_mistake(text in "[ab0-9 <>=+*/(),&|-]{0,24}|\\PC{0,12}") {
        let _ = Condition::parse(&text, &names(2));
    }

    #[test]
    fn the_simplest_formula_is_right((dimension, conditions) in conditions(3)) {
        let names = names(dimension);
        let [yes, no, domain] = [0, 1, 2].map(|at: usize| conditions[at].regions().unwrap());
        let no = minus(&no, &yes);
        let found = simplest(&yes, &no, &domain, &names).unwrap();
        for point in grid(dimension).iter().filter(|point| within(&domain, point)) {
            if within(&yes, point) || within(&no, point) {
                prop_assert_eq!(
                    holds(&found, point), within(&yes, point), "{} at {:?}", found.text(&names), point
                );
            }
        }
        // Longer than the pieces it is never.
        let length = |condition: &Condition| condition.conjunctions().iter().map(Vec::len).sum::<usize>();
        prop_assert!(
            length(&found) + found.conjunctions().len()
                <= length(&conditions[0]) + conditions[0].conjunctions().len().max(1),
            "{} for {}", found.text(&names), conditions[0].text(&names)
        );
        prop_assert_eq!(simplest(&yes, &no, &domain, &names).unwrap(), found);
    }

    #[test]
    fn regions_are_the_same_or_differ_at_the_witness((dimension, conditions) in conditions(3)) {
        let [a, b, domain] = [0, 1, 2].map(|at: usize| conditions[at].regions().unwrap());
        match same_region(&a, &b, &domain).unwrap() {
            Some(point) => {
                prop_assert!(within(&domain, &point));
                prop_assert_ne!(within(&a, &point), within(&b, &point));
            }
            None => {
                for point in grid(dimension).iter().filter(|point| within(&domain, point)) {
                    prop_assert_eq!(within(&a, point), within(&b, point));
                }
            }
        }
        // A region without itself is nothing, and with its pieces cut it is the same.
        let cut: Vec<Polyhedron> = minus(&a, &b).into_iter()
            .chain(a.iter().flat_map(|piece| b.iter().map(|other| piece.intersection(other).unwrap())))
            .collect();
        prop_assert_eq!(same_region(&a, &cut, &domain).unwrap(), None);
        prop_assert!(a.iter().all(|piece| covers(&cut, piece).unwrap()));
    }

    #[test]
    fn points_beside_facets_are_on_their_sides((_, conditions) in conditions(2)) {
        let [region, domain] = [0, 1].map(|at: usize| conditions[at].regions().unwrap());
        for beside in beside_facets(&region, &domain, 3, 8).unwrap() {
            prop_assert!(domain.iter().any(|part| !part.entails(&beside.facet).unwrap()));
            for (points, inside) in [(&beside.inside, true), (&beside.outside, false)] {
                prop_assert!(points.len() <= 3);
                for point in points {
                    prop_assert!(point.iter().all(|coordinate| (0..=8).contains(coordinate)));
                    let point: Vec<Ratio> = point.iter().map(|&c| Ratio::from(c)).collect();
                    prop_assert!(within(&domain, &point));
                    prop_assert_eq!(within(&region, &point), inside);
                }
            }
        }
    }
}
