//! The set of all keys with a zone that were ever stored, looked up by hash before any zones are compared.
//! What was stored once is subsumed for ever, so nothing is taken out, even if a larger zone displaces it.

use super::keys::mix;
use watchkeeper_space::Id;

/// No pair: a shard has fewer keys.
const FREE: u64 = u64::MAX;
const SMALLEST: usize = 16;

/// Pairs of the number of a key and a zone.
pub(super) struct Pairs {
    places: Vec<u64>,
    len: usize,
}

impl Pairs {
    /// No pairs.
    pub fn new() -> Pairs {
        Pairs { places: vec![FREE; SMALLEST], len: 0 }
    }

    /// Whether a pair is here.
    #[inline]
    pub fn contains(&self, key: u32, zone: Id) -> bool {
        let pair = pair(key, zone);
        self.places[self.place(pair)] == pair
    }

    /// A look at where a pair would be. Its value means nothing.
    #[inline]
    pub fn glance(&self, key: u32, zone: Id) -> u64 {
        self.places[self.home(pair(key, zone))]
    }

    /// Adds a pair.
    pub fn add(&mut self, key: u32, zone: Id) {
        if self.len >= self.places.len() / 4 * 3 {
            let larger = vec![FREE; 2 * self.places.len()];
            for pair in std::mem::replace(&mut self.places, larger).into_iter().filter(|&pair| pair != FREE) {
                let at = self.place(pair);
                self.places[at] = pair;
            }
        }
        let pair = pair(key, zone);
        let at = self.place(pair);
        self.len += usize::from(self.places[at] == FREE);
        self.places[at] = pair;
    }

    /// The bytes of memory that the set holds.
    pub fn held(&self) -> usize {
        8 * self.places.capacity()
    }

    #[inline]
    fn home(&self, pair: u64) -> usize {
        (mix(pair) >> (u64::BITS - self.places.len().trailing_zeros())) as usize
    }

    /// Where a pair is, or where it would be.
    #[inline]
    fn place(&self, pair: u64) -> usize {
        let mut at = self.home(pair);
        while self.places[at] != pair && self.places[at] != FREE {
            at = (at + 1) % self.places.len();
        }
        at
    }
}

#[inline]
fn pair(key: u32, zone: Id) -> u64 {
    u64::from(key) << 32 | u64::from(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_here_once_it_was_added_and_no_other_is() {
        let mut pairs = Pairs::new();
        for i in 0..5_000 {
            assert!(!pairs.contains(i % 70, i / 70));
            pairs.add(i % 70, i / 70);
            pairs.add(i % 70, i / 70);
        }
        assert_eq!(pairs.len, 5_000);
        assert!((0..5_000).all(|i| pairs.contains(i % 70, i / 70)));
        assert!((0..70).all(|key| !pairs.contains(key, 72) && !pairs.contains(key, Id::MAX)));
    }
}
