//! Everything that a live test chooses, from one number that is printed.

/// The seed of this run: `WATCHKEEPER_SEED`, or 1.
pub fn seed() -> u64 {
    std::env::var("WATCHKEEPER_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// How many seconds something lasts: what the variable says, or else this many.
pub fn seconds(variable: &str, usually: u64) -> std::time::Duration {
    let given = std::env::var(variable).ok().and_then(|text| text.parse().ok());
    std::time::Duration::from_secs(given.unwrap_or(usually))
}

/// A generator of numbers (SplitMix64: G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of this seed for one purpose.
    pub fn new(seed: u64, purpose: &str) -> Numbers {
        let mixed =
            purpose.bytes().fold(seed, |mixed, byte| mixed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Numbers(mixed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below this one.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Whether something of this probability, in thousandths, happens.
    pub fn happens(&mut self, thousandths: u64) -> bool {
        self.below(1000) < thousandths
    }
}
