//! A solver's answer: whether there is a model, and the values in it. A value that is neither a truth value nor a
//! number that fits is kept as the solver wrote it.

use crate::sexpr::Sexpr;

/// The reason of [`SolverAnswer::Unknown`] when the time limit ended a question.
pub const TIME: &str = "time";

/// The answer to the question whether all that was asserted can be true at once.
#[derive(Clone, PartialEq, Eq, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum SolverAnswer {
    /// It can.
    Sat,
    /// It cannot.
    Unsat,
    /// The solver does not know, for this reason: [`TIME`], or what it says itself.
    #[strum(to_string = "unknown ({0})")]
    Unknown(String),
}

impl SolverAnswer {
    /// Whether the time limit ended the question.
    pub fn is_timeout(&self) -> bool {
        matches!(self, SolverAnswer::Unknown(reason) if reason == TIME)
    }
}

/// The value of a term in a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug, strum::Display)]
pub enum SmtValue {
    /// A whole number, also where the solver wrote it as a real one.
    #[strum(to_string = "{0}")]
    Int(i128),
    /// A fraction in lowest terms, with a denominator above 1.
    #[strum(to_string = "{0}/{1}")]
    Rational(i128, i128),
    /// A truth value.
    #[strum(to_string = "{0}")]
    Bool(bool),
    /// Anything else, as the solver wrote it.
    #[strum(to_string = "{0}")]
    Other(String),
}

impl SmtValue {
    /// The value that an expression stands for.
    pub fn read(expression: &Sexpr) -> SmtValue {
        match (expression.text(), fraction(expression)) {
            (Some("true"), _) => SmtValue::Bool(true),
            (Some("false"), _) => SmtValue::Bool(false),
            (_, Some((number, 1))) => SmtValue::Int(number),
            (_, Some((above, below))) => SmtValue::Rational(above, below),
            (_, None) => SmtValue::Other(expression.to_string()),
        }
    }
}

/// A number as a fraction in lowest terms with a denominator above 0; `None` if it is none, or too large.
fn fraction(expression: &Sexpr) -> Option<(i128, i128)> {
    if let Some(text) = expression.text() {
        return decimal(text);
    }
    if let Some([number]) = expression.tail("-") {
        let (above, below) = fraction(number)?;
        return Some((above.checked_neg()?, below));
    }
    if let Some([above, below]) = expression.tail("/") {
        let ((a, b), (c, d)) = (fraction(above)?, fraction(below)?);
        return lowest(a.checked_mul(d)?, b.checked_mul(c)?);
    }
    None
}

/// A decimal number as a fraction in lowest terms; `None` if it is none, or too large.
pub(crate) fn decimal(text: &str) -> Option<(i128, i128)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) {
        return None;
    }
    let part = part.trim_end_matches('0');
    let scale = 10i128.checked_pow(u32::try_from(part.len()).ok()?)?;
    let part = if part.is_empty() { 0 } else { part.parse().ok()? };
    lowest(whole.parse::<i128>().ok()?.checked_mul(scale)?.checked_add(part)?, scale)
}

fn lowest(above: i128, below: i128) -> Option<(i128, i128)> {
    let common = gcd(above, below);
    match below {
        0 => None,
        1.. => Some((above / common, below / common)),
        _ => Some((above.checked_neg()? / common, below.checked_neg()? / common)),
    }
}

/// The largest number that divides both, and at least 1.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::parse;

    fn read(text: &str) -> SmtValue {
        SmtValue::read(&parse(text).unwrap()[0])
    }

    #[test]
    fn numbers_are_read_as_both_solvers_write_them() {
        for (text, expected) in [
            ("5", SmtValue::Int(5)),
            ("(- 5)", SmtValue::Int(-5)),
            ("5.0", SmtValue::Int(5)),
            ("(- 5.0)", SmtValue::Int(-5)),
            ("(/ 1 2)", SmtValue::Rational(1, 2)),
            ("(- (/ 1.0 2.0))", SmtValue::Rational(-1, 2)),
            ("(/ (- 1) 2)", SmtValue::Rational(-1, 2)),
            ("(/ 1 (- 2))", SmtValue::Rational(-1, 2)),
            ("(/ 6.0 3.0)", SmtValue::Int(2)),
            ("0.250", SmtValue::Rational(1, 4)),
            ("(- 0)", SmtValue::Int(0)),
            ("170141183460469231731687303715884105727", SmtValue::Int(i128::MAX)),
            ("true", SmtValue::Bool(true)),
            ("false", SmtValue::Bool(false)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_that_fits_is_kept_as_text() {
        for text in [
            "170141183460469231731687303715884105728",
            "(/ 1 0)",
            "1.4142135623?",
            "(root-obj (+ (^ x 2) (- 2)) 2)",
            "(- 5 2)",
            "|true|",
            "(_ bv5 8)",
        ] {
            assert_eq!(read(text), SmtValue::Other(text.to_string()), "{text}");
        }
    }

    #[test]
    fn values_are_shown_as_a_person_writes_them() {
        let shown: Vec<String> =
            ["(- 5)", "(/ 1 (- 2))", "true", "|a b|"].map(|t| read(t).to_string()).into();
        assert_eq!(shown, ["-5", "-1/2", "true", "|a b|"]);
        assert_eq!(SolverAnswer::Unknown(TIME.to_string()).to_string(), "unknown (time)");
    }
}
