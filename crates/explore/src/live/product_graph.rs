//! The product of a graph of states with an automaton: a node is a state together with where the automaton is.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::cancellation::Cancellation;
use super::state_graph::StateGraph;
use crate::store::Key;
use watchkeeper_logic::{Automaton, Limit};

/// A product, as far as it can be reached.
pub(crate) struct ProductGraph {
    pub steps: Adjacency,
    /// The state of each node.
    pub states: Vec<u32>,
    pub starts: Vec<u32>,
    /// For each acceptance set, the nodes in it.
    pub visits: Vec<Bits>,
}

const NONE: u32 = u32::MAX;

impl ProductGraph {
    /// The product of the states that are stored; `truths` are the places of the automaton's propositions
    /// among those of the graph. `None` if the callback stopped it.
    pub fn new<K: Key>(
        state_graph: &StateGraph<'_, K>,
        automaton: &Automaton,
        truths: &[usize],
        room: Option<u64>,
        cancellation: &Cancellation<'_>,
    ) -> Option<ProductGraph> {
        let width = automaton.states.len();
        let most = 4 * (state_graph.len() * width) as u64;
        if let Some(room) = room.filter(|&room| most > room) {
            cancellation.give_up(Limit::Memory(room));
            return None;
        }
        let mut node_of = vec![NONE; state_graph.len() * width];
        let (mut states, mut places): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut meet = |state: u32, place: u32, states: &mut Vec<u32>, places: &mut Vec<u32>| {
            let node = &mut node_of[state as usize * width + place as usize];
            if *node == NONE {
                *node = states.len() as u32;
                states.push(state);
                places.push(place);
            }
            *node
        };
        let true_in = |state: u32| {
            let holds =
                |(bit, &truth): (usize, &usize)| u64::from(state_graph.truths[truth].has(state)) << bit;
            truths.iter().enumerate().map(holds).fold(0, |mask, bit| mask | bit)
        };
        let allows = |place: u32, mask: u64| automaton.states[place as usize].label.allows(mask);
        let mut starts = Vec::new();
        for state in state_graph.initial() {
            let mask = true_in(state);
            for &place in automaton.initial.iter().filter(|&&place| allows(place, mask)) {
                starts.push(meet(state, place, &mut states, &mut places));
            }
        }
        let (mut steps, mut next, mut at) = (Adjacency::new(), Vec::new(), 0);
        while at < states.len() {
            if at & 0xffff == 0 && cancellation.stopped() {
                return None;
            }
            // Each node takes its steps, its state, and its part in the search for components.
            let held = most + 32 * states.len() as u64 + steps.bytes();
            if states.len() >= NONE as usize - 1 || room.is_some_and(|room| held > room) {
                cancellation.give_up(Limit::Memory(room.unwrap_or(held)));
                return None;
            }
            next.clear();
            for &target in state_graph.steps.of(states[at]) {
                let mask = true_in(target);
                for &place in &automaton.states[places[at] as usize].next {
                    if allows(place, mask) {
                        next.push(meet(target, place, &mut states, &mut places));
                    }
                }
            }
            steps.push(&next);
            at += 1;
        }
        let set = |index: usize| {
            let mut set = Bits::none(states.len());
            for (node, &place) in places.iter().enumerate() {
                if automaton.states[place as usize].accepting >> index & 1 == 1 {
                    set.add(node as u32);
                }
            }
            set
        };
        let visits = (0..automaton.acceptance).map(set).collect();
        Some(ProductGraph { steps, states, starts, visits })
    }

    /// The nodes whose states are in a set.
    pub fn nodes_of(&self, states: &Bits) -> Bits {
        let mut nodes = Bits::none(self.states.len());
        for (node, &state) in self.states.iter().enumerate() {
            if states.has(state) {
                nodes.add(node as u32);
            }
        }
        nodes
    }
}
