//! The zone itself: its matrix, how it is made, and how it is cut. It must never be seen in a form that is
//! not canonical; only [`Zone::constrain`] and [`Zone::intersect`] can leave an empty one, and say so.

use crate::DbmBound;

/// A convex set of valuations of some clocks, not empty: all that satisfy a set of bounds on differences.
///
/// Entry `(i, j)` bounds `x_i - x_j`, where `x_0` is 0; so `(i, 0)` is an upper bound of clock `i`, and
/// `(0, i)` a lower bound, negated. The matrix is canonical: every entry is the strongest that follows from
/// all of them, so equal sets have equal matrices.
///
/// Every operation works in place or writes to a zone that is there already, whatever was in it and
/// however many clocks it had, and then allocates only to grow it.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Zone {
    side: usize,
    entries: Vec<DbmBound>,
}

impl Zone {
    /// The one valuation that gives clock `n + 1` the value `values[n]`.
    pub fn point(values: &[i32]) -> Zone {
        let mut zone = Zone::default();
        zone.set_point(values);
        zone
    }

    /// All valuations of `clocks` clocks.
    pub fn everything(clocks: usize) -> Zone {
        let mut zone = Zone::default();
        zone.set_everything(clocks);
        zone
    }

    /// All valuations that satisfy these constraints, each an `(i, j)` and the bound on `x_i - x_j`;
    /// `None` if there are none.
    pub fn from_constraints(clocks: usize, constraints: &[(usize, usize, DbmBound)]) -> Option<Zone> {
        let mut zone = Zone::everything(clocks);
        for &(i, j, bound) in constraints {
            let entry = zone.entry(i, j);
            *entry = bound.min(*entry);
        }
        zone.close().then_some(zone)
    }

    /// Turns this zone into [`Zone::point`].
    pub fn set_point(&mut self, values: &[i32]) {
        self.side = values.len() + 1;
        self.entries.clear();
        let coordinates = || [0].iter().chain(values);
        for &x in coordinates() {
            self.entries.extend(coordinates().map(|&y| DbmBound::at_most(x.saturating_sub(y))));
        }
    }

    /// Turns this zone into [`Zone::everything`].
    pub fn set_everything(&mut self, clocks: usize) {
        self.side = clocks + 1;
        self.entries.clear();
        self.entries.resize(self.side * self.side, DbmBound::NONE);
        for i in 0..self.side {
            *self.entry(i, i) = DbmBound::ZERO;
        }
    }

    /// The number of clocks.
    pub fn clocks(&self) -> usize {
        self.side - 1
    }

    /// The bound on `x_i - x_j`.
    #[inline]
    pub fn bound(&self, i: usize, j: usize) -> DbmBound {
        debug_assert!(i < self.side && j < self.side);
        self.entries[i * self.side + j]
    }

    /// All bounds, row by row.
    pub fn entries(&self) -> &[DbmBound] {
        &self.entries
    }

    /// Whether some valuation in the zone has `x_i - x_j` within this bound.
    #[inline]
    pub fn allows(&self, i: usize, j: usize, bound: DbmBound) -> bool {
        bound + self.bound(j, i) >= DbmBound::ZERO
    }

    /// Keeps what has `x_i - x_j` within this bound. If nothing has, the answer is false, and the zone
    /// must not be used any more but to be overwritten.
    #[must_use]
    pub fn constrain(&mut self, i: usize, j: usize, bound: DbmBound) -> bool {
        if bound >= self.bound(i, j) {
            return true;
        }
        if !self.allows(i, j, bound) {
            return false;
        }
        // A shortest path uses the new edge once at most. So row j and column i, whose paths would return
        // to where they started, stay as they are, and everything else can be updated in place.
        for a in 0..self.side {
            let through = self.bound(a, i) + bound;
            // What does not improve the way to j improves no way that goes on from j. This holds for row j
            // in particular, so the two rows below are never the same.
            if through >= self.bound(a, j) {
                continue;
            }
            let (row, from_j) = self.rows(a, j);
            for (entry, &onward) in row.iter_mut().zip(from_j) {
                *entry = (through + onward).min(*entry);
            }
        }
        true
    }

