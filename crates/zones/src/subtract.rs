//! What is left of a zone without another. That is not convex any more, so it comes in pieces, which must
//! never overlap: a caller may count them or search them one by one.

use crate::Zone;

impl Zone {
    /// What is in this zone and not in the other, as zones of which no two share a valuation.
    pub fn subtract(&self, other: &Zone) -> Vec<Zone> {
        let mut inside = self.clone();
        if !inside.intersect(other) {
            return vec![self.clone()];
        }
        // What breaks a constraint of the other zone is a piece; what is left keeps it, and so has nothing
        // in common with that piece. In the end only the intersection is left.
        let mut rest = self.clone();
        let mut pieces = Vec::new();
        for (i, j, bound) in other.minimal() {
            let Some(broken) = bound.complement() else { continue };
            if rest.allows(j, i, broken) {
                let mut piece = rest.clone();
                let cut = piece.constrain(j, i, broken) && rest.constrain(i, j, bound);
                debug_assert!(cut, "the intersection satisfies every constraint");
                pieces.push(piece);
            }
        }
        debug_assert_eq!(rest, inside);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DbmBound;

    fn interval(low: i32, high: i32) -> Zone {
        Zone::from_constraints(1, &[(0, 1, DbmBound::at_most(-low)), (1, 0, DbmBound::at_most(high))])
            .unwrap()
    }

    #[test]
    fn the_ends_of_an_interval_are_left() {
        let shown = |pieces: Vec<Zone>| pieces.iter().map(Zone::to_string).collect::<Vec<_>>();
        let whole = interval(0, 9);
        assert_eq!(shown(whole.subtract(&interval(3, 5))), ["x1 >= 0, x1 < 3", "x1 > 5, x1 <= 9"]);
        assert_eq!(whole.subtract(&interval(10, 12)), std::slice::from_ref(&whole));
        assert_eq!(whole.subtract(&interval(-1, 9)), []);
    }
}
