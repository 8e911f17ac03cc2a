//! Terms: linear arithmetic, truth values and membership in finite sets. A term is written and read as text
//! ([`crate::term`]), and means the same to the interpreter and to a solver. It never multiplies two unknowns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::Display)]
pub enum TermSort {
    /// True or false.
    #[strum(to_string = "true or false")]
    Bool,
    /// A number: an integer, or in a dense system any real number.
    #[strum(to_string = "a number")]
    Number,
    /// A finite set of integers.
    #[strum(to_string = "a set")]
    Set,
}

/// An expression over the names of a system.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A number.
    Number(i64),
    /// A truth value.
    Bool(bool),
    /// A parameter, a variable, a choice or an element.
    Name(String),
    /// The sum of all.
    Sum(Vec<Term>),
    /// A multiple.
    Times(i64, Box<Term>),
    /// The second if the first is true, else the third.
    If(Box<Term>, Box<Term>, Box<Term>),
    /// At most.
    Le(Box<Term>, Box<Term>),
    /// Less than.
    Lt(Box<Term>, Box<Term>),
    /// Equal numbers, or equal truth values.
    Eq(Box<Term>, Box<Term>),
    /// The opposite.
    Not(Box<Term>),
    /// All of them; true if there is none.
    And(Vec<Term>),
    /// One of them at least; false if there is none.
    Or(Vec<Term>),
    /// The second wherever the first is true.
    Implies(Box<Term>, Box<Term>),
    /// The first is an element of the second, a set.
    In(Box<Term>, Box<Term>),
    /// The set of these numbers.
    Of(Vec<Term>),
    /// The body is true of every integer from the first bound to the second.
    All(String, Box<Term>, Box<Term>, Box<Term>),
}

impl Term {
    /// A name.
    pub fn name(name: &str) -> Term {
        Term::Name(name.to_string())
    }

    /// All of these, flattened.
    pub fn and(terms: impl IntoIterator<Item = Term>) -> Term {
        Term::joined(terms, true)
    }

    /// One of these, flattened.
    pub fn or(terms: impl IntoIterator<Item = Term>) -> Term {
        Term::joined(terms, false)
    }

