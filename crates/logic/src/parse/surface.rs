//! The grammar: tokens to a tree that still has variables and quantifiers, with the place of every name.
//!
//! From loose to tight: quantifiers reach as far to the right as they can; `<->`; `->`; `~>`; `|`; `&`; `U`, `R`
//! and `W`; `!`, `G`, `F` and `X`.

use super::token::{Infix, Placed, Prefix, Quantifier, Token, tokens};
use super::{SyntaxError, quoted};
use std::ops::Range;

/// A formula as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Surface {
    /// `true` or `false`.
    Constant(bool),
    /// An atom by its whole name.
    Quoted(String, Range<usize>),
    /// An atom, with its arguments if it has any.
    Atom { name: String, arguments: Vec<Argument>, at: Range<usize> },
    /// Whether two names stand for the same process.
    Compare { equal: bool, left: Named, right: Named },
    /// An operator before a formula.
    Prefix(Prefix, Box<Surface>),
    /// An operator between two formulas.
    Infix(Infix, Box<Surface>, Box<Surface>),
    /// A formula for all or some processes.
    Quantified { quantifier: Quantifier, binders: Vec<Binder>, body: Box<Surface>, at: Range<usize> },
}

/// An argument of an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A name or a number.
    One(String),
    /// A set of processes, as in `view(p0,{p0,q})`.
    Set(Vec<Named>),
}

/// A name and its place.
pub type Named = (String, Range<usize>);

/// A variable for a process, and another name that must not stand for the same one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binder {
    /// The variable.
    pub variable: Named,
    /// What it differs from.
    pub differs: Option<Named>,
}

/// Formulas may be nested this deep.
const DEEPEST: usize = 128;
/// A text may have this many words and signs: a chain of operators is a deep tree, too.
const LONGEST: usize = 2_000;

