//! Terms with numbered places instead of names, for searches. They mean the same and are evaluated faster. Truth
//! values are 0 and 1; a set is a number whose bit k says whether k is an element.

use crate::Term;
use std::collections::BTreeMap;

/// The largest element that a set can have in a search.
pub(crate) const LARGEST: i64 = 61;

/// A term over places.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Truth(bool),
    Number(i64),
    Place(usize),
    Sum(Vec<Code>),
    Times(i64, Box<Code>),
    If(Box<[Code; 3]>),
    Le(Box<[Code; 2]>),
    Lt(Box<[Code; 2]>),
    Eq(Box<[Code; 2]>),
    Not(Box<Code>),
    And(Vec<Code>),
    Or(Vec<Code>),
    Implies(Box<[Code; 2]>),
    In(Box<[Code; 2]>),
    Of(Vec<Code>),
    /// The place of the element, the bounds, the body.
    All(usize, Box<[Code; 3]>),
}

/// Which place each name has.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceTable {
    of: BTreeMap<String, usize>,
    len: usize,
}

impl PlaceTable {
    /// A place for a name; a name that has one gets a new one.
    pub(crate) fn add(&mut self, name: &str) -> usize {
        self.of.insert(name.to_string(), self.len);
        self.len += 1;
        self.len - 1
    }

    pub(crate) fn of(&self, name: &str) -> Option<usize> {
        self.of.get(name).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// These places, and room for as many.
    pub(crate) fn at_least(mut self, len: usize) -> PlaceTable {
        self.len = self.len.max(len);
        self
    }

    /// The code of a term. A name without a place is 0; a finished system has none.
    pub(crate) fn code(&mut self, term: &Term) -> Code {
        let all = |places: &mut PlaceTable, terms: &[Term]| terms.iter().map(|t| places.code(t)).collect();
        match term {
            Term::Number(n) => Code::Number(*n),
            Term::Bool(value) => Code::Truth(*value),
            Term::Name(name) => self.of(name).map_or(Code::Truth(false), Code::Place),
            Term::Sum(terms) => Code::Sum(all(self, terms)),
            Term::Times(k, part) => Code::Times(*k, Box::new(self.code(part))),
            Term::If(a, b, c) => Code::If(Box::new([self.code(a), self.code(b), self.code(c)])),
            Term::Le(a, b) => Code::Le(Box::new([self.code(a), self.code(b)])),
            Term::Lt(a, b) => Code::Lt(Box::new([self.code(a), self.code(b)])),
            Term::Eq(a, b) => Code::Eq(Box::new([self.code(a), self.code(b)])),
            Term::Not(part) => Code::Not(Box::new(self.code(part))),
            Term::And(terms) => Code::And(all(self, terms)),
            Term::Or(terms) => Code::Or(all(self, terms)),
            Term::Implies(a, b) => Code::Implies(Box::new([self.code(a), self.code(b)])),
            // A set that is spelled out is compared with, so that its elements may be any numbers.
            Term::In(a, b) => match &**b {
                Term::Of(_) => self.code(&(**a).clone().is_in((**b).clone())),
                _ => Code::In(Box::new([self.code(a), self.code(b)])),
            },
            Term::Of(terms) => Code::Of(all(self, terms)),
            Term::All(element, low, high, body) => {
                let (low, high) = (self.code(low), self.code(high));
                let before = self.of(element);
                let place = self.add(element);
                let body = self.code(body);
                match before {
                    Some(before) => self.of.insert(element.clone(), before),
                    None => self.of.remove(element),
                };
                Code::All(place, Box::new([low, high, body]))
            }
        }
    }
}

impl Code {
    /// The value, where the places have these. Places of elements are written to. None if a number on the way is too
    /// large, or an element of a set is none that a set can hold here: such a value is refused, never rounded.
    pub(crate) fn eval(&self, places: &mut [i64]) -> Option<i64> {
        self.scaled(places, 1)
    }

    /// Whether a truth value is true.
    pub(crate) fn is_true(&self, places: &mut [i64]) -> Option<bool> {
        Some(self.eval(places)? != 0)
    }

