//! The graph in which an emptiness check runs: the state graph itself, or its product with an automaton. Each node stands
//! for a state.

use super::adjacency::Adjacency;
use super::state_graph::StateGraph;

/// A graph of nodes that stand for states.
pub(crate) struct GraphView<'w, 'a, K> {
    pub state_graph: &'w StateGraph<'a, K>,
    /// The steps between nodes.
    pub steps: &'w Adjacency,
    /// The state of each node; `None` where nodes are states.
    pub states: Option<&'w [u32]>,
}

impl<K> GraphView<'_, '_, K> {
    /// The state that a node stands for.
    #[inline]
    pub fn state(&self, node: u32) -> u32 {
        self.states.map_or(node, |states| states[node as usize])
    }

    /// A node inside that stands for a state and follows on a node, if there is one.
    #[inline]
    pub fn leads(&self, node: u32, state: u32, inside: &impl Fn(u32) -> bool) -> Option<u32> {
        match self.states {
            None => inside(state).then_some(state),
            Some(states) => self
                .steps
                .of(node)
                .iter()
                .copied()
                .find(|&next| states[next as usize] == state && inside(next)),
        }
    }
}
