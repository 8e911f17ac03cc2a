//! The number of standard deviations after which phi reaches a threshold, in fixed point: by the normal distribution, and by
//! the logistic approximation of it that Akka computes. Both depend on the threshold alone, so a detector asks once.
//!
//! All numbers here have 40 bits behind the point. The results are within 2e-9 of the real ones.

/// The bits behind the point.
pub(super) const FRACTION: u32 = 40;

const ONE: i128 = 1 << FRACTION;

/// The natural logarithms of 2, of 10, and of the square root of twice pi.
const LN_2: i128 = 762_123_384_786;
const LN_10: i128 = 2_531_719_083_691;
const LN_ROOT_TWO_PI: i128 = 1_010_383_602_470;

/// The coefficients of the logistic approximation, 1.5976 and 0.070566.
const LINEAR: i128 = 1_756_579_776_535;
const CUBIC: i128 = 77_588_137_526;

/// Above every quantile of a threshold that a detector accepts.
const FAR: i128 = 32 * ONE;

/// The levels of the continued fraction. From half a standard deviation on, what they leave out is below 1e-13.
const LEVELS: i128 = 500;

/// The thousandths of a threshold in natural logarithms.
pub(super) fn nats(thousandths: u32) -> i128 {
    LN_10 * i128::from(thousandths) / 1000
}

/// The number of standard deviations at which the tail of the normal distribution is `10^-threshold`.
pub(super) fn normal(thousandths: u32) -> i128 {
    let aim = nats(thousandths);
    least(|z| tail(z) >= aim)
}

/// The number of standard deviations at which the logistic approximation comes to `10^-threshold`: the `y` with
/// `y * (1.5976 + 0.070566 * y * y) = ln(10^threshold - 1)`.
pub(super) fn logistic(thousandths: u32) -> i128 {
    let nats = nats(thousandths);
    let aim = nats + ln(ONE - exp_of_minus(nats));
    least(|y| mul(y, LINEAR + mul(CUBIC, mul(y, y))) >= aim)
}

/// The least number from 0 on that has come far enough.
fn least(far_enough: impl Fn(i128) -> bool) -> i128 {
    let (mut below, mut above) = (0, FAR);
    while below < above {
        let middle = below + (above - below) / 2;
        if far_enough(middle) { above = middle } else { below = middle + 1 }
    }
    above
}

/// Minus the logarithm of the tail of the normal distribution, by the continued fraction of Laplace:
/// `z^2 / 2 + ln(sqrt(2 pi)) + ln(z + 1/(z + 2/(z + 3/(z + ...))))`.
fn tail(z: i128) -> i128 {
    let z = z.max(1);
    let fraction = (1..=LEVELS).rev().fold(z, |under, level| z + level * ONE * ONE / under);
    mul(z, z) / 2 + LN_ROOT_TWO_PI + ln(fraction)
}

fn mul(one: i128, other: i128) -> i128 {
    (one * other) >> FRACTION
}

/// The natural logarithm of a positive number: of its power of two, and by the series of the area tangent of the rest.
fn ln(x: i128) -> i128 {
    let x = x.max(1);
    let power = x.ilog2() as i128 - i128::from(FRACTION);
    let rest = if power >= 0 { x >> power } else { x << -power };
    let s = (rest - ONE) * ONE / (rest + ONE);
    let square = mul(s, s);
    let (mut sum, mut term, mut odd) = (0, s, 1);
    while term != 0 {
        sum += term / odd;
        term = mul(term, square);
        odd += 2;
    }
    power * LN_2 + 2 * sum
}

/// The exponential of minus a number from 0 on: of its power of two, and by the series of the rest.
fn exp_of_minus(x: i128) -> i128 {
    let (halvings, rest) = (x / LN_2, x % LN_2);
    let (mut sum, mut term, mut place) = (0, ONE, 1);
    while term != 0 {
        sum += term;
        term = -mul(term, rest) / place;
        place += 1;
    }
    sum.checked_shr(u32::try_from(halvings).unwrap_or(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(x: i128) -> f64 {
        x as f64 / ONE as f64
    }

    #[test]
    fn logarithms_and_exponentials_are_those_of_floating_point() {
        for step in 1..2000 {
            let x = i128::from(step) * ONE / 64 + 12_345;
            assert!((real(ln(x)) - real(x).ln()).abs() < 1e-10, "ln {}", real(x));
            assert!((real(exp_of_minus(x)) - (-real(x)).exp()).abs() < 1e-10, "exp -{}", real(x));
        }
        for (constant, value) in
            [(LN_2, 2f64.ln()), (LN_10, 10f64.ln()), (LN_ROOT_TWO_PI, std::f64::consts::TAU.sqrt().ln())]
        {
            assert!((real(constant) - value).abs() < 1e-12);
        }
    }

    /// Of the normal distribution, from tables: the tail at 1.281552 is 0.1, at 5.612001 it is 1e-8, and so on.
    #[test]
    fn normal_quantiles_are_those_of_tables() {
        for (thousandths, z) in [
            (1000, 1.281_551_565_545),
            (2000, 2.326_347_874_041),
            (3000, 3.090_232_306_168),
            (5000, 4.264_890_793_923),
            (8000, 5.612_001_244_175),
            (12_000, 7.034_483_825_301),
            (16_000, 8.222_082_216_130),
        ] {
            assert!(
                (real(normal(thousandths)) - z).abs() < 2e-9,
                "{thousandths}: {}",
                real(normal(thousandths))
            );
        }
    }

    /// What was found is put into the formula, in floating point.
    #[test]
    fn logistic_quantiles_solve_the_formula() {
        for thousandths in (500..=100_000).step_by(500) {
            let y = real(logistic(thousandths));
            let threshold = f64::from(thousandths) / 1000.0;
            let e = (-y * (1.5976 + 0.070566 * y * y)).exp();
            let phi = -(e / (1.0 + e)).log10();
            assert!((phi - threshold).abs() < 1e-8, "{threshold}: {phi}");
        }
        assert!((real(logistic(8000)) - 5.225_987).abs() < 1e-6, "{}", real(logistic(8000)));
    }

    /// Akka's phi of 8 is a true phi of 7.06.
    #[test]
    fn the_approximation_overstates_phi() {
        let y = logistic(8000);
        let phi = real(tail(y)) / 10f64.ln();
        assert!((phi - 7.06).abs() < 0.005, "{phi}");
    }
}