    /// The value in parts of a unit, where all numbers in the places are counted in such parts: so that fractions
    /// are worked out exactly. Sets and quantifiers have no parts.
    pub(crate) fn scaled(&self, places: &mut [i64], unit: i64) -> Option<i64> {
        let mut of = |code: &Code| code.scaled(places, unit);
        let truth = |value: bool| Some(i64::from(value));
        match self {
            Code::Truth(value) => truth(*value),
            Code::Number(n) => n.checked_mul(unit),
            Code::Place(place) => Some(places[*place]),
            // The order of the parts does not matter: what is in between may be larger than the sum.
            Code::Sum(all) => {
                let sum = all.iter().try_fold(0i128, |sum, code| sum.checked_add(i128::from(of(code)?)))?;
                i64::try_from(sum).ok()
            }
            Code::Times(k, part) => of(part)?.checked_mul(*k),
            Code::If(parts) => {
                let taken = if of(&parts[0])? != 0 { &parts[1] } else { &parts[2] };
                of(taken)
            }
            Code::Le(pair) => truth(of(&pair[0])? <= of(&pair[1])?),
            Code::Lt(pair) => truth(of(&pair[0])? < of(&pair[1])?),
            Code::Eq(pair) => truth(of(&pair[0])? == of(&pair[1])?),
            Code::Not(part) => truth(of(part)? == 0),
            Code::And(all) | Code::Or(all) => {
                // The value of a part that decides the whole; what follows it is not worked out.
                let decisive = matches!(self, Code::Or(_));
                for code in all {
                    if (of(code)? != 0) == decisive {
                        return truth(decisive);
                    }
                }
                truth(!decisive)
            }
            Code::Implies(pair) => truth(of(&pair[0])? == 0 || of(&pair[1])? != 0),
            Code::In(pair) => {
                let (element, set) = (of(&pair[0])?, of(&pair[1])?);
                truth((0..=LARGEST).contains(&element) && set >> element & 1 == 1)
            }
            Code::Of(all) => all.iter().try_fold(0, |set, code| {
                let element = of(code)?;
                (0..=LARGEST).contains(&element).then(|| set | 1 << element)
            }),
            Code::All(place, parts) => {
                let (low, high) = (of(&parts[0])?, of(&parts[1])?);
                for element in low..=high {
                    places[*place] = element;
                    if parts[2].scaled(places, unit)? == 0 {
                        return truth(false);
                    }
                }
                truth(true)
            }
        }
    }

    /// The largest distance from 0 that a value can have where no place is further from it than this; None if that is
    /// too large for [`Code::eval`], which then may refuse, or cannot be said.
    pub(crate) fn reach(&self, places: &[i64]) -> Option<i64> {
        let of = |code: &Code| code.reach(places);
        let all = |codes: &[Code]| codes.iter().try_fold(1, |most: i64, code| Some(most.max(of(code)?)));
        match self {
            Code::Truth(_) => Some(1),
            Code::Number(n) => n.checked_abs(),
            Code::Place(place) => places.get(*place).copied(),
            Code::Sum(codes) => codes.iter().try_fold(0, |sum: i64, code| sum.checked_add(of(code)?)),
            Code::Times(k, part) => of(part)?.checked_mul(k.checked_abs()?),
            Code::If(parts) => all(&parts[..]),
            Code::Le(pair) | Code::Lt(pair) | Code::Eq(pair) | Code::Implies(pair) | Code::In(pair) => {
                all(&pair[..]).map(|_| 1)
            }
            Code::Not(part) => of(part).map(|_| 1),
            Code::And(codes) | Code::Or(codes) => all(codes).map(|_| 1),
            Code::Of(_) => None,
            Code::All(place, parts) => {
                let element = all(&parts[..2])?;
                let mut inner = places.to_vec();
                inner.resize(inner.len().max(place + 1), 0);
                inner[*place] = element;
                parts[2].reach(&inner).map(|_| 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term;

    fn code(term: &Term) -> (Code, PlaceTable) {
        let mut places = PlaceTable::default();
        places.add("x");
        (places.code(term), places)
    }

    fn value(term: &Term, x: i64) -> Option<i64> {
        let (code, places) = code(term);
        let mut values = vec![0; places.len()];
        values[0] = x;
        code.eval(&mut values)
    }

    #[test]
    fn what_is_too_large_has_no_value_instead_of_a_wrong_one() {
        let x = || Term::name("x");
        let huge = |k: i64| Term::Times(k, Box::new(x()));
        let half = 1i64 << 62;
        assert_eq!(value(&Term::Sum(vec![huge(half), huge(half)]), 1), None);
        // The sum is small, whatever its parts are.
        assert_eq!(value(&Term::Sum(vec![huge(half), huge(half), huge(-half), huge(-half)]), 1), Some(0));
        assert_eq!(value(&Term::Times(half, Box::new(Term::Number(2))), 0), None);
        assert_eq!(value(&huge(half).lt(huge(half).plus(huge(half))), 1), None);
        assert_eq!(value(&x().is_in(Term::Of(vec![Term::Number(62)])), 62), Some(1), "a comparison");
        let set = Term::In(Box::new(x()), Box::new(Term::Of(vec![Term::Number(62)])));
        assert_eq!(value(&set, 62), Some(1), "the same comparison");
        assert_eq!(value(&Term::Of(vec![Term::Number(62)]), 0), None, "no set of a search has this element");
        assert_eq!(value(&Term::Of(vec![Term::Number(-1)]), 0), None);
        assert_eq!(value(&Term::Of(vec![Term::Number(2)]), 0), Some(4));
    }

    #[test]
    fn what_can_be_reached_is_known_before_anything_is_worked_out() {
        let reach = |text: &str, x: i64| {
            let (code, places) = code(&term(text).expect(text));
            let mut most = vec![0; places.len()];
            most[0] = x;
            code.reach(&most)
        };
        assert_eq!(reach("3*x - 4", 5), Some(19));
        assert_eq!(reach("if x <= 3 then x else 7", 5), Some(7));
        assert_eq!(reach("4*x <= 1", i64::MAX / 2), None);
        assert_eq!(reach("all i in 0 .. x: i <= x", 9), Some(1));
        assert_eq!(reach("all i in 0 .. x: 4*i <= x", i64::MAX / 2), None);
        assert_eq!(reach("x in {70}", 5), Some(1));
    }
}
