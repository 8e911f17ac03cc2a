//! Terms, declarations and draws as SMT-LIB text. Solvers and certificates see only this text, so it must mean what
//! the interpreter does: tests compare the two.

use crate::sexpr::{Sexpr, symbol};
use crate::{Draw, System, Term, TermSort};
use std::fmt::Write;

/// How numbers are written: as integers, or as real numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SmtWriter {
    pub(crate) dense: bool,
}

impl SmtWriter {
    pub(crate) fn of(system: &System) -> SmtWriter {
        SmtWriter { dense: system.dense }
    }

    /// The sort of SMT-LIB for a sort of terms.
    pub(crate) fn smt_sort(self, sort: TermSort) -> SmtSort {
        match (sort, self.dense) {
            (TermSort::Bool, _) => SmtSort::Bool,
            (TermSort::Number, false) => SmtSort::Int,
            (TermSort::Number, true) => SmtSort::Real,
            (TermSort::Set, _) => SmtSort::Set,
        }
    }

    /// The name of a sort.
    pub(crate) fn sort(self, sort: TermSort) -> &'static str {
        self.smt_sort(sort).into()
    }

    /// The sort that an expression names.
    pub(crate) fn read_sort(self, expression: &Sexpr) -> Option<TermSort> {
        let text = expression.to_string();
        [TermSort::Bool, TermSort::Number, TermSort::Set].into_iter().find(|sort| self.sort(*sort) == text)
    }

    pub(crate) fn declared(self, name: &str, sort: TermSort) -> String {
        format!("(declare-const {} {})", symbol(name), self.sort(sort))
    }

    pub(crate) fn term(self, term: &Term) -> String {
        let mut out = String::new();
        self.write(term, &mut out);
        out
    }

    /// A draw as a formula: what is said of each number between the bounds, and that nothing else is drawn.
    pub(crate) fn draw(self, draw: &Draw) -> String {
        let element = Term::name(&draw.element);
        let within = element.clone().within(draw.low.clone(), draw.high.clone());
        let outside = element.is_in(Term::name(&draw.name)).negated();
        let body = Term::choice(within, draw.given.clone(), outside);
        format!("(forall (({} Int)) {})", symbol(&draw.element), self.term(&body))
    }

    fn number(self, n: i64, out: &mut String) {
        let point = if self.dense { ".0" } else { "" };
        let _ =
            if n < 0 { write!(out, "(- {}{point})", n.unsigned_abs()) } else { write!(out, "{n}{point}") };
    }

    fn apply(self, operator: &str, parts: &[&Term], out: &mut String) {
        out.push('(');
        out.push_str(operator);
        for part in parts {
            out.push(' ');
            self.write(part, out);
        }
        out.push(')');
    }

    fn write(self, term: &Term, out: &mut String) {
        let all = |operator: &str, empty: &str, parts: &[Term], out: &mut String| match parts {
            [] => out.push_str(empty),
            [one] => self.write(one, out),
            parts => self.apply(operator, &parts.iter().collect::<Vec<_>>(), out),
        };
        match term {
            Term::Number(n) => self.number(*n, out),
            Term::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Term::Name(name) => out.push_str(&symbol(name)),
            Term::Sum(parts) => all("+", if self.dense { "0.0" } else { "0" }, parts, out),
            Term::Times(k, part) => self.apply("*", &[&Term::Number(*k), part], out),
            Term::If(a, b, c) => self.apply("ite", &[a, b, c], out),
            Term::Le(a, b) => self.apply("<=", &[a, b], out),
            Term::Lt(a, b) => self.apply("<", &[a, b], out),
            Term::Eq(a, b) => self.apply("=", &[a, b], out),
            Term::Not(part) => self.apply("not", &[part], out),
            Term::And(parts) => all("and", "true", parts, out),
            Term::Or(parts) => all("or", "false", parts, out),
            Term::Implies(a, b) => self.apply("=>", &[a, b], out),
            Term::In(element, set) => self.apply("select", &[set, element], out),
            Term::Of(elements) => {
                let empty = "((as const (Array Int Bool)) false)";
                out.push_str(&"(store ".repeat(elements.len()));
                out.push_str(empty);
                for element in elements {
                    out.push(' ');
                    self.write(element, out);
                    out.push_str(" true)");
                }
            }
            Term::All(element, low, high, body) => {
                let within = Term::name(element).within((**low).clone(), (**high).clone());
                let _ = write!(out, "(forall (({} Int)) ", symbol(element));
                self.apply("=>", &[&within, body], out);
                out.push(')');
            }
        }
    }
}

/// A sort of SMT-LIB. Elements of sets are integers in dense systems as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::IntoStaticStr)]
pub(crate) enum SmtSort {
    Bool,
    Int,
    Real,
    #[strum(to_string = "(Array Int Bool)")]
    Set,
}

/// What a solver is asked: whether all of these can be true at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SmtQuery {
    /// The unknowns.
    pub unknowns: Vec<(String, TermSort)>,
    /// Draws that restrict the sets among the unknowns.
    pub draws: Vec<Draw>,
    /// What is asserted.
    pub asserted: Vec<Term>,
}

impl SmtQuery {
    /// Whether it needs quantifiers or sets.
    pub fn is_quantified(&self) -> bool {
        fn has(term: &Term) -> bool {
            matches!(term, Term::All(..)) || term.parts().into_iter().any(has)
        }
        !self.draws.is_empty()
            || self.unknowns.iter().any(|(_, sort)| *sort == TermSort::Set)
            || self.asserted.iter().any(has)
    }

    /// The declarations and assertions, a line each.
    pub(crate) fn lines(&self, script: SmtWriter) -> Vec<String> {
        let declared = self.unknowns.iter().map(|(name, sort)| script.declared(name, *sort));
        let draws = self.draws.iter().map(|draw| format!("(assert {})", script.draw(draw)));
        let asserted = self.asserted.iter().map(|term| format!("(assert {})", script.term(term)));
        declared.chain(draws).chain(asserted).collect()
    }
}
