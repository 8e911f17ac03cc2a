//! A stream of draws that follows from one number, so that a case can be had again. It is no source of entropy and
//! never looks for one.

/// A stream of draws from what is mixed into it.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0xd134_2543_de82_ef95)).mix(0)
    }

    /// Another stream, which this number decides too.
    #[must_use]
    pub fn mix(mut self, value: u64) -> Dice {
        self.0 ^= value.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xa076_1d64_78bd_642f);
        self.roll(2);
        self
    }

    /// One of `0..sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % sides.max(1)
    }

    /// `true` once in so many.
    pub fn chance(&mut self, one_in: u64) -> bool {
        self.roll(one_in) == 0
    }

    /// One of these, which are not none.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_same_every_time_and_its_neighbours_differ() {
        let stream = |seed: u64| {
            let mut dice = Dice::new(seed);
            (0..32).map(|_| dice.roll(1000)).collect::<Vec<_>>()
        };
        assert_eq!(stream(7), stream(7));
        assert_ne!(stream(7), stream(8));
        let mut seen = [0; 6];
        let mut dice = Dice::new(1).mix(2);
        (0..6000).for_each(|_| seen[dice.roll(6) as usize] += 1);
        assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    }
}
