//! The predicate in Spacer's answer, read back as a term over the names of the system. A solver may answer
//! anything: an answer that does not fit the language of terms, or is too large, is refused and never guessed.

use crate::sexpr::Sexpr;
use crate::solver::{decimal, gcd};
use crate::{System, Term, TermSort};

/// The largest term that is read, in nodes after all abbreviations are written out.
const LARGEST: usize = 100_000;

/// How deep a term may be after all abbreviations are written out: what is shown of it can be read back, where a level of
/// a term takes at most two of the text.
const DEEPEST: usize = crate::parse::DEEPEST / 2;

/// The largest sum of factors, so that no arithmetic on terms overflows.
const HEAVIEST: i64 = 1 << 40;

/// The definition of `predicate` in the answer to `(get-model)`, over parameters and variables.
pub(super) fn read(system: &System, predicate: &str, answers: &[Sexpr]) -> Result<Term, String> {
    let definition = answers.iter().find_map(|answer| {
        let inside = answer.list().unwrap_or_default().iter();
        inside.chain([answer]).find_map(|part| {
            let rest = part.tail("define-fun")?;
            (rest.first()?.name() == Some(predicate)).then_some(rest)
        })
    });
    let Some([_, arguments, _, body]) = definition else {
        return Err("the model does not define the predicate".to_string());
    };
    let unknowns = system.unknowns(None, true);
    let arguments = arguments.list().unwrap_or_default();
    if arguments.len() != unknowns.len() {
        return Err(format!("the predicate has {} arguments instead of {}", arguments.len(), unknowns.len()));
    }
    let mut scope = Vec::new();
    for (argument, (name, sort)) in arguments.iter().zip(unknowns) {
        let bound = argument.list().and_then(|parts| parts.first()).and_then(Sexpr::name);
        let Some(bound) = bound else { return Err(format!("`{argument}` is no argument")) };
        let term = Term::Name(name);
        let piece = match sort {
            TermSort::Bool => Piece::formula(term, 1, 1),
            _ => Piece { term, over: 1, weight: 1, size: 1, depth: 1, is_number: true },
        };
        scope.push((bound.to_string(), piece));
    }
    let formula = piece(body, &mut scope)?;
    formula.wanted(false)?;
    Ok(formula.term)
}

/// The conjuncts of a formula, with negations moved inwards.
pub(super) fn conjuncts(formula: Term) -> Vec<Term> {
    match inwards(formula, false) {
        Term::And(all) => all,
        Term::Bool(true) => Vec::new(),
        other => vec![other],
    }
}

/// A formula or its opposite, without a negation above a connective or a comparison.
fn inwards(term: Term, negated: bool) -> Term {
    let each =
        |all: Vec<Term>| all.into_iter().map(move |part| inwards(part, negated)).collect::<Vec<Term>>();
    match term {
        Term::Not(inner) => inwards(*inner, !negated),
        Term::And(all) if negated => Term::or(each(all)),
        Term::And(all) => Term::and(each(all)),
        Term::Or(all) if negated => Term::and(each(all)),
        Term::Or(all) => Term::or(each(all)),
        Term::Implies(a, b) if negated => Term::and([inwards(*a, false), inwards(*b, true)]),
        Term::Implies(a, b) => inwards(*b, false).given(inwards(*a, false)),
        Term::Le(a, b) if negated => (*b).lt(*a),
        Term::Lt(a, b) if negated => (*b).le(*a),
        other if negated => other.negated(),
        other => other,
    }
}

/// A part of the formula. A number is the term divided by `over`.
#[derive(Clone)]
struct Piece {
    term: Term,
    over: i64,
    weight: i64,
    size: usize,
    depth: usize,
    is_number: bool,
}

impl Piece {
    fn formula(term: Term, size: usize, depth: usize) -> Piece {
        Piece { term, over: 1, weight: 1, size, depth, is_number: false }
    }

    fn number(n: i64) -> Piece {
        let (term, weight) = (Term::Number(n), n.saturating_abs());
        Piece { term, over: 1, weight, size: 1, depth: 1, is_number: true }
    }

    fn wanted(&self, is_number: bool) -> Result<(), String> {
        match (self.is_number, is_number) {
            (true, false) => Err("a number stands where a formula is needed".to_string()),
            (false, true) => Err("a formula stands where a number is needed".to_string()),
            _ => Ok(()),
        }
    }

