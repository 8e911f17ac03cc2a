//! The fewest constraints that say the same as a whole matrix, for people and for subtraction (after
//! Larsen, Larsson, Pettersson and Yi, RTSS 1997). It must never leave one out that another one needs:
//! clocks at a fixed distance from each other can each stand for the other, and are handled as one.

use crate::{DbmBound, Zone};
use std::fmt;

impl Zone {
    /// The fewest constraints from which [`Zone::from_constraints`] makes this zone again, each an `(i, j)`
    /// and the bound on `x_i - x_j`.
    pub fn minimal(&self) -> Vec<(usize, usize, DbmBound)> {
        let mut kept = Vec::new();
        let leaders = self.leaders();
        let groups = (0..self.side()).filter(|&i| leaders[i] == i);
        for first in groups.clone() {
            // A group hangs together by a ring: one constraint from each to the next, and one back.
            let mut last = first;
            for next in (first + 1..self.side()).filter(|&i| leaders[i] == first) {
                kept.push((last, next, self.bound(last, next)));
                last = next;
            }
            if last != first {
                kept.push((last, first, self.bound(last, first)));
            }
        }
        // Among one of each group no cycle is 0, so no two constraints can follow from each other, and
        // each that follows from two others can go at once.
        for i in groups.clone() {
            for j in groups.clone().filter(|&j| j != i && !self.bound(i, j).is_none()) {
                let follows =
                    |l: usize| l != i && l != j && self.bound(i, l) + self.bound(l, j) <= self.bound(i, j);
                if !groups.clone().any(follows) {
                    kept.push((i, j, self.bound(i, j)));
                }
            }
        }
        kept
    }

    /// For each clock the first one, or the constant 0, that it is at a fixed distance from.
    fn leaders(&self) -> Vec<usize> {
        let fixed = |i: usize, j: usize| self.bound(i, j) + self.bound(j, i) == DbmBound::ZERO;
        (0..self.side()).map(|i| (0..i).find(|&j| fixed(i, j)).unwrap_or(i)).collect()
    }
}

impl fmt::Display for Zone {
    /// The minimal constraints, as in `x1 <= 3, x2 - x1 < 0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let constraints = self.minimal();
        if constraints.is_empty() {
            return f.write_str("true");
        }
        for (n, (i, j, bound)) in constraints.into_iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            match (i, j) {
                (0, _) => {
                    let sign = if bound.is_strict() { ">" } else { ">=" };
                    write!(f, "{comma}x{j} {sign} {}", -bound.value())?;
                }
                (_, 0) => write!(f, "{comma}x{i} {bound}")?,
                _ => write!(f, "{comma}x{i} - x{j} {bound}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_a_ring() {
        let point = Zone::point(&[3, -2, 3]);
        assert_eq!(point.to_string(), "x1 >= 3, x1 - x2 <= 5, x2 - x3 <= -5, x3 <= 3");
        assert_eq!(Zone::from_constraints(3, &point.minimal()), Some(point));
    }

    #[test]
    fn what_follows_is_left_out() {
        let mut zone = Zone::everything(2);
        assert_eq!(zone.to_string(), "true");
        assert!(zone.constrain(1, 0, DbmBound::at_most(0)) && zone.constrain(2, 1, DbmBound::below(2)));
        assert_eq!(zone.to_string(), "x1 <= 0, x2 - x1 < 2");
        assert_eq!(zone.bound(2, 0), DbmBound::below(2));
    }
}
