//! The parser of terms: `crashed and age >= 0 => wt <= 3*Phi + Delta - age`. The text that a term is shown as is
//! read as the same term. Text comes from users, so nothing here panics, and nesting is limited.

use crate::Term;
use watchkeeper_logic::LONGEST_FORMULA;

/// How deep parentheses and operators may be nested.
pub(crate) const DEEPEST: usize = 400;

/// How many words and signs a formula may have.
const MOST_TOKENS: usize = 20_000;

/// How many parts a formula may have once `min` and `max` are written out, which repeat theirs.
const LARGEST: usize = 20_000;

/// How long a name may be, in characters.
const LONGEST_NAME: usize = 128;

/// The most that the numbers and factors of one sum or product may add up to. Sums are simplified, and no simplified sum
/// has a number beyond it, so every term that is read is also read from the text that it is shown as.
const LARGEST_SUM: i128 = 1 << 62;

const LINEAR: &str = "a number on one side of `*`: products of two unknowns are not linear";

/// A term from its text.
///
/// Loosest first: `if .. then .. else ..` and `all x in a .. b: ..`; `=>`, to the right; `or`; `and`; `not`;
/// `<= < >= > = != in`; `+ -`; `*`, with a number on one side; `min(a, b)`, `max(a, b)`, `{a, b}`.
pub fn term(text: &str) -> Result<Term, TermSyntaxError> {
    if text.len() > LONGEST_FORMULA {
        return Err(TermSyntaxError {
            at: 0,
            wanted: format!("a formula of at most {LONGEST_FORMULA} bytes"),
        });
    }
    let mut reader =
        TermParser { tokens: tokens(text)?, next: 0, depth: 0, end: text.chars().count(), written_out: 0 };
    let term = reader.loosest()?;
    match reader.peek() {
        None => Ok(term),
        Some(_) => Err(reader.wanted("the end of the formula")),
    }
}

/// Why a text is no term.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at character {}: expected {wanted}", .at + 1)]
pub struct TermSyntaxError {
    /// The place, in characters from the start.
    pub at: usize,
    /// What should stand there.
    pub wanted: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Word(String),
    Number(i64),
    Sign(&'static str),
}

const SIGNS: [&str; 19] =
    ["<=", ">=", "!=", "=>", "..", "<", ">", "=", "+", "-", "*", "(", ")", "{", "}", ",", ":", "[", "]"];

const RESERVED: [&str; 11] = ["if", "then", "else", "all", "in", "and", "or", "not", "true", "false", "mod"];

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, TermSyntaxError> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let first = chars[at];
        let start = at;
        if first.is_whitespace() {
            at += 1;
        } else if first.is_ascii_digit() {
            while at < chars.len() && chars[at].is_ascii_digit() {
                at += 1;
            }
            let digits: String = chars[start..at].iter().collect();
            let number = digits.parse::<i64>().ok().filter(|n| i128::from(*n) <= LARGEST_SUM);
            let number = number.ok_or_else(|| TermSyntaxError {
                at: start,
                wanted: "a number of at most 2^62".to_string(),
            })?;
            tokens.push((start, Token::Number(number)));
        } else if first.is_alphabetic() || first == '_' {
            while at < chars.len() && (chars[at].is_alphanumeric() || matches!(chars[at], '_' | '\'' | '@')) {
                at += 1;
            }
            if at - start > LONGEST_NAME {
                let wanted = format!("a name of at most {LONGEST_NAME} characters");
                return Err(TermSyntaxError { at: start, wanted });
            }
            tokens.push((start, Token::Word(chars[start..at].iter().collect())));
        } else {
            let fits = |sign: &&&str| sign.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
            let sign = SIGNS.iter().find(fits).ok_or_else(|| TermSyntaxError {
                at,
                wanted: format!("a name, a number or an operator, found {first:?}"),
            })?;
            tokens.push((at, Token::Sign(sign)));
            at += sign.len();
        }
        if tokens.len() > MOST_TOKENS {
            let wanted = format!("a formula of at most {MOST_TOKENS} words and signs");
            return Err(TermSyntaxError { at: start, wanted });
        }
    }
    Ok(tokens)
}

