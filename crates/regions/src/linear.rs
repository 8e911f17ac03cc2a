//! A duration that is a linear expression over parameters, with rational coefficients. It is the second implementation
//! of [`Time`]: a protocol calculates with it as it does with numbers, and where it compares two of them, the
//! comparison may be undecided (`decisions`).

use crate::decisions::{self, Trouble};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::Mutex;
use watchkeeper_core::{Malformed, Pack, Perm, Reader, Time};
use watchkeeper_polyhedra::{Constraint, Relation};

/// A linear expression over parameters, such as `3*tmax - tmin` or `tmax/4`. Equal expressions are one value.
///
/// ```
/// use watchkeeper_core::Time;
/// use watchkeeper_regions::Linear;
///
/// let (tmin, tmax) = (Linear::parameter("tmin"), Linear::parameter("tmax"));
/// assert_eq!(tmax.scaled(3, 1).plus(tmin).to_string(), "3*tmax + tmin");
/// assert_eq!(tmax.halved().halved(), "tmax/4".parse::<Linear>()?);
/// # Ok::<(), watchkeeper_regions::LinearError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Linear(&'static Expression);

/// Sum of terms and constant over a common denominator, in lowest terms.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Expression {
    /// Parameters in the order of their names, with coefficients that are not 0.
    terms: Box<[(String, i64)]>,
    constant: i64,
    denominator: i64,
}

/// All expressions so far. They are few: those that the code of protocols can make.
static KNOWN: Mutex<Option<HashSet<&'static Expression>>> = Mutex::new(None);

impl Linear {
    /// The parameter of this name.
    pub fn parameter(name: &str) -> Linear {
        Linear::intern(Expression { terms: [(name.to_string(), 1)].into(), constant: 0, denominator: 1 })
    }

    /// The names of the parameters in it.
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        self.0.terms.iter().map(|(name, _)| name.as_str())
    }

    /// Its coefficients for these parameters, its constant, and the denominator of all; `None` if it has another
    /// parameter.
    pub fn row(self, parameters: &[String]) -> Option<(Vec<i64>, i64, i64)> {
        let mut row = vec![0; parameters.len()];
        for (name, coefficient) in &self.0.terms {
            *row.get_mut(parameters.iter().position(|known| known == name)?)? = *coefficient;
        }
        Some((row, self.0.constant, self.0.denominator))
    }

    /// Its value at a point, if there is one: the numerator and the denominator.
    pub fn at(self, value: impl Fn(&str) -> Option<i64>) -> Option<(i64, i64)> {
        let sum = self.0.terms.iter().try_fold(self.0.constant, |sum, (name, coefficient)| {
            sum.checked_add(coefficient.checked_mul(value(name)?)?)
        })?;
        Some((sum, self.0.denominator))
    }

    /// Whether it is a number without parameters.
    pub fn is_constant(self) -> bool {
        self.0.terms.is_empty()
    }

    /// `self - other`, which may be negative; `None` beyond what can be counted.
    pub(crate) fn difference(self, other: Linear) -> Option<Linear> {
        self.combined(other, -1)
    }

    /// The constraint that `self - other` is in this relation to 0.
    pub(crate) fn compared(
        self,
        other: Linear,
        relation: Relation,
        parameters: &[String],
    ) -> Result<Constraint, Trouble> {
        let difference = self.difference(other).ok_or(Trouble::Overflow)?;
        let (row, constant, _) =
            difference.row(parameters).ok_or_else(|| Trouble::unknown(difference, parameters))?;
        Ok(Constraint::new(row, constant, relation))
    }

    /// `self + sign * other`.
    fn combined(self, other: Linear, sign: i64) -> Option<Linear> {
        let (a, b) = (self.0, other.0);
        let common = lcm(a.denominator, b.denominator)?;
        let (left, right) = (common / a.denominator, (common / b.denominator).checked_mul(sign)?);
        let mut terms: BTreeMap<&str, i64> = BTreeMap::new();
        for (factor, side) in [(left, a), (right, b)] {
            for (name, coefficient) in &side.terms {
                let entry = terms.entry(name).or_default();
                *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
            }
        }
        let constant = a.constant.checked_mul(left)?.checked_add(b.constant.checked_mul(right)?)?;
        let terms = terms.into_iter().map(|(name, coefficient)| (name.to_string(), coefficient));
        Some(Linear::reduced(terms.collect(), constant, common))
    }

    /// `self * numerator / denominator`.
    fn multiplied(self, numerator: i64, denominator: i64) -> Option<Linear> {
        let denominator = self.0.denominator.checked_mul(denominator)?;
        let terms = self.0.terms.iter();
        let terms: Option<Vec<(String, i64)>> = terms
            .map(|(name, coefficient)| Some((name.clone(), coefficient.checked_mul(numerator)?)))
            .collect();
        let constant = self.0.constant.checked_mul(numerator)?;
        (denominator > 0).then_some(())?;
        Some(Linear::reduced(terms?, constant, denominator))
    }

    fn reduced(mut terms: Vec<(String, i64)>, constant: i64, denominator: i64) -> Linear {
        terms.retain(|(_, coefficient)| *coefficient != 0);
        let common = terms.iter().fold(gcd(constant, denominator), |sum, (_, c)| gcd(sum, *c)).max(1);
        terms.iter_mut().for_each(|(_, coefficient)| *coefficient /= common);
        let (constant, denominator) = (constant / common, denominator / common);
        Linear::intern(Expression { terms: terms.into(), constant, denominator })
    }

    fn intern(expression: Expression) -> Linear {
        let mut known = KNOWN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let known = known.get_or_insert_default();
        if let Some(found) = known.get(&expression) {
            return Linear(found);
        }
        let kept: &'static Expression = Box::leak(Box::new(expression));
        known.insert(kept);
        Linear(kept)
    }

    /// This value, or a note that it could not be calculated.
    fn or_overflow(found: Option<Linear>, instead: Linear) -> Linear {
        found.unwrap_or_else(|| {
            decisions::note(Trouble::Overflow);
            instead
        })
    }
}