    fn scaled(&self, by: i64) -> Result<Piece, String> {
        let weight = self.weight.checked_mul(by.checked_abs().ok_or_else(heavy)?).filter(|w| *w <= HEAVIEST);
        let weight = weight.ok_or_else(heavy)?;
        let term = self.term.clone().times(by);
        Ok(Piece { term, weight, depth: self.depth + 1, ..self.clone() })
    }
}

fn heavy() -> String {
    "a number is too large".to_string()
}

/// Numbers over the same denominator.
fn levelled(pieces: Vec<Piece>) -> Result<(Vec<Piece>, i64), String> {
    let mut over = 1i64;
    for piece in &pieces {
        let common = gcd(over.into(), piece.over.into()) as i64;
        over = (over / common).checked_mul(piece.over).filter(|over| *over <= HEAVIEST).ok_or_else(heavy)?;
    }
    let level = |piece: Piece| if piece.over == over { Ok(piece) } else { piece.scaled(over / piece.over) };
    Ok((pieces.into_iter().map(level).collect::<Result<Vec<_>, _>>()?, over))
}

type Bindings = Vec<(String, Piece)>;

fn piece(expression: &Sexpr, scope: &mut Bindings) -> Result<Piece, String> {
    let unreadable = || format!("`{}` is not of the language", expression.shortened());
    let Some(parts) = expression.list() else {
        let name = expression.name().ok_or_else(unreadable)?;
        if let Some((_, known)) = scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(known.clone());
        }
        return match name {
            "true" | "false" => Ok(Piece::formula(Term::Bool(name == "true"), 1, 1)),
            name => numeral(name).ok_or_else(unreadable),
        };
    };
    let Some((head, parts)) = parts.split_first() else { return Err(unreadable()) };
    let head = head.text().ok_or_else(unreadable)?;
    if head == "let" {
        return bound(parts, scope).unwrap_or_else(|| Err(unreadable()));
    }
    let pieces = parts.iter().map(|part| piece(part, scope)).collect::<Result<Vec<_>, _>>()?;
    let size = pieces.iter().map(|piece| piece.size).sum::<usize>() + 1;
    let depth = pieces.iter().map(|piece| piece.depth).max().unwrap_or(0) + 1;
    if size > LARGEST || depth > DEEPEST {
        return Err(format!("it has more than {LARGEST} parts, or more than {DEEPEST} levels"));
    }
    let all = |is_number| pieces.iter().try_for_each(|piece| piece.wanted(is_number));
    let terms = || pieces.iter().map(|piece| piece.term.clone());
    let formula = |term| Ok(Piece::formula(term, size, depth));
    match (head, pieces.len()) {
        ("not", 1) => all(false).and_then(|()| formula(pieces[0].term.clone().negated())),
        ("and", _) => all(false).and_then(|()| formula(Term::and(terms()))),
        ("or", _) => all(false).and_then(|()| formula(Term::or(terms()))),
        ("=>", 2) => all(false).and_then(|()| formula(pieces[1].term.clone().given(pieces[0].term.clone()))),
        ("ite", 3) => {
            pieces[0].wanted(false)?;
            pieces[2].wanted(pieces[1].is_number)?;
            let condition = pieces[0].term.clone();
            if !pieces[1].is_number {
                return formula(Term::choice(condition, pieces[1].term.clone(), pieces[2].term.clone()));
            }
            let (mut ways, over) = levelled(pieces[1..].to_vec())?;
            let weight = ways[0].weight.max(ways[1].weight);
            let (Some(otherwise), Some(then)) = (ways.pop(), ways.pop()) else { return Err(unreadable()) };
            let term = Term::choice(condition, then.term, otherwise.term);
            Ok(Piece { term, over, weight, size, depth, is_number: true })
        }
        ("=" | "distinct", 2) if !pieces[0].is_number => {
            all(false)?;
            let equal = pieces[0].term.clone().equals(pieces[1].term.clone());
            formula(if head == "=" { equal } else { equal.negated() })
        }
        ("=" | "distinct" | "<=" | "<" | ">=" | ">", 2) => {
            all(true)?;
            formula(compared(head, pieces.clone())?)
        }
        ("+", 1..) => all(true).and_then(|()| sum(pieces.clone(), size, depth)),
        ("-", 1) => all(true).and_then(|()| pieces[0].scaled(-1)),
        ("-", _) => {
            all(true)?;
            let mut signed = pieces.clone();
            for piece in signed.iter_mut().skip(1) {
                *piece = piece.scaled(-1)?;
            }
            sum(signed, size, depth)
        }
        ("*", 2) => {
            all(true).and_then(|()| product(&pieces[0], &pieces[1]).unwrap_or_else(|| Err(unreadable())))
        }
        ("/", 2) => {
            all(true)?;
            let (Term::Number(below), 1) = (&pieces[1].term, pieces[1].over) else {
                return Err(unreadable());
            };
            let over = below.checked_mul(pieces[0].over).filter(|over| *over > 0).ok_or_else(unreadable)?;
            Ok(Piece { over, ..pieces[0].clone() })
        }
        ("to_real", 1) => all(true).map(|()| pieces[0].clone()),
        _ => Err(unreadable()),
    }
}

