//! Candidates and paths, evaluated for the values in a solver's model. A number that is too large for exact
//! arithmetic is refused, so that no candidate is dropped or kept because of a rounded number.

use crate::code::{Code, PlaceTable};
use crate::induction::ObligationChecker;
use crate::obligation::Claim;
use crate::smtlib::SmtQuery;
use crate::solver::{SmtValue, SolverError, gcd};
use crate::{Path, System, Term, TermSort};

/// Values of parameters, variables and choices, in parts of a unit.
#[derive(Clone, Debug)]
pub(super) struct ModelPoint {
    values: Vec<i64>,
    unit: i64,
}

/// Works out candidates and paths for values that a solver gave, over parameters and variables.
pub(super) struct Evaluator {
    /// Parameters and variables that are not sets, in the order of the places.
    names: Vec<(String, TermSort)>,
    candidates: Vec<Code>,
    /// For each path its choices and the values after.
    paths: Vec<(Vec<String>, Vec<Code>)>,
    parameters: usize,
    width: usize,
}

impl Evaluator {
    pub(super) fn new<'p>(
        system: &System,
        claims: &[Claim],
        paths: impl Iterator<Item = &'p Path>,
    ) -> Evaluator {
        let mut places = PlaceTable::default();
        let names: Vec<(String, TermSort)> =
            system.unknowns(None, true).into_iter().filter(|(_, sort)| *sort != TermSort::Set).collect();
        names.iter().for_each(|(name, _)| {
            places.add(name);
        });
        let candidates = claims.iter().map(|claim| places.code(&claim.formula)).collect();
        let parameters = system.parameters.len();
        let mut compiled = Vec::new();
        for path in paths {
            let choices: Vec<String> = path.choices.iter().map(|choice| choice.name.clone()).collect();
            let mut inner = places.clone();
            choices.iter().for_each(|choice| {
                inner.add(choice);
            });
            let after = names[parameters..].iter().map(|(name, _)| inner.code(&path.after(name))).collect();
            places = places.at_least(inner.len());
            compiled.push((choices, after));
        }
        let width = places.len();
        Evaluator { names, candidates, paths: compiled, parameters, width }
    }

    /// The values of parameters and variables, and after them those of the choices; none if one is too large.
    pub(super) fn values(
        &self,
        judge: &mut ObligationChecker<'_>,
        query: &SmtQuery,
    ) -> Result<Option<ModelPoint>, SolverError> {
        let known = |name: &str| query.unknowns.iter().any(|(unknown, _)| unknown == name);
        let choices = query.unknowns.iter().filter(|(name, sort)| {
            *sort != TermSort::Set && !self.names.iter().any(|(other, _)| other == name)
        });
        let all: Vec<&(String, TermSort)> = self.names.iter().chain(choices).collect();
        let asked: Vec<Term> =
            all.iter().filter(|(name, _)| known(name)).map(|(name, _)| Term::name(name)).collect();
        let mut given = judge.values(&asked)?.into_iter();
        let found: Vec<Option<SmtValue>> =
            all.iter().map(|(name, _)| if known(name) { given.next() } else { None }).collect();
        Ok(point(&found))
    }

    /// For each candidate whether it is false, as far as that can be worked out.
    pub(super) fn broken(&self, point: &ModelPoint) -> Vec<bool> {
        let mut places = self.padded(point);
        self.candidates.iter().map(|code| code.scaled(&mut places, point.unit) == Some(0)).collect()
    }

    /// The values after a path; none if one is too large.
    pub(super) fn after(&self, path: usize, point: &ModelPoint) -> Option<ModelPoint> {
        let mut places = self.padded(point);
        let (_, codes) = &self.paths[path];
        let after: Option<Vec<i64>> = codes.iter().map(|code| code.scaled(&mut places, point.unit)).collect();
        let parameters = point.values[..self.parameters].iter().copied();
        Some(ModelPoint { values: parameters.chain(after?).collect(), unit: point.unit })
    }

    fn padded(&self, point: &ModelPoint) -> Vec<i64> {
        let mut places = point.values.clone();
        places.resize(self.width.max(point.values.len()), 0);
        places
    }
}

/// Values that a solver gave, over one denominator; none if a number is too large. What is no number and no truth
/// value, or was not asked for, is 0: nothing rests on it.
fn point(found: &[Option<SmtValue>]) -> Option<ModelPoint> {
    let unit = found.iter().flatten().try_fold(1i128, |unit, value| match value {
        SmtValue::Rational(_, below) => least_common(unit, *below),
        _ => Some(unit),
    })?;
    let values = found.iter().map(|value| match value {
        Some(SmtValue::Int(n)) => i64::try_from(n.checked_mul(unit)?).ok(),
        Some(SmtValue::Rational(above, below)) => i64::try_from(above.checked_mul(unit / below)?).ok(),
        Some(SmtValue::Bool(value)) => Some(i64::from(*value)),
        _ => Some(0),
    });
    Some(ModelPoint { values: values.collect::<Option<_>>()?, unit: i64::try_from(unit).ok()? })
}

/// The least number that both divide.
fn least_common(a: i128, b: i128) -> Option<i128> {
    (a / gcd(a, b)).checked_mul(b)?.checked_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_model_are_exact_or_refused() {
        let values = |found: &[SmtValue]| {
            let found: Vec<Option<SmtValue>> = found.iter().cloned().map(Some).collect();
            point(&found).map(|point| (point.values, point.unit))
        };
        assert_eq!(
            values(&[
                SmtValue::Int(3),
                SmtValue::Rational(-1, 2),
                SmtValue::Bool(true),
                SmtValue::Rational(1, 3)
            ]),
            Some((vec![18, -3, 1, 2], 6))
        );
        let largest = i128::from(i64::MAX);
        assert_eq!(values(&[SmtValue::Int(largest)]), Some((vec![i64::MAX], 1)));
        assert_eq!(values(&[SmtValue::Int(largest + 1)]), None, "not the largest that there is");
        assert_eq!(values(&[SmtValue::Int(largest), SmtValue::Rational(1, 2)]), None);
        assert_eq!(values(&[SmtValue::Rational(1, i128::MAX), SmtValue::Rational(1, i128::MAX - 1)]), None);
    }
}
