//! Exact rational numbers of any size. An integer is one whose denominator is one.

use std::cmp::Ordering;
use std::fmt;

use super::natural::Natural;

/// A rational number in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rational {
    /// Whether it is below zero; zero is not.
    negative: bool,
    numerator: Natural,
    denominator: Natural,
}

/// The largest number of bits that a power may have.
const MAX_POWER_BITS: usize = 1 << 17;

impl Rational {
    pub(super) fn integer(value: i128) -> Self {
        let numerator = Natural::of(value.unsigned_abs());
        Self { negative: value < 0, numerator, denominator: Natural::one() }
    }

    pub(super) fn parse(digits: &str) -> Self {
        Self { negative: false, numerator: Natural::parse(digits), denominator: Natural::one() }
    }

    fn of(negative: bool, numerator: Natural, denominator: Natural) -> Self {
        if denominator.is_one() {
            return Self { negative: negative && !numerator.is_zero(), numerator, denominator };
        }
        let divisor = numerator.greatest_common_divisor(&denominator);
        let (numerator, denominator) = if divisor.is_one() {
            (numerator, denominator)
        } else {
            (numerator.divide(&divisor).0, denominator.divide(&divisor).0)
        };
        Self { negative: negative && !numerator.is_zero(), numerator, denominator }
    }

    /// Its value, if it is an integer of at most 127 bits.
    pub(super) fn small(&self) -> Option<i128> {
        let value = self.numerator.small()?;
        self.is_integer().then_some(if self.negative { -value } else { value })
    }

    /// Numerator and denominator, if both have at most 63 bits.
    pub(super) fn fraction(&self) -> Option<(i64, i64)> {
        let numerator = i64::try_from(self.numerator.small()?).ok()?;
        let denominator = i64::try_from(self.denominator.small()?).ok()?;
        Some((if self.negative { -numerator } else { numerator }, denominator))
    }

    /// How many bits it takes to write it down.
    pub(super) fn bits(&self) -> usize {
        self.numerator.bits() + self.denominator.bits()
    }

    pub(super) fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(super) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (a, b) = (self.numerator.times(&other.denominator), other.numerator.times(&self.denominator));
        let denominator = self.denominator.times(&other.denominator);
        if self.negative == other.negative {
            return Self::of(self.negative, a.plus(&b), denominator);
        }
        if a >= b {
            Self::of(self.negative, a.minus(&b), denominator)
        } else {
            Self::of(other.negative, b.minus(&a), denominator)
        }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let numerator = self.numerator.times(&other.numerator);
        Self::of(self.negative != other.negative, numerator, self.denominator.times(&other.denominator))
    }

    /// The quotient, unless the divisor is zero.
    pub(super) fn divided_by(&self, other: &Self) -> Option<Self> {
        let numerator = self.numerator.times(&other.denominator);
        let denominator = self.denominator.times(&other.numerator);
        (!other.is_zero()).then(|| Self::of(self.negative != other.negative, numerator, denominator))
    }

    /// The largest integer that is not larger.
    pub(super) fn floor(&self) -> Self {
        let (quotient, rest) = self.numerator.divide(&self.denominator);
        let numerator =
            if self.negative && !rest.is_zero() { quotient.plus(&Natural::one()) } else { quotient };
        Self { negative: self.negative && !numerator.is_zero(), numerator, denominator: Natural::one() }
    }

    /// The power, unless it is not defined or too large to be written down.
    pub(super) fn power(&self, exponent: &Self) -> Option<Self> {
        if exponent.negative {
            let inverse = Self::integer(1).divided_by(self)?;
            return inverse.power(&exponent.negated());
        }
        let mut left = u64::try_from(exponent.small()?).ok();
        let bits = self.numerator.bits().max(self.denominator.bits());
        if bits <= 1 {
            // Zero or one, whose powers never grow; only whether the exponent is zero or even counts.
            left = Some(match exponent.small()? {
                0 => 0,
                exponent => 2 - (exponent % 2) as u64,
            });
        }
        let left = left?;
        if usize::try_from(left).ok()?.checked_mul(bits)? > MAX_POWER_BITS {
            return None;
        }
        let (mut power, mut square, mut left) = (Self::integer(1), self.clone(), left);
        while left > 0 {
            if left % 2 == 1 {
                power = power.times(&square);
            }
            left /= 2;
            if left > 0 {
                square = square.times(&square);
            }
        }
        Some(power)
    }

    /// The largest integer whose square is not larger; the number must be a natural one.
    pub(super) fn square_root(&self) -> Self {
        let two = Self::integer(2);
        // From above: each step comes closer until it would go up again.
        let start = self.numerator.bits().div_ceil(2) + 1;
        let mut root = two.power(&Self::integer(start as i128)).unwrap_or_else(|| self.clone());
        loop {
            let Some(quotient) = self.divided_by(&root) else { return root };
            let half = root.plus(&quotient.floor()).divided_by(&two).unwrap_or_else(|| root.clone()).floor();
            if half >= root {
                return root;
            }
            root = half;
            if root.is_zero() {
                return root;
            }
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (negative, _) => {
                let (a, b) =
                    (self.numerator.times(&other.denominator), other.numerator.times(&self.denominator));
                if negative { b.cmp(&a) } else { a.cmp(&b) }
            }
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `-3`, `1/2`.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", self.numerator)?;
        if self.is_integer() { Ok(()) } else { write!(f, "/{}", self.denominator) }
    }
}