    /// A conjunction, or a disjunction. `neutral` is the truth value that changes nothing in it; the other decides it.
    fn joined(terms: impl IntoIterator<Item = Term>, neutral: bool) -> Term {
        let mut all = Vec::new();
        for term in terms {
            match term {
                Term::Bool(value) if value == neutral => {}
                Term::And(inner) if neutral => all.extend(inner),
                Term::Or(inner) if !neutral => all.extend(inner),
                other => all.push(other),
            }
        }
        if all.contains(&Term::Bool(!neutral)) {
            return Term::Bool(!neutral);
        }
        match all.len() {
            0 => Term::Bool(neutral),
            1 => all.remove(0),
            _ if neutral => Term::And(all),
            _ => Term::Or(all),
        }
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Term {
        match self {
            Term::Bool(value) => Term::Bool(!value),
            Term::Not(inner) => *inner,
            other => Term::Not(Box::new(other)),
        }
    }

    /// This, wherever `condition` is true.
    #[must_use]
    pub fn given(self, condition: Term) -> Term {
        match (condition, self) {
            (Term::Bool(true), then) => then,
            (Term::Bool(false), _) | (_, Term::Bool(true)) => Term::Bool(true),
            (condition, then) => Term::Implies(Box::new(condition), Box::new(then)),
        }
    }

    /// A sum in which equal parts are put together, and numbers added. It means exactly the sum of the terms: what
    /// would be too large to be one number stays in parts, `2^62*x + 2^62*x`.
    pub fn sum(terms: impl IntoIterator<Item = Term>) -> Term {
        let mut parts: BTreeMap<Term, i64> = BTreeMap::new();
        let mut order: Vec<Term> = Vec::new();
        let mut number = 0i64;
        // What cannot be added to what is there already, each with its factor.
        let mut beside: Vec<(i64, Term)> = Vec::new();
        let mut open: Vec<(i64, Term)> = terms.into_iter().map(|term| (1, term)).collect();
        open.reverse();
        while let Some((factor, term)) = open.pop() {
            let part = match term {
                Term::Number(n) => match factor.checked_mul(n).and_then(|more| number.checked_add(more)) {
                    Some(sum) => {
                        number = sum;
                        continue;
                    }
                    None => {
                        beside.push((factor, Term::Number(n)));
                        continue;
                    }
                },
                Term::Sum(inner) => {
                    open.extend(inner.into_iter().rev().map(|part| (factor, part)));
                    continue;
                }
                Term::Times(k, inner) => match factor.checked_mul(k) {
                    Some(factor) => {
                        open.push((factor, *inner));
                        continue;
                    }
                    None => Term::Times(k, inner),
                },
                other => other,
            };
            if !parts.contains_key(&part) {
                order.push(part.clone());
            }
            let total = parts.entry(part.clone()).or_insert(0);
            match total.checked_add(factor) {
                Some(sum) => *total = sum,
                None => beside.push((factor, part)),
            }
        }
        let counted = order.into_iter().map(|part| (parts[&part], part)).chain(beside);
        let mut all: Vec<Term> = counted
            .filter_map(|(factor, part)| match factor {
                0 => None,
                1 => Some(part),
                k => Some(Term::Times(k, Box::new(part))),
            })
            .collect();
        if number != 0 || all.is_empty() {
            all.push(Term::Number(number));
        }
        if all.len() == 1 { all.remove(0) } else { Term::Sum(all) }
    }

    /// A multiple.
    #[must_use]
    pub fn times(self, k: i64) -> Term {
        Term::sum([Term::Times(k, Box::new(self))])
    }

    /// This plus another.
    #[must_use]
    pub fn plus(self, other: Term) -> Term {
        Term::sum([self, other])
    }

    /// This minus another.
    #[must_use]
    pub fn minus(self, other: Term) -> Term {
        Term::sum([self, Term::Times(-1, Box::new(other))])
    }

    /// Whether this is at most another.
    #[must_use]
    pub fn le(self, other: Term) -> Term {
        match (&self, &other) {
            (Term::Number(a), Term::Number(b)) => Term::Bool(a <= b),
            _ => Term::Le(Box::new(self), Box::new(other)),
        }
    }

    /// Whether this is less than another.
    #[must_use]
    pub fn lt(self, other: Term) -> Term {
        match (&self, &other) {
            (Term::Number(a), Term::Number(b)) => Term::Bool(a < b),
            _ => Term::Lt(Box::new(self), Box::new(other)),
        }
    }

    /// Whether this lies between two bounds, both included.
    #[must_use]
    pub fn within(self, low: Term, high: Term) -> Term {
        Term::and([low.le(self.clone()), self.le(high)])
    }

    /// Whether this equals another.
    #[must_use]
    pub fn equals(self, other: Term) -> Term {
        match (&self, &other) {
            (Term::Number(a), Term::Number(b)) => Term::Bool(a == b),
            (Term::Bool(a), Term::Bool(b)) => Term::Bool(a == b),
            (Term::Bool(true), _) => other,
            (_, Term::Bool(true)) => self,
            (Term::Bool(false), _) => other.negated(),
            (_, Term::Bool(false)) => self.negated(),
            _ if self == other => Term::Bool(true),
            _ => Term::Eq(Box::new(self), Box::new(other)),
        }
    }

    /// One or the other.
    pub fn choice(condition: Term, then: Term, otherwise: Term) -> Term {
        match condition {
            Term::Bool(true) => then,
            Term::Bool(false) => otherwise,
            _ if then == otherwise => then,
            condition => Term::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
        }
    }

    /// Whether a number is an element of a set. Of a set that is spelled out this is a comparison.
    #[must_use]
    pub fn is_in(self, set: Term) -> Term {
        match set {
            Term::Of(elements) => Term::or(elements.into_iter().map(|element| self.clone().equals(element))),
            set => Term::In(Box::new(self), Box::new(set)),
        }
    }

    /// The names that occur freely, in order.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.collect(&mut Vec::new(), &mut names);
        names
    }

