//! State spaces for Graphviz. Small graphs show their states in full; in larger ones a state is its
//! number, and what it holds is a tooltip.

use std::io::{self, Write};
use watchkeeper_space::{Graph, View};

/// Up to so many states, a drawing with whole states in it can be read.
const READABLE: usize = 60;

/// The graph in the DOT language. Initial states have an arrow from nowhere, states without a way on a
/// double border.
pub fn dot(graph: &Graph) -> String {
    let full = graph.states.len() <= READABLE;
    let mut goes_on = vec![false; graph.states.len()];
    for (from, _, _) in &graph.edges {
        if let Some(seen) = goes_on.get_mut(*from) {
            *seen = true;
        }
    }
    let mut out = String::from("digraph space {\n  rankdir=TB;\n");
    let shape = if full { "shape=box, style=rounded" } else { "shape=circle" };
    out.push_str(&format!("  node [{shape}, fontname=\"monospace\", fontsize=10];\n"));
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=9];\n");
    for (i, state) in graph.states.iter().enumerate() {
        let label = if full { in_lines(i, state) } else { i.to_string() };
        let last = if goes_on[i] { "" } else { ", peripheries=2" };
        out.push_str(&format!("  s{i} [label=\"{label}\", tooltip=\"{}\"{last}];\n", in_one_line(state)));
    }
    for (i, initial) in graph.initial.iter().enumerate() {
        out.push_str(&format!("  start{i} [shape=point, label=\"\"];\n  start{i} -> s{initial};\n"));
    }
    for (from, label, to) in &graph.edges {
        out.push_str(&format!("  s{from} -> s{to} [label=\"{}\"];\n", escaped(label)));
    }
    out.push_str("}\n");
    out
}

/// A labelled transition system in the DOT language, as a stream: its states are numbers. A step that cannot be seen is dotted.
pub fn system_dot<'a>(
    (states, initial): (usize, u32),
    edges: impl Iterator<Item = (u32, Option<&'a str>, u32)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "digraph space {{\n  rankdir=TB;\n  node [shape=circle, fontname=\"monospace\", fontsize=10];"
    )?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=9];")?;
    writeln!(out, "  start [shape=point, label=\"\"];\n  start -> s{initial};")?;
    for state in 0..states {
        writeln!(out, "  s{state} [label=\"{state}\"];")?;
    }
    for (from, label, to) in edges {
        match label {
            None => writeln!(out, "  s{from} -> s{to} [label=\"\u{3c4}\", style=dotted];")?,
            Some(label) => writeln!(out, "  s{from} -> s{to} [label=\"{}\"];", escaped(label))?,
        }
    }
    writeln!(out, "}}")
}

fn in_lines(i: usize, state: &View) -> String {
    let variable = |(name, value): &(String, _)| format!("{}\\l", escaped(&format!("{name}: {value}")));
    let variables: String = state.iter().map(variable).collect();
    format!("{i}\\n{variables}")
}

fn in_one_line(state: &View) -> String {
    let variables: Vec<String> = state.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    escaped(&variables.join("; "))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::Value;

    #[test]
    fn a_small_graph_shows_its_states() {
        let view = |on| vec![("on".to_string(), Value::Bool(on)), ("who".to_string(), Value::str("a\"\\b"))];
        let graph = Graph {
            states: vec![view(false), view(true)],
            initial: vec![0],
            edges: vec![(0, "switch \"on\"".to_string(), 1)],
        };
        let text = dot(&graph);
        for line in [
            r#"  s0 [label="0\non: false\lwho: a\"\\b\l", tooltip="on: false; who: a\"\\b"];"#,
            r#"  s1 [label="1\non: true\lwho: a\"\\b\l", tooltip="on: true; who: a\"\\b", peripheries=2];"#,
            r#"  start0 -> s0;"#,
            r#"  s0 -> s1 [label="switch \"on\""];"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
    }

    #[test]
    fn a_system_is_written_with_its_labels() {
        let mut out = Vec::new();
        let edges = [(0, Some("a \"b\""), 1), (1, None, 0)];
        system_dot((2, 0), edges.into_iter(), &mut out).expect("written");
        let text = String::from_utf8(out).expect("text");
        for line in [
            "  start -> s0;",
            r#"  s0 -> s1 [label="a \"b\""];"#,
            "  s1 -> s0 [label=\"\u{3c4}\", style=dotted];",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
    }

    #[test]
    fn a_large_graph_has_numbers_only() {
        let states = vec![vec![("x".to_string(), Value::Int(1))]; READABLE + 1];
        let text = dot(&Graph { states, initial: vec![0, 1], edges: Vec::new() });
        assert!(text.contains("s60 [label=\"60\", tooltip=\"x: 1\", peripheries=2];"));
        assert!(text.contains("start1 -> s1;"));
    }
}
