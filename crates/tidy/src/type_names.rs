//! Public type names are unique: a reader who searches the workspace for a type finds one definition. The rule
//! covers every struct, enum, union, trait and type alias with `pub` or `pub(...)` in `crates/*/src`, outside test code.

use crate::code::code;
use crate::{RuleViolation, SourceFile, SourceTree};
use std::collections::BTreeMap;

const REMEDY: &str = "Name it after what it belongs to, or make it private to its module";

/// Public types with the name of another public type.
pub fn check(tree: &SourceTree) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for (name, places) in definitions(tree) {
        let (first, line) = places[0];
        for (file, at) in &places[1..] {
            let rule = format!("public type names are unique, and {name} is also in {}:{line}", first.path);
            violations.push(RuleViolation::of_line(&file.path, *at, rule, REMEDY));
        }
    }
    violations
}

/// The places at which each public type name is defined.
fn definitions(tree: &SourceTree) -> BTreeMap<String, Vec<(&SourceFile, usize)>> {
    let mut definitions: BTreeMap<String, Vec<(&SourceFile, usize)>> = BTreeMap::new();
    let ours = |file: &&SourceFile| {
        file.crate_name().is_some() && file.parts().nth(2) == Some("src") && !file.is_test()
    };
    for file in tree.rust().filter(ours) {
        for (line, name) in public_types(&file.text) {
            definitions.entry(name).or_default().push((file, line));
        }
    }
    definitions
}

/// The public types that a file defines, with their lines.
fn public_types(text: &str) -> Vec<(usize, String)> {
    let code = code(text);
    let mut found = Vec::new();
    // The depth of braces, and the depth at which a module of tests began.
    let (mut depth, mut tests, mut only_tests) = (0_usize, None, false);
    for (i, line) in code.lines().enumerate() {
        let words = line.trim_start();
        if tests.is_none() {
            if only_tests && words.starts_with("mod ") && words.contains('{') {
                tests = Some(depth);
            } else if let Some(name) = public_type(words) {
                found.push((i + 1, name.to_string()));
            }
        }
        if !words.is_empty() {
            only_tests = words.starts_with("#[cfg(test)]");
        }
        depth = (depth + line.matches('{').count()).saturating_sub(line.matches('}').count());
        if tests.is_some_and(|begun| depth <= begun) {
            tests = None;
        }
    }
    found
}

/// The name of the type whose public definition begins this line.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = rest.strip_prefix(' ')?.trim_start();
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (keyword, rest) = rest.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (matches!(keyword, "struct" | "enum" | "union" | "trait" | "type") && end > 0).then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&SourceTree::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_second_definition_is_told_with_both_places() {
        let files = [
            ("crates/a/src/lib.rs", "\npub struct Case<T>(T);"),
            ("crates/b/src/case.rs", "pub(crate) enum Case {}"),
        ];
        let told = "crates/b/src/case.rs:1: public type names are unique, and Case is also in \
                    crates/a/src/lib.rs:2. Name it after what it belongs to, or make it private to its module.";
        assert_eq!(found(&files), [told]);
    }

    #[test]
    fn each_kind_of_type_and_each_visibility_counts() {
        for second in
            ["pub enum A {", "pub(super) trait A: B {", "pub type A = u8;", "pub(in crate::x) union A {"]
        {
            let files = [("crates/a/src/x.rs", "pub struct A;"), ("crates/a/src/y.rs", second)];
            assert_eq!(found(&files).len(), 1, "{second}");
        }
    }

    #[test]
    fn private_types_test_code_comments_and_examples_do_not_count() {
        let test = "#[cfg(test)]\nmod tests {\n    pub struct A;\n    mod m {\n    }\n    pub struct A;\n}\n";
        for other in ["struct A;", "// pub struct A;", "pub struct AB;", "let a = \"pub struct A;\";", test] {
            let files = [("crates/a/src/x.rs", "pub struct A;"), ("crates/b/src/y.rs", other)];
            assert_eq!(found(&files), [""; 0], "{other}");
        }
        let after = format!("{test}pub struct A;");
        assert_eq!(found(&[("crates/a/src/x.rs", "pub struct A;"), ("crates/b/src/y.rs", &after)]).len(), 1);
        for path in ["crates/b/tests/y.rs", "crates/b/src/y_tests.rs", "examples/b/src/y.rs"] {
            assert_eq!(found(&[("crates/a/src/x.rs", "pub struct A;"), (path, "pub struct A;")]), [""; 0]);
        }
    }
}
