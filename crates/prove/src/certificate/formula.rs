//! Formulas from a file, checked sort by sort and written anew: a solver is told known operators and known names,
//! and nothing else. Text comes from anywhere, so nesting is limited and nothing here panics.

use super::definitions::quoted;
use crate::sexpr::{Sexpr, symbol};
use crate::smtlib::SmtSort;
use std::collections::BTreeMap;

/// How deep a formula may be.
const DEEPEST: usize = 400;

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
    let name = name.ok_or_else(|| format!("`{}` is no name", expression.shortened()))?;
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
pub(super) struct FormulaScope {
    names: BTreeMap<String, SmtSort>,
}

impl FormulaScope {
    pub(super) fn new(names: impl IntoIterator<Item = (String, SmtSort)>) -> FormulaScope {
        FormulaScope { names: names.into_iter().collect() }
    }

    /// The text of a formula of this sort, written anew.
    pub(super) fn checked(&self, expression: &Sexpr, wanted: SmtSort) -> Result<String, String> {
        let (found, text) = self.read(expression, &mut Vec::new(), 0)?;
        if found == wanted { Ok(text) } else { Err(wrong(expression, wanted)) }
    }

    fn read(
        &self,
        expression: &Sexpr,
        bound: &mut Vec<String>,
        depth: usize,
    ) -> Result<(SmtSort, String), String> {
        if depth > DEEPEST {
            return Err(format!("a formula nests deeper than {DEEPEST}"));
        }
        let Some(parts) = expression.list() else { return self.atom(expression, bound) };
        let unknown = || format!("`{}` is not of the language of certificates", expression.shortened());
        let (head, rest) = parts.split_first().ok_or_else(unknown)?;
        let Some(operator) = head.text() else {
            let empty = head.to_string() == "(as const (Array Int Bool))";
            return match rest {
                [value] if empty && value.text() == Some("false") => {
                    Ok((SmtSort::Set, expression.to_string()))
                }
                _ => Err(unknown()),
            };
        };
        if operator == "forall" {
            return self.quantified(rest, bound, depth).ok_or_else(unknown)?;
        }
        let read =
            rest.iter().map(|part| self.read(part, bound, depth + 1)).collect::<Result<Vec<_>, _>>()?;
        let kinds: Vec<SmtSort> = read.iter().map(|(kind, _)| *kind).collect();
        let is_number = |kind: &SmtSort| matches!(kind, SmtSort::Int | SmtSort::Real);
        let alike = kinds.windows(2).all(|pair| pair[0] == pair[1]);
        let numbers = !kinds.is_empty() && alike && kinds.iter().all(is_number);
        let formulas = kinds.iter().all(|kind| *kind == SmtSort::Bool);
        let is_constant = |part: &Sexpr| {
            let part = part.tail("-").and_then(<[Sexpr]>::first).unwrap_or(part);
            part.text().is_some_and(|text| numeral(text).is_some())
        };
        let kind = match (operator, kinds.len()) {
            ("not", 1) | ("and" | "or", 1..) | ("=>", 2) if formulas => SmtSort::Bool,
            ("<=" | "<" | ">=" | ">", 2) if numbers => SmtSort::Bool,
            ("=", 2) if alike && kinds[0] != SmtSort::Set => SmtSort::Bool,
            ("+", 1..) | ("-", 1 | 2) if numbers => kinds[0],
            ("*", 2) if numbers && rest.iter().any(is_constant) => kinds[0],
            ("ite", 3) if kinds[0] == SmtSort::Bool && kinds[1] == kinds[2] => kinds[1],
            ("select", 2) if kinds == [SmtSort::Set, SmtSort::Int] => SmtSort::Bool,
            ("store", 3) if kinds == [SmtSort::Set, SmtSort::Int, SmtSort::Bool] => SmtSort::Set,
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
    ) -> Option<Result<(SmtSort, String), String>> {
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
            SmtSort::Bool => Ok((SmtSort::Bool, format!("(forall (({} Int)) {text})", quoted(&name)))),
            _ => Err(wrong(body, SmtSort::Bool)),
        }))
    }

    fn atom(&self, expression: &Sexpr, bound: &[String]) -> Result<(SmtSort, String), String> {
        let text = expression.text().unwrap_or_default();
        if let Some(kind) = numeral(text) {
            return Ok((kind, text.to_string()));
        }
        if matches!(text, "true" | "false") {
            return Ok((SmtSort::Bool, text.to_string()));
        }
        let unknown = || format!("`{}` stands for nothing here", expression.shortened());
        let name = expression.name().ok_or_else(unknown)?;
        if bound.iter().any(|element| element == name) {
            return Ok((SmtSort::Int, quoted(name)));
        }
        let kind = self.names.get(name).ok_or_else(unknown)?;
        Ok((*kind, quoted(name)))
    }
}

/// `12` is an integer, `12.0` a real number.
fn numeral(text: &str) -> Option<SmtSort> {
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (text, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    match part {
        None if is_whole => Some(SmtSort::Int),
        Some(part) if is_whole && digits(part) => Some(SmtSort::Real),
        _ => None,
    }
}

fn wrong(expression: &Sexpr, wanted: SmtSort) -> String {
    format!("`{}` is not of sort {}", expression.shortened(), wanted)
}
