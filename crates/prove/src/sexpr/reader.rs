//! Expressions out of bytes that arrive piece by piece, as a process writes them. It holds no more than the expression
//! that is being read, needs no recursion, and after a fault it reads nothing more.

use super::{MAX_DEPTH, MAX_LENGTH, Sexpr, SexprError, SexprFault, is_symbol_byte};

/// Reads expressions from pieces of a text. An expression is given out as soon as it is complete; an atom outside of
/// any list is complete with the character after it.
#[derive(Debug)]
pub struct SexprReader {
    at: Place,
    token: Token,
    /// The bytes of the token that is being read, and where it began.
    bytes: Vec<u8>,
    began: Place,
    /// The lists that are open, each with where it was opened.
    open: Vec<(Place, Vec<Sexpr>)>,
    /// How long the expression is by now.
    length: usize,
    fault: Option<SexprError>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    line: usize,
    column: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    None,
    Comment,
    Plain,
    Quoted,
    Text,
    /// A quote in a string: its end, or the first half of a doubled one.
    TextQuote,
}

impl SexprReader {
    /// A reader at the beginning of a text.
    pub fn new() -> SexprReader {
        let start = Place { line: 1, column: 1 };
        SexprReader {
            at: start,
            token: Token::None,
            bytes: Vec::new(),
            began: start,
            open: Vec::new(),
            length: 0,
            fault: None,
        }
    }

    /// Reads on, and appends the expressions that became complete. Those before a fault are appended as well.
    pub fn feed(&mut self, bytes: &[u8], found: &mut Vec<Sexpr>) -> Result<(), SexprError> {
        for &byte in bytes {
            self.healthy()?;
            let step = self.step(byte, found);
            self.noted(step)?;
            // The bytes that continue a character are no column of their own.
            match byte {
                b'\n' => self.at = Place { line: self.at.line + 1, column: 1 },
                0x80..=0xbf => {}
                _ => self.at.column += 1,
            }
        }
        self.healthy()
    }

    /// Ends the text: the last expression, if the end completes one.
    pub fn finish(mut self) -> Result<Option<Sexpr>, SexprError> {
        self.healthy()?;
        let mut found = Vec::new();
        match self.token {
            Token::None | Token::Comment => {}
            Token::Quoted | Token::Text => return Err(fault(self.began, SexprFault::Unquoted)),
            Token::Plain | Token::TextQuote => self.end_token(&mut found)?,
        }
        match self.open.last() {
            Some(&(place, _)) => Err(fault(place, SexprFault::Unclosed)),
            None => Ok(found.pop()),
        }
    }

    /// Whether nothing is half read.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && matches!(self.token, Token::None | Token::Comment)
    }

    fn healthy(&self) -> Result<(), SexprError> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn noted(&mut self, step: Result<(), SexprError>) -> Result<(), SexprError> {
        self.fault = step.clone().err();
        step
    }

    fn step(&mut self, byte: u8, found: &mut Vec<Sexpr>) -> Result<(), SexprError> {
        self.length += 1;
        if self.length > MAX_LENGTH {
            return Err(fault(self.at, SexprFault::Length));
        }
        match (self.token, byte) {
            (Token::Comment, b'\n') => self.token = Token::None,
            (Token::Comment, _) => {}
            (Token::Quoted, b'|') => {
                self.bytes.push(byte);
                self.end_token(found)?;
            }
            (Token::Quoted, b'\\') => return Err(fault(self.at, SexprFault::Character('\\'))),
            (Token::Text, b'"') => {
                self.bytes.push(byte);
                self.token = Token::TextQuote;
            }
            (Token::TextQuote, b'"') => {
                self.bytes.push(byte);
                self.token = Token::Text;
            }
            (Token::Quoted | Token::Text, _) => self.bytes.push(byte),
            (Token::Plain, _) if is_plain(byte) => self.bytes.push(byte),
            (Token::Plain | Token::TextQuote, _) => {
                self.end_token(found)?;
                self.begin(byte, found)?;
            }
            (Token::None, _) => self.begin(byte, found)?,
        }
        Ok(())
    }

    /// A byte between tokens.
    fn begin(&mut self, byte: u8, found: &mut Vec<Sexpr>) -> Result<(), SexprError> {
        if self.open.is_empty() {
            self.length = 1;
        }
        self.began = self.at;
        self.token = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => Token::None,
            b';' => Token::Comment,
            b'|' => Token::Quoted,
            b'"' => Token::Text,
            b'(' if self.open.len() == MAX_DEPTH => return Err(fault(self.at, SexprFault::Depth)),
            b'(' => {
                self.open.push((self.at, Vec::new()));
                Token::None
            }
            b')' => {
                let Some((_, parts)) = self.open.pop() else {
                    return Err(fault(self.at, SexprFault::Unopened));
                };
                self.complete(Sexpr::List(parts), found);
                Token::None
            }
            _ if is_plain(byte) => Token::Plain,
            0x80..=0xff => return Err(fault(self.at, SexprFault::Encoding)),
            _ => return Err(fault(self.at, SexprFault::Character(char::from(byte)))),
        };
        if matches!(self.token, Token::Plain | Token::Quoted | Token::Text) {
            self.bytes.push(byte);
        }
        Ok(())
    }

    fn end_token(&mut self, found: &mut Vec<Sexpr>) -> Result<(), SexprError> {
        let text = String::from_utf8(std::mem::take(&mut self.bytes));
        let text = text.map_err(|_| fault(self.began, SexprFault::Encoding))?;
        // Letters of other scripts are legal in quotes only.
        let foreign = text.chars().find(|c| !c.is_ascii() && self.token == Token::Plain);
        if let Some(c) = foreign {
            return Err(fault(self.began, SexprFault::Character(c)));
        }
        self.token = Token::None;
        self.complete(Sexpr::Atom(text), found);
        Ok(())
    }

    fn complete(&mut self, expression: Sexpr, found: &mut Vec<Sexpr>) {
        match self.open.last_mut() {
            Some((_, parts)) => parts.push(expression),
            None => found.push(expression),
        }
    }
}

impl Default for SexprReader {
    fn default() -> SexprReader {
        SexprReader::new()
    }
}

/// Whether a byte can stand in an unquoted token: a symbol, a keyword, a number. A letter of another script is let
/// in, so that the whole of it can be named when it is refused.
fn is_plain(byte: u8) -> bool {
    is_symbol_byte(byte) || byte == b':' || byte == b'#' || byte >= 0x80
}

fn fault(place: Place, fault: SexprFault) -> SexprError {
    SexprError { line: place.line, column: place.column, fault }
}