/// Reads the tree of a text.
pub fn read(text: &str) -> Result<Surface, SyntaxError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        let message = "there is no formula: write one, as in `G (crashed(p1) -> F suspects(p0,p1))`";
        return Err(SyntaxError::new(0..0, message));
    }
    if let Some((_, place)) = tokens.get(LONGEST) {
        let message = format!("the formula has more than {LONGEST} words and signs: split the claim");
        return Err(SyntaxError::new(place.clone(), message));
    }
    let mut parser = Parser { text, tokens, at: 0, depth: 0 };
    let formula = parser.formula()?;
    match parser.peek() {
        None => Ok(formula),
        Some(Token::Close) => {
            Err(parser.wrong("this parenthesis closes none: leave it out, or open one before"))
        }
        Some(_) => {
            let message = format!(
                "an operator is missing before {}: write `&`, `|`, `->`, `U` or another one between two formulas",
                quoted(parser.here())
            );
            Err(parser.wrong(message))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    /// Where the next token stands, or the end of the text.
    fn place(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |(_, place)| place.clone())
    }

    /// The next token as it was written.
    fn here(&self) -> &str {
        &self.text[self.place()]
    }

    fn wrong(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.place(), message)
    }

    /// Takes the next token if it is this one.
    fn take(&mut self, token: &Token) -> bool {
        let is = self.peek() == Some(token);
        self.at += usize::from(is);
        is
    }

    /// Takes the next token if it is one of these operators.
    fn infix(&mut self, any: &[Infix]) -> Option<(Infix, Range<usize>)> {
        match self.tokens.get(self.at) {
            Some((Token::Infix(infix), place)) if any.contains(infix) => {
                self.at += 1;
                Some((*infix, place.clone()))
            }
            _ => None,
        }
    }

    fn formula(&mut self) -> Result<Surface, SyntaxError> {
        self.chain(&[Infix::Iff], Parser::implication)
    }

    /// `a op b op c`, read as `(a op b) op c`.
    fn chain(
        &mut self,
        operators: &[Infix],
        part: fn(&mut Self) -> Result<Surface, SyntaxError>,
    ) -> Result<Surface, SyntaxError> {
        let mut left = part(self)?;
        while let Some((infix, _)) = self.infix(operators) {
            left = Surface::Infix(infix, Box::new(left), Box::new(part(self)?));
        }
        Ok(left)
    }

    /// `a -> b -> c`, read as `a -> (b -> c)`.
    fn implication(&mut self) -> Result<Surface, SyntaxError> {
        let left = self.leads_to()?;
        match self.infix(&[Infix::Implies]) {
            Some((infix, _)) => {
                let right = self.deeper(Parser::implication)?;
                Ok(Surface::Infix(infix, Box::new(left), Box::new(right)))
            }
            None => Ok(left),
        }
    }

    fn leads_to(&mut self) -> Result<Surface, SyntaxError> {
        let left = self.disjunction()?;
        let Some((infix, _)) = self.infix(&[Infix::LeadsTo]) else { return Ok(left) };
        let right = self.disjunction()?;
        if self.peek() == Some(&Token::Infix(Infix::LeadsTo)) {
            return Err(self.wrong("a chain of `~>` can be read in two ways: put one of them in parentheses"));
        }
        Ok(Surface::Infix(infix, Box::new(left), Box::new(right)))
    }

    fn disjunction(&mut self) -> Result<Surface, SyntaxError> {
        self.chain(&[Infix::Or], Parser::conjunction)
    }

    fn conjunction(&mut self) -> Result<Surface, SyntaxError> {
        self.chain(&[Infix::And], Parser::until)
    }

    /// `a U b U c`, read as `a U (b U c)`; different ones of these operators need parentheses.
    fn until(&mut self) -> Result<Surface, SyntaxError> {
        let mut parts = vec![self.unary()?];
        let mut first = None;
        while let Some((infix, place)) = self.infix(&[Infix::Until, Infix::Releases, Infix::Unless]) {
            if *first.get_or_insert(infix) != infix {
                let message = "`U`, `R` and `W` side by side can be read in two ways: add parentheses";
                return Err(SyntaxError::new(place, message));
            }
            parts.push(self.unary()?);
        }
        let last = parts.pop().ok_or_else(|| self.wrong(self.missing()))?;
        let join = |right, left| match first {
            Some(infix) => Surface::Infix(infix, Box::new(left), Box::new(right)),
            None => right,
        };
        Ok(parts.into_iter().rev().fold(last, join))
    }

    fn unary(&mut self) -> Result<Surface, SyntaxError> {
        match self.peek() {
            Some(&Token::Prefix(prefix)) => {
                self.at += 1;
                Ok(Surface::Prefix(prefix, Box::new(self.deeper(Parser::unary)?)))
            }
            Some(&Token::Quantifier(quantifier)) => self.quantified(quantifier),
            _ => self.primary(),
        }
    }

    fn deeper(
        &mut self,
        part: fn(&mut Self) -> Result<Surface, SyntaxError>,
    ) -> Result<Surface, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(
                self.wrong(format!("formulas are nested deeper than {DEEPEST} here: split the claim"))
            );
        }
        let read = part(self);
        self.depth -= 1;
        read
    }

    fn primary(&mut self) -> Result<Surface, SyntaxError> {
        let at = self.place();
        match self.peek().cloned() {
            Some(Token::Constant(value)) => {
                self.at += 1;
                Ok(Surface::Constant(value))
            }
            Some(Token::Quoted(name)) => {
                self.at += 1;
                Ok(Surface::Quoted(name, at))
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                self.named(name, at)
            }
            Some(Token::Open) => {
                self.at += 1;
                let inner = self.deeper(Parser::formula)?;
                match self.peek() {
                    Some(Token::Close) => {
                        self.at += 1;
                        Ok(inner)
                    }
                    None => Err(SyntaxError::new(
                        at,
                        "this parenthesis is never closed: write a `)` after the formula",
                    )),
                    Some(_) => {
                        Err(self
                            .wrong(format!("an operator or `)` is missing before {}", quoted(self.here()))))
                    }
                }
            }
            _ => Err(self.wrong(self.missing())),
        }
    }

    /// What to say where a formula should begin and none does.
    fn missing(&self) -> String {
        let before = match self.at.checked_sub(1).map(|at| &self.tokens[at]) {
            Some((_, place)) => format!("after `{}` ", &self.text[place.clone()]),
            None => String::new(),
        };
        let found = match self.peek() {
            Some(_) => format!(", not {}", quoted(self.here())),
            None => String::new(),
        };
        format!(
            "{before}a formula must follow{found}: an atom, `true`, `false`, an operator like `G`, or `(`"
        )
    }

    /// What begins with a name: an atom or a comparison.
    fn named(&mut self, name: String, at: Range<usize>) -> Result<Surface, SyntaxError> {
        if let Some(&Token::Compare { equal }) = self.peek() {
            self.at += 1;
            let right =
                self.process_name("after `=` or `!=` a process must follow, as in `p != q` or `p = p0`")?;
            return Ok(Surface::Compare { equal, left: (name, at), right });
        }
        if self.peek() != Some(&Token::Open) {
            return Ok(Surface::Atom { name, arguments: Vec::new(), at });
        }
        self.at += 1;
        let mut arguments = Vec::new();
        loop {
            let hint =
                "an argument must be a name, as in `suspects(p0,p1)`: put an atom with an odd name in quotes";
            arguments.push(match self.take(&Token::OpenSet) {
                true => Argument::Set(self.set()?),
                false => Argument::One(self.process_name(hint)?.0),
            });
            let end = self.place().end;
            if self.take(&Token::Close) {
                return Ok(Surface::Atom { name, arguments, at: at.start..end });
            }
            if !self.take(&Token::Comma) {
                return Err(self.wrong("after an argument `,` or `)` must follow"));
            }
        }
    }

    /// The members of a set, up to and including its brace.
    fn set(&mut self) -> Result<Vec<Named>, SyntaxError> {
        let mut members = Vec::new();
        if self.take(&Token::CloseSet) {
            return Ok(members);
        }
        loop {
            members.push(self.process_name("a set has processes, as in `{p0,p1}`, or none, as in `{}`")?);
            if self.take(&Token::CloseSet) {
                return Ok(members);
            }
            if !self.take(&Token::Comma) {
                return Err(self.wrong("after a process of a set `,` or `}` must follow"));
            }
        }
    }

    fn process_name(&mut self, hint: &str) -> Result<Named, SyntaxError> {
        let place = self.place();
        match self.peek().cloned() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok((name, place))
            }
            _ => Err(self.wrong(hint)),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<Surface, SyntaxError> {
        let start = self.place().start;
        let hint = "after `all` or `some` a variable must follow, as in `all p: crashed(p)` or `all p != q: ...`; \
                    a name that has another meaning cannot be one";
        self.at += 1;
        let mut binders = Vec::new();
        loop {
            let variable = self.process_name(hint)?;
            let differs = match self.peek() {
                Some(&Token::Compare { equal: false }) => {
                    self.at += 1;
                    Some(self.process_name("after `!=` a variable or a process must follow")?)
                }
                _ => None,
            };
            binders.push(Binder { variable, differs });
            let end = self.place().start;
            if self.take(&Token::Colon) {
                let body = Box::new(self.deeper(Parser::formula)?);
                return Ok(Surface::Quantified { quantifier, binders, body, at: start..end });
            }
            if !self.take(&Token::Comma) {
                return Err(self.wrong("after the variables `:` must follow, as in `all p: crashed(p)`"));
            }
        }
    }
}
