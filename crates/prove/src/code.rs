//! Terms with numbered places instead of names, for searches: the same meaning, worked out faster. Truth values
//! are 0 and 1, a set is a number whose bit k says whether k is an element.

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
pub(crate) struct Places {
    of: BTreeMap<String, usize>,
    len: usize,
}

impl Places {
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
    pub(crate) fn at_least(mut self, len: usize) -> Places {
        self.len = self.len.max(len);
        self
    }

    /// The code of a term. A name without a place is 0; a finished system has none.
    pub(crate) fn code(&mut self, term: &Term) -> Code {
        let all = |places: &mut Places, terms: &[Term]| terms.iter().map(|t| places.code(t)).collect();
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
            Term::In(a, b) => Code::In(Box::new([self.code(a), self.code(b)])),
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
    /// The value, where the places have these. Places of elements are written to.
    pub(crate) fn eval(&self, places: &mut [i64]) -> i64 {
        self.scaled(places, 1)
    }

    /// Whether a truth value is true.
    pub(crate) fn is_true(&self, places: &mut [i64]) -> bool {
        self.eval(places) != 0
    }

    /// The value in parts of a unit, where all numbers in the places are counted in such parts: so that fractions
    /// are worked out exactly. Sets and quantifiers have no parts.
    pub(crate) fn scaled(&self, places: &mut [i64], unit: i64) -> i64 {
        let mut of = |code: &Code| code.scaled(places, unit);
        match self {
            Code::Truth(value) => i64::from(*value),
            Code::Number(n) => n.saturating_mul(unit),
            Code::Place(place) => places[*place],
            Code::Sum(all) => all.iter().fold(0, |sum: i64, code| sum.saturating_add(of(code))),
            Code::Times(k, part) => of(part).saturating_mul(*k),
            Code::If(parts) => {
                let taken = if of(&parts[0]) != 0 { &parts[1] } else { &parts[2] };
                of(taken)
            }
            Code::Le(pair) => i64::from(of(&pair[0]) <= of(&pair[1])),
            Code::Lt(pair) => i64::from(of(&pair[0]) < of(&pair[1])),
            Code::Eq(pair) => i64::from(of(&pair[0]) == of(&pair[1])),
            Code::Not(part) => i64::from(of(part) == 0),
            Code::And(all) => i64::from(all.iter().all(|code| of(code) != 0)),
            Code::Or(all) => i64::from(all.iter().any(|code| of(code) != 0)),
            Code::Implies(pair) => i64::from(of(&pair[0]) == 0 || of(&pair[1]) != 0),
            Code::In(pair) => {
                let (element, set) = (of(&pair[0]), of(&pair[1]));
                i64::from((0..=LARGEST).contains(&element) && set >> element & 1 == 1)
            }
            Code::Of(all) => all.iter().fold(0, |set, code| {
                let element = of(code);
                if (0..=LARGEST).contains(&element) { set | 1 << element } else { set }
            }),
            Code::All(place, parts) => {
                let (low, high) = (of(&parts[0]), of(&parts[1]));
                i64::from((low..=high).all(|element| {
                    places[*place] = element;
                    parts[2].scaled(places, unit) != 0
                }))
            }
        }
    }
}
