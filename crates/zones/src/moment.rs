//! Rational times as people write them. They must never be rounded: what is no short decimal fraction is
//! shown as a common one.

use std::fmt;

/// A rational time, shown as people write it: `20`, `20.5`, `7 1/3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Moment {
    numerator: i64,
    denominator: i64,
}

impl Moment {
    /// A fraction, brought to its lowest terms.
    ///
    /// # Panics
    /// If the denominator is not positive.
    pub fn new(numerator: i64, denominator: i64) -> Moment {
        assert!(denominator > 0, "a positive denominator");
        let (mut divisor, mut rest) = (denominator, numerator.rem_euclid(denominator));
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Moment { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The numerator, in lowest terms.
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator, in lowest terms.
    pub fn denominator(self) -> i64 {
        self.denominator
    }
}

impl fmt::Display for Moment {
    /// A decimal fraction if three places are enough, otherwise a common one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.numerator < 0 { "-" } else { "" };
        let (whole, rest) =
            (self.numerator.abs() / self.denominator, self.numerator.abs() % self.denominator);
        match (whole, rest) {
            (_, 0) => write!(f, "{sign}{whole}"),
            _ if 1000 % self.denominator == 0 => {
                let places = format!("{:03}", rest * (1000 / self.denominator));
                write!(f, "{sign}{whole}.{}", places.trim_end_matches('0'))
            }
            (0, _) => write!(f, "{sign}{rest}/{}", self.denominator),
            _ => write!(f, "{sign}{whole} {rest}/{}", self.denominator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_people_write_it() {
        let shown = |(numerator, denominator)| Moment::new(numerator, denominator).to_string();
        let fractions = [(60, 3), (41, 2), (22, 3), (2, 6), (9, 8), (1, 1000), (1, 16), (0, 7)];
        assert_eq!(fractions.map(shown), ["20", "20.5", "7 1/3", "1/3", "1.125", "0.001", "1/16", "0"]);
        assert_eq!([(-1, 2), (-4, 3), (-1, 3), (-6, 2)].map(shown), ["-0.5", "-1 1/3", "-1/3", "-3"]);
    }

    #[test]
    fn equal_times_are_equal_moments() {
        assert_eq!(Moment::new(-4, 6), Moment::new(-2, 3));
        let moment = Moment::new(0, 9);
        assert_eq!((moment.numerator(), moment.denominator()), (0, 1));
    }
}
