//! Differences, unions and covers.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Ratio, Relation, covers};

use crate::draw::{at, constraint, constraints, grid, of, systems};

fn in_one(pieces: &[Polyhedron], point: &[Ratio]) -> usize {
    pieces.iter().filter(|piece| at(piece, point)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_difference_is_a_partition((dimension, lists) in systems(2, 4)) {
        let (a, b) = (of(dimension, &lists[0]), of(dimension, &lists[1]));
        let pieces = a.minus(&b).unwrap();
        for point in grid(dimension) {
            let left = at(&a, &point) && !at(&b, &point);
            prop_assert_eq!(in_one(&pieces, &point), usize::from(left), "{:?}", point);
        }
        for (index, piece) in pieces.iter().enumerate() {
            prop_assert!(!piece.is_empty() && a.includes(piece).unwrap());
            prop_assert!(piece.intersection(&b).unwrap().is_empty());
            for other in &pieces[..index] {
                prop_assert!(piece.intersection(other).unwrap().is_empty());
            }
        }
        let mut all = pieces;
        all.push(b);
        prop_assert!(covers(&all, &a).unwrap());
    }

    #[test]
    fn coalescing_leaves_the_union_as_it_is((dimension, lists) in systems(5, 3)) {
        let pieces: Vec<Polyhedron> = lists.iter().map(|list| of(dimension, list)).collect();
        let fewer = Polyhedron::coalesced(pieces.clone()).unwrap();
        prop_assert!(fewer.len() <= pieces.len());
        for point in grid(dimension) {
            prop_assert_eq!(in_one(&fewer, &point) > 0, in_one(&pieces, &point) > 0, "{:?}", point);
        }
        for piece in &pieces {
            prop_assert!(covers(&fewer, piece).unwrap());
        }
        for (index, piece) in fewer.iter().enumerate() {
            prop_assert!(covers(&pieces, piece).unwrap());
            for other in &fewer[..index] {
                prop_assert_eq!(piece.joined(other).unwrap(), None);
            }
        }
    }

    #[test]
    fn a_join_is_the_union((dimension, lists) in systems(2, 3)) {
        let (a, b) = (of(dimension, &lists[0]), of(dimension, &lists[1]));
        if let Some(union) = a.joined(&b).unwrap() {
            for point in grid(dimension) {
                prop_assert_eq!(at(&union, &point), at(&a, &point) || at(&b, &point));
            }
            prop_assert!(union.includes(&a).unwrap() && union.includes(&b).unwrap());
            prop_assert!(covers(&[a, b], &union).unwrap());
        }
    }

    #[test]
    fn what_was_cut_in_two_is_joined(
        (dimension, list, cut) in (1usize..=4)
            .prop_flat_map(|dimension| (Just(dimension), constraints(dimension, 6), constraint(dimension)))
    ) {
        let closed: Vec<Constraint> = list.into_iter().filter(|c| c.relation() != Relation::Above).collect();
        let whole = of(dimension, &closed);
        let cut = &cut.inequalities()[0];
        let (a, b) = (whole.and(std::slice::from_ref(cut)).unwrap(), whole.and(&cut.negated()).unwrap());
        prop_assert_eq!(a.joined(&b).unwrap(), Some(whole.clone()));
        prop_assert_eq!(b.joined(&a).unwrap(), Some(whole.clone()));
        prop_assert!(covers(&[a.clone(), b.clone()], &whole).unwrap());
        prop_assert_eq!(covers(&[a], &whole).unwrap(), b.is_empty());
    }

    #[test]
    fn a_cover_leaves_no_point((dimension, lists) in systems(4, 3)) {
        let whole = of(dimension, &lists[0]);
        let pieces: Vec<Polyhedron> = lists[1..].iter().map(|list| of(dimension, list)).collect();
        let mut rest = vec![whole.clone()];
        for piece in &pieces {
            rest = rest.iter().flat_map(|left| left.minus(piece).unwrap()).collect();
        }
        prop_assert_eq!(covers(&pieces, &whole).unwrap(), rest.is_empty());
        for point in grid(dimension) {
            let left = at(&whole, &point) && in_one(&pieces, &point) == 0;
            prop_assert_eq!(in_one(&rest, &point), usize::from(left));
        }
    }
}

#[test]
fn sets_that_touch_are_joined_and_sets_that_do_not_are_not() {
    let between = |low: i64, from: Relation, high: i64, to: Relation| {
        of(1, &[Constraint::new(vec![1], -low, from), Constraint::new(vec![-1], high, to)])
    };
    use Relation::{Above, AtLeast};
    let joined = |a: &Polyhedron, b: &Polyhedron| a.joined(b).unwrap();
    let (closed, open) = (between(0, AtLeast, 2, AtLeast), between(0, AtLeast, 2, Above));
    assert_eq!(joined(&open, &between(2, AtLeast, 3, AtLeast)), Some(between(0, AtLeast, 3, AtLeast)));
    assert_eq!(joined(&open, &between(2, Above, 3, AtLeast)), None);
    assert_eq!(joined(&closed, &between(2, Above, 3, Above)), Some(between(0, AtLeast, 3, Above)));
    assert_eq!(joined(&open, &between(2, AtLeast, 2, AtLeast)), Some(closed.clone()));
    assert_eq!(joined(&closed, &between(3, AtLeast, 4, AtLeast)), None);
    assert_eq!(joined(&closed, &Polyhedron::empty(1)), Some(closed.clone()));
    let pieces = vec![between(2, Above, 3, Above), between(5, Above, 6, Above), closed, Polyhedron::empty(1)];
    let fewer = Polyhedron::coalesced(pieces).unwrap();
    assert_eq!(fewer, [between(5, Above, 6, Above), between(0, AtLeast, 3, Above)]);
}

#[test]
fn cones_that_meet_in_a_facet_are_one_without_their_apex() {
    let row = |a, b, relation| Constraint::new(vec![a, b], 0, relation);
    // x0 > 0 and x0 <= x1 < 6 x0; x0 > 0 and 6 x0 <= x1 <= 16 x0; x0 > 0 and x1 > 16 x0
    let positive = row(1, 0, Relation::Above);
    let low = of(2, &[positive.clone(), row(-1, 1, Relation::AtLeast), row(6, -1, Relation::Above)]);
    let middle = of(2, &[positive.clone(), row(-6, 1, Relation::AtLeast), row(16, -1, Relation::AtLeast)]);
    let high = of(2, &[positive.clone(), row(-16, 1, Relation::Above)]);
    let whole = of(2, &[positive.clone(), row(-1, 1, Relation::AtLeast)]);
    let two = of(2, &[positive, row(-1, 1, Relation::AtLeast), row(16, -1, Relation::AtLeast)]);
    assert_eq!(low.joined(&middle).unwrap(), Some(two.clone()));
    assert_eq!(middle.joined(&low).unwrap(), Some(two));
    let all = [&low, &middle, &high];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let pieces = order.iter().map(|&at: &usize| all[at].clone()).collect();
        assert_eq!(Polyhedron::coalesced(pieces).unwrap(), std::slice::from_ref(&whole), "{order:?}");
    }
}
