//! Formulas as people write them. The parser knows names and processes from its context and nothing else of a
//! space; every error points at the text that it is about and says what to write instead.

mod expand;
mod spelling;
mod surface;
#[cfg(test)]
mod tests;
mod token;

use crate::Formula;
use std::borrow::Cow;
use std::ops::Range;
use watchkeeper_space::{AtomId, Shape};

pub(crate) use token::is_plain;

/// The longest text that is read as a formula, in bytes.
pub const LONGEST_FORMULA: usize = 100_000;

/// The most characters of a text that an error repeats.
const QUOTED: usize = 60;

/// What a formula may speak of.
pub trait AtomNames {
    /// The atom of this name.
    fn atom(&self, name: &str) -> Option<AtomId>;

    /// The number of processes, which are called `p0`, `p1` and so on.
    fn processes(&self) -> usize;

    /// The names of all atoms, for suggestions.
    fn known(&self) -> Vec<String>;
}

/// The atoms of a space with this number of processes.
impl AtomNames for (&Shape, usize) {
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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("in the formula, at character {}: {message}", .at + 1)]
pub struct SyntaxError {
    /// Where the offending text begins, in bytes.
    pub at: usize,
    /// How many bytes it has; none at the end of the text.
    pub len: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// Reads a formula.
pub fn parse(text: &str, context: &impl AtomNames) -> Result<Formula, SyntaxError> {
    if text.len() > LONGEST_FORMULA {
        let message =
            format!("the formula has {} bytes, and may have {LONGEST_FORMULA}: split the claim", text.len());
        return Err(SyntaxError::new(0..0, message));
    }
    let surface = surface::read(text)?;
    expand::expand(&surface, context)
}

impl SyntaxError {
    fn new(at: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError { at: at.start, len: at.len(), message: message.into() }
    }

    /// The line of the text that is wrong, as much of it as is near the place, with a mark under the place, and the
    /// message below.
    pub fn render(&self, text: &str) -> String {
        let at = (0..=self.at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let line = text[begin..end].trim_end_matches('\r');
        let at = at.min(begin + line.len());
        // Of a long line the part around the place is shown: two thirds of it before, if there are as many.
        let whole = line.chars().nth(2 * QUOTED).is_none();
        let back =
            |n: usize| text[begin..at].char_indices().rev().nth(n - 1).map_or(begin, |(i, _)| begin + i);
        let first = if whole { begin } else { back(2 * QUOTED / 3) };
        let shown = &text[first..begin + line.len()];
        let last = shown.char_indices().nth(2 * QUOTED).map_or(shown.len(), |(i, _)| i);
        let (left, right) =
            (if first > begin { ".. " } else { "" }, if last < shown.len() { " .." } else { "" });
        // A tab stays a tab, so that the mark stands under what it marks however wide that is drawn.
        let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
        let before: String = left.chars().chain(text[first..at].chars()).map(blank).collect();
        let here = &text[at..first + last];
        let marked = here.char_indices().take_while(|(i, _)| *i < self.len).count().max(1);
        format!("  {left}{}{right}\n  {before}{}\n{}", &shown[..last], "^".repeat(marked), self.message)
    }
}

/// A text in quotes as an error repeats it: what is too long for a line is cut.
pub fn quoted(text: &str) -> String {
    format!("`{}`", cut(text))
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}..", &text[..end])),
    }
}