struct TermParser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    end: usize,
    /// How many parts were repeated by `min` and `max`.
    written_out: usize,
}

impl TermParser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn wanted(&self, wanted: &str) -> TermSyntaxError {
        let at = self.tokens.get(self.next).map_or(self.end, |(at, _)| *at);
        TermSyntaxError { at, wanted: wanted.to_string() }
    }

    /// Whether a parenthesis follows the next word.
    fn calls(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("("))))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = match self.peek() {
            Some(Token::Sign(found)) => *found == sign,
            Some(Token::Word(found)) => found == sign,
            _ => false,
        };
        self.next += usize::from(is);
        is
    }

    fn needs(&mut self, sign: &str) -> Result<(), TermSyntaxError> {
        if self.takes(sign) { Ok(()) } else { Err(self.wanted(&format!("`{sign}`"))) }
    }

    fn nested(
        &mut self,
        inner: fn(&mut TermParser) -> Result<Term, TermSyntaxError>,
    ) -> Result<Term, TermSyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wanted(&format!("no more than {DEEPEST} levels of nesting")));
        }
        let term = inner(self);
        self.depth -= 1;
        term
    }

    fn loosest(&mut self) -> Result<Term, TermSyntaxError> {
        self.nested(|reader| {
            if reader.takes("if") {
                let condition = reader.loosest()?;
                reader.needs("then")?;
                let then = reader.loosest()?;
                reader.needs("else")?;
                let otherwise = reader.loosest()?;
                return Ok(Term::If(Box::new(condition), Box::new(then), Box::new(otherwise)));
            }
            if reader.takes("all") {
                let element = reader.word()?;
                reader.needs("in")?;
                let low = reader.sum()?;
                reader.needs("..")?;
                let high = reader.sum()?;
                reader.needs(":")?;
                let body = reader.loosest()?;
                return Ok(Term::All(element, Box::new(low), Box::new(high), Box::new(body)));
            }
            let one = reader.one_of()?;
            if !reader.takes("=>") {
                return Ok(one);
            }
            let other = reader.loosest()?;
            Ok(Term::Implies(Box::new(one), Box::new(other)))
        })
    }

    fn one_of(&mut self) -> Result<Term, TermSyntaxError> {
        let mut all = vec![self.all_of()?];
        while self.takes("or") {
            all.push(self.all_of()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Term::Or(all) })
    }

    fn all_of(&mut self) -> Result<Term, TermSyntaxError> {
        let mut all = vec![self.opposite()?];
        while self.takes("and") {
            all.push(self.opposite()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Term::And(all) })
    }

    fn opposite(&mut self) -> Result<Term, TermSyntaxError> {
        if self.takes("not") {
            return Ok(Term::Not(Box::new(self.nested(TermParser::opposite)?)));
        }
        let one = self.sum()?;
        let (one, other) = (Box::new(one), |reader: &mut TermParser| reader.sum().map(Box::new));
        Ok(if self.takes("<=") {
            Term::Le(one, other(self)?)
        } else if self.takes("<") {
            Term::Lt(one, other(self)?)
        } else if self.takes(">=") {
            Term::Le(other(self)?, one)
        } else if self.takes(">") {
            Term::Lt(other(self)?, one)
        } else if self.takes("=") {
            Term::Eq(one, other(self)?)
        } else if self.takes("!=") {
            Term::Not(Box::new(Term::Eq(one, other(self)?)))
        } else if self.takes("in") {
            Term::In(one, other(self)?)
        } else {
            *one
        })
    }

    fn sum(&mut self) -> Result<Term, TermSyntaxError> {
        let first = self.takes("-");
        let mut all = vec![signed(first, self.product()?)];
        loop {
            if self.takes("+") {
                all.push(self.product()?);
            } else if self.takes("-") {
                all.push(signed(true, self.product()?));
            } else if all.len() == 1 {
                return Ok(all.remove(0));
            } else {
                self.bounded(all.iter().map(weight).fold(0, i128::saturating_add))?;
                return Ok(Term::sum(all));
            }
        }
    }

    /// Refuses a sum or product of this weight if it is too large to be simplified.
    fn bounded(&self, weight: i128) -> Result<(), TermSyntaxError> {
        if weight <= LARGEST_SUM {
            return Ok(());
        }
        Err(self.wanted("smaller numbers before this: those of a sum or product may add up to 2^62"))
    }

    fn product(&mut self) -> Result<Term, TermSyntaxError> {
        let mut one = self.atom()?;
        let mut factors = 0;
        while self.takes("*") {
            factors += 1;
            if factors > DEEPEST {
                return Err(self.wanted(&format!("no more than {DEEPEST} factors of one product")));
            }
            let negative = self.takes("-");
            let other = signed(negative, self.atom()?);
            let (factor, scaled) = match (one, other) {
                (Term::Number(k), other) => (k, other),
                (one, Term::Number(k)) => (k, one),
                _ => {
                    self.next -= 1;
                    return Err(self.wanted(LINEAR));
                }
            };
            self.bounded(i128::from(factor).abs().saturating_mul(weight(&scaled)))?;
            one = scaled.times(factor);
        }
        Ok(one)
    }

    fn atom(&mut self) -> Result<Term, TermSyntaxError> {
        match self.peek().cloned() {
            Some(Token::Number(n)) => {
                self.next += 1;
                Ok(Term::Number(n))
            }
            Some(Token::Word(word)) if word == "true" || word == "false" => {
                self.next += 1;
                Ok(Term::Bool(word == "true"))
            }
            Some(Token::Word(word)) if matches!(word.as_str(), "min" | "max") && self.calls() => {
                self.next += 2;
                let one = self.loosest()?;
                self.needs(",")?;
                let other = self.loosest()?;
                self.needs(")")?;
                self.written_out += size(&one) + size(&other);
                if self.written_out > LARGEST {
                    return Err(self.wanted(&format!(
                        "fewer of `min` and `max` within each other: written out, they have more than {LARGEST} parts"
                    )));
                }
                let smaller = one.clone().le(other.clone());
                let (then, otherwise) = if word == "min" { (one, other) } else { (other, one) };
                Ok(Term::choice(smaller, then, otherwise))
            }
            Some(Token::Word(_)) => Ok(Term::Name(self.word()?)),
            Some(Token::Sign("(")) => {
                self.next += 1;
                let inner = self.loosest()?;
                self.needs(")")?;
                Ok(inner)
            }
            Some(Token::Sign("{")) => {
                self.next += 1;
                let mut all = Vec::new();
                if !self.takes("}") {
                    all.push(self.loosest()?);
                    while self.takes(",") {
                        all.push(self.loosest()?);
                    }
                    self.needs("}")?;
                }
                Ok(Term::Of(all))
            }
            _ => Err(self.wanted("a name, a number or `(`")),
        }
    }

    fn word(&mut self) -> Result<String, TermSyntaxError> {
        match self.peek() {
            Some(Token::Word(word)) if !RESERVED.contains(&word.as_str()) => {
                let word = word.clone();
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.wanted("a name")),
        }
    }
}

