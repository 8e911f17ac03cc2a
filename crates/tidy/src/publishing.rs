//! What a registry and its readers expect of a crate that is published.

use crate::manifest::Manifest;
use crate::{RuleViolation, SourceTree};

/// The keys that the manifest of a public crate has, its own or the workspace's.
const KEYS: [&str; 8] = [
    "description",
    "license",
    "rust-version",
    "version",
    "readme",
    "documentation",
    "keywords",
    "categories",
];

/// Public crates whose manifest lacks a key.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for (_, file) in tree.manifests() {
        let manifest = match Manifest::parse(file) {
            Ok(manifest) => manifest,
            Err(violation) => {
                violations.push(violation);
                continue;
            }
        };
        if !manifest.is_published() {
            continue;
        }
        for key in KEYS.into_iter().filter(|key| !manifest.has_package_key(key)) {
            let rule = format!("a public crate has a {key}");
            violations.push(RuleViolation::of_file(&file.path, rule, "Write it, or publish = false"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_crate_has_all_keys() {
        let whole: String = KEYS.iter().map(|key| format!("{key}.workspace = true\n")).collect();
        let whole = format!("[package]\n{whole}");
        let manifest = ("crates/a/Cargo.toml", whole.as_str());
        assert_eq!(check(&SourceTree::of(&[manifest])), []);
        assert_eq!(check(&SourceTree::of(&[("crates/a/Cargo.toml", "[package]\n")])).len(), KEYS.len());
        assert_eq!(check(&SourceTree::of(&[("crates/a/Cargo.toml", "[package]\npublish = false")])), []);
        assert_eq!(check(&SourceTree::of(&[("crates/a/Cargo.toml", "[package")])).len(), 1);
    }
}
