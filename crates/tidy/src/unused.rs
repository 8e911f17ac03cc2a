//! Dependencies that a manifest declares and no source file of the crate names.

use crate::code::{code, has_word};
use crate::manifest::{Manifest, Need};
use crate::{RuleViolation, SourceFile, SourceTree};

/// Dependencies that the code of their crate does not name. A dependency of the tests may be named in any file, and in
/// the examples of comments.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for (name, file) in tree.manifests() {
        let manifest = match Manifest::parse(file) {
            Ok(manifest) => manifest,
            Err(violation) => {
                violations.push(violation);
                continue;
            }
        };
        let (mut in_code, mut in_tests) = (String::new(), String::new());
        for source in tree.rust().filter(|source| source.crate_name() == Some(name)) {
            let own = source.parts().nth(2).is_some_and(|part| part == "src" || part == "build.rs");
            for text in
                std::iter::once(source).chain(taken_from_elsewhere(tree, source)).map(|file| &file.text)
            {
                if own && !source.is_test() {
                    in_code += &code(text);
                }
                in_tests += text;
            }
        }
        for (declared, need) in manifest.declared() {
            let text = if need == Need::Crate { &in_code } else { &in_tests };
            if !has_word(text, &declared.replace('-', "_")) {
                let rule = format!("every dependency is used, and {declared} is not");
                violations.push(RuleViolation::of_file(&file.path, rule, "Take it out of the manifest"));
            }
        }
    }
    violations
}

/// The files of other crates that a file names as its modules.
fn taken_from_elsewhere<'a>(
    tree: &'a SourceTree,
    source: &'a SourceFile,
) -> impl Iterator<Item = &'a SourceFile> {
    let named = source
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#[path = \"../../")?.split('"').next());
    named.filter_map(|path| tree.get(&format!("crates/{}", path.trim_start_matches("../"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(manifest: &str, source: &str, test: &str) -> usize {
        let files = [
            ("crates/a/Cargo.toml", manifest),
            ("crates/a/src/lib.rs", source),
            ("crates/a/tests/t.rs", test),
        ];
        check(&SourceTree::of(&files)).len()
    }

    #[test]
    fn a_dependency_is_used_by_the_name_that_the_manifest_gives_it() {
        assert_eq!(unused("[dependencies]\nserde-json = '1'", "use serde_json::Value;", ""), 0);
        assert_eq!(unused("[dependencies]\nserde-json = '1'", "use serde::Value;", ""), 1);
        assert_eq!(unused("[dependencies]\nshort = { package = 'long' }", "fn f() { short::g() }", ""), 0);
        assert_eq!(unused("[dependencies]\nshort = { package = 'long' }", "use long::g;", ""), 1);
        assert_eq!(unused("[target.'cfg(unix)'.dependencies]\nrustix = '1'", "", ""), 1);
        assert_eq!(unused("[dependencies", "", ""), 1);
    }

    #[test]
    fn a_module_from_another_crate_uses_its_dependencies() {
        let files = [
            ("crates/a/Cargo.toml", "[dependencies]\nx = '1'"),
            ("crates/a/src/b/mod.rs", "#[path = \"../../../c/src/d.rs\"]\nmod d;"),
            ("crates/c/src/d.rs", "use x::y;"),
        ];
        assert_eq!(check(&SourceTree::of(&files)), []);
        assert_eq!(check(&SourceTree::of(&files[..2])).len(), 1);
    }

    #[test]
    fn tests_use_only_the_dependencies_of_tests() {
        assert_eq!(unused("[dependencies]\nx = '1'", "// x", "use x::y;"), 1);
        assert_eq!(unused("[dev-dependencies]\nx = '1'", "", "use x::y;"), 0);
        assert_eq!(unused("[dev-dependencies]\nx = '1'", "/// use x::y;", ""), 0);
        assert_eq!(unused("[dev-dependencies]\nx = '1'", "", "use xy;"), 1);
    }
}
