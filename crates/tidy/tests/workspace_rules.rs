//! Holds the workspace to its rules. CONTRIBUTING.md tells them in prose.

use std::path::Path;
use watchkeeper_tidy::{
    RuleViolation, SourceTree, confinement, dependencies, lengths, lints, names, openings, publishing,
    retired_names, type_names, unsafety, unused, words,
};

/// The places in a tree that break a rule.
type Rule = fn(&SourceTree) -> Vec<RuleViolation>;

/// The rules, each in a few words.
const RULES: [(&str, Rule); 18] = [
    ("a crate depends only on what it may", |tree| dependencies::check(tree, &dependencies::CRATES)),
    ("the table of dependencies has no empty rows", |tree| {
        dependencies::check_rows(tree, &dependencies::CRATES)
    }),
    ("a file has one idea", lengths::check),
    ("the name of a module says something", names::check),
    ("public type names are unique", type_names::check),
    ("retired names do not come back", |tree| retired_names::check(tree, &retired_names::RETIRED)),
    ("unsafe code is listed and argued", |tree| unsafety::check(tree, &unsafety::ALLOWED)),
    ("only report, cli and one tool print", confinement::check_printing),
    ("engines and models have no clock", confinement::check_clocks),
    ("only nodes and the command line have sockets", confinement::check_sockets),
    ("files are opened at the edge", confinement::check_files),
    ("only report draws", confinement::check_rendering),
    ("only engines keep a ledger of what they have seen", confinement::check_evidence),
    ("a module opens with what it is for", openings::check),
    ("no unfinished work is left", words::check),
    ("every crate takes the lints of the workspace", lints::check),
    ("every dependency is used", unused::check),
    ("a public crate has the metadata of a registry", publishing::check),
];

#[test]
fn the_workspace_keeps_its_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = SourceTree::read(&root).expect("the workspace can be read");
    assert!(tree.get("crates/tidy/tests/workspace_rules.rs").is_some(), "the root is not where it was");
    let mut told = String::new();
    for (rule, check) in RULES {
        let violations = check(&tree);
        if !violations.is_empty() {
            let lines: Vec<String> = violations.iter().map(|violation| format!("\n  {violation}")).collect();
            told += &format!("\n{rule}, broken {} times:{}", lines.len(), lines.concat());
        }
    }
    assert!(told.is_empty(), "{told}");
}
