//! Conditions from text. The text may come from anywhere: every mistake in it is told with its place and what to write
//! instead, and limits keep nesting and size small.

use crate::condition::{Condition, written};
use crate::linear::{Linear, LinearError};
use watchkeeper_polyhedra::{Constraint, Relation};

/// The longest text, in bytes.
const LONGEST: usize = 10_000;
/// The most conjunctions of a condition that is read, and the most constraints in all of them.
const MOST_CONJUNCTIONS: usize = 1_000;
const MOST_CONSTRAINTS: usize = 10_000;
/// The deepest nesting of parentheses.
const DEEPEST: usize = 50;

/// A text that is no condition over the parameters. Places are counted in characters, from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// A name that is no parameter.
    #[error("at character {place}: `{name}` is no parameter; write {known}")]
    Unknown {
        /// Where it stands.
        place: usize,
        /// The name.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// A product of two parameters.
    #[error(
        "at character {place}: `{term}` multiplies parameters; regions are linear, so write a number in place of one of \
         them"
    )]
    Product {
        /// Where it stands.
        place: usize,
        /// The side of the comparison.
        term: String,
    },
    /// Something that cannot stand where it stands.
    #[error("at character {place}: {found}; write {instead}")]
    Syntax {
        /// Where it stands.
        place: usize,
        /// What is wrong.
        found: String,
        /// What to write.
        instead: &'static str,
    },
    /// Numbers that are too large.
    #[error("at character {place}: `{term}` has numbers beyond what can be counted; write smaller ones")]
    Overflow {
        /// Where it stands.
        place: usize,
        /// The comparison.
        term: String,
    },
    /// A condition that is too large or too deeply nested.
    #[error(
        "the condition is too large; write at most {LONGEST} bytes, {MOST_CONJUNCTIONS} alternatives with \
         {MOST_CONSTRAINTS} comparisons in all, and parentheses at most {DEEPEST} deep"
    )]
    TooLarge,
}