/// A `let`; `None` if it is malformed. All its values are read before any of its names is known.
fn bound(parts: &[Sexpr], scope: &mut Bindings) -> Option<Result<Piece, String>> {
    let [bindings, body] = parts else { return None };
    let mut known = Vec::new();
    for binding in bindings.list()? {
        let [name, value] = binding.list()? else { return None };
        match piece(value, scope) {
            Ok(value) => known.push((name.name()?.to_string(), value)),
            Err(why) => return Some(Err(why)),
        }
    }
    let before = scope.len();
    scope.extend(known);
    let read = piece(body, scope);
    scope.truncate(before);
    Some(read)
}

/// `12`, or `0.5`.
fn numeral(text: &str) -> Option<Piece> {
    let fitting = |n: i128| i64::try_from(n).ok().filter(|n| *n <= HEAVIEST);
    let (above, below) = decimal(text)?;
    Some(Piece { over: fitting(below)?, ..Piece::number(fitting(above)?) })
}

fn sum(pieces: Vec<Piece>, size: usize, depth: usize) -> Result<Piece, String> {
    let (pieces, over) = levelled(pieces)?;
    let weight: Option<i64> = pieces.iter().try_fold(0i64, |sum, piece| sum.checked_add(piece.weight));
    let weight = weight.filter(|weight| *weight <= HEAVIEST).ok_or_else(heavy)?;
    let term = Term::sum(pieces.into_iter().map(|piece| piece.term));
    Ok(Piece { term, over, weight, size, depth, is_number: true })
}

/// A product with a number on one side; `None` if there is none.
fn product(one: &Piece, other: &Piece) -> Option<Result<Piece, String>> {
    let (factor, scaled) = match (&one.term, &other.term) {
        (Term::Number(_), _) => (one, other),
        (_, Term::Number(_)) => (other, one),
        _ => return None,
    };
    let Term::Number(n) = factor.term else { return None };
    Some(scaled.scaled(n).and_then(|product| {
        let over =
            product.over.checked_mul(factor.over).filter(|over| *over <= HEAVIEST).ok_or_else(heavy)?;
        Ok(Piece { over, ..product })
    }))
}

/// A comparison with nothing negative on either side, as a person would write it.
fn compared(sign: &str, pieces: Vec<Piece>) -> Result<Term, String> {
    let (pieces, _) = levelled(pieces)?;
    let difference = pieces[0].term.clone().minus(pieces[1].term.clone());
    let parts = if let Term::Sum(parts) = difference { parts } else { vec![difference] };
    let factor = |part: &Term| match part {
        Term::Number(n) | Term::Times(n, _) => *n,
        _ => 1,
    };
    // What divides every factor and the constant is left out.
    let common = parts.iter().fold(0, |common, part| gcd(common, factor(part).into()));
    let common = i64::try_from(common).unwrap_or(1).max(1);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for part in parts {
        let part = match part {
            Term::Number(n) => Term::Number(n / common),
            Term::Times(k, inner) => inner.times(k / common),
            other => other,
        };
        match part {
            Term::Times(k, inner) if k < 0 => right.push(inner.times(-k)),
            Term::Number(n) if n < 0 => right.push(Term::Number(-n)),
            other => left.push(other),
        }
    }
    let (left, right) = (Term::sum(left), Term::sum(right));
    Ok(match sign {
        "<=" => left.le(right),
        "<" => left.lt(right),
        ">=" => right.le(left),
        ">" => right.lt(left),
        "=" => left.equals(right),
        _ => left.equals(right).negated(),
    })
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
