//! What becomes of a zone when time passes, and when a clock is set or forgotten. Each of these keeps a
//! canonical matrix canonical without a closure; the comments say why. None of them can make a zone empty.

use crate::{DbmBound, Zone};

impl Zone {
    /// Lets any time pass: the future. Only the upper bounds go; a path through an edge that is gone was
    /// never shorter than the entries that remain.
    pub fn up(&mut self) {
        for i in 1..self.side() {
            *self.entry(i, 0) = DbmBound::NONE;
        }
    }

    /// Lets time run backwards: the past, where clocks may have been below 0. Only the lower bounds go.
    pub fn down(&mut self) {
        for i in 1..self.side() {
            *self.entry(0, i) = DbmBound::NONE;
        }
    }

    /// Lets time pass while every clock is at most `ceiling`: the future of the zone within that ceiling.
    ///
    /// # Panics
    /// If a clock can already be above the ceiling, since time could then not have come so far.
    pub fn up_to(&mut self, ceiling: i32) {
        let ceiling = DbmBound::at_most(ceiling);
        for i in 1..self.side() {
            assert!(self.bound(i, 0) <= ceiling, "no clock is above the ceiling before time passes");
        }
        // The new system is the old one without its upper bounds and with x_j <= ceiling for all j. A
        // shortest path from i to 0 in it goes from i to some j among the clocks, at m[i][j], and then down
        // the new edge of j. (Row i is read from 1 on, so what is written does not matter to what is read.)
        //
        // No other entry changes. A new way from i to j could only lead over 0, at u[i] + m[0][j], where
        // u[i] = min m[i][l] + ceiling. But ceiling >= m[l][0] for every l, so u[i] >= m[i][0], and
        // m[i][0] + m[0][j] was at least m[i][j] before: not even one pass of closure is needed.
        for i in 1..self.side() {
            // From i to itself it is 0, so that is where the search for the nearest can start.
            let nearest = self.row(i)[1..].iter().fold(DbmBound::ZERO, |nearest, &bound| nearest.min(bound));
            *self.entry(i, 0) = nearest + ceiling;
        }
    }

    /// Sets clock `i` to a value. Its bounds are then those of the constant 0, shifted, which are the
    /// strongest there are.
    pub fn reset(&mut self, i: usize, value: i32) {
        assert!(i > 0, "the constant zero is no clock");
        for j in 0..self.side() {
            if j != i {
                *self.entry(i, j) = self.bound(0, j).shifted(value);
                *self.entry(j, i) = self.bound(j, 0).shifted(value.saturating_neg());
            }
        }
    }

    /// Forgets what clock `i` was. The bounds between the others are the strongest already.
    pub fn free(&mut self, i: usize) {
        assert!(i > 0, "the constant zero is no clock");
        for j in 0..self.side() {
            if j != i {
                *self.entry(i, j) = DbmBound::NONE;
                *self.entry(j, i) = DbmBound::NONE;
            }
        }
    }
}
