//! Where the compiler's guarantees may be set aside: in files of their own, on a short list, each with
//! its argument.

use crate::code::lines_with;
use crate::{RuleViolation, SourceTree};

/// The files that may. An entry must be needed: the file exists, and gives its argument.
pub const ALLOWED: [&str; 2] =
    ["crates/explore/src/store/memory.rs", "crates/runtime/tests/support/counting.rs"];

/// The word by which a comment gives the argument.
const ARGUMENT: &str = "SAFETY";

/// Unsafe code in other files, and entries of the list that are not needed or not argued.
pub fn check(tree: &SourceTree, allowed: &[&str]) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in tree.rust().filter(|file| !allowed.contains(&file.path.as_str())) {
        for line in lines_with(&file.text, "unsafe") {
            let rule = "unsafe code is only in the files that tidy lists";
            let remedy = "Write it without, or measure what it earns and move it to a file of its own there";
            violations.push(RuleViolation::of_line(&file.path, line, rule, remedy));
        }
    }
    for path in allowed {
        let needed = tree.get(path).is_some_and(|file| !lines_with(&file.text, "unsafe").is_empty());
        if !needed {
            let rule = "a file on the list of unsafe code has some";
            violations.push(RuleViolation::of_file(path, rule, "Take it off the list in tidy"));
        } else if !tree.get(path).is_some_and(|file| file.text.contains(ARGUMENT)) {
            let rule = format!("unsafe code is argued in a comment that begins with {ARGUMENT}");
            violations.push(RuleViolation::of_file(path, rule, "Write why it is sound, beside each use"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_needs_a_place_on_the_list_and_an_argument() {
        let tree = SourceTree::of(&[
            ("crates/a/src/clean.rs", "// unsafe\n#![deny(unsafe_code)]\n"),
            ("crates/a/src/sly.rs", "fn a() {\n    unsafe { b() }\n}"),
            ("crates/a/src/argued.rs", "// SAFETY: a whole page\nunsafe { b() }"),
            ("crates/a/src/bold.rs", "unsafe { b() }"),
        ]);
        let argued = "crates/a/src/argued.rs";
        let found = |allowed: &[&str]| -> Vec<(String, Option<usize>)> {
            check(&tree, allowed).into_iter().map(|violation| (violation.file, violation.line)).collect()
        };
        let sly = ("crates/a/src/sly.rs".to_string(), Some(2));
        let bold = |line| ("crates/a/src/bold.rs".to_string(), line);
        assert_eq!(found(&[argued]), [sly.clone(), bold(Some(1))]);
        assert_eq!(found(&[argued, "crates/a/src/bold.rs"]), [sly.clone(), bold(None)]);
        let gone = ("crates/a/src/gone.rs".to_string(), None);
        assert_eq!(found(&[argued, "crates/a/src/gone.rs"]), [sly, bold(Some(1)), gone]);
    }
}
