//! Holds the workspace to the rules of the house. CONTRIBUTING.md tells them in prose.

use std::path::Path;
use watchkeeper_tidy::{
    Breach, Tree, confinement, dependencies, lengths, lints, names, openings, unsafety, words,
};

fn workspace() -> Tree {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::read(&root).expect("the workspace can be read");
    assert!(tree.get("crates/tidy/tests/house_rules.rs").is_some(), "the root is not where it was");
    tree
}

fn keep(breaches: Vec<Breach>) {
    let told: Vec<String> = breaches.iter().map(|breach| format!("\n  {breach}")).collect();
    assert!(breaches.is_empty(), "a rule of the house is broken, times {}:{}", told.len(), told.concat());
}

#[test]
fn rooms_know_only_what_they_may() {
    keep(dependencies::check(&workspace(), &dependencies::HOUSE));
}

#[test]
fn the_house_has_no_empty_rows() {
    keep(dependencies::check_rows(&workspace(), &dependencies::HOUSE));
}

#[test]
fn files_have_one_idea() {
    keep(lengths::check(&workspace()));
}

#[test]
fn names_say_something() {
    keep(names::check(&workspace()));
}

#[test]
fn unsafe_code_is_listed_and_argued() {
    keep(unsafety::check(&workspace(), &unsafety::ALLOWED));
}

#[test]
fn only_report_and_cli_print() {
    keep(confinement::check_printing(&workspace()));
}

#[test]
fn engines_and_models_have_no_clock() {
    keep(confinement::check_clocks(&workspace()));
}

#[test]
fn only_nodes_and_the_command_line_have_sockets() {
    keep(confinement::check_sockets(&workspace()));
}

#[test]
fn files_are_opened_at_the_edge() {
    keep(confinement::check_files(&workspace()));
}

#[test]
fn only_report_draws() {
    keep(confinement::check_rendering(&workspace()));
}

#[test]
fn only_engines_keep_a_ledger_of_what_they_have_seen() {
    keep(confinement::check_evidence(&workspace()));
}

#[test]
fn modules_open_with_what_they_are_for() {
    keep(openings::check(&workspace()));
}

#[test]
fn nothing_unfinished_is_left_lying_about() {
    keep(words::check(&workspace()));
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    keep(lints::check(&workspace()));
}
