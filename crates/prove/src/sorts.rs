//! Whether everything in a system has the sort that its place needs, and every name a meaning. What is wrong is
//! said, never repaired.

use crate::system::{Block, Statement};
use crate::{Sort, System, SystemError, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Checks a block, and adds its choices to the names. A choice has a name of its own on every path.
pub(crate) fn check_block(
    block: &Block,
    names: &mut BTreeMap<String, Sort>,
    system: &System,
    assigned: &mut Vec<String>,
) -> Result<(), SystemError> {
    let mut used = BTreeSet::new();
    check_within(block, names, system, assigned, &mut used)
}

fn check_within(
    block: &Block,
    names: &mut BTreeMap<String, Sort>,
    system: &System,
    assigned: &mut Vec<String>,
    used: &mut BTreeSet<String>,
) -> Result<(), SystemError> {
    for statement in block {
        match statement {
            Statement::Assume(condition) => expect(condition, Sort::Bool, names)?,
            Statement::Assign(variable, value) => {
                let sort = variable_sort(variable, system)?;
                expect(value, sort, names)?;
                names.insert(variable.clone(), sort);
                assigned.push(variable.clone());
            }
            Statement::Choose { name, low, high } => {
                expect(low, Sort::Number, names)?;
                expect(high, Sort::Number, names)?;
                let is_known =
                    names.insert(name.clone(), Sort::Number).is_some() || system.named(name).is_some();
                if is_known || !used.insert(name.clone()) {
                    return Err(SystemError::Twice);
                }
            }
            Statement::Either(alternatives) => {
                let mut common: Option<Vec<String>> = None;
                let before = used.clone();
                for alternative in alternatives {
                    let mut inner = Vec::new();
                    let mut inner_used = before.clone();
                    check_within(
                        &alternative.block,
                        &mut names.clone(),
                        system,
                        &mut inner,
                        &mut inner_used,
                    )?;
                    used.extend(inner_used);
                    common = Some(match common {
                        None => inner,
                        Some(before) => before.into_iter().filter(|name| inner.contains(name)).collect(),
                    });
                }
                for name in common.unwrap_or_default() {
                    names.insert(name.clone(), variable_sort(&name, system)?);
                    assigned.push(name);
                }
            }
            Statement::Redraw { set, low, high, element, given } => {
                if variable_sort(set, system)? != Sort::Set {
                    return Err(SystemError::Sort { term: set.clone(), wanted: Sort::Set });
                }
                expect(low, Sort::Number, names)?;
                expect(high, Sort::Number, names)?;
                if names.contains_key(element) || system.named(element).is_some() || used.contains(element) {
                    return Err(SystemError::Twice);
                }
                let mut inner = names.clone();
                inner.insert(element.clone(), Sort::Number);
                inner.insert(format!("{set}'"), Sort::Set);
                expect(given, Sort::Bool, &inner)?;
                names.insert(set.clone(), Sort::Set);
                assigned.push(set.clone());
            }
        }
    }
    Ok(())
}

fn variable_sort(name: &str, system: &System) -> Result<Sort, SystemError> {
    let known = || system.variables.iter().map(|variable| variable.name.clone()).collect();
    let variable = system.named(name);
    variable.map(|v| v.sort).ok_or_else(|| SystemError::Unknown { name: name.to_string(), known: known() })
}

/// Whether a term has a sort, under these names.
pub(crate) fn expect(term: &Term, wanted: Sort, names: &BTreeMap<String, Sort>) -> Result<(), SystemError> {
    let wrong = || Err(SystemError::Sort { term: term.to_string(), wanted });
    let is = |sort: Sort| if sort == wanted { Ok(()) } else { wrong() };
    let each = |all: &[Term], sort: Sort| all.iter().try_for_each(|part| expect(part, sort, names));
    match term {
        Term::Number(_) => is(Sort::Number),
        Term::Bool(_) => is(Sort::Bool),
        Term::Name(name) => match names.get(name) {
            Some(sort) => is(*sort),
            None => {
                let known = names.keys().cloned().collect();
                Err(SystemError::Unknown { name: name.clone(), known })
            }
        },
        Term::Sum(all) => is(Sort::Number).and_then(|()| each(all, Sort::Number)),
        Term::Times(_, part) => is(Sort::Number).and_then(|()| expect(part, Sort::Number, names)),
        Term::If(condition, then, otherwise) => {
            expect(condition, Sort::Bool, names)?;
            expect(then, wanted, names)?;
            expect(otherwise, wanted, names)
        }
        Term::Le(a, b) | Term::Lt(a, b) => {
            is(Sort::Bool)?;
            expect(a, Sort::Number, names)?;
            expect(b, Sort::Number, names)
        }
        Term::Eq(a, b) => {
            is(Sort::Bool)?;
            // Which sort it is has to be seen without a try: tries within tries take for ever.
            let sort = if is_truth(a, names) { Sort::Bool } else { Sort::Number };
            expect(a, sort, names)?;
            expect(b, sort, names)
        }
        Term::Not(part) => is(Sort::Bool).and_then(|()| expect(part, Sort::Bool, names)),
        Term::And(all) | Term::Or(all) => is(Sort::Bool).and_then(|()| each(all, Sort::Bool)),
        Term::Implies(a, b) => {
            is(Sort::Bool)?;
            expect(a, Sort::Bool, names)?;
            expect(b, Sort::Bool, names)
        }
        Term::In(element, set) => {
            is(Sort::Bool)?;
            expect(element, Sort::Number, names)?;
            expect(set, Sort::Set, names)
        }
        Term::Of(all) => is(Sort::Set).and_then(|()| each(all, Sort::Number)),
        Term::All(element, low, high, body) => {
            is(Sort::Bool)?;
            expect(low, Sort::Number, names)?;
            expect(high, Sort::Number, names)?;
            let mut inner = names.clone();
            inner.insert(element.clone(), Sort::Number);
            expect(body, Sort::Bool, &inner)
        }
    }
}

/// Whether a term is a truth value, if it is anything.
fn is_truth(term: &Term, names: &BTreeMap<String, Sort>) -> bool {
    match term {
        Term::Name(name) => names.get(name) == Some(&Sort::Bool),
        Term::If(_, then, _) => is_truth(then, names),
        Term::Number(_) | Term::Sum(_) | Term::Times(..) | Term::Of(_) => false,
        Term::Bool(_)
        | Term::Le(..)
        | Term::Lt(..)
        | Term::Eq(..)
        | Term::Not(_)
        | Term::And(_)
        | Term::Or(_)
        | Term::Implies(..)
        | Term::In(..)
        | Term::All(..) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term;

    #[test]
    fn comparisons_within_comparisons_are_checked_once() {
        let names = BTreeMap::from([("x".to_string(), Sort::Number), ("b".to_string(), Sort::Bool)]);
        let mut equal = "b".to_string();
        let mut chosen = "b".to_string();
        for _ in 0..90 {
            equal = format!("({equal}) = b");
            chosen = format!("(if {chosen} then x else 1) = 1");
        }
        for text in [equal, chosen] {
            let read = term(&text).expect("a term");
            assert_eq!(expect(&read, Sort::Bool, &names), Ok(()));
            assert!(expect(&read, Sort::Number, &names).is_err());
        }
        let wrong = term("b = x").expect("a term");
        assert!(expect(&wrong, Sort::Bool, &names).is_err());
    }
}
