//! The words and signs of a formula, each with its place in the text.

use super::SyntaxError;
use std::ops::Range;

/// A word or sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// A name: of an atom, a process or a variable.
    Name(String),
    /// A name in quotes.
    Quoted(String),
    /// An operator before one formula.
    Prefix(Prefix),
    /// An operator between two formulas.
    Infix(Infix),
    /// `all` or `some`.
    Quantifier(Quantifier),
    /// `true` or `false`.
    Constant(bool),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{`
    OpenSet,
    /// `}`
    CloseSet,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `=` or `!=`
    Compare { equal: bool },
}

/// An operator before one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// `!`
    Not,
    /// `G`
    Always,
    /// `F`
    Eventually,
    /// `X`
    Next,
}

/// An operator between two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infix {
    /// `&`
    And,
    /// `|`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `~>`
    LeadsTo,
    /// `U`
    Until,
    /// `R`
    Releases,
    /// `W`
    Unless,
}

/// How many of the processes are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Every one.
    All,
    /// At least one.
    Some,
}

/// A token and the bytes that it was read from.
pub type Placed = (Token, Range<usize>);

/// How each token that is no name is written: words, signs, and the signs of logic.
const SPELLINGS: [(Token, &[&str]); 24] = [
    (Token::Prefix(Prefix::Always), &["G", "always", "[]", "□"]),
    (Token::Prefix(Prefix::Eventually), &["F", "eventually", "<>", "◇"]),
    (Token::Prefix(Prefix::Next), &["X", "next", "○"]),
    (Token::Prefix(Prefix::Not), &["not", "!", "¬"]),
    (Token::Infix(Infix::Until), &["U", "until"]),
    (Token::Infix(Infix::Releases), &["R", "releases"]),
    (Token::Infix(Infix::Unless), &["W", "unless"]),
    (Token::Infix(Infix::And), &["and", "&&", "&", "∧"]),
    (Token::Infix(Infix::Or), &["or", "||", "|", "∨"]),
    (Token::Infix(Infix::Implies), &["->", "=>", "→", "⇒"]),
    (Token::Infix(Infix::Iff), &["<->", "<=>", "↔", "⇔"]),
    (Token::Infix(Infix::LeadsTo), &["~>", "↝"]),
    (Token::Quantifier(Quantifier::All), &["all", "∀"]),
    (Token::Quantifier(Quantifier::Some), &["some", "∃"]),
    (Token::Constant(true), &["true"]),
    (Token::Constant(false), &["false"]),
    (Token::Compare { equal: true }, &["==", "="]),
    (Token::Compare { equal: false }, &["!=", "≠"]),
    (Token::Open, &["("]),
    (Token::Close, &[")"]),
    (Token::OpenSet, &["{"]),
    (Token::CloseSet, &["}"]),
    (Token::Comma, &[","]),
    (Token::Colon, &[":"]),
];

/// The longest name, in bytes.
const LONGEST_NAME: usize = 200;

/// All spellings, each with its token.
fn spellings() -> impl Iterator<Item = (&'static str, &'static Token)> {
    SPELLINGS.iter().flat_map(|(token, all)| all.iter().map(move |spelling| (*spelling, token)))
}

/// What a word means, if it is not a name.
fn keyword(word: &str) -> Option<Token> {
    spellings().find(|(spelling, _)| *spelling == word).map(|(_, token)| token.clone())
}

/// The sign at the beginning of a text: of those that fit, the longest.
fn sign(text: &str) -> Option<(&'static str, &'static Token)> {
    let signs = spellings().filter(|(spelling, _)| name_length(spelling) == 0 && text.starts_with(spelling));
    signs.max_by_key(|(spelling, _)| spelling.len())
}

/// Operators that are written together, as in `GF p`.
fn stacked(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|c| matches!(c, 'G' | 'F' | 'X'))
}

/// The length of the name at the beginning of a text. A hyphen belongs to it if a letter or digit follows.
fn name_length(text: &str) -> usize {
    let belongs = |c: char| c.is_alphanumeric() || c == '_';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inside = matches!(c, '-' | '.') && at > 0 && chars.peek().is_some_and(|&(_, next)| belongs(next));
        if !belongs(c) && !inside {
            return at;
        }
    }
    text.len()
}

/// Whether an atom of this name is read back when its name is written as it is, without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && name_length(word) == word.len() && keyword(word).is_none() && !stacked(word)
    };
    match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        // A set is the last argument, if there is one: `view(p0,{p0,p1})`.
        Some((head, arguments)) => {
            let (plain, set) = match arguments.strip_suffix('}').and_then(|rest| rest.split_once('{')) {
                Some((before, set)) => (before.strip_suffix(','), Some(set)),
                None => (Some(arguments), None),
            };
            let members = set.is_none_or(|set| set.is_empty() || set.split(',').all(word));
            word(head) && members && plain.is_some_and(|plain| plain.split(',').all(word))
        }
        None => word(name),
    }
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Placed>, SyntaxError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '"' {
            let (name, len) = quoted(rest).ok_or_else(|| {
                SyntaxError::new(at..text.len(), "this quotation never ends: write a `\"` after the name")
            })?;
            if name.len() > LONGEST_NAME {
                return Err(too_long(&name, at..at + len));
            }
            found.push((Token::Quoted(name), at..at + len));
            at += len;
        } else if let Some((sign, token)) = sign(rest) {
            found.push((token.clone(), at..at + sign.len()));
            at += sign.len();
        } else {
            let len = name_length(rest);
            if len == 0 {
                let message = format!(
                    "`{first}` has no meaning here: put a name with odd characters in quotes, as in `\"a {first} b\"`"
                );
                return Err(SyntaxError::new(at..at + first.len_utf8(), message));
            }
            if len > LONGEST_NAME && !stacked(&rest[..len]) {
                return Err(too_long(&rest[..len], at..at + len));
            }
            word(&rest[..len], at, &mut found);
            at += len;
        }
    }
    Ok(found)
}

fn too_long(name: &str, at: Range<usize>) -> SyntaxError {
    let message = format!(
        "the name {} has {} bytes, and a name may have {LONGEST_NAME}: give the atom by its name",
        super::quoted(name),
        name.len()
    );
    SyntaxError::new(at, message)
}

fn word(word: &str, at: usize, found: &mut Vec<Placed>) {
    if stacked(word) {
        for (i, _) in word.char_indices() {
            found.extend(keyword(&word[i..=i]).map(|token| (token, at + i..at + i + 1)));
        }
        return;
    }
    let token = keyword(word).unwrap_or_else(|| Token::Name(word.to_string()));
    found.push((token, at..at + word.len()));
}

/// The name in the quotes at the beginning of a text, and how long it is with them; `\` takes the character
/// after it as it is.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((name, at + 1)),
            '\\' => name.push(chars.next()?.1),
            _ => name.push(c),
        }
    }
    None
}
