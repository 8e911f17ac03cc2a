//! Formulas from a file, checked sort by sort and written anew: what a solver is told consists of known operators,
//! known names and nothing else. Text comes from anywhere, so nesting is limited and nothing here panics.

use super::definitions::quoted;
use crate::Sort;
use crate::sexpr::Sexpr;
use crate::smtlib::symbol;
use std::collections::BTreeMap;

/// How deep a formula may be.
const DEEPEST: usize = 400;

/// How sorts are written: numbers are integers, or real numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sorts {
    pub(super) dense: bool,
}

impl Sorts {
    pub(super) fn name(self, sort: Sort) -> &'static str {
        self.kind(sort).name()
    }

    pub(super) fn kind(self, sort: Sort) -> Kind {
        match sort {
            Sort::Bool => Kind::Bool,
            Sort::Number if self.dense => Kind::Real,
            Sort::Number => Kind::Int,
            Sort::Set => Kind::Set,
        }
    }

    /// The sort that an expression names.
    pub(super) fn read(self, expression: &Sexpr) -> Option<Sort> {
        let text = expression.to_string();
        [Sort::Bool, Sort::Number, Sort::Set].into_iter().find(|sort| self.name(*sort) == text)
    }
}

/// A sort of SMT-LIB. Elements of sets are integers in dense systems as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Int,
    Real,
    Set,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "Bool",
            Kind::Int => "Int",
            Kind::Real => "Real",
            Kind::Set => "(Array Int Bool)",
        }
    }
}

/// The operators, which no name may be.
const OPERATORS: [&str; 20] = [
    "true", "false", "+", "-", "*", "/", "ite", "<=", "<", ">=", ">", "=", "not", "and", "or", "=>",
    "select", "store", "const", "Int",
];

/// The name of something of the system, as the file has it.
pub(super) fn name_of(name: &str) -> String {
    let symbol = symbol(name);
    symbol.strip_prefix('|').and_then(|name| name.strip_suffix('|')).unwrap_or(&symbol).to_string()
}

/// A name that an expression declares.
pub(super) fn declared(expression: &Sexpr) -> Result<String, String> {
    let name = expression.name().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| format!("`{}` is no name", shortened(expression)))?;
    let starts_wrong = name.starts_with(['@', '.', ':']) || name.starts_with(|c: char| c.is_ascii_digit());
    if name.contains(|c: char| c.is_control() || matches!(c, '|' | '\\' | '"')) {
        return Err("a name has characters that no name may have".to_string());
    }
    if starts_wrong || OPERATORS.contains(&name) {
        return Err(format!("`{name}` cannot be declared: it has a meaning of its own"));
    }
    Ok(name.to_string())
}

/// The names that a formula may use.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: BTreeMap<String, Kind>,
}

impl Scope {
    pub(super) fn new(names: impl IntoIterator<Item = (String, Kind)>) -> Scope {
        Scope { names: names.into_iter().collect() }
    }

    /// The text of a formula of this sort, written anew.
    pub(super) fn checked(&self, expression: &Sexpr, wanted: Kind) -> Result<String, String> {
        let (found, text) = self.read(expression, &mut Vec::new(), 0)?;
        if found == wanted { Ok(text) } else { Err(wrong(expression, wanted)) }
    }

