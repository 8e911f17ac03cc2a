//! Instances of quantified formulas at the terms that matter. They follow from the formulas, so adding them changes
//! no question, and a solver need not guess where to instantiate: neither Z3 nor cvc5 finds `age + 1` by itself.

use crate::{Draw, Term};
use std::collections::BTreeSet;

/// The most terms at which instances are made.
const MOST: usize = 60;

/// What the quantified formulas among `known`, and the draws, say of the terms that occur in them or in the goal.
pub(super) fn instances(known: &[Term], draws: &[Draw], goal: &Term) -> Vec<Term> {
    let mut bound: Vec<String> = draws.iter().map(|draw| draw.element.clone()).collect();
    bound.extend(known.iter().chain([goal]).flat_map(elements).map(String::from));
    let mut found = BTreeSet::new();
    for draw in draws {
        found.extend([draw.low.clone(), draw.high.clone()]);
        places(&draw.given, &mut found);
    }
    known.iter().chain([goal]).for_each(|term| places(term, &mut found));
    found.retain(|term| term.names().iter().all(|name| !bound.iter().any(|element| element == name)));
    let mut at = BTreeSet::new();
    for term in found {
        // Ages grow by one, so what is next to a term matters as well.
        at.extend([-1, 0, 1].map(|offset| term.clone().plus(Term::Number(offset))));
    }
    let at: Vec<Term> = at.into_iter().take(MOST).collect();
    let mut all = Vec::new();
    for draw in draws {
        for term in &at {
            let given = put(&draw.given, &draw.element, term);
            let outside = term.clone().is_in(Term::name(&draw.name)).negated();
            all.push(Term::choice(term.clone().within(draw.low.clone(), draw.high.clone()), given, outside));
        }
    }
    for formula in known.iter().flat_map(conjuncts) {
        let weaker = weakened(formula, &at);
        if weaker != *formula {
            all.push(weaker);
        }
    }
    all.retain(|instance| *instance != Term::Bool(true));
    all
}

/// A formula that follows: what is said of all elements is said of these terms only, wherever that is not under a
/// negation.
fn weakened(formula: &Term, at: &[Term]) -> Term {
    match formula {
        Term::All(element, low, high, body) => Term::and(at.iter().map(|term| {
            put(body, element, term).given(term.clone().within((**low).clone(), (**high).clone()))
        })),
        Term::And(all) => Term::and(all.iter().map(|part| weakened(part, at))),
        Term::Or(all) => Term::or(all.iter().map(|part| weakened(part, at))),
        Term::Implies(condition, then) => weakened(then, at).given((**condition).clone()),
        other => other.clone(),
    }
}

fn put(body: &Term, element: &str, term: &Term) -> Term {
    body.replaced(&|name| (name == element).then(|| term.clone()))
}

fn conjuncts(term: &Term) -> Vec<&Term> {
    match term {
        Term::And(all) => all.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The terms that are asked to be elements, or compared with something, or bounds of elements.
fn places(term: &Term, found: &mut BTreeSet<Term>) {
    match term {
        Term::In(element, _) => {
            found.insert((**element).clone());
        }
        Term::Of(elements) => found.extend(elements.iter().cloned()),
        Term::All(_, low, high, body) => {
            found.extend([(**low).clone(), (**high).clone()]);
            compared(body, found);
        }
        _ => {}
    }
    term.parts().into_iter().for_each(|part| places(part, found));
}

/// The two sides of comparisons in the body of a quantifier.
fn compared(term: &Term, found: &mut BTreeSet<Term>) {
    if let Term::Le(a, b) | Term::Lt(a, b) | Term::Eq(a, b) = term {
        let is_number =
            |term: &Term| matches!(term, Term::Number(_) | Term::Name(_) | Term::Sum(_) | Term::Times(..));
        found.extend([a, b].into_iter().filter(|side| is_number(side)).map(|side| (**side).clone()));
    }
    term.parts().into_iter().for_each(|part| compared(part, found));
}

/// The names that quantifiers bind.
pub(super) fn elements(term: &Term) -> Vec<&str> {
    let mut all: Vec<&str> = term.parts().into_iter().flat_map(elements).collect();
    if let Term::All(element, ..) = term {
        all.push(element);
    }
    all
}
