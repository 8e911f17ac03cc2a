//! Formulas as people write them. The parser knows names and processes from its context and nothing else of a
//! space; every error points at the text that it is about and says what to write instead.

mod expand;
mod spelling;
mod surface;
#[cfg(test)]
mod tests;
mod token;

use crate::Formula;
use std::fmt;
use std::ops::Range;
use watchkeeper_space::{AtomId, Shape};

pub(crate) use token::is_plain;

/// What a formula may speak of.
pub trait Names {
    /// The atom of this name.
    fn atom(&self, name: &str) -> Option<AtomId>;

    /// The number of processes, which are called `p0`, `p1` and so on.
    fn processes(&self) -> usize;

    /// The names of all atoms, for suggestions.
    fn known(&self) -> Vec<String>;
}

/// The atoms of a space with this number of processes.
impl Names for (&Shape, usize) {
    fn atom(&self, name: &str) -> Option<AtomId> {
        self.0.atom(name)
    }

    fn processes(&self) -> usize {
        self.1
    }

    fn known(&self) -> Vec<String> {
        self.0.atoms.iter().map(|atom| atom.name.clone()).collect()
    }
}

/// What is wrong with a text that should be a formula, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Where the offending text begins, in bytes.
    pub at: usize,
    /// How many bytes it has; none at the end of the text.
    pub len: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// Reads a formula.
pub fn parse(text: &str, context: &impl Names) -> Result<Formula, SyntaxError> {
    let surface = surface::read(text)?;
    expand::expand(&surface, context)
}

impl SyntaxError {
    fn new(at: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError { at: at.start, len: at.len(), message: message.into() }
    }

    /// The line of the text that is wrong, with a mark under the place, and the message below.
    pub fn render(&self, text: &str) -> String {
        let at = (0..=self.at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let line = text[begin..end].trim_end_matches('\r');
        // A tab stays a tab, so that the mark stands under what it marks however wide that is drawn.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before: String = text[begin..at].chars().map(blank).collect();
        let marked = text[at..end].char_indices().take_while(|(i, _)| *i < self.len).count().max(1);
        format!("  {line}\n  {before}{}\n{}", "^".repeat(marked), self.message)
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in the formula, at character {}: {}", self.at + 1, self.message)
    }
}

impl std::error::Error for SyntaxError {}
