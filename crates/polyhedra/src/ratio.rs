//! Exact rational numbers. Operations are checked, and comparison is total: it cannot overflow.

use std::cmp::Ordering;
use std::fmt;

use crate::Overflow;
use crate::arithmetic::gcd_wide;

/// An exact rational number in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

    /// The quotient of two integers, of which the second must not be zero.
    pub fn new(numerator: i128, denominator: i128) -> Result<Ratio, Overflow> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return Err(Overflow);
        }
        let divisor = gcd_wide(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let sign = denominator.signum();
        Ok(Ratio { numerator: sign * (numerator / divisor), denominator: sign * (denominator / divisor) })
    }

    /// Above the line.
    pub fn numerator(&self) -> i128 {
        self.numerator
    }

    /// Below the line; positive.
    pub fn denominator(&self) -> i128 {
        self.denominator
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        self.denominator == 1
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    /// The least integer that is not less.
    pub fn ceil(&self) -> i128 {
        self.floor() + i128::from(!self.is_integer())
    }

    /// The sum.
    pub fn add(&self, other: Ratio) -> Result<Ratio, Overflow> {
        // Denominators are mostly equal, and then need not be multiplied.
        let common = gcd_wide(self.denominator.unsigned_abs(), other.denominator.unsigned_abs()) as i128;
        let (mine, its) = (self.denominator / common, other.denominator / common);
        let numerator =
            times(self.numerator, its)?.checked_add(times(other.numerator, mine)?).ok_or(Overflow)?;
        Ratio::new(numerator, times(self.denominator, its)?)
    }

    /// The difference.
    pub fn sub(&self, other: Ratio) -> Result<Ratio, Overflow> {
        self.add(Ratio { numerator: -other.numerator, ..other })
    }

    /// The product.
    pub fn mul(&self, other: Ratio) -> Result<Ratio, Overflow> {
        let (a, d) =
            (Ratio::new(self.numerator, other.denominator)?, Ratio::new(other.numerator, self.denominator)?);
        Ratio::new(times(a.numerator, d.numerator)?, times(a.denominator, d.denominator)?)
    }

    /// The quotient; a division by zero is an overflow.
    pub fn div(&self, other: Ratio) -> Result<Ratio, Overflow> {
        Ratio::new(times(self.numerator, other.denominator)?, times(self.denominator, other.numerator)?)
    }
}

impl From<i64> for Ratio {
    fn from(integer: i64) -> Ratio {
        Ratio { numerator: i128::from(integer), denominator: 1 }
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        // The continued fractions are compared term by term, so no product is needed.
        let (mut a, mut b) = ((self.numerator, self.denominator), (other.numerator, other.denominator));
        loop {
            let (p, q) = (a.0.div_euclid(a.1), b.0.div_euclid(b.1));
            if p != q {
                return p.cmp(&q);
            }
            let (r, s) = (a.0.rem_euclid(a.1), b.0.rem_euclid(b.1));
            if r == 0 || s == 0 {
                return r.cmp(&s);
            }
            (a, b) = ((b.1, s), (a.1, r));
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

fn times(a: i128, b: i128) -> Result<i128, Overflow> {
    a.checked_mul(b).ok_or(Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i128, denominator: i128) -> Ratio {
        Ratio::new(numerator, denominator).unwrap()
    }

    #[test]
    fn ratios_are_in_lowest_terms() {
        assert_eq!(ratio(6, -4), ratio(-3, 2));
        assert_eq!(ratio(6, -4).to_string(), "-3/2");
        assert_eq!(ratio(0, -4), Ratio::ZERO);
        assert_eq!(ratio(8, 4).to_string(), "2");
        assert_eq!(Ratio::new(1, 0), Err(Overflow));
    }

    #[test]
    fn arithmetic_is_exact_and_checked() {
        assert_eq!(ratio(1, 2).add(ratio(1, 3)), Ok(ratio(5, 6)));
        assert_eq!(ratio(1, 2).sub(ratio(1, 3)), Ok(ratio(1, 6)));
        assert_eq!(ratio(3, 2).mul(ratio(4, 3)), Ok(ratio(2, 1)));
        assert_eq!(ratio(3, 2).div(ratio(-3, 4)), Ok(ratio(-2, 1)));
        assert_eq!(ratio(3, 2).div(Ratio::ZERO), Err(Overflow));
        assert_eq!(ratio(i128::MAX, 1).add(Ratio::from(1)), Err(Overflow));
        assert_eq!(ratio(i128::MAX, 2).mul(ratio(i128::MAX, 3)), Err(Overflow));
        assert_eq!((ratio(-3, 2).floor(), ratio(-3, 2).ceil()), (-2, -1));
        assert_eq!((ratio(4, 2).floor(), ratio(4, 2).ceil()), (2, 2));
    }

    #[test]
    fn comparison_needs_no_products() {
        assert!(ratio(i128::MAX, i128::MAX - 1) < ratio(i128::MAX - 1, i128::MAX - 2));
        assert!(ratio(-1, 2) < ratio(-1, 3));
        assert!(ratio(1, 3) < ratio(1, 2));
        assert_eq!(ratio(7, 5).cmp(&ratio(14, 10)), Ordering::Equal);
        for (a, b) in (-6..6).flat_map(|a| (1..5).map(move |b| (a, b))) {
            for (c, d) in (-6..6).flat_map(|c| (1..5).map(move |d| (c, d))) {
                assert_eq!(ratio(a, b).cmp(&ratio(c, d)), (a * d).cmp(&(c * b)), "{a}/{b} {c}/{d}");
            }
        }
    }
}
