//! The table of classes in the documentation is what the program finds. The rows that take long are left to the
//! command itself.

mod binary;

use binary::watchkeeper;
use serde_json::Value;

const QUICK: [&str; 5] = ["chandra-toueg", "binary", "revised", "two-phase", "expanding"];

#[test]
fn the_table_in_the_documentation_is_that_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/classes.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let said =
        watchkeeper(&["casebook", "classes", "--protocol", &QUICK.join(","), "--quiet", "--json", "-"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), QUICK.len());
    for row in rows {
        let cell = |name: &str| row[name].as_str().expect("a cell").to_string();
        let cells = ["detector", "asynchrony", "bounds unknown", "bounds in the end", "synchrony"].map(cell);
        let line = format!("| {} |", cells.join(" | "));
        assert!(page.contains(&line), "the page does not have:\n{line}");
    }
}