    fn read(
        &self,
        expression: &Sexpr,
        bound: &mut Vec<String>,
        depth: usize,
    ) -> Result<(Kind, String), String> {
        if depth > DEEPEST {
            return Err(format!("a formula nests deeper than {DEEPEST}"));
        }
        let Some(parts) = expression.list() else { return self.atom(expression, bound) };
        let unknown = || format!("`{}` is not of the language of certificates", shortened(expression));
        let (head, rest) = parts.split_first().ok_or_else(unknown)?;
        let Some(operator) = head.text() else {
            let empty = head.to_string() == "(as const (Array Int Bool))";
            return match rest {
                [value] if empty && value.text() == Some("false") => Ok((Kind::Set, expression.to_string())),
                _ => Err(unknown()),
            };
        };
        if operator == "forall" {
            return self.quantified(rest, bound, depth).ok_or_else(unknown)?;
        }
        let read =
            rest.iter().map(|part| self.read(part, bound, depth + 1)).collect::<Result<Vec<_>, _>>()?;
        let kinds: Vec<Kind> = read.iter().map(|(kind, _)| *kind).collect();
        let is_number = |kind: &Kind| matches!(kind, Kind::Int | Kind::Real);
        let alike = kinds.windows(2).all(|pair| pair[0] == pair[1]);
        let numbers = !kinds.is_empty() && alike && kinds.iter().all(is_number);
        let formulas = kinds.iter().all(|kind| *kind == Kind::Bool);
        let is_constant = |part: &Sexpr| {
            let part = part.tail("-").and_then(<[Sexpr]>::first).unwrap_or(part);
            part.text().is_some_and(|text| numeral(text).is_some())
        };
        let kind = match (operator, kinds.len()) {
            ("not", 1) | ("and" | "or", 1..) | ("=>", 2) if formulas => Kind::Bool,
            ("<=" | "<" | ">=" | ">", 2) if numbers => Kind::Bool,
            ("=", 2) if alike && kinds[0] != Kind::Set => Kind::Bool,
            ("+", 1..) | ("-", 1 | 2) if numbers => kinds[0],
            ("*", 2) if numbers && rest.iter().any(is_constant) => kinds[0],
            ("ite", 3) if kinds[0] == Kind::Bool && kinds[1] == kinds[2] => kinds[1],
            ("select", 2) if kinds == [Kind::Set, Kind::Int] => Kind::Bool,
            ("store", 3) if kinds == [Kind::Set, Kind::Int, Kind::Bool] => Kind::Set,
            _ => return Err(unknown()),
        };
        let texts: Vec<String> = read.into_iter().map(|(_, text)| text).collect();
        Ok((kind, format!("({operator} {})", texts.join(" "))))
    }

    /// `None` if it is malformed.
    fn quantified(
        &self,
        parts: &[Sexpr],
        bound: &mut Vec<String>,
        depth: usize,
    ) -> Option<Result<(Kind, String), String>> {
        let [elements, body] = parts else { return None };
        let [element] = elements.list()? else { return None };
        let [name, sort] = element.list()? else { return None };
        if sort.text() != Some("Int") {
            return None;
        }
        let name = match declared(name) {
            Ok(name) => name,
            Err(why) => return Some(Err(why)),
        };
        bound.push(name.clone());
        let read = self.read(body, bound, depth + 1);
        bound.pop();
        Some(read.and_then(|(kind, text)| match kind {
            Kind::Bool => Ok((Kind::Bool, format!("(forall (({} Int)) {text})", quoted(&name)))),
            _ => Err(wrong(body, Kind::Bool)),
        }))
    }

    fn atom(&self, expression: &Sexpr, bound: &[String]) -> Result<(Kind, String), String> {
        let text = expression.text().unwrap_or_default();
        if let Some(kind) = numeral(text) {
            return Ok((kind, text.to_string()));
        }
        if matches!(text, "true" | "false") {
            return Ok((Kind::Bool, text.to_string()));
        }
        let unknown = || format!("`{}` stands for nothing here", shortened(expression));
        let name = expression.name().ok_or_else(unknown)?;
        if bound.iter().any(|element| element == name) {
            return Ok((Kind::Int, quoted(name)));
        }
        let kind = self.names.get(name).ok_or_else(unknown)?;
        Ok((*kind, quoted(name)))
    }
}

/// `12` is an integer, `12.0` a real number.
fn numeral(text: &str) -> Option<Kind> {
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (text, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    match part {
        None if is_whole => Some(Kind::Int),
        Some(part) if is_whole && digits(part) => Some(Kind::Real),
        _ => None,
    }
}

fn wrong(expression: &Sexpr, wanted: Kind) -> String {
    format!("`{}` is not of sort {}", shortened(expression), wanted.name())
}

/// An expression in few words, on one line.
pub(super) fn shortened(expression: &Sexpr) -> String {
    let text = super::one_line(&expression.to_string());
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { short + ".." } else { short }
}
