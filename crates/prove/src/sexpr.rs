//! S-expressions of SMT-LIB 2.6, as solvers answer them and as certificate files hold them. A text may come from
//! anywhere, so the reader never panics, nests no deeper than [`MAX_DEPTH`], and tells the place of an error.

mod reader;

pub use reader::SexprReader;

use std::borrow::Cow;
use std::fmt;

/// How deep lists may nest. A recursive walk of an expression can rely on it.
pub const MAX_DEPTH: usize = 1000;

/// How many bytes one expression may have.
pub const MAX_LENGTH: usize = 1 << 26;

/// An expression as it was written, without comments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sexpr {
    /// A symbol, a keyword, a number or a string, quotes included.
    Atom(String),
    /// What stands between parentheses.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// An atom of this text.
    pub fn atom(text: impl Into<String>) -> Sexpr {
        Sexpr::Atom(text.into())
    }

    /// The parts of a list.
    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::Atom(_) => None,
            Sexpr::List(parts) => Some(parts),
        }
    }

    /// The text of an atom, quotes included.
    pub fn text(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }

    /// The name that a symbol, a keyword or a number stands for: `|x|` and `x` are the same.
    pub fn name(&self) -> Option<&str> {
        let text = self.text().filter(|text| !text.starts_with('"'))?;
        Some(text.strip_prefix('|').and_then(|text| text.strip_suffix('|')).unwrap_or(text))
    }

    /// What a string literal says.
    pub fn string(&self) -> Option<Cow<'_, str>> {
        let inner = self.text()?.strip_prefix('"')?.strip_suffix('"')?;
        Some(if inner.contains('"') { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) })
    }

    /// The expression on one line and cut after 60 characters, as an error repeats it.
    pub(crate) fn shortened(&self) -> String {
        let text = self.to_string();
        let short: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if short.len() < text.len() { short + ".." } else { short }
    }

    /// The parts after the head, if this is a list with that head.
    pub fn tail(&self, head: &str) -> Option<&[Sexpr]> {
        let (first, rest) = self.list()?.split_first()?;
        (first.text() == Some(head)).then_some(rest)
    }
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexpr::Atom(text) => f.write_str(text),
            Sexpr::List(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { " " })?;
                    part.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// All expressions of a text.
pub fn parse(text: &str) -> Result<Vec<Sexpr>, SexprError> {
    let mut reader = SexprReader::new();
    let mut found = Vec::new();
    reader.feed(text.as_bytes(), &mut found)?;
    found.extend(reader.finish()?);
    Ok(found)
}

/// Where a text stopped being SMT-LIB, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct SexprError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: SexprFault,
}

/// What can be wrong with the text of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SexprFault {
    /// A closing parenthesis without an opening one.
    #[error("')' closes nothing: take it out, or open a list before it")]
    Unopened,
    /// The text ends within a list that began here.
    #[error("the list that begins here is never closed: add ')'")]
    Unclosed,
    /// The text ends within a quoted symbol or a string that began here.
    #[error("the quote that begins here never ends: add the closing quote")]
    Unquoted,
    /// A character that belongs to no symbol, or to no quoted symbol.
    #[error("{0:?} cannot stand in a symbol: quote the symbol as |..|, or rename it")]
    Character(char),
    /// A byte that belongs to no text.
    #[error("this is not UTF-8: write the text in UTF-8")]
    Encoding,
    /// Lists deeper than [`MAX_DEPTH`].
    #[error("lists nest deeper than {MAX_DEPTH}: name the inner terms with define-fun")]
    Depth,
    /// An expression longer than [`MAX_LENGTH`].
    #[error("the expression is longer than {MAX_LENGTH} bytes: name its parts with define-fun")]
    Length,
}

/// A symbol of SMT-LIB for a name: the name itself where that is legal, otherwise `|name|`. What is not even legal in
/// quotes is spelled `%` and its number in hexadecimal, as is `%` itself, so different names stay different.
///
/// Names of the theories (`and`, `abs`, `select`) stay what they are: a quoted `and` is still `and`.
pub fn symbol(name: &str) -> String {
    let mut legal = String::with_capacity(name.len() + 2);
    for (i, c) in name.chars().enumerate() {
        // A leading '@' or '.' is the solver's own.
        let reserved = i == 0 && matches!(c, '@' | '.');
        if matches!(c, '%' | '|' | '\\') || c.is_control() || reserved {
            legal.push_str(&format!("%{:02x}", u32::from(c)));
        } else {
            legal.push(c);
        }
    }
    let simple = !legal.is_empty()
        && !legal.starts_with(|c: char| c.is_ascii_digit())
        && legal.bytes().all(is_symbol_byte)
        && !RESERVED.split(' ').any(|word| word == legal);
    if simple { legal } else { format!("|{legal}|") }
}

/// Words that are symbols only in quotes.
const RESERVED: &str = "! _ as BINARY DECIMAL exists HEXADECIMAL forall let match NUMERAL par STRING assert check-sat \
    check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort define-const define-fun \
    define-fun-rec define-funs-rec define-sort echo exit get-assertions get-assignment get-info get-model get-option \
    get-proof get-unsat-assumptions get-unsat-core get-value lambda pop push reset reset-assertions set-info set-logic \
    set-option";

pub(crate) fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}

#[cfg(test)]
mod tests;