    fn collect<'a>(&'a self, bound: &mut Vec<&'a str>, names: &mut BTreeSet<&'a str>) {
        match self {
            Term::Name(name) => {
                if !bound.contains(&name.as_str()) {
                    names.insert(name);
                }
            }
            Term::All(element, low, high, body) => {
                low.collect(bound, names);
                high.collect(bound, names);
                bound.push(element);
                body.collect(bound, names);
                bound.pop();
            }
            other => other.parts().into_iter().for_each(|part| part.collect(bound, names)),
        }
    }

    /// The parts of which a term is made, in order.
    pub fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Number(_) | Term::Bool(_) | Term::Name(_) => Vec::new(),
            Term::Sum(all) | Term::And(all) | Term::Or(all) | Term::Of(all) => all.iter().collect(),
            Term::Times(_, part) | Term::Not(part) => vec![part],
            Term::Le(a, b) | Term::Lt(a, b) | Term::Eq(a, b) | Term::Implies(a, b) | Term::In(a, b) => {
                vec![a, b]
            }
            Term::If(a, b, c) | Term::All(_, a, b, c) => vec![a, b, c],
        }
    }

    /// This term with other terms in the place of names; what becomes constant is worked out. An element that a
    /// quantifier binds is never replaced; if what is put in speaks of something of the same name, the element gets
    /// another.
    #[must_use]
    pub fn replaced(&self, by: &dyn Fn(&str) -> Option<Term>) -> Term {
        let each = |all: &[Term]| all.iter().map(|term| term.replaced(by)).collect::<Vec<Term>>();
        match self {
            Term::Number(_) | Term::Bool(_) => self.clone(),
            Term::Name(name) => by(name).unwrap_or_else(|| self.clone()),
            Term::Sum(all) => Term::sum(each(all)),
            Term::Times(k, part) => part.replaced(by).times(*k),
            Term::If(a, b, c) => Term::choice(a.replaced(by), b.replaced(by), c.replaced(by)),
            Term::Le(a, b) => a.replaced(by).le(b.replaced(by)),
            Term::Lt(a, b) => a.replaced(by).lt(b.replaced(by)),
            Term::Eq(a, b) => a.replaced(by).equals(b.replaced(by)),
            Term::Not(a) => a.replaced(by).negated(),
            Term::And(all) => Term::and(each(all)),
            Term::Or(all) => Term::or(each(all)),
            Term::Implies(a, b) => b.replaced(by).given(a.replaced(by)),
            Term::In(a, b) => a.replaced(by).is_in(b.replaced(by)),
            Term::Of(all) => Term::Of(each(all)),
            Term::All(element, low, high, body) => {
                let mut taken: BTreeSet<String> = body.names().iter().map(|name| name.to_string()).collect();
                taken.remove(element);
                for name in taken.clone() {
                    let put = by(&name);
                    taken.extend(put.iter().flat_map(|term| term.names()).map(str::to_string));
                }
                let mut fresh = element.clone();
                while taken.contains(&fresh) {
                    fresh.push('_');
                }
                let free = |name: &str| {
                    if name == element { (fresh != *element).then(|| Term::name(&fresh)) } else { by(name) }
                };
                let body = body.replaced(&free);
                Term::All(fresh, Box::new(low.replaced(by)), Box::new(high.replaced(by)), Box::new(body))
            }
        }
    }

    /// How tightly the operator of a term binds: more binds tighter.
    fn strength(&self) -> u8 {
        match self {
            Term::If(..) | Term::All(..) => 0,
            Term::Implies(..) => 1,
            Term::Or(all) if all.len() > 1 => 2,
            Term::And(all) if all.len() > 1 => 3,
            Term::Not(inner) if matches!(**inner, Term::Eq(..)) => 5,
            Term::Not(_) => 4,
            Term::Le(..) | Term::Lt(..) | Term::Eq(..) | Term::In(..) => 5,
            Term::Sum(_) => 6,
            Term::Number(n) if *n < 0 => 6,
            Term::Times(..) => 7,
            _ => 8,
        }
    }

    fn show(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.strength() < least {
            f.write_str("(")?;
            self.show(0, f)?;
            return f.write_str(")");
        }
        let list = |all: &[Term], between: &str, least: u8, f: &mut fmt::Formatter<'_>| {
            for (i, term) in all.iter().enumerate() {
                if i > 0 {
                    f.write_str(between)?;
                }
                term.show(least, f)?;
            }
            Ok(())
        };
        let pair = |a: &Term, sign: &str, b: &Term, f: &mut fmt::Formatter<'_>| {
            a.show(6, f)?;
            f.write_str(sign)?;
            b.show(6, f)
        };
        match self {
            Term::Number(n) => write!(f, "{n}"),
            Term::Bool(value) => write!(f, "{value}"),
            Term::Name(name) => f.write_str(name),
            Term::Sum(all) => {
                for (i, part) in all.iter().enumerate() {
                    let minus = matches!(part, Term::Number(n) | Term::Times(n, _) if *n < 0);
                    f.write_str(match (i, minus) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    })?;
                    match part {
                        Term::Number(n) => write!(f, "{}", n.unsigned_abs())?,
                        Term::Times(-1, inner) => inner.show(7, f)?,
                        Term::Times(k, inner) if *k < 0 => {
                            write!(f, "{}*", k.unsigned_abs())?;
                            inner.show(8, f)?;
                        }
                        other => other.show(7, f)?,
                    }
                }
                Ok(())
            }
            Term::Times(1, part) => part.show(7, f),
            Term::Times(-1, part) => {
                f.write_str("-")?;
                part.show(8, f)
            }
            Term::Times(k, part) => {
                write!(f, "{k}*")?;
                part.show(8, f)
            }
            Term::If(a, b, c) => {
                f.write_str("if ")?;
                a.show(0, f)?;
                f.write_str(" then ")?;
                b.show(0, f)?;
                f.write_str(" else ")?;
                c.show(0, f)
            }
            Term::Le(a, b) => pair(a, " <= ", b, f),
            Term::Lt(a, b) => pair(a, " < ", b, f),
            Term::Eq(a, b) => pair(a, " = ", b, f),
            Term::In(a, b) => pair(a, " in ", b, f),
            Term::Not(inner) => match &**inner {
                Term::Eq(a, b) => pair(a, " != ", b, f),
                other => {
                    f.write_str("not ")?;
                    other.show(4, f)
                }
            },
            Term::And(all) if all.is_empty() => f.write_str("true"),
            Term::Or(all) if all.is_empty() => f.write_str("false"),
            Term::And(all) => list(all, " and ", 4, f),
            Term::Or(all) => list(all, " or ", 3, f),
            Term::Implies(a, b) => {
                a.show(2, f)?;
                f.write_str(" => ")?;
                b.show(1, f)
            }
            Term::Of(all) => {
                f.write_str("{")?;
                list(all, ", ", 0, f)?;
                f.write_str("}")
            }
            Term::All(element, low, high, body) => {
                write!(f, "all {element} in ")?;
                low.show(6, f)?;
                f.write_str(" .. ")?;
                high.show(6, f)?;
                f.write_str(": ")?;
                body.show(0, f)
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(0, f)
    }
}
