//! Projection, and changes of variables.

use proptest::prelude::*;
use watchkeeper_polyhedra::{Constraint, Ratio};

use crate::draw::{at, fixed, grid, hold, of, systems};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_point_of_a_projection_has_a_witness(
        (dimension, lists) in systems(1, 7), kept in prop::collection::vec(any::<bool>(), 4), turned in any::<bool>()
    ) {
        let polyhedron = of(dimension, &lists[0]);
        let mut keep: Vec<usize> = (0..dimension).filter(|&v| kept[v]).collect();
        if turned {
            keep.reverse();
        }
        let shadow = polyhedron.project(&keep).unwrap();
        prop_assert_eq!(shadow.dimension(), keep.len());
        prop_assert_eq!(shadow.is_empty(), polyhedron.is_empty());
        for point in grid(keep.len()) {
            // Constraints are appended to the original ones, so no canonical form is relied on.
            let mut with_values = lists[0].clone();
            with_values.extend(keep.iter().zip(&point).map(|(&v, &value)| fixed(dimension, v, value)));
            prop_assert_eq!(at(&shadow, &point), !of(dimension, &with_values).is_empty(), "{:?}", point);
        }
        for point in grid(dimension).iter().filter(|point| hold(&lists[0], point)) {
            let shade: Vec<Ratio> = keep.iter().map(|&v| point[v]).collect();
            prop_assert!(at(&shadow, &shade));
        }
        // The same constraints as if they had been given.
        let rebuilt = of(keep.len(), shadow.constraints());
        prop_assert_eq!(rebuilt.constraints().len(), shadow.constraints().len());
    }

    #[test]
    fn further_dimensions_are_not_restricted((dimension, lists) in systems(1, 5), extra in 0usize..3) {
        let polyhedron = of(dimension, &lists[0]);
        let wider = polyhedron.with_dimensions(extra);
        prop_assert_eq!(wider.dimension(), dimension + extra);
        let first: Vec<usize> = (0..dimension).collect();
        prop_assert_eq!(wider.project(&first).unwrap(), polyhedron.clone());
        let longer = |constraint: &Constraint| {
            let mut coefficients = constraint.coefficients().to_vec();
            coefficients.resize(dimension + extra, 0);
            Constraint::new(coefficients, constraint.constant(), constraint.relation())
        };
        let constraints: Vec<Constraint> = polyhedron.constraints().iter().map(longer).collect();
        prop_assert_eq!(wider.constraints(), &constraints[..]);
        prop_assert!(wider.sample().is_none_or(|sample| at(&wider, sample)));
    }

    #[test]
    fn a_substitution_is_a_preimage(
        (dimension, lists) in systems(1, 6),
        entries in prop::collection::vec(prop::collection::vec(-2i64..=2, 3), 4),
        new_dimension in 1usize..=3
    ) {
        let polyhedron = of(dimension, &lists[0]);
        let columns: Vec<Vec<i64>> = entries[..dimension].iter().map(|c| c[..new_dimension].to_vec()).collect();
        let preimage = polyhedron.substituted(&columns, new_dimension).unwrap();
        for point in grid(new_dimension) {
            let image: Vec<Ratio> = columns.iter().map(|column| {
                column.iter().zip(&point).fold(Ratio::ZERO, |sum, (&c, &y)| {
                    sum.add(y.mul(Ratio::from(c)).unwrap()).unwrap()
                })
            }).collect();
            prop_assert_eq!(at(&preimage, &point), at(&polyhedron, &image));
        }
    }
}
