//! How a module opens: with two or three sentences on what it is for and what it must never do. That
//! they are there can be tested; that they are good cannot.

use crate::{RuleViolation, SourceFile, SourceTree};

/// Rust files under `src` that do not begin with a module comment.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let silent = |file: &&SourceFile| file.parts().any(|part| part == "src") && !opens(&file.text);
    let violation = |file: &SourceFile| {
        let rule = "a module opens with a //! comment";
        RuleViolation::of_file(&file.path, rule, "Begin with what it is for, and what it must never do")
    };
    tree.rust().filter(silent).map(violation).collect()
}

fn opens(text: &str) -> bool {
    text.lines().next().and_then(|line| line.strip_prefix("//!")).is_some_and(|said| !said.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_module_is_a_violation() {
        for text in ["", "use std::fmt;", "// a\n//! b", "\n//! b", "//!\n//!", "/// a"] {
            assert_eq!(check(&SourceTree::of(&[("crates/a/src/lib.rs", text)])).len(), 1, "{text:?}");
        }
        let spoken = ("crates/a/src/lib.rs", "//! What it is for.\n");
        assert_eq!(check(&SourceTree::of(&[spoken, ("crates/a/tests/golden.rs", "")])), []);
    }
}