impl Condition {
    /// Reads a condition over these parameters: comparisons of linear expressions with `<`, `<=`, `>`, `>=`, `=`, also in
    /// chains such as `0 < a <= b`, joined by `and` and `or`, with parentheses around conditions; or `always`, or
    /// `never`. `&&`, `,`, `||`, `==`, `true` and `false` are understood too. A parameter `max-delta` is written
    /// `max_delta`.
    pub fn parse(text: &str, parameters: &[String]) -> Result<Condition, ConditionError> {
        if text.len() > LONGEST {
            return Err(ConditionError::TooLarge);
        }
        let names: Vec<String> = parameters.iter().map(|parameter| written(parameter)).collect();
        let mut reader = Reading { text, names: &names, lexemes: lexemes(text)?, next: 0, depth: 0 };
        let conjunctions = reader.disjunction()?;
        match reader.peek() {
            Kind::End => Ok(Condition::any(parameters.len(), conjunctions)),
            _ => Err(reader.unexpected("`and` or `or` between two comparisons")),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A linear expression.
    Side,
    Always,
    Never,
    And,
    Or,
    Open,
    Close,
    /// The left side in relation to the right one, and whether the right one is the greater.
    Compare(Relation, bool),
    End,
}

#[derive(Clone, Copy, Debug)]
struct Lexeme {
    kind: Kind,
    start: usize,
    end: usize,
}

type Conjunctions = Vec<Vec<Constraint>>;

struct Reading<'a> {
    text: &'a str,
    names: &'a [String],
    lexemes: Vec<Lexeme>,
    next: usize,
    depth: usize,
}

const SIGNS: [(&str, Kind); 13] = [
    ("<=", Kind::Compare(Relation::AtLeast, true)),
    (">=", Kind::Compare(Relation::AtLeast, false)),
    ("==", Kind::Compare(Relation::Equal, false)),
    ("<", Kind::Compare(Relation::Above, true)),
    (">", Kind::Compare(Relation::Above, false)),
    ("=", Kind::Compare(Relation::Equal, false)),
    ("≤", Kind::Compare(Relation::AtLeast, true)),
    ("≥", Kind::Compare(Relation::AtLeast, false)),
    ("&&", Kind::And),
    ("||", Kind::Or),
    (",", Kind::And),
    ("(", Kind::Open),
    (")", Kind::Close),
];

const WORDS: [(&str, Kind); 6] = [
    ("and", Kind::And),
    ("or", Kind::Or),
    ("always", Kind::Always),
    ("true", Kind::Always),
    ("never", Kind::Never),
    ("false", Kind::Never),
];

/// Cuts a text at comparisons, connectives and parentheses; what is between them is a side of a comparison.
fn lexemes(text: &str) -> Result<Vec<Lexeme>, ConditionError> {
    let mut lexemes: Vec<Lexeme> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("!=") || rest.starts_with('≠') {
            return Err(ConditionError::Syntax {
                place: place(text, at),
                found: "two sides that are not equal are two regions".to_string(),
                instead: "`a < b or a > b`",
            });
        }
        let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let known = if word > 0 {
            WORDS.iter().find(|(name, _)| *name == &rest[..word])
        } else {
            SIGNS.iter().find(|(sign, _)| rest.starts_with(sign))
        };
        let length = known.map_or(if word > 0 { word } else { first.len_utf8() }, |(sign, _)| sign.len());
        let end = at + length;
        match (known, lexemes.last_mut()) {
            (Some((_, kind)), _) => lexemes.push(Lexeme { kind: *kind, start: at, end }),
            (None, _) if first.is_whitespace() => {}
            (None, Some(last)) if last.kind == Kind::Side => last.end = end,
            (None, _) => lexemes.push(Lexeme { kind: Kind::Side, start: at, end }),
        }
        at = end;
    }
    lexemes.push(Lexeme { kind: Kind::End, start: at, end: at });
    Ok(lexemes)
}

fn constraints_in(conjunctions: &Conjunctions) -> usize {
    conjunctions.iter().map(Vec::len).sum()
}

fn small_enough(conjunctions: usize, constraints: usize) -> Result<(), ConditionError> {
    if conjunctions > MOST_CONJUNCTIONS || constraints > MOST_CONSTRAINTS {
        return Err(ConditionError::TooLarge);
    }
    Ok(())
}

/// As much of a text as an error repeats.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The character at an offset, counted from 1.
fn place(text: &str, offset: usize) -> usize {
    text[..offset].chars().count() + 1
}

