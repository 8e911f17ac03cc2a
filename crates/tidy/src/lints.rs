//! One set of lints for the whole workspace: a crate that sets its own would be held to other rules.

use crate::manifest::Manifest;
use crate::{RuleViolation, SourceTree};

/// Crates that do not take the lints of the workspace.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for (_, file) in tree.manifests() {
        match Manifest::parse(file) {
            Err(violation) => violations.push(violation),
            Ok(manifest) if !manifest.takes_workspace_lints() => {
                let rule = "every crate takes the lints of the workspace";
                violations.push(RuleViolation::of_file(
                    &file.path,
                    rule,
                    "Write workspace = true under [lints]",
                ));
            }
            Ok(_) => {}
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lints_or_none_are_a_violation() {
        let violations = |text: &str| check(&SourceTree::of(&[("crates/a/Cargo.toml", text)])).len();
        assert_eq!(violations(""), 1);
        assert_eq!(violations("[lints.rust]\nmissing_docs = \"allow\""), 1);
        assert_eq!(violations("[lints]\nworkspace = false"), 1);
        assert_eq!(violations("[lints"), 1);
        assert_eq!(violations("[lints]\nworkspace = true"), 0);
        assert_eq!(violations("lints.workspace = true"), 0);
    }
}
