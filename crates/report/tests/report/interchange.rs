//! Formats that other programs read.

use crate::{figures, golden};
use serde_json::Value as Json;
use watchkeeper_core::Value;
use watchkeeper_report::{dot, itf};
use watchkeeper_space::Graph;

/// Two light switches that are pressed in any order; the second jams when both are on.
fn switches() -> Graph {
    let view = |a: bool, b: bool| vec![("a".to_string(), Value::Bool(a)), ("b".to_string(), Value::Bool(b))];
    let edge = |from, label: &str, to| (from, label.to_string(), to);
    Graph {
        states: vec![view(false, false), view(true, false), view(false, true), view(true, true)],
        initial: vec![0],
        edges: vec![
            edge(0, "press a", 1),
            edge(0, "press b", 2),
            edge(1, "press b", 3),
            edge(2, "press a", 3),
        ],
    }
}

#[test]
fn small_spaces() {
    golden::check("switches.dot", &dot(&switches()));
}

#[test]
fn a_trace_as_itf() {
    let trace = figures::figure_6_12_c();
    let text = itf(&trace, "oscillation");
    golden::check("figure-6.12c.itf.json", &text);
    let json: Json = serde_json::from_str(&text).expect("ITF is JSON");
    let states = json["states"].as_array().expect("states");
    assert_eq!(states.len(), trace.steps.len() + 1);
    for (i, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], i);
        assert_eq!(state["step"]["#bigint"], i.to_string());
    }
    assert_eq!(states[5]["action"], "timeout in Task1");
}
