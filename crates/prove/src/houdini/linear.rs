//! Comparisons of sums as rows of factors: most conclusions of candidates are such, and a row is worked out several times
//! faster than a tree, and exactly.

use crate::Term;
use crate::code::{Code, PlaceTable};

/// A formula over places.
pub(super) enum Conclusion {
    /// The sum of factors of places, and a number, is at most 0.
    AtMostZero(Vec<(usize, i64)>, i64),
    /// Anything else.
    Other(Code),
}

impl Conclusion {
    pub(super) fn new(term: &Term, places: &mut PlaceTable) -> Conclusion {
        linear(term, places).unwrap_or_else(|| Conclusion::Other(places.code(term)))
    }

    /// Whether it is false, as far as that can be worked out, where numbers are counted in parts of a unit.
    pub(super) fn is_false(&self, places: &mut [i64], unit: i64) -> bool {
        match self {
            Conclusion::AtMostZero(factors, number) => {
                let start = i128::from(*number) * i128::from(unit);
                let sum = factors.iter().try_fold(start, |sum, &(place, factor)| {
                    sum.checked_add(i128::from(factor) * i128::from(places[place]))
                });
                sum.is_some_and(|sum| sum > 0)
            }
            Conclusion::Other(code) => code.scaled(places, unit) == Some(0),
        }
    }
}

fn linear(term: &Term, places: &PlaceTable) -> Option<Conclusion> {
    let Term::Le(left, right) = term else { return None };
    let (mut factors, mut number) = (Vec::new(), 0);
    add(left, 1, places, &mut factors, &mut number)?;
    add(right, -1, places, &mut factors, &mut number)?;
    Some(Conclusion::AtMostZero(factors, number))
}

/// Adds a multiple of a term; none if it is no sum of places, or a factor is too large.
fn add(
    term: &Term,
    times: i64,
    places: &PlaceTable,
    factors: &mut Vec<(usize, i64)>,
    number: &mut i64,
) -> Option<()> {
    match term {
        Term::Number(n) => *number = number.checked_add(n.checked_mul(times)?)?,
        Term::Name(name) => factors.push((places.of(name)?, times)),
        Term::Sum(parts) => {
            parts.iter().try_for_each(|part| add(part, times, places, factors, number))?;
        }
        Term::Times(k, part) => add(part, times.checked_mul(*k)?, places, factors, number)?,
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term;

    #[test]
    fn a_row_of_factors_is_false_where_the_formula_is() {
        let mut places = PlaceTable::default();
        ["x", "y"].iter().for_each(|name| {
            places.add(name);
        });
        let texts = ["x <= 3", "2*x + 1 <= y", "x - 3*y <= 2*(x + 1)", "0 <= x", "x < y", "x <= min(y, 2)"];
        let rows = texts.map(|text| Conclusion::new(&term(text).expect(text), &mut places));
        let is_row = |row: &Conclusion| matches!(row, Conclusion::AtMostZero(..));
        assert_eq!(rows.each_ref().map(is_row), [true, true, true, true, false, false]);
        for (text, row) in texts.iter().zip(&rows) {
            let code = places.code(&term(text).expect(text));
            for (x, y, unit) in (-6..7).flat_map(|x| (-6..7).flat_map(move |y| [(x, y, 1), (x, y, 3)])) {
                let defined = code.scaled(&mut [x, y], unit) == Some(0);
                assert_eq!(row.is_false(&mut [x, y], unit), defined, "{text} with {x}/{unit} and {y}/{unit}");
            }
        }
    }
}
