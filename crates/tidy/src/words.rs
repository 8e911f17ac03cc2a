//! Words that must not stay in a text: marks of unfinished work, tests that are switched off, and paths
//! that exist on one machine only. This file spells them in two halves, so that it keeps its own rule.

use crate::{RuleViolation, SourceTree};

/// A word, what it means, and what to do about it.
struct Banned {
    word: &'static str,
    /// Whether letters around it make it another word.
    whole: bool,
    rule: &'static str,
    remedy: &'static str,
}

const UNFINISHED: &str = "unfinished work is not marked, it is finished";
const FINISH: &str = "Finish it, or leave it out";
const LOCAL: &str = "no path belongs to one person's machine";
const RELATIVE: &str = "Name the file from the root of the workspace";

const BANNED: [Banned; 8] = [
    Banned { word: concat!("TO", "DO"), whole: true, rule: UNFINISHED, remedy: FINISH },
    Banned { word: concat!("FIX", "ME"), whole: true, rule: UNFINISHED, remedy: FINISH },
    Banned { word: concat!("todo", "!("), whole: false, rule: UNFINISHED, remedy: FINISH },
    Banned { word: concat!("unimplemented", "!("), whole: false, rule: UNFINISHED, remedy: FINISH },
    Banned {
        word: concat!("#[", "ignore"),
        whole: false,
        rule: "every test runs",
        remedy: "Make it small enough to run, or delete it",
    },
    Banned { word: concat!("/ho", "me/"), whole: false, rule: LOCAL, remedy: RELATIVE },
    Banned { word: concat!("/ro", "ot/"), whole: false, rule: LOCAL, remedy: RELATIVE },
    Banned { word: concat!("/Us", "ers/"), whole: false, rule: LOCAL, remedy: RELATIVE },
];

/// Banned words in any text file.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in tree.files() {
        for (i, line) in file.text.lines().enumerate() {
            for banned in BANNED.iter().filter(|banned| banned.is_in(line)) {
                let rule = format!("{}: {}", banned.rule, banned.word);
                violations.push(RuleViolation::of_line(&file.path, i + 1, rule, banned.remedy));
            }
        }
    }
    violations
}

impl Banned {
    fn is_in(&self, line: &str) -> bool {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        line.match_indices(self.word).any(|(at, word)| {
            let (before, after) = (&line[..at], &line[at + word.len()..]);
            !self.whole || !(letter(before.chars().next_back()) || letter(after.chars().next()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_a_breach_in_any_text() {
        for banned in &BANNED {
            let text = format!("fine\n# {}: later\n", banned.word);
            for path in ["crates/a/src/lib.rs", "README.md", ".ci/run", "docs/tutorial.md"] {
                let violations = check(&SourceTree::of(&[(path, &text)]));
                assert_eq!(violations.len(), 1, "{} in {path}", banned.word);
                assert_eq!(violations[0].line, Some(2));
                assert!(violations[0].to_string().contains(banned.remedy));
            }
        }
    }

    #[test]
    fn other_words_are_none() {
        let other = concat!("METHO", "DO", "LOGY TO", "DOS to", "do = \"warn\" do it, ignore it");
        assert_eq!(check(&SourceTree::of(&[("README.md", other)])), []);
    }
}
