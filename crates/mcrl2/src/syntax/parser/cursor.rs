//! The place in a text up to which it is read, with what all parts of the parser need: looking ahead, expecting, and how deep
//! they are.

use super::super::lexer::{Lexeme, LexemeKind, lexemes};
use crate::LanguageError;
use crate::syntax::{Ident, Span};

/// Words with a meaning of their own, which cannot be names.
const KEYWORDS: [&str; 38] = [
    "sort", "cons", "map", "var", "eqn", "act", "proc", "init", "glob", "form", "struct", "Bool", "Pos",
    "Nat", "Int", "Real", "List", "Set", "Bag", "FSet", "FBag", "whr", "end", "lambda", "forall", "exists",
    "div", "mod", "in", "sum", "dist", "delta", "tau", "block", "allow", "hide", "rename", "comm",
];

/// Names with a meaning of their own that are no names of variables.
const CONSTANTS: [&str; 2] = ["true", "false"];

/// How deeply brackets, operators and binders may nest.
const MAX_NESTING: u32 = 200;

/// How high a tree may be: chains of operators make high trees without nesting.
const MAX_HEIGHT: u32 = 600;

pub(super) struct WordCursor<'t> {
    words: Vec<Lexeme<'t>>,
    /// For each opening bracket the place of the closing one.
    partners: Vec<u32>,
    at: usize,
    nesting: u32,
    /// The height of the expression that was read last.
    height: u32,
}

impl<'t> WordCursor<'t> {
    pub(super) fn of(text: &'t str) -> Result<Self, LanguageError> {
        let words = lexemes(text)?;
        let partners = partners(&words);
        Ok(Self { words, partners, at: 0, nesting: 0, height: 0 })
    }

    /// The next word.
    pub(super) fn next(&self) -> Lexeme<'t> {
        self.ahead(0)
    }

    /// The word that many places ahead.
    pub(super) fn ahead(&self, places: usize) -> Lexeme<'t> {
        self.words[(self.at + places).min(self.words.len() - 1)]
    }

    /// Where the next word stands.
    pub(super) fn span(&self) -> Span {
        self.next().span
    }

    /// From where something began to the word that was read last.
    pub(super) fn since(&self, begin: Span) -> Span {
        let last = self.words[self.at.saturating_sub(1)].span;
        begin.to(last)
    }

    pub(super) fn advance(&mut self) -> Lexeme<'t> {
        let word = self.next();
        self.at = (self.at + 1).min(self.words.len() - 1);
        word
    }

    /// Whether the next word is this sign or keyword.
    pub(super) fn is(&self, text: &str) -> bool {
        self.is_ahead(0, text)
    }

    pub(super) fn is_ahead(&self, places: usize, text: &str) -> bool {
        let word = self.ahead(places);
        word.text == text && word.kind != LexemeKind::End
    }

    /// Reads the sign or keyword if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<Span, LanguageError> {
        if self.is(text) { Ok(self.advance().span) } else { Err(self.unexpected(&format!("'{text}'"))) }
    }

    /// Whether the next word is a name that is no keyword.
    pub(super) fn is_name(&self) -> bool {
        self.is_name_ahead(0)
    }

    pub(super) fn is_name_ahead(&self, places: usize) -> bool {
        let word = self.ahead(places);
        word.kind == LexemeKind::Name && !KEYWORDS.contains(&word.text)
    }

    /// Reads a name that something is called by.
    pub(super) fn name(&mut self, what: &str) -> Result<Ident, LanguageError> {
        if !self.is_name() || CONSTANTS.contains(&self.next().text) {
            return Err(self.unexpected(what));
        }
        let word = self.advance();
        Ok(Ident { name: word.text.to_owned(), span: word.span })
    }

    /// Names with commas between them.
    pub(super) fn names(&mut self, what: &str) -> Result<Vec<Ident>, LanguageError> {
        let mut names = vec![self.name(what)?];
        while self.take(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Nothing may follow.
    pub(super) fn finish(&self) -> Result<(), LanguageError> {
        if self.next().kind == LexemeKind::End { Ok(()) } else { Err(self.unexpected("the end of the text")) }
    }

    /// The error that something else should be here.
    pub(super) fn unexpected(&self, expected: &str) -> LanguageError {
        let word = self.next();
        let found = match word.kind {
            LexemeKind::End => "the end of the text".to_owned(),
            LexemeKind::Name if KEYWORDS.contains(&word.text) => format!("the keyword '{}'", word.text),
            _ => format!("'{}'", word.text),
        };
        LanguageError::syntax(word.span, found, expected.to_owned())
    }

    /// The place behind the bracket that closes the one that many places ahead, counted from here.
    pub(super) fn behind_partner(&self, places: usize) -> Option<usize> {
        let partner = *self.partners.get(self.at + places)?;
        (partner != u32::MAX).then(|| partner as usize + 1 - self.at)
    }

    /// Reads something that is nested in what is being read.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, LanguageError>,
    ) -> Result<T, LanguageError> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        self.grow(self.height)?;
        result
    }

    /// The present place, to come back to.
    pub(super) fn mark(&self) -> (usize, u32) {
        (self.at, self.nesting)
    }

    /// Back to a place.
    pub(super) fn back_to(&mut self, (at, nesting): (usize, u32)) {
        (self.at, self.nesting) = (at, nesting);
    }

    /// The height of the expression that was read last.
    pub(super) fn height(&self) -> u32 {
        self.height
    }

    /// What was read is a leaf.
    pub(super) fn leaf(&mut self) {
        self.height = 0;
    }

    /// What was read has parts up to this height.
    pub(super) fn grow(&mut self, parts: u32) -> Result<(), LanguageError> {
        self.height = parts + 1;
        if self.height > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> LanguageError {
        let found = "an expression that nests more deeply than this program follows".to_owned();
        LanguageError::syntax(
            self.span(),
            found,
            format!(
                "at most {MAX_NESTING} brackets within each other and {MAX_HEIGHT} operators in a row; name a part"
            ),
        )
    }
}

/// For each opening bracket the place of its partner.
fn partners(words: &[Lexeme<'_>]) -> Vec<u32> {
    let mut partners = vec![u32::MAX; words.len()];
    let mut open = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if word.kind != LexemeKind::Sign {
            continue;
        }
        match word.text {
            "(" => open.push(place),
            ")" => {
                if let (Some(begin), Ok(end)) = (open.pop(), u32::try_from(place)) {
                    partners[begin] = end;
                }
            }
            _ => {}
        }
    }
    partners
}