impl Time for Linear {
    fn plus(self, other: Linear) -> Linear {
        Linear::or_overflow(self.combined(other, 1), self)
    }

    fn minus(self, other: Linear) -> Linear {
        if self.less(other) {
            return Linear::from(0);
        }
        Linear::or_overflow(self.difference(other), self)
    }

    fn scaled(self, numerator: u32, denominator: u32) -> Linear {
        Linear::or_overflow(self.multiplied(i64::from(numerator), i64::from(denominator)), self)
    }

    fn times(self, factor: Linear) -> Linear {
        let (number, other) = if self.is_constant() { (self, factor) } else { (factor, self) };
        if !number.is_constant() {
            decisions::note(Trouble::Product { left: self.to_string(), right: factor.to_string() });
            return self;
        }
        Linear::or_overflow(other.multiplied(number.0.constant, number.0.denominator), self)
    }

    fn less(self, other: Linear) -> bool {
        decisions::less(self, other)
    }

    fn fits(self, _: u32) -> bool {
        true
    }
}

impl From<u32> for Linear {
    fn from(constant: u32) -> Linear {
        Linear::reduced(Vec::new(), i64::from(constant), 1)
    }
}

impl From<&str> for Linear {
    /// The parameter of this name.
    fn from(name: &str) -> Linear {
        Linear::parameter(name)
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expression { terms, constant, denominator } = self.0;
        let mut first = true;
        let mut term = |f: &mut fmt::Formatter<'_>, factor: i64, name: Option<&str>| {
            let common = gcd(factor, *denominator).max(1);
            let (above, below) = (factor.unsigned_abs() / common.unsigned_abs(), denominator / common);
            match (first, factor < 0) {
                (true, true) => f.write_str("-")?,
                (true, false) => {}
                (false, true) => f.write_str(" - ")?,
                (false, false) => f.write_str(" + ")?,
            }
            first = false;
            match name {
                Some(name) if above == 1 => f.write_str(name)?,
                Some(name) => write!(f, "{above}*{name}")?,
                None => write!(f, "{above}")?,
            }
            if below == 1 { Ok(()) } else { write!(f, "/{below}") }
        };
        for (name, coefficient) in terms {
            term(f, *coefficient, Some(name))?;
        }
        if *constant != 0 || terms.is_empty() { term(f, *constant, None) } else { Ok(()) }
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Pack for Linear {
    fn pack(&self, out: &mut Vec<u8>) {
        let Expression { terms, constant, denominator } = self.0;
        (terms.len() as u64).pack(out);
        for (name, coefficient) in terms {
            name.as_bytes().to_vec().pack(out);
            coefficient.cast_unsigned().pack(out);
        }
        constant.cast_unsigned().pack(out);
        denominator.cast_unsigned().pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Linear, Malformed> {
        let count = u64::unpack(bytes)?;
        let mut terms: Vec<(String, i64)> = Vec::new();
        for _ in 0..count {
            let name = String::from_utf8(Vec::<u8>::unpack(bytes)?).map_err(|_| Malformed("not a name"))?;
            let coefficient = u64::unpack(bytes)?.cast_signed();
            if coefficient == 0 || terms.last().is_some_and(|(before, _)| *before >= name) {
                return Err(Malformed("terms not in their order"));
            }
            terms.push((name, coefficient));
        }
        let (constant, denominator) = (u64::unpack(bytes)?.cast_signed(), u64::unpack(bytes)?.cast_signed());
        let common = terms.iter().fold(gcd(constant, denominator), |sum, (_, c)| gcd(sum, *c));
        if denominator <= 0 || common != 1 {
            return Err(Malformed("an expression not in lowest terms"));
        }
        Ok(Linear::intern(Expression { terms: terms.into(), constant, denominator }))
    }

    fn rename(&self, _: &Perm) -> Linear {
        *self
    }
}

/// A text that is no linear expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LinearError {
    /// Something that is neither a number nor a name, `*`, `/`, `+` or `-`.
    #[error("`{0}` is not a linear expression: write sums of terms such as 3*tmax - tmin/2 + 1")]
    Syntax(String),
    /// A product of two parameters.
    #[error(
        "`{0}` multiplies parameters: a region is bounded by linear constraints, so give one of them a number, or let \
         another parameter stand for the product"
    )]
    Product(String),
    /// Numbers that are too large.
    #[error("`{0}` has numbers beyond what can be counted")]
    Overflow(String),
}

