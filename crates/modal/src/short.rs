//! Short forms of formulas about states, as those who know UPPAAL write them: `A[] p`, `E<> p`, `A<> p`, `E[] p` and
//! `p --> q`, where p and q are propositions of the space. They speak of maximal runs: those without end, and those that end
//! where nothing but faults can happen.

use crate::formula::{DEADLOCKED, FixedPointSign, ModalFormula, RESTS, RegularSteps};
use thiserror::Error;
use watchkeeper_logic::{AtomNames, Formula, SyntaxError, parse};
use watchkeeper_space::AtomId;

/// The forms of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryForm {
    /// `A[] p`: p holds in every state.
    Invariantly,
    /// `E<> p`: p holds in some state.
    Possibly,
    /// `A<> p`: every maximal run has a state in which p holds.
    Inevitably,
    /// `E[] p`: some maximal run has p in all of its states.
    PossiblyAlways,
    /// `p --> q`: wherever p holds, every maximal run from there has a state in which q holds.
    LeadsTo,
}

/// Why a text is no query.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum QueryError {
    /// It has none of the forms.
    #[error(
        "a query is `A[] p`, `E<> p`, `A<> p`, `E[] p` or `p --> q`, with propositions p and q of the space"
    )]
    Form,
    /// A part of it is no proposition; in bytes of the whole text.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A part of it speaks of more than one state.
    #[error(
        "`{0}` speaks of more than one state, and a query is about propositions of single states; use --ltl for runs, or --mcf"
    )]
    Temporal(String),
}

/// The forms that begin with a path quantifier.
const PREFIXES: [(&str, QueryForm); 4] = [
    ("A[]", QueryForm::Invariantly),
    ("E<>", QueryForm::Possibly),
    ("A<>", QueryForm::Inevitably),
    ("E[]", QueryForm::PossiblyAlways),
];

/// UPPAAL's words, each with the sign of this program that it means, as long as the word.
const WORDS: [(&str, &str); 4] = [("not", "!  "), ("and", "&  "), ("or", "| "), ("imply", "->   ")];

/// Reads a query.
pub fn query(text: &str, names: &impl AtomNames) -> Result<(QueryForm, ModalFormula), QueryError> {
    let begin = text.len() - text.trim_start().len();
    for (prefix, form) in PREFIXES {
        if let Some(rest) = text[begin..].strip_prefix(prefix) {
            let p = proposition(text, text.len() - rest.len()..text.len(), names)?;
            return Ok((form, of_form(form, p)));
        }
    }
    let arrow = text.find("-->").ok_or(QueryError::Form)?;
    let p = proposition(text, 0..arrow, names)?;
    let q = proposition(text, arrow + 3..text.len(), names)?;
    let leads = ModalFormula::Implies(Box::new(p), Box::new(inevitably(q, "Y")));
    Ok((QueryForm::LeadsTo, invariantly(leads, "X")))
}

fn of_form(form: QueryForm, p: ModalFormula) -> ModalFormula {
    match form {
        QueryForm::Invariantly | QueryForm::LeadsTo => invariantly(p, "X"),
        QueryForm::Possibly => {
            let on = ModalFormula::may(RegularSteps::any(), ModalFormula::variable("X"));
            ModalFormula::fixed_point(FixedPointSign::Least, "X", p.or(on))
        }
        QueryForm::Inevitably => inevitably(p, "X"),
        QueryForm::PossiblyAlways => {
            let on = ModalFormula::may(RegularSteps::any(), ModalFormula::variable("X"));
            let on = ModalFormula::Atom(RESTS).or(on);
            ModalFormula::fixed_point(FixedPointSign::Greatest, "X", p.and(on))
        }
    }
}

/// `nu X. p && [true]X`.
fn invariantly(p: ModalFormula, name: &str) -> ModalFormula {
    let on = ModalFormula::must(RegularSteps::any(), ModalFormula::variable(name));
    ModalFormula::fixed_point(FixedPointSign::Greatest, name, p.and(on))
}

