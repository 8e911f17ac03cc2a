//! Formulas as text that [`parse`](crate::parse) reads back.

use crate::Formula;
use crate::parse::is_plain;
use watchkeeper_space::AtomId;

/// How tightly a formula holds together; a part that is looser than its place needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grip {
    Implies,
    LeadsTo,
    Or,
    And,
    Until,
    Unary,
}

impl Formula {
    /// The formula in the syntax that [`parse`](crate::parse) reads, with the atoms as they are called. A formula
    /// that was made with the methods of [`Formula`] is read back as an equal one.
    pub fn text(&self, name: &impl Fn(AtomId) -> String) -> String {
        self.written(name).0
    }

    fn written(&self, name: &impl Fn(AtomId) -> String) -> (String, Grip) {
        let within = |part: &Formula, least: Grip| {
            let (text, grip) = part.written(name);
            if grip < least { format!("({text})") } else { text }
        };
        let between = |a: &Formula, sign: &str, b: &Formula, left: Grip, right: Grip| {
            format!("{} {sign} {}", within(a, left), within(b, right))
        };
        let before = |sign: &str, a: &Formula| (format!("{sign} {}", within(a, Grip::Unary)), Grip::Unary);
        match self {
            Formula::True => ("true".to_string(), Grip::Unary),
            Formula::False => ("false".to_string(), Grip::Unary),
            Formula::Atom(id) => (atom(&name(*id)), Grip::Unary),
            Formula::Not(a) => (format!("!{}", within(a, Grip::Unary)), Grip::Unary),
            Formula::And(a, b) => (between(a, "&", b, Grip::And, Grip::Until), Grip::And),
            Formula::Or(a, b) => match &**a {
                Formula::Not(premise) => {
                    (between(premise, "->", b, Grip::LeadsTo, Grip::Implies), Grip::Implies)
                }
                _ => (between(a, "|", b, Grip::Or, Grip::And), Grip::Or),
            },
            Formula::Next(a) => before("X", a),
            Formula::Until(a, b) if **a == Formula::True => before("F", b),
            Formula::Until(a, b) => (between(a, "U", b, Grip::Unary, Grip::Unary), Grip::Until),
            Formula::Release(a, b) if **a == Formula::False => match answer(b) {
                Some((p, q)) => (between(p, "~>", q, Grip::Or, Grip::Or), Grip::LeadsTo),
                None => before("G", b),
            },
            Formula::Release(a, b) => (between(a, "R", b, Grip::Unary, Grip::Unary), Grip::Until),
        }
    }
}

/// The two parts of `p -> F q`.
fn answer(formula: &Formula) -> Option<(&Formula, &Formula)> {
    match formula {
        Formula::Or(a, b) => match (&**a, &**b) {
            (Formula::Not(p), Formula::Until(left, q)) if **left == Formula::True => Some((p, q)),
            _ => None,
        },
        _ => None,
    }
}

fn atom(name: &str) -> String {
    if is_plain(name) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