    /// Keeps what is also in the other zone. If that is nothing, the answer is false, and the zone must not
    /// be used any more but to be overwritten.
    #[must_use]
    pub fn intersect(&mut self, other: &Zone) -> bool {
        assert_eq!(self.side, other.side, "zones over the same clocks");
        let mut cut = false;
        for (entry, &bound) in self.entries.iter_mut().zip(&other.entries) {
            cut |= bound < *entry;
            *entry = bound.min(*entry);
        }
        !cut || self.close()
    }

    /// Whether every valuation of the other zone is in this one.
    pub fn includes(&self, other: &Zone) -> bool {
        self.side == other.side
            && self.entries.iter().zip(&other.entries).all(|(large, small)| large >= small)
    }

    /// Whether the zone has the valuation that gives clock `n + 1` the value
    /// `numerators[n] / denominator`.
    pub fn contains(&self, numerators: &[i32], denominator: i32) -> bool {
        assert_eq!(numerators.len(), self.clocks(), "a value for every clock");
        assert!(denominator > 0, "a positive denominator");
        let x = |i: usize| if i == 0 { 0 } else { i64::from(numerators[i - 1]) };
        self.entries.iter().enumerate().all(|(at, bound)| {
            let difference = x(at / self.side) - x(at % self.side);
            bound.is_none() || difference <= bound.on_grid(i64::from(denominator))
        })
    }

    #[inline]
    pub(crate) fn side(&self) -> usize {
        self.side
    }

    #[inline]
    pub(crate) fn entry(&mut self, i: usize, j: usize) -> &mut DbmBound {
        debug_assert!(i < self.side && j < self.side);
        &mut self.entries[i * self.side + j]
    }

    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[DbmBound] {
        &self.entries[i * self.side..][..self.side]
    }

    /// The matrix, emptied, to be written row by row for so many clocks.
    pub(crate) fn blank(&mut self, clocks: usize) -> &mut Vec<DbmBound> {
        self.side = clocks + 1;
        self.entries.clear();
        self.entries.reserve(self.side * self.side);
        &mut self.entries
    }

    /// Row `a` to write and row `b` to read, which are not the same.
    #[inline]
    fn rows(&mut self, a: usize, b: usize) -> (&mut [DbmBound], &[DbmBound]) {
        let side = self.side;
        let (low, high) = self.entries.split_at_mut(a.max(b) * side);
        if a < b {
            (&mut low[a * side..][..side], &high[..side])
        } else {
            (&mut high[..side], &low[b * side..][..side])
        }
    }

    /// Makes any matrix canonical (all shortest paths, after Floyd and Warshall); false if it is empty.
    fn close(&mut self) -> bool {
        for pivot in 0..self.side {
            for a in 0..self.side {
                let to_pivot = self.bound(a, pivot);
                if a == pivot || to_pivot.is_none() {
                    continue;
                }
                let (row, from_pivot) = self.rows(a, pivot);
                for (entry, &onward) in row.iter_mut().zip(from_pivot) {
                    *entry = (to_pivot + onward).min(*entry);
                }
            }
            // A negative cycle must not be gone round again: its sum would grow without end.
            if (0..self.side).any(|i| self.bound(i, i) < DbmBound::ZERO) {
                return false;
            }
        }
        true
    }
}

impl Default for Zone {
    /// The zone over no clocks, as a buffer to write to.
    fn default() -> Zone {
        Zone { side: 1, entries: vec![DbmBound::ZERO] }
    }
}

impl Clone for Zone {
    fn clone(&self) -> Zone {
        Zone { side: self.side, entries: self.entries.clone() }
    }

    fn clone_from(&mut self, other: &Zone) {
        self.side = other.side;
        self.entries.clone_from(&other.entries);
    }
}
