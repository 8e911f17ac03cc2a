//! Where something stands in a text. Every node has one, so that whatever goes wrong later can point at its cause.

use std::fmt;

/// A piece of a text: its bytes, and the line and column where it begins, both counted from one. Columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
    /// The line of the first byte.
    pub line: u32,
    /// The column of the first byte.
    pub column: u32,
}

impl Span {
    /// From the beginning of this piece to the end of another one that follows it.
    pub fn to(self, last: Self) -> Self {
        Self { end: last.end.max(self.end), ..self }
    }

    /// The piece of the text, which must be the text that it was read from.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// As messages begin: line and column.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
