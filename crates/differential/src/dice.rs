//! The random numbers of a case. They follow from the seed and the number of the case alone, so that a case can be drawn
//! again.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Dice(fastrand::Rng);

impl Dice {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(fastrand::Rng::with_seed(seed))
    }

    /// Another stream, which depends on this number too.
    #[must_use]
    pub fn mix(mut self, value: u64) -> Dice {
        Dice::new(self.0.u64(..) ^ value.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// One of `0..sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0.u64(..sides.max(1))
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
