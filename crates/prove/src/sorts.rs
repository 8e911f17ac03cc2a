//! The check of sorts: every term has the sort that its place needs, and every name has a meaning. A mistake is
//! reported, never repaired.

use crate::system::{Block, Statement};
use crate::{System, SystemError, Term, TermSort};
use std::collections::{BTreeMap, BTreeSet};

/// Checks a block, and adds its choices to the names. A choice has a name of its own on every path.
pub(crate) fn check_block(
    block: &Block,
    names: &mut BTreeMap<String, TermSort>,
    system: &System,
    assigned: &mut Vec<String>,
) -> Result<(), SystemError> {
    let mut used = BTreeSet::new();
    check_within(block, names, system, assigned, &mut used)
}

fn check_within(
    block: &Block,
    names: &mut BTreeMap<String, TermSort>,
    system: &System,
    assigned: &mut Vec<String>,
    used: &mut BTreeSet<String>,
) -> Result<(), SystemError> {
    for statement in block {
        match statement {
            Statement::Assume(condition) => expect(condition, TermSort::Bool, names)?,
            Statement::Assign(variable, value) => {
                let sort = variable_sort(variable, system)?;
                expect(value, sort, names)?;
                names.insert(variable.clone(), sort);
                assigned.push(variable.clone());
            }
            Statement::Choose { name, low, high } => {
                expect(low, TermSort::Number, names)?;
                expect(high, TermSort::Number, names)?;
                let is_known =
                    names.insert(name.clone(), TermSort::Number).is_some() || system.named(name).is_some();
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
                if variable_sort(set, system)? != TermSort::Set {
                    return Err(SystemError::Sort { term: set.clone(), wanted: TermSort::Set });
                }
                expect(low, TermSort::Number, names)?;
                expect(high, TermSort::Number, names)?;
                if names.contains_key(element) || system.named(element).is_some() || used.contains(element) {
                    return Err(SystemError::Twice);
                }
                let mut inner = names.clone();
                inner.insert(element.clone(), TermSort::Number);
                inner.insert(format!("{set}'"), TermSort::Set);
                expect(given, TermSort::Bool, &inner)?;
                names.insert(set.clone(), TermSort::Set);
                assigned.push(set.clone());
            }
        }
    }
    Ok(())
}

fn variable_sort(name: &str, system: &System) -> Result<TermSort, SystemError> {
    let known = || system.variables.iter().map(|variable| variable.name.clone()).collect();
    let variable = system.named(name);
    variable.map(|v| v.sort).ok_or_else(|| SystemError::Unknown { name: name.to_string(), known: known() })
}

/// Whether a term has a sort, under these names.
pub(crate) fn expect(
    term: &Term,
    wanted: TermSort,
    names: &BTreeMap<String, TermSort>,
) -> Result<(), SystemError> {
    use TermSort::{Bool, Number, Set};
    let (is, parts): (TermSort, &[TermSort]) = match term {
        Term::Name(name) => match names.get(name) {
            Some(sort) => (*sort, &[]),
            None => {
                let known = names.keys().cloned().collect();
                return Err(SystemError::Unknown { name: name.clone(), known });
            }
        },
        Term::Bool(_) => (Bool, &[]),
        Term::Number(_) | Term::Sum(_) | Term::Times(..) => (Number, &[Number]),
        Term::Of(_) => (Set, &[Number]),
        Term::If(..) => (wanted, &[Bool, wanted]),
        Term::Le(..) | Term::Lt(..) => (Bool, &[Number]),
        // Which sort it is has to be seen without a try: tries within tries take for ever.
        Term::Eq(a, _) => (Bool, if is_truth(a, names) { &[Bool] } else { &[Number] }),
        Term::Not(_) | Term::And(_) | Term::Or(_) | Term::Implies(..) => (Bool, &[Bool]),
        Term::In(..) => (Bool, &[Number, Set]),
        Term::All(..) => (Bool, &[Number, Number, Bool]),
    };
    if is != wanted {
        return Err(SystemError::Sort { term: term.to_string(), wanted });
    }
    let mut inner;
    let mut names = names;
    // The last sort is that of all parts that are left.
    for (i, part) in term.parts().into_iter().enumerate() {
        if let (Term::All(element, ..), 2) = (term, i) {
            inner = names.clone();
            inner.insert(element.clone(), Number);
            names = &inner;
        }
        expect(part, parts[i.min(parts.len() - 1)], names)?;
    }
    Ok(())
}

/// Whether a term is a truth value, if it is anything.
fn is_truth(term: &Term, names: &BTreeMap<String, TermSort>) -> bool {
    match term {
        Term::Name(name) => names.get(name) == Some(&TermSort::Bool),
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
        let names = BTreeMap::from([("x".to_string(), TermSort::Number), ("b".to_string(), TermSort::Bool)]);
        let mut equal = "b".to_string();
        let mut chosen = "b".to_string();
        for _ in 0..90 {
            equal = format!("({equal}) = b");
            chosen = format!("(if {chosen} then x else 1) = 1");
        }
        for text in [equal, chosen] {
            let read = term(&text).expect("a term");
            assert_eq!(expect(&read, TermSort::Bool, &names), Ok(()));
            assert!(expect(&read, TermSort::Number, &names).is_err());
        }
        let wrong = term("b = x").expect("a term");
        assert!(expect(&wrong, TermSort::Bool, &names).is_err());
    }
}
