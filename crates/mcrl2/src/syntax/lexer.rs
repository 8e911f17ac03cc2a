//! The words of a text: names, numbers and signs. Space and comments from `%` to the end of the line end here.

use super::Span;
use crate::LanguageError;

/// What kind of word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind {
    Name,
    Number,
    Sign,
    /// Behind the last word.
    End,
}

/// A word of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme<'t> {
    pub(super) kind: LexemeKind,
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// The signs, those first of which others are beginnings.
const SIGNS: [&str; 37] = [
    "||_", "||", "|>", "->", "<|", "<>", "<<", "<=", ">=", "==", "=>", "!=", "&&", "++", "|", "<", ">", "=",
    "!", "+", "-", "*", "/", ".", ",", ";", ":", "(", ")", "[", "]", "{", "}", "#", "@", "?", "&",
];

/// The longest text that is read; places are counted in 32 bits.
const MAX_BYTES: usize = 1 << 28;

/// The words of a text, with one behind the last.
pub(super) fn lexemes(text: &str) -> Result<Vec<Lexeme<'_>>, LanguageError> {
    if text.len() > MAX_BYTES {
        let found = format!("a text of {} bytes", text.len());
        return Err(LanguageError::syntax(Span::default(), found, "a text of at most 256 MiB".into()));
    }
    let mut scanner = Scanner { text, at: 0, line: 1, line_start: 0, column_base: 0 };
    let mut words = Vec::new();
    loop {
        let word = scanner.word()?;
        words.push(word);
        if word.kind == LexemeKind::End {
            return Ok(words);
        }
    }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// The byte up to which the characters of the present line are counted, and how many they are.
    line_start: usize,
    column_base: u32,
}

impl<'t> Scanner<'t> {
    fn word(&mut self) -> Result<Lexeme<'t>, LanguageError> {
        self.skip();
        let column = self.column();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else {
            return Ok(self.lexeme(LexemeKind::End, 0, column));
        };
        if first.is_ascii_alphabetic() || first == '_' {
            let length =
                rest.bytes().take_while(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'').count();
            return Ok(self.lexeme(LexemeKind::Name, length, column));
        }
        if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            return Ok(self.lexeme(LexemeKind::Number, length, column));
        }
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => Ok(self.lexeme(LexemeKind::Sign, sign.len(), column)),
            None => {
                let word = self.lexeme(LexemeKind::Sign, first.len_utf8(), column);
                let found = format!("the character {first:?}, which the language does not know");
                Err(LanguageError::syntax(word.span, found, "a name, a number or a sign".into()))
            }
        }
    }

    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                    self.column_base = 0;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'%' => {
                    self.at += bytes[self.at..].iter().take_while(|&&b| b != b'\n').count();
                }
                _ => return,
            }
        }
    }

    /// The column of the present place. What is counted is remembered, so that long lines cost no more than short ones.
    fn column(&mut self) -> u32 {
        let counted = self.text[self.line_start..self.at].chars().count();
        self.column_base += u32::try_from(counted).unwrap_or(u32::MAX);
        self.line_start = self.at;
        self.column_base + 1
    }

    fn lexeme(&mut self, kind: LexemeKind, length: usize, column: u32) -> Lexeme<'t> {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { start: place(self.at), end: place(self.at + length), line: self.line, column };
        let text = &self.text[self.at..self.at + length];
        self.at += length;
        Lexeme { kind, text, span }
    }
}