impl Reading<'_> {
    fn peek(&self) -> Kind {
        self.lexemes[self.next].kind
    }

    fn take(&mut self, kind: Kind) -> bool {
        let found = self.peek() == kind;
        self.next += usize::from(found);
        found
    }

    fn disjunction(&mut self) -> Result<Conjunctions, ConditionError> {
        let mut all = self.conjunction()?;
        while self.take(Kind::Or) {
            all.extend(self.conjunction()?);
            small_enough(all.len(), constraints_in(&all))?;
        }
        Ok(all)
    }

    fn conjunction(&mut self) -> Result<Conjunctions, ConditionError> {
        let mut all = self.atom()?;
        while self.take(Kind::And) {
            let next = self.atom()?;
            let (a, b) = (constraints_in(&all) * next.len(), constraints_in(&next) * all.len());
            small_enough(all.len() * next.len(), a + b)?;
            let both = |a: &Vec<Constraint>, b: &Vec<Constraint>| a.iter().chain(b).cloned().collect();
            all = all.iter().flat_map(|a| next.iter().map(move |b| both(a, b))).collect();
        }
        Ok(all)
    }

    fn atom(&mut self) -> Result<Conjunctions, ConditionError> {
        if self.take(Kind::Always) {
            return Ok(vec![Vec::new()]);
        }
        if self.take(Kind::Never) {
            return Ok(Vec::new());
        }
        if !self.take(Kind::Open) {
            return Ok(vec![self.chain()?]);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ConditionError::TooLarge);
        }
        let inner = self.disjunction()?;
        self.depth -= 1;
        if !self.take(Kind::Close) {
            return Err(self.unexpected("`)` after the condition"));
        }
        if matches!(self.peek(), Kind::Compare(..) | Kind::Side) {
            return Err(self.unexpected("parentheses only around conditions, and expressions without them"));
        }
        Ok(inner)
    }

    /// A comparison, or several in a chain.
    fn chain(&mut self) -> Result<Vec<Constraint>, ConditionError> {
        let mut left = self.side()?;
        let mut constraints = Vec::new();
        while let Kind::Compare(relation, greater) = self.peek() {
            self.next += 1;
            let right = self.side()?;
            let (above, below) = if greater { (right.0, left.0) } else { (left.0, right.0) };
            let overflow = || ConditionError::Overflow {
                place: place(self.text, left.1.start),
                term: quoted(&self.text[left.1.start..right.1.end]),
            };
            let difference = above.difference(below).ok_or_else(overflow)?;
            let (row, constant, _) = difference.row(self.names).ok_or_else(overflow)?;
            if row.contains(&i64::MIN) || constant == i64::MIN {
                return Err(overflow());
            }
            constraints.push(Constraint::new(row, constant, relation));
            left = right;
        }
        if constraints.is_empty() {
            return Err(self.unexpected("`<`, `<=`, `>`, `>=` or `=` and another expression"));
        }
        Ok(constraints)
    }

    fn side(&mut self) -> Result<(Linear, Lexeme), ConditionError> {
        let lexeme = self.lexemes[self.next];
        if lexeme.kind != Kind::Side {
            return Err(self.unexpected("an expression such as 3*a - b/2 + 1"));
        }
        let text = &self.text[lexeme.start..lexeme.end];
        self.next += 1;
        let place = place(self.text, lexeme.start);
        if self.peek() == Kind::Open {
            return Err(self.unexpected("expressions without parentheses"));
        }
        let expression: Linear = text.parse().map_err(|error| match error {
            LinearError::Product(_) => ConditionError::Product { place, term: quoted(text) },
            LinearError::Overflow(_) => ConditionError::Overflow { place, term: quoted(text) },
            LinearError::Syntax(_) => ConditionError::Syntax {
                place,
                found: format!("`{}` is no linear expression", quoted(text)),
                instead: "sums of terms such as 3*a - b/2 + 1",
            },
        })?;
        match self.unknown(lexeme) {
            Some(error) => Err(error),
            None => Ok((expression, lexeme)),
        }
    }

    /// The first name in an expression that is no parameter.
    fn unknown(&self, lexeme: Lexeme) -> Option<ConditionError> {
        let mut start = lexeme.start;
        for piece in self.text[lexeme.start..lexeme.end].split_inclusive(['+', '-', '*', '/']) {
            let name = piece.trim_end_matches(['+', '-', '*', '/']).trim();
            let spaces = piece.len() - piece.trim_start().len();
            let number = name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit());
            if !number && !self.names.iter().any(|known| known == name) {
                let known = match self.names {
                    [] => "numbers: there are no parameters".to_string(),
                    [one] => one.clone(),
                    [first @ .., last] => format!("{} or {last}", first.join(", ")),
                };
                let place = place(self.text, start + spaces);
                return Some(ConditionError::Unknown { place, name: quoted(name), known });
            }
            start += piece.len();
        }
        None
    }

    fn unexpected(&self, instead: &'static str) -> ConditionError {
        let lexeme = self.lexemes[self.next];
        let found = match lexeme.kind {
            Kind::End => "the text ends".to_string(),
            _ => format!("`{}` cannot stand here", quoted(&self.text[lexeme.start..lexeme.end])),
        };
        ConditionError::Syntax { place: place(self.text, lexeme.start), found, instead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_polyhedra::Ratio;

    fn names() -> Vec<String> {
        ["a", "b", "max-delta"].map(String::from).to_vec()
    }

    fn holds(text: &str, point: [i64; 3]) -> bool {
        let condition = Condition::parse(text, &names()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let point = point.map(Ratio::from);
        let all = |conjunction: &Vec<Constraint>| conjunction.iter().all(|c| c.holds_at(&point).unwrap());
        condition.conjunctions().iter().any(all)
    }

    fn error(text: &str) -> String {
        Condition::parse(text, &names()).unwrap_err().to_string()
    }

    #[test]
    fn comparisons_chains_and_connectives_mean_what_they_say() {
        for (a, b, c) in (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..4).map(move |c| (a, b, c)))) {
            let at = [a, b, c];
            assert_eq!(holds("0 < a <= b", at), 0 < a && a <= b);
            assert_eq!(holds("a > b/2 or b = max_delta", at), 2 * a > b || b == c);
            assert_eq!(holds("a≥b, b>=1 && max_delta==2||a<1", at), a >= b && b >= 1 && c == 2 || a < 1);
            assert_eq!(holds("(a > 1 or b > 1) and (b < 3)", at), (a > 1 || b > 1) && b < 3);
            assert_eq!(holds("a > b = max_delta ≤ 2", at), a > b && b == c && c <= 2);
            assert_eq!(holds("3*a - b/2 + 1 >= max_delta", at), 6 * a - b + 2 >= 2 * c);
            assert!(holds("always", at) && holds("true or a > 1", at) && holds("2 > 1", at));
            assert!(!holds("never", at) && !holds("false, a >= 0", at) && !holds("a < a", at));
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        assert_eq!(
            error("a > 1 and ttl < b"),
            "at character 11: `ttl` is no parameter; write a, b or max_delta"
        );
        assert_eq!(
            error("b > 2*max-delta"),
            "at character 7: `max` is no parameter; write a, b or max_delta"
        );
        assert!(error("1 < a*b").contains("at character 5: `a*b` multiplies parameters; regions are linear"));
        assert!(error("a <").contains("at character 4: the text ends; write an expression"));
        assert!(error("").contains("at character 1: the text ends"));
        assert!(error("a").contains("the text ends; write `<`"));
        assert!(error("a > 1 b").contains("`1 b` is no linear expression"));
        assert!(error("(a > 1").contains("write `)`"));
        assert!(error("a > 1)").contains("`)` cannot stand here"));
        assert!(error("2*(a + b) > 1").contains("expressions without parentheses"));
        assert!(error("(a + b) > 1").contains("write `<`"));
        assert!(error("a != b").contains("`a < b or a > b`"));
        assert!(error("ä > 0 and a ? 1").starts_with("at character 1"));
        assert!(error("a > 99999999999999999999").contains("write"));
        assert!(error("9223372036854775807*a > -9223372036854775807*a").contains("numbers beyond"));
    }

    #[test]
    fn nesting_and_size_are_limited() {
        let deep = format!("{}a > 0{}", "(".repeat(4_000), ")".repeat(4_000));
        assert_eq!(Condition::parse(&deep, &names()), Err(ConditionError::TooLarge));
        assert_eq!(Condition::parse(&"(".repeat(100_000), &names()), Err(ConditionError::TooLarge));
        let long = vec!["a > b"; 900].join(" and ");
        assert_eq!(Condition::parse(&long, &names()).unwrap().conjunctions()[0].len(), 1);
        assert!(error(&"a b".repeat(3_000)).len() < 200);
        let wide = vec!["(a > 0 or b > 0)"; 20].join(" and ");
        assert_eq!(Condition::parse(&wide, &names()), Err(ConditionError::TooLarge));
    }
}
