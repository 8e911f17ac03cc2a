//! Numbers for tests that try many cases: the same ones in every run.

use crate::Formula;

/// A generator, the same for each seed.
pub struct Random(fastrand::Rng);

impl Random {
    /// A generator for each seed.
    pub fn new(seed: u64) -> Random {
        Random(fastrand::Rng::with_seed(seed))
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.u64(..bound)
    }

    /// A formula over atoms below a bound, made with the methods of [`Formula`].
    pub fn formula(&mut self, atoms: u64, depth: u32) -> Formula {
        if depth == 0 || self.below(6) == 0 {
            return match self.below(12) {
                0 => Formula::True,
                1 => Formula::False,
                _ => Formula::atom(self.below(atoms) as usize),
            };
        }
        let (a, b) = (self.formula(atoms, depth - 1), self.formula(atoms, depth - 1));
        match self.below(10) {
            0 => a.not(),
            1 => a.and(b),
            2 => a.or(b),
            3 => a.implies(b),
            4 => a.next(),
            5 => a.until(b),
            6 => a.release(b),
            7 => a.eventually(),
            8 => a.always(),
            _ => a.leads_to(b),
        }
    }
}
