//! The built-in protocols as values: each has a name of its own, and something to ask.

use std::collections::BTreeSet;
use watchkeeper::built_in;

#[test]
fn every_protocol_has_a_name_of_its_own_and_something_to_ask() {
    let all = built_in::all();
    let names: BTreeSet<&str> = all.iter().map(|protocol| protocol.outline().form.name).collect();
    assert_eq!((names.len(), all.len()), (all.len(), 30));
    for protocol in &all {
        assert!(!protocol.outline().properties.is_empty(), "{}", protocol.outline().form.name);
    }
}
