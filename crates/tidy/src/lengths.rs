//! How long a file may be. A file past the limit has two ideas in it.

use crate::{RuleViolation, SourceTree};

/// The most lines of a Rust file.
pub const MOST_LINES: usize = 500;

/// Rust files that are too long.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let long = |file: &&crate::SourceFile| file.text.lines().count() > MOST_LINES;
    let violation = |file: &crate::SourceFile| {
        let rule =
            format!("a file has at most {MOST_LINES} lines, and this one has {}", file.text.lines().count());
        RuleViolation::of_file(&file.path, rule, "Find its second idea and give that a file of its own")
    };
    tree.rust().filter(long).map(violation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_too_many_is_a_violation() {
        let (most, more) = ("x\n".repeat(MOST_LINES), "x\n".repeat(MOST_LINES + 1));
        let tree = SourceTree::of(&[
            ("crates/a/src/fits.rs", &most),
            ("crates/a/src/long.rs", &more),
            ("examples/own/src/main.rs", &more),
            ("bench/src/ring.rs", &more),
            ("crates/a/golden/chart.txt", &more),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|violation| violation.file).collect();
        assert_eq!(found, ["crates/a/src/long.rs", "examples/own/src/main.rs", "bench/src/ring.rs"]);
    }
}
