//! Numbers for tests that try many cases: the same ones in every run.

use crate::Formula;

/// A generator (xorshift64*, Vigna 2016), good enough for choosing cases.
pub struct Random(u64);

impl Random {
    /// A generator for each seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
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
