//! Natural numbers of any size, by the methods of school. They are for what outgrows a machine word; small numbers never come
//! here.

use std::cmp::Ordering;

const BASE_BITS: u32 = 32;

/// How many decimal digits are read or written at a time.
const CHUNK: u32 = 1_000_000_000;
const CHUNK_DIGITS: usize = 9;

/// A natural number: digits of 32 bits, the lowest first, the last one not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Natural(Vec<u32>);

impl Natural {
    pub(super) fn one() -> Self {
        Self(vec![1])
    }

    pub(super) fn of(value: u128) -> Self {
        let digit = |i: u32| (value >> (BASE_BITS * i)) as u32;
        Self((0..4).map(digit).collect()).trimmed()
    }

    /// The number with these decimal digits.
    pub(super) fn parse(digits: &str) -> Self {
        let mut number = Self::default();
        for chunk in digits.as_bytes().chunks(CHUNK_DIGITS) {
            let value = chunk.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            number.multiply_add(10_u32.pow(chunk.len() as u32), value);
        }
        number
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_one(&self) -> bool {
        self.0 == [1]
    }

    /// How many bits it has.
    pub(super) fn bits(&self) -> usize {
        let top = self.0.last().map_or(0, |digit| BASE_BITS - digit.leading_zeros());
        self.0.len().saturating_sub(1) * BASE_BITS as usize + top as usize
    }

    /// Its value, if it has at most 127 bits.
    pub(super) fn small(&self) -> Option<i128> {
        if self.bits() > 127 {
            return None;
        }
        Some(self.0.iter().rev().fold(0, |value, digit| value << BASE_BITS | i128::from(*digit)))
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut carry = 0_u64;
        let mut digits = Vec::with_capacity(long.0.len() + 1);
        for (i, digit) in long.0.iter().enumerate() {
            let sum = u64::from(*digit) + u64::from(short.0.get(i).copied().unwrap_or(0)) + carry;
            digits.push(sum as u32);
            carry = sum >> BASE_BITS;
        }
        digits.push(carry as u32);
        Self(digits).trimmed()
    }

    /// The difference to a number that is not larger.
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut borrow = 0_i64;
        let mut digits = Vec::with_capacity(self.0.len());
        for (i, digit) in self.0.iter().enumerate() {
            let difference = i64::from(*digit) - i64::from(other.0.get(i).copied().unwrap_or(0)) + borrow;
            digits.push(difference as u32);
            borrow = difference >> BASE_BITS;
        }
        Self(digits).trimmed()
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut digits = vec![0_u32; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, b) in other.0.iter().enumerate() {
                let sum = u64::from(*a) * u64::from(*b) + u64::from(digits[i + j]) + carry;
                digits[i + j] = sum as u32;
                carry = sum >> BASE_BITS;
            }
            digits[i + other.0.len()] = carry as u32;
        }
        Self(digits).trimmed()
    }

    /// Quotient and remainder; the divisor is not zero.
    pub(super) fn divide(&self, divisor: &Self) -> (Self, Self) {
        if self < divisor {
            return (Self::default(), self.clone());
        }
        if let [digit] = divisor.0[..] {
            let mut quotient = self.clone();
            let rest = quotient.divide_by_digit(digit);
            return (quotient, Self::of(u128::from(rest)));
        }
        self.divide_long(divisor)
    }

    /// Long division with digits of 32 bits: each digit of the quotient is guessed from the two highest digits of what is left
    /// and is at most two too large, when the divisor begins with a high digit.
    fn divide_long(&self, divisor: &Self) -> (Self, Self) {
        let shift = divisor.0.last().map_or(0, |top| top.leading_zeros());
        let divisor = divisor.shifted_left(shift);
        let mut rest = self.shifted_left(shift).0;
        rest.push(0);
        let n = divisor.0.len();
        let (top, second) = (u64::from(divisor.0[n - 1]), u64::from(divisor.0[n - 2]));
        let mut quotient = vec![0_u32; rest.len() - n];
        for place in (0..quotient.len()).rev() {
            let high = u64::from(rest[place + n]) << BASE_BITS | u64::from(rest[place + n - 1]);
            let (mut guess, mut left) = (high / top, high % top);
            while guess >> BASE_BITS != 0
                || guess * second > (left << BASE_BITS | u64::from(rest[place + n - 2]))
            {
                guess -= 1;
                left += top;
                if left >> BASE_BITS != 0 {
                    break;
                }
            }
            let (mut carry, mut borrow) = (0_u64, 0_i64);
            for i in 0..n {
                let product = guess * u64::from(divisor.0[i]) + carry;
                carry = product >> BASE_BITS;
                let difference = i64::from(rest[place + i]) - i64::from(product as u32) + borrow;
                rest[place + i] = difference as u32;
                borrow = difference >> BASE_BITS;
            }
            let difference = i64::from(rest[place + n]) - carry as i64 + borrow;
            rest[place + n] = difference as u32;
            if difference < 0 {
                guess -= 1;
                let mut carry = 0_u64;
                for i in 0..n {
                    let sum = u64::from(rest[place + i]) + u64::from(divisor.0[i]) + carry;
                    rest[place + i] = sum as u32;
                    carry = sum >> BASE_BITS;
                }
                rest[place + n] = rest[place + n].wrapping_add(carry as u32);
            }
            quotient[place] = guess as u32;
        }
        let rest = Self(rest).trimmed().shifted_right(shift);
        (Self(quotient).trimmed(), rest)
    }

    pub(super) fn greatest_common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let (_, rest) = a.divide(&b);
            (a, b) = (b, rest);
        }
        a
    }

    fn multiply_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for digit in &mut self.0 {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = product as u32;
            carry = product >> BASE_BITS;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Divides in place, and gives the remainder.
    fn divide_by_digit(&mut self, divisor: u32) -> u32 {
        let mut rest = 0_u64;
        for digit in self.0.iter_mut().rev() {
            let value = rest << BASE_BITS | u64::from(*digit);
            *digit = (value / u64::from(divisor)) as u32;
            rest = value % u64::from(divisor);
        }
        self.trim();
        rest as u32
    }

    /// Shifts by less than a digit.
    fn shifted_left(&self, bits: u32) -> Self {
        let mut shifted = self.clone();
        if bits > 0 {
            shifted.multiply_add(1 << bits, 0);
        }
        shifted
    }

    fn shifted_right(mut self, bits: u32) -> Self {
        if bits > 0 {
            self.divide_by_digit(1 << bits);
        }
        self
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn trimmed(mut self) -> Self {
        self.trim();
        self
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.0.len().cmp(&other.0.len());
        length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In decimal digits.
impl std::fmt::Display for Natural {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.clone();
        let mut chunks = Vec::new();
        while !rest.is_zero() {
            chunks.push(rest.divide_by_digit(CHUNK));
        }
        write!(f, "{}", chunks.pop().unwrap_or(0))?;
        chunks.iter().rev().try_for_each(|chunk| write!(f, "{chunk:0CHUNK_DIGITS$}"))
    }
}
