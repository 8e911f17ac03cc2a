//! Names that say nothing. A newcomer finds a file by the name of the thing it is about.

use crate::code::lines_with;
use crate::{RuleViolation, SourceTree};

/// Names that no module and no directory of modules may have.
pub const BANNED: [&str; 5] = ["utils", "common", "helpers", "misc", "types"];

const REMEDY: &str = "Name it after the thing it is about, or move what is in it to where it belongs";

/// Rust files, directories of them and inline modules with such a name.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in tree.rust() {
        let stem = |part: &str| part.strip_suffix(".rs").unwrap_or(part).to_string();
        for name in file.parts().map(stem).filter(|name| BANNED.contains(&name.as_str())) {
            violations.push(RuleViolation::of_file(
                &file.path,
                format!("no module is called {name}"),
                REMEDY,
            ));
        }
        for name in BANNED {
            for line in lines_with(&file.text, &format!("mod {name}")) {
                let rule = format!("no module is called {name}");
                violations.push(RuleViolation::of_line(&file.path, line, rule, REMEDY));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_nothing_is_a_violation() {
        for name in BANNED {
            for path in [format!("crates/a/src/{name}.rs"), format!("crates/a/src/{name}/ring.rs")] {
                let violations = check(&SourceTree::of(&[(&path, "")]));
                assert_eq!(violations.len(), 1, "{path}");
                assert!(violations[0].to_string().contains(name));
            }
            let inline = format!("\nmod {name} {{}}\n");
            assert_eq!(check(&SourceTree::of(&[("crates/a/src/lib.rs", &inline)]))[0].line, Some(2));
        }
        assert_eq!(check(&SourceTree::of(&[("crates/a/src/prototypes.rs", "mod typestate;")])), []);
    }
}
