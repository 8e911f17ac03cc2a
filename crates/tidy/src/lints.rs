//! One set of lints for the whole workspace: a crate that sets its own would be held to other rules.

use crate::manifest::Manifest;
use crate::{Breach, Tree};

/// Crates that do not take the lints of the workspace.
pub fn check(tree: &Tree) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (_, file) in tree.manifests() {
        match Manifest::parse(file) {
            Err(breach) => breaches.push(breach),
            Ok(manifest) if !manifest.takes_workspace_lints() => {
                let rule = "every crate takes the lints of the workspace";
                breaches.push(Breach::of_file(&file.path, rule, "Write workspace = true under [lints]"));
            }
            Ok(_) => {}
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lints_or_none_are_a_breach() {
        let breaches = |text: &str| check(&Tree::of(&[("crates/a/Cargo.toml", text)])).len();
        assert_eq!(breaches(""), 1);
        assert_eq!(breaches("[lints.rust]\nmissing_docs = \"allow\""), 1);
        assert_eq!(breaches("[lints]\nworkspace = false"), 1);
        assert_eq!(breaches("[lints"), 1);
        assert_eq!(breaches("[lints]\nworkspace = true"), 0);
        assert_eq!(breaches("lints.workspace = true"), 0);
    }
}