/// How many parts a term has, itself among them.
fn size(term: &Term) -> usize {
    1 + term.parts().into_iter().map(size).sum::<usize>()
}

/// What the numbers and factors of a sum add up to, whatever their signs; one for each part without a factor.
fn weight(term: &Term) -> i128 {
    match term {
        Term::Number(n) => i128::from(*n).abs(),
        Term::Sum(all) => all.iter().map(weight).fold(0, i128::saturating_add),
        Term::Times(k, part) => i128::from(*k).abs().saturating_mul(weight(part)),
        _ => 1,
    }
}

fn signed(negative: bool, term: Term) -> Term {
    if negative { term.times(-1) } else { term }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_shown_as_the_text_that_it_is_read_from() {
        for text in [
            "crashed and 0 <= age => wt <= 3*Phi + Delta - age",
            "a or b and not c => d => e",
            "(a => b) => c",
            "not (a and b)",
            "x != y + 1",
            "x = -1",
            "-x + 2*y <= -3",
            "if a then x else if b then y else -z",
            "x + (if a then 1 else 0) <= 4",
            "all i in 0 .. Delta: i in buf => i <= age",
            "x in {0, y + 1}",
            "x in {}",
            "true",
            "(a and b) = c",
        ] {
            let read = term(text).expect(text);
            assert_eq!(read.to_string(), text);
            assert_eq!(term(&read.to_string()), Ok(read));
        }
    }

    #[test]
    fn what_becomes_large_is_read_back_or_refused() {
        for (text, shown) in [
            ("1048576*x + x <= 0", "1048577*x <= 0"),
            ("1048576*(1048576*x) = 0", "1099511627776*x = 0"),
            ("x <= 1099511627776 + 1", "x <= 1099511627777"),
            ("-(1048576*(1048576*x + 1)) < min", "-1099511627776*x - 1048576 < min"),
        ] {
            let read = term(text).expect(text);
            assert_eq!(read.to_string(), shown);
            assert_eq!(term(shown), Ok(read));
        }
        for text in [
            "4611686018427387903*x + x - x = 1",
            "4611686018427387904 + 4611686018427387904 <= x",
            "4611686018427387905 <= x",
        ] {
            assert!(term(text).expect_err(text).wanted.contains("2^62"));
        }
    }

    #[test]
    fn what_means_the_same_is_the_same() {
        let same = |one: &str, other: &str| assert_eq!(term(one), term(other), "{one} and {other}");
        same("a >= b", "b <= a");
        same("x*3", "3*x");
        same("x + x", "2*x");
        same("x - (y - 1)", "x - y + 1");
        same("min(a, b) <= 2", "(if a <= b then a else b) <= 2");
        same("3 * -2", "-6");
    }

    #[test]
    fn what_is_no_term_is_refused_with_its_place() {
        let told = |text: &str| term(text).map_err(|error| error.to_string());
        assert_eq!(told("wt <= "), Err("at character 7: expected a name, a number or `(`".into()));
        assert_eq!(told("wt <= 1 1"), Err("at character 9: expected the end of the formula".into()));
        assert_eq!(
            told("x * y"),
            Err("at character 5: expected a number on one side of `*`: products of two unknowns are not linear".into())
        );
        assert!(told("1099511627776*1099511627776 = 0").is_err(), "what cannot be written is not rounded");
        assert!(told("1048576*(1048576*(1048576*(1048576*x))) = 0").is_err());
        assert_eq!(told("1048576*1048576").map(|term| term.to_string()), Ok("1099511627776".to_string()));
        assert_eq!(
            told("a ? b"),
            Err("at character 3: expected a name, a number or an operator, found '?'".into())
        );
        assert!(told(&"(".repeat(100_000)).is_err() && told(&"not ".repeat(100_000)).is_err());
        assert!(told("99999999999999999999").is_err());
    }

    #[test]
    fn what_is_too_long_or_grows_is_refused_in_few_words() {
        let nested =
            |depth: usize| (0..depth).fold("x".to_string(), |inner, i| format!("min({inner}, max(y, {i}))"));
        for text in [
            "q".repeat(10_000_000),
            "q".repeat(129),
            "9".repeat(90_000),
            vec!["p"; 300_000].join(" and "),
            vec!["x"; 25_000].join("+"),
            format!("x{}", "*1".repeat(10_000)),
            "x => ".repeat(9_000) + "x",
            "-(".repeat(9_000),
            "{".repeat(9_000),
            nested(30),
        ] {
            let error = term(&text).expect_err("refused").to_string();
            assert!(error.len() < 200, "{error}");
        }
        assert!(term(&nested(8)).is_ok());
        assert!(term(&vec!["p"; 10_000].join(" and ")).is_ok());
        assert!(term(&"q".repeat(128)).is_ok());
    }
}
