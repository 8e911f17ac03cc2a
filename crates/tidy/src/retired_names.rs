//! Names that the code once had for things that have a word of the field. They must not come back, or one thing
//! would have two names. The list holds only names that have no other meaning in this workspace.

use crate::code::lines_with;
use crate::{RuleViolation, SourceTree};

/// The retired names, each with the one that took its place.
pub const RETIRED: [(&str, &str); 29] = [
    ("Sight", "Observation"),
    ("order_blind", "trace_invariant"),
    ("stage_blind", "stage_invariant"),
    ("Watches", "Deadlines"),
    ("MAX_WATCHES", "MAX_DEADLINES"),
    ("rename_watch", "rename_deadline"),
    ("WANTS", "SELECTIVE_RECEIVE"),
    ("Wants", "SelectiveReceive"),
    ("Want", "Reception"),
    ("expand_some", "ample set"),
    ("Unreduced", "fully expanded"),
    ("Doing", "ActionLabel"),
    ("Trail", "path"),
    ("Folded", "collapse compression"),
    ("Pulse", "cancellation"),
    ("Pursuit", "trace conformance"),
    ("Conduct", "local replay"),
    ("Bonds", "difference constraints"),
    ("Fates", "outcomes"),
    ("Letters", "messages"),
    ("Prospect", "node plan"),
    ("Manner", "report options"),
    ("Effort", "search options"),
    ("Inquiry", "Query"),
    ("Subject", "protocol description"),
    ("Lap", "loop"),
    ("Misstep", "refinement violation"),
    ("Arrival", "in-flight message"),
    ("ripe", "enabled"),
];

/// Retired names in the code of Rust files.
pub fn check(tree: &SourceTree, retired: &[(&str, &str)]) -> Vec<RuleViolation> {
    let mut violations = Vec::new();
    for file in tree.rust() {
        for (old, new) in retired.iter().filter(|(old, _)| file.text.contains(old)) {
            for line in lines_with(&file.text, old) {
                let rule = format!("{old} is a retired name");
                violations.push(RuleViolation::of_line(&file.path, line, rule, format!("Say {new}")));
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retired_name_is_a_violation_in_code_alone() {
        for (old, new) in RETIRED {
            let text = format!("// {old}\nlet x = {old}::new(\"{old}\");\nlet y = {old}s;\n");
            let told = check(&SourceTree::of(&[("crates/a/src/x.rs", &text)]), &[(old, new)]);
            assert_eq!(told.len(), 1, "{old}");
            assert_eq!(
                told[0].to_string(),
                format!("crates/a/src/x.rs:2: {old} is a retired name. Say {new}.")
            );
        }
        assert_eq!(check(&SourceTree::of(&[("docs/x.md", "Sight")]), &RETIRED), []);
    }
}
