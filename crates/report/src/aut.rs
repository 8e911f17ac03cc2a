//! State spaces in the Aldebaran format, which CADP, the mCRL2 toolset and LTSmin read.

use watchkeeper_space::Graph;

/// The graph as `.aut`. The format has one initial state: if the graph has several, a fresh state comes
/// first in the run, with a step `init` to each of them.
pub fn aut(graph: &Graph) -> String {
    let states = graph.states.len();
    let fresh = graph.initial.len() != 1;
    let edges = graph.edges.len() + if fresh { graph.initial.len() } else { 0 };
    let first = if fresh { states } else { graph.initial[0] };
    let mut out = format!("des ({first}, {edges}, {})\n", states + usize::from(fresh));
    if fresh {
        for initial in &graph.initial {
            out.push_str(&format!("({first}, \"init\", {initial})\n"));
        }
    }
    for (from, label, to) in &graph.edges {
        out.push_str(&format!("({from}, \"{}\", {to})\n", quotable(label)));
    }
    out
}

/// The readers of this format know no escapes: a quotation mark would end the label.
fn quotable(label: &str) -> String {
    label
        .chars()
        .map(|c| {
            if c == '"' {
                '\''
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(initial: &[usize]) -> Graph {
        let label = "say \"hi\"\nagain".to_string();
        Graph {
            states: vec![Vec::new(); 3],
            initial: initial.to_vec(),
            edges: vec![(0, label, 1), (1, "back".to_string(), 0)],
        }
    }

    #[test]
    fn one_initial_state_is_named_in_the_first_line() {
        assert_eq!(aut(&graph(&[0])), "des (0, 2, 3)\n(0, \"say 'hi' again\", 1)\n(1, \"back\", 0)\n");
        assert!(aut(&graph(&[1])).starts_with("des (1, 2, 3)\n"));
    }

    #[test]
    fn several_initial_states_follow_a_fresh_one() {
        let text = aut(&graph(&[0, 2]));
        assert!(text.starts_with("des (3, 4, 4)\n(3, \"init\", 0)\n(3, \"init\", 2)\n(0, "), "{text}");
        assert_eq!(text.lines().count(), 5);
    }

    #[test]
    fn an_empty_graph_is_still_well_formed() {
        assert_eq!(aut(&Graph::default()), "des (0, 0, 1)\n");
    }
}