/// `mu X. p || (!rests && [true]X)`.
fn inevitably(p: ModalFormula, name: &str) -> ModalFormula {
    let on = ModalFormula::must(RegularSteps::any(), ModalFormula::variable(name));
    let on = ModalFormula::Atom(RESTS).negated().and(on);
    ModalFormula::fixed_point(FixedPointSign::Least, name, p.or(on))
}

/// The proposition in a part of a text.
fn proposition(
    text: &str,
    part: std::ops::Range<usize>,
    names: &impl AtomNames,
) -> Result<ModalFormula, QueryError> {
    let begin = part.start;
    let words = signs(&text[part]);
    let read = parse(&words, &WithDeadlock(names));
    let formula = read.map_err(|error| SyntaxError { at: error.at + begin, ..error })?;
    if !formula.is_of_a_state() {
        return Err(QueryError::Temporal(words.trim().to_string()));
    }
    Ok(modal(&formula))
}

/// The text with signs in place of UPPAAL's words, and everything where it was.
fn signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quoted = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let word = &rest[..length];
        let sign = WORDS.iter().find(|(known, _)| *known == word && !quoted);
        out.push_str(sign.map_or(word, |(_, sign)| sign));
        quoted ^= first == '"';
        rest = &rest[length..];
    }
    out
}

/// The names of a space, and `deadlock`.
struct WithDeadlock<'a, N>(&'a N);

impl<N: AtomNames> AtomNames for WithDeadlock<'_, N> {
    fn atom(&self, name: &str) -> Option<AtomId> {
        if name == "deadlock" { Some(DEADLOCKED) } else { self.0.atom(name) }
    }

    fn processes(&self) -> usize {
        self.0.processes()
    }

    fn known(&self) -> Vec<String> {
        let mut known = self.0.known();
        known.push("deadlock".to_string());
        known
    }
}

/// A formula about one state as a state formula.
fn modal(formula: &Formula) -> ModalFormula {
    match formula {
        Formula::Atom(atom) => ModalFormula::Atom(*atom),
        Formula::Not(inner) => modal(inner).negated(),
        Formula::And(left, right) => modal(left).and(modal(right)),
        Formula::Or(left, right) => modal(left).or(modal(right)),
        // Formulas about more than one state were refused.
        formula => ModalFormula::Constant(*formula == Formula::True),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_space::{Atom, Shape};

    fn shape() -> Shape {
        let atom = |name: &str| Atom { name: name.to_string(), symmetric: false };
        Shape { atoms: vec![atom("crashed(p0)"), atom("suspects(p1,p0)")], ..Shape::default() }
    }

    fn read(text: &str) -> Result<(QueryForm, ModalFormula), QueryError> {
        query(text, &(&shape(), 2))
    }

    #[test]
    fn words_and_signs_mean_the_same() {
        let signs = read("A[] !crashed(p0) | suspects(p1,p0)").expect("it is a query");
        assert_eq!(read("A[] not crashed(p0) or suspects(p1,p0)"), Ok(signs.clone()));
        assert_eq!(read(" A[] crashed(p0) imply suspects(p1,p0)"), Ok(signs));
        let (form, _) = read("crashed(p0) --> suspects(p1,p0)").expect("it is a query");
        assert_eq!(form, QueryForm::LeadsTo);
    }

    #[test]
    fn an_invariant_is_a_greatest_fixed_point() {
        let (form, formula) = read("A[] not deadlock").expect("it is a query");
        assert_eq!(form, QueryForm::Invariantly);
        assert_eq!(formula, invariantly(ModalFormula::Atom(DEADLOCKED).negated(), "X"));
    }

    #[test]
    fn what_is_no_query_is_refused_where_it_is() {
        assert_eq!(read("[] crashed(p0)"), Err(QueryError::Form));
        let Err(QueryError::Syntax(error)) = read("E<> crashed(p7)") else { panic!("there is no p7") };
        assert_eq!(error.at, 4, "{error}");
        assert!(matches!(read("A[] <> crashed(p0)"), Err(QueryError::Temporal(_))));
    }
}
