//! Checked arithmetic on rows of integers: the greatest common divisor, and the combination of two rows. Intermediate
//! results are twice as wide; what does not fit in the end is an overflow. `i64::MIN` counts as too large, so that every
//! number has a negative.

use crate::Overflow;

/// The greatest common divisor; that of 0 and n is n.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The same of wide numbers.
pub(crate) fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd(a, b));
        }
        (a, b) = (b, a % b);
    }
    a
}

/// The number, if it fits.
pub(crate) fn narrow(wide: i128) -> Result<i64, Overflow> {
    match i64::try_from(wide) {
        Ok(i64::MIN) | Err(_) => Err(Overflow),
        Ok(narrow) => Ok(narrow),
    }
}

/// Divides a row by the greatest common divisor of its entries.
pub(crate) fn make_primitive(row: &mut [i64]) {
    let mut divisor = 0;
    for &entry in row.iter() {
        if entry != 0 {
            divisor = gcd(divisor, entry.unsigned_abs());
            if divisor == 1 {
                return;
            }
        }
    }
    if divisor > 1 {
        let divisor = i128::from(divisor);
        for entry in row {
            // Only the most negative number needs the wide division.
            *entry = (i128::from(*entry) / divisor) as i64;
        }
    }
}

/// `target := p * target + q * other`, made primitive.
pub(crate) fn combine(target: &mut [i64], p: i64, other: &[i64], q: i64) -> Result<(), Overflow> {
    let mix = |a: i64, b: i64| i128::from(p) * i128::from(a) + i128::from(q) * i128::from(b);
    if target.iter().zip(other).all(|(&a, &b)| narrow(mix(a, b)).is_ok()) {
        for (a, &b) in target.iter_mut().zip(other) {
            *a = mix(*a, b) as i64;
        }
        make_primitive(target);
        return Ok(());
    }
    let divisor =
        target.iter().zip(other).fold(0, |d, (&a, &b)| gcd_wide(d, mix(a, b).unsigned_abs())) as i128;
    for (a, &b) in target.iter_mut().zip(other) {
        *a = narrow(mix(*a, b) / divisor)?;
    }
    Ok(())
}

/// The sum of products, if it fits.
pub(crate) fn dot(a: &[i64], b: &[i64]) -> Result<i128, Overflow> {
    let mut sum = 0i128;
    for (&x, &y) in a.iter().zip(b) {
        if x != 0 {
            sum = sum.checked_add(i128::from(x) * i128::from(y)).ok_or(Overflow)?;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_combined_without_losing_what_fits_in_the_end() {
        let big = i64::MAX - 1;
        let mut row = [big, 4, 0];
        combine(&mut row, 2, &[0, 2, 2], 2).unwrap();
        assert_eq!(row, [big / 2, 3, 1]);
        let mut row = [big, 3, 1];
        assert_eq!(combine(&mut row, 3, &[1, 0, 0], 1), Err(Overflow));
    }

    #[test]
    fn divisors() {
        assert_eq!((gcd(0, 6), gcd(12, 18), gcd(7, 0)), (6, 6, 7));
        assert_eq!(gcd_wide(3 << 90, 9 << 80), 3 << 80);
        let mut row = [i64::MIN, 0, 4];
        make_primitive(&mut row);
        assert_eq!(row, [i64::MIN / 4, 0, 1]);
        assert_eq!(narrow(i128::from(i64::MIN)), Err(Overflow));
    }
}