impl FromStr for Linear {
    type Err = LinearError;

    fn from_str(text: &str) -> Result<Linear, LinearError> {
        let syntax = || LinearError::Syntax(text.to_string());
        let overflow = || LinearError::Overflow(text.to_string());
        let mut sum = Linear::from(0);
        let mut rest = text.trim();
        let mut sign = 1;
        if let Some(after) = rest.strip_prefix('-') {
            (sign, rest) = (-1, after);
        }
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let term = factors(rest[..end].trim(), text)?;
            sum = sum.combined(term, sign).ok_or_else(overflow)?;
            match rest[end..].chars().next() {
                None => return Ok(sum),
                Some(operator) => sign = if operator == '-' { -1 } else { 1 },
            }
            rest = &rest[end + 1..];
            if rest.trim().is_empty() {
                return Err(syntax());
            }
        }
    }
}

/// A product of numbers and at most one parameter, with divisions by numbers.
fn factors(term: &str, text: &str) -> Result<Linear, LinearError> {
    let syntax = || LinearError::Syntax(text.to_string());
    let mut product = Linear::from(1);
    let mut divide = false;
    let mut rest = term;
    loop {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        let factor = rest[..end].trim();
        product = match (factor.parse::<i64>(), divide) {
            (Ok(0), true) => return Err(syntax()),
            (Ok(number), true) => product.multiplied(1, number),
            (Ok(number), false) => product.multiplied(number, 1),
            (Err(_), _) if !is_name(factor) => return Err(syntax()),
            (Err(_), true) => return Err(LinearError::Product(text.to_string())),
            (Err(_), false) if product.is_constant() => {
                Linear::parameter(factor).multiplied(product.0.constant, product.0.denominator)
            }
            (Err(_), false) => return Err(LinearError::Product(text.to_string())),
        }
        .ok_or_else(|| LinearError::Overflow(text.to_string()))?;
        match rest[end..].chars().next() {
            None => return Ok(product),
            Some(operator) => divide = operator == '/',
        }
        rest = &rest[end + 1..];
    }
}

/// Whether a text can be the name of a parameter. `max_delta` stands for the parameter `max-delta`, whose hyphen would
/// be a minus.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b).max(1)).checked_mul(b)
}
