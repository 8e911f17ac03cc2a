//! Formulas made ready for the tableau: negations pushed down to the atoms, everything that speaks of one state
//! alone drawn together, and the usual equations applied from left to right. The result means the same.
//!
//! The equations on formulas that are not hurt by putting states in front (pure eventualities) or by leaving
//! states out there (pure universalities) are those of Etessami and Holzmann, CONCUR 2000.

use crate::Formula;
use crate::Formula::{And, Atom, False, Next, Not, Or, Release, True, Until};

/// An equal formula in which negation stands before atoms only, if possible a smaller one.
pub fn normal(formula: &Formula) -> Formula {
    match formula {
        Not(inner) => negative(inner),
        And(a, b) => and(normal(a), normal(b)),
        Or(a, b) => or(normal(a), normal(b)),
        Next(a) => next(normal(a)),
        Until(a, b) => until(normal(a), normal(b)),
        Release(a, b) => release(normal(a), normal(b)),
        True | False | Atom(_) => formula.clone(),
    }
}

/// The opposite, in the same form.
fn negative(formula: &Formula) -> Formula {
    match formula {
        Not(inner) => normal(inner),
        And(a, b) => or(negative(a), negative(b)),
        Or(a, b) => and(negative(a), negative(b)),
        Next(a) => next(negative(a)),
        Until(a, b) => release(negative(a), negative(b)),
        Release(a, b) => until(negative(a), negative(b)),
        True => False,
        False => True,
        Atom(_) => formula.clone().not(),
    }
}

/// The opposite of a formula in normal form, in normal form: the dual, with nothing rearranged.
pub fn dual(formula: &Formula) -> Formula {
    let of = |part: &Formula| Box::new(dual(part));
    match formula {
        True => False,
        False => True,
        Atom(_) | Not(_) => formula.clone().not(),
        And(a, b) => Or(of(a), of(b)),
        Or(a, b) => And(of(a), of(b)),
        Next(a) => Next(of(a)),
        Until(a, b) => Release(of(a), of(b)),
        Release(a, b) => Until(of(a), of(b)),
    }
}

/// Whether it stays right when states are put in front.
fn eventual(formula: &Formula) -> bool {
    match formula {
        True | False => true,
        Atom(_) | Not(_) => false,
        And(a, b) | Or(a, b) => eventual(a) && eventual(b),
        Next(a) => eventual(a),
        Until(a, b) => **a == True || eventual(b),
        Release(_, b) => eventual(b),
    }
}

/// Whether it stays right when states are left out in front: whether its opposite is eventual.
fn universal(formula: &Formula) -> bool {
    eventual(&dual(formula))
}

/// Whether no finite beginning matters to it, as to `G F p`.
fn of_the_end(formula: &Formula) -> bool {
    eventual(formula) && universal(formula)
}

/// The parts of a conjunction.
pub fn conjuncts(formula: Formula) -> Vec<Formula> {
    match formula {
        And(a, b) => {
            let mut parts = conjuncts(*a);
            parts.extend(conjuncts(*b));
            parts
        }
        True => Vec::new(),
        other => vec![other],
    }
}

fn and(a: Formula, b: Formula) -> Formula {
    if a.is_of_a_state() && b.is_of_a_state() {
        return if a == dual(&b) { False } else { a.and(b) };
    }
    let mut parts: Vec<Formula> = Vec::new();
    let mut waiting = conjuncts(b);
    waiting.reverse();
    waiting.extend(conjuncts(a).into_iter().rev());
    while let Some(part) = waiting.pop() {
        let joined = parts.iter().enumerate().find_map(|(i, other)| Some((i, both(other, &part)?)));
        match joined {
            Some((_, False)) => return False,
            // What two parts became may meet a third, so it has to queue again.
            Some((i, joined)) => {
                parts.remove(i);
                waiting.push(joined);
            }
            None => parts.push(part),
        }
    }
    // What speaks of one state stands in front, so that it is one maximal part.
    let (now, later): (Vec<_>, Vec<_>) = parts.into_iter().partition(Formula::is_of_a_state);
    Formula::all(now.into_iter().chain(later))
}

/// Two conjuncts as one, where that is simpler.
fn both(one: &Formula, other: &Formula) -> Option<Formula> {
    if one == other {
        return Some(one.clone());
    }
    match (one, other) {
        (False, _) | (_, False) => return Some(False),
        (Release(a, b), Release(c, d)) if a == c && of_the_end(one) == of_the_end(other) => {
            return Some(Release(a.clone(), Box::new(and((**b).clone(), (**d).clone()))));
        }
        (Until(a, b), Until(c, d)) if b == d => {
            return Some(Until(Box::new(and((**a).clone(), (**c).clone())), b.clone()));
        }
        _ => {}
    }
    if let (Some(a), Some(b)) = (stays(one), stays(other)) {
        return Some(and(a.clone(), b.clone()).always().eventually());
    }
    if one.is_of_a_state() && other.is_of_a_state() {
        return Some(and(one.clone(), other.clone()));
    }
    (dual(one) == *other).then_some(False)
}

/// The `p` of `F G p`.
fn stays(formula: &Formula) -> Option<&Formula> {
    match formula {
        Until(a, b) if **a == True => match &**b {
            Release(c, p) if **c == False => Some(p),
            _ => None,
        },
        _ => None,
    }
}

fn or(a: Formula, b: Formula) -> Formula {
    if a.is_of_a_state() && b.is_of_a_state() {
        return if a == dual(&b) { True } else { a.or(b) };
    }
    dual(&and(dual(&a), dual(&b)))
}

fn next(a: Formula) -> Formula {
    if matches!(a, True | False) || of_the_end(&a) { a } else { a.next() }
}

fn until(a: Formula, b: Formula) -> Formula {
    if a == False || a == b || eventual(&b) {
        return b;
    }
    match b {
        // a U (a U c) and F (d U c)
        Until(ref d, _) if a == **d => b,
        Until(_, c) if a == True => until(True, *c),
        And(..) => {
            let (end, rest): (Vec<_>, Vec<_>) = conjuncts(b).into_iter().partition(of_the_end);
            let rest = Formula::all(rest);
            if !end.is_empty() {
                return and(Formula::all(end), until(a, rest));
            }
            a.until(rest)
        }
        Or(..) => {
            let apart = |part: &Formula| eventual(part) || a == True && universal(part);
            let parts = conjuncts(dual(&b)).iter().map(dual).collect::<Vec<_>>();
            let (apart, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(apart);
            let rest = Formula::any(rest);
            let first = if rest == False { False } else { a.clone().until(rest) };
            apart.into_iter().map(|part| until(a.clone(), part)).fold(first, or)
        }
        Next(c) if a == True => next(until(True, *c)),
        b => a.until(b),
    }
}

fn release(a: Formula, b: Formula) -> Formula {
    dual(&until(dual(&a), dual(&b)))
}
