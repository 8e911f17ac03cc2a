//! Candidates and paths, evaluated for the values in a solver's model. A number that is too large for exact
//! arithmetic is refused, so that no candidate is dropped or kept because of a rounded number.

use super::linear::Conclusion;
use crate::code::{Code, PlaceTable};
use crate::induction::ObligationChecker;
use crate::obligation::Claim;
use crate::smtlib::SmtQuery;
use crate::solver::{SmtValue, SolverError, gcd};
use crate::{Path, System, Term, TermSort};
use std::collections::BTreeMap;

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
    candidates: CandidateCodes,
    /// For each path its choices and the values after.
    paths: Vec<(Vec<String>, Vec<Code>)>,
    parameters: usize,
    width: usize,
}

/// Candidates by what they say where: many say the same under different conditions, and many have the same condition.
/// Each condition and each conclusion is worked out at most once for a point, and a conclusion only where a condition
/// is true.
#[derive(Default)]
struct CandidateCodes {
    /// Each condition, with the candidates that have it and the places of their conclusions.
    conditions: Vec<(Code, Vec<(usize, usize)>)>,
    conclusions: Vec<Conclusion>,
}

impl CandidateCodes {
    fn new(claims: &[Claim], places: &mut PlaceTable) -> CandidateCodes {
        let mut codes = CandidateCodes::default();
        let mut conditions: BTreeMap<&Term, usize> = BTreeMap::new();
        let mut conclusions: BTreeMap<&Term, usize> = BTreeMap::new();
        let always = Term::Bool(true);
        for (candidate, claim) in claims.iter().enumerate() {
            let (condition, conclusion) = match &claim.formula {
                Term::Implies(condition, conclusion) => (&**condition, &**conclusion),
                formula => (&always, formula),
            };
            let said = *conclusions.entry(conclusion).or_insert_with(|| {
                codes.conclusions.push(Conclusion::new(conclusion, places));
                codes.conclusions.len() - 1
            });
            let place = *conditions.entry(condition).or_insert_with(|| {
                codes.conditions.push((places.code(condition), Vec::new()));
                codes.conditions.len() - 1
            });
            codes.conditions[place].1.push((candidate, said));
        }
        codes
    }

    /// The candidates that are false, in their order; only those that are alive are looked at.
    fn false_at(&self, places: &mut [i64], unit: i64, alive: &[bool]) -> Vec<usize> {
        let mut known: Vec<Option<bool>> = vec![None; self.conclusions.len()];
        let mut found = Vec::new();
        for (condition, claims) in &self.conditions {
            // What cannot be worked out is not called false.
            if condition.scaled(places, unit).unwrap_or(0) == 0 {
                continue;
            }
            for &(candidate, said) in claims.iter().filter(|(candidate, _)| alive[*candidate]) {
                let is_false =
                    *known[said].get_or_insert_with(|| self.conclusions[said].is_false(places, unit));
                if is_false {
                    found.push(candidate);
                }
            }
        }
        found.sort_unstable();
        found
    }
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
        let candidates = CandidateCodes::new(claims, &mut places);
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

    /// The candidates that are alive and false, as far as that can be worked out, in their order.
    pub(super) fn broken(&self, point: &ModelPoint, alive: &[bool]) -> Vec<usize> {
        self.candidates.false_at(&mut self.padded(point), point.unit, alive)
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
    fn a_candidate_is_false_where_its_formula_is_and_alive() {
        let texts =
            ["x <= 2", "b => x <= 2", "b => x <= 5", "not b", "b and x <= 9 => x <= 2", "x <= 1 => b"];
        let formulas = texts.map(|text| crate::term(text).expect(text));
        let claims = crate::numbered("c", formulas);
        let mut places = PlaceTable::default();
        ["b", "x"].iter().for_each(|name| {
            places.add(name);
        });
        let codes = CandidateCodes::new(&claims, &mut places);
        assert_eq!((codes.conditions.len(), codes.conclusions.len()), (4, 4), "what is equal is there once");
        for (b, x, unit) in [(0, 0, 1), (0, 4, 1), (1, 4, 1), (1, 9, 2), (0, 3, 2), (1, 12, 1)] {
            let mut values = [b, x];
            let mut is_false =
                |i: usize| places.clone().code(&claims[i].formula).scaled(&mut values, unit) == Some(0);
            let defined: Vec<usize> = (0..claims.len()).filter(|&i| is_false(i)).collect();
            let alive = [true; 6];
            assert_eq!(codes.false_at(&mut [b, x], unit, &alive), defined, "b = {b}, x = {x}/{unit}");
            let alive = [true, false, true, false, true, false];
            let left: Vec<usize> = defined.into_iter().filter(|&i| alive[i]).collect();
            assert_eq!(codes.false_at(&mut [b, x], unit, &alive), left, "b = {b}, x = {x}/{unit}");
        }
    }

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
