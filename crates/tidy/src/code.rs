//! The code of a Rust file without its comments and literals, so that a rule about code does not trip
//! over a word in a sentence. It knows the lexical rules of Rust and nothing of its grammar.

/// The text with every comment, string and character blanked out. Lines keep their numbers.
pub fn code(text: &str) -> String {
    let mut lexer = Lexer { rest: text.chars().collect(), at: 0, out: String::with_capacity(text.len()) };
    lexer.run();
    lexer.out
}

/// The lines, counted from 1, on which the code of a file has this word: a name, a path or a macro.
pub fn lines_with(text: &str, word: &str) -> Vec<usize> {
    code(text).lines().enumerate().filter(|(_, line)| has_word(line, word)).map(|(i, _)| i + 1).collect()
}

/// Whether a text has this word, and not as a part of a longer name.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let goes_on = word.ends_with(is_name) && after.is_some_and(is_name);
        !before.is_some_and(is_name) && !goes_on
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Lexer {
    rest: Vec<char>,
    at: usize,
    out: String,
}

impl Lexer {
    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('/')) => self.blank_until(|lexer| lexer.peek(0) == Some('\n')),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(),
                ('r', _) if self.raw_string_hashes().is_some() => self.raw_string(),
                ('\'', Some('\\')) => self.escaped_char(),
                ('\'', Some(_)) if self.peek(2) == Some('\'') => self.blank(3),
                _ => {
                    self.out.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            let Some(c) = self.peek(0) else { return };
            self.out.push(if c == '\n' { '\n' } else { ' ' });
            self.at += 1;
        }
    }

    fn blank_until(&mut self, end: impl Fn(&Lexer) -> bool) {
        while self.at < self.rest.len() && !end(self) {
            self.blank(1);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (None, _) => return,
                _ => {
                    self.blank(1);
                    continue;
                }
            }
            self.blank(2);
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.blank(1);
        self.blank_until_quote('"');
    }

    fn escaped_char(&mut self) {
        self.blank(1);
        self.blank_until_quote('\'');
    }

    fn blank_until_quote(&mut self, quote: char) {
        while let Some(c) = self.peek(0) {
            self.blank(if c == '\\' { 2 } else { 1 });
            if c == quote {
                return;
            }
        }
    }

    /// The number of hashes, if a raw string begins here. `r#type` is a name, and `for"` ends in one.
    fn raw_string_hashes(&self) -> Option<usize> {
        let before = self.at.checked_sub(1).and_then(|i| self.rest.get(i)).copied();
        let prefixed = before.is_some_and(|c| c == 'b' || c == 'c');
        if before.is_some_and(is_name) && !prefixed {
            return None;
        }
        let hashes = self.rest[self.at + 1..].iter().take_while(|&&c| c == '#').count();
        (self.peek(1 + hashes) == Some('"')).then_some(hashes)
    }

    fn raw_string(&mut self) {
        let hashes = self.raw_string_hashes().unwrap_or(0);
        self.blank(2 + hashes);
        self.blank_until(|lexer| {
            lexer.peek(0) == Some('"') && (1..=hashes).all(|i| lexer.peek(i) == Some('#'))
        });
        self.blank(1 + hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d\n */ e", "a               \n    e"),
            (r#"a("b\"c") d"#, "a(      ) d"),
            ("a(r#\"b\"c\"#) d", "a(        ) d"),
            ("br\"b\" d", "b     d"),
            ("r#type for_\"x\"", "r#type for_   "),
            ("'x' '\\'' &'long y", "         &'long y"),
        ];
        for (text, expected) in cases {
            assert_eq!(code(text), expected, "{text}");
        }
        assert_eq!(code("\"never closed"), " ".repeat(13));
    }

    #[test]
    fn words_are_found_as_words_and_in_code_only() {
        let text = "fn a() {}\n// danger\nlet danger_zone = \"danger\";\ndanger { x }\n!my_danger\n";
        assert_eq!(lines_with(text, "danger"), [4]);
        assert_eq!(lines_with("show!(1)\nreshow!(2)\n", "show!"), [1]);
        assert_eq!(lines_with("std::Clock::now()\nClock::nowhere()", "Clock::now"), [1]);
    }
}
