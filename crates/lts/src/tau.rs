//! Internal steps without their cycles. All states of a cycle of internal steps are branching bisimilar, so each strongly
//! connected component of internal steps becomes one state. The states are numbered so that every internal step leads to a smaller
//! number, which is what the refinement of branching bisimulation stands on.

use crate::labels::TAU;
use crate::lts::{Lts, LtsEdge};

/// A system in which internal steps have no cycles.
pub(crate) struct Acyclic {
    /// The system; there is no internal step from a state to itself.
    pub lts: Lts,
    /// The state of it that stands for each given one.
    pub component: Vec<u32>,
    /// The states that stand for a cycle of internal steps, or for a state with an internal step to itself.
    pub divergent: Vec<bool>,
}

/// The system with one state for each strongly connected component of internal steps.
pub(crate) fn without_tau_cycles(lts: &Lts) -> Acyclic {
    let (component, components) = tau_components(lts);
    let mut sizes = vec![0usize; components];
    for (state, &own) in component.iter().enumerate() {
        sizes[own as usize] += lts.of(state as u32).len();
    }
    let mut divergent = vec![false; components];
    let mut starts = Vec::with_capacity(components + 1);
    starts.push(0);
    sizes.iter().fold(0, |sum, size| {
        starts.push(sum + size);
        sum + size
    });
    let mut next = starts.clone();
    // A place that is left over holds a copy of another transition, or is cut off.
    let mut edges = vec![LtsEdge { label: 0, to: 0 }; starts[components]];
    for state in 0..lts.states() as u32 {
        let own = component[state as usize] as usize;
        for edge in lts.of(state) {
            let to = component[edge.to as usize];
            if edge.label == TAU && to as usize == own {
                divergent[own] = true;
                continue;
            }
            edges[next[own]] = LtsEdge { label: edge.label, to };
            next[own] += 1;
        }
    }
    let mut kept = 0;
    for own in 0..components {
        let (first, end) = (starts[own], next[own]);
        edges.copy_within(first..end, kept);
        starts[own] = kept;
        kept += end - first;
    }
    starts[components] = kept;
    edges.truncate(kept);
    let initial = component[lts.initial() as usize];
    let lts = Lts::of_rows(initial, lts.labels().clone(), starts, edges);
    Acyclic { lts, component, divergent }
}

/// The strongly connected components of internal steps, by Tarjan's algorithm: for each state the number of its component, and
/// how many there are. A component has a greater number than those that it leads to.
pub(crate) fn tau_components(lts: &Lts) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let states = lts.states();
    let (mut low, mut component) = (vec![NONE; states], vec![NONE; states]);
    // States on the way, each with the next of its internal steps and the number at which it was entered.
    let mut way: Vec<(u32, u32, u32)> = Vec::new();
    let (mut open, mut entered, mut components) = (Vec::new(), 0, 0);
    for root in 0..states as u32 {
        if low[root as usize] != NONE {
            continue;
        }
        way.push((root, 0, entered));
        low[root as usize] = entered;
        open.push(root);
        entered += 1;
        while let Some(&mut (state, ref mut next, index)) = way.last_mut() {
            if let Some(edge) = lts.silently(state).get(*next as usize) {
                *next += 1;
                let to = edge.to as usize;
                if low[to] == NONE {
                    way.push((edge.to, 0, entered));
                    low[to] = entered;
                    open.push(edge.to);
                    entered += 1;
                } else if component[to] == NONE {
                    low[state as usize] = low[state as usize].min(low[to]);
                }
                continue;
            }
            way.pop();
            if low[state as usize] == index {
                while let Some(member) = open.pop() {
                    component[member as usize] = components;
                    if member == state {
                        break;
                    }
                }
                components += 1;
            }
            if let Some(&(before, ..)) = way.last() {
                low[before as usize] = low[before as usize].min(low[state as usize]);
            }
        }
    }
    (component, components as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::LabelTable;

    #[test]
    fn cycles_become_states_and_internal_steps_lead_downwards() {
        let mut labels = LabelTable::new();
        let a = labels.number("a");
        let step = |from: u32, label, to| (from, LtsEdge { label, to });
        let transitions = [
            step(0, TAU, 1),
            step(1, TAU, 2),
            step(2, TAU, 1),
            step(2, a, 0),
            step(1, a, 0),
            step(3, TAU, 3),
        ];
        let lts = Lts::new(0, 4, labels, transitions);
        let found = without_tau_cycles(&lts);
        assert_eq!((found.lts.states(), found.lts.transitions()), (3, 2));
        assert_eq!(found.component[1], found.component[2]);
        assert!(found.lts.all().all(|(from, edge)| edge.label != TAU || edge.to < from));
        let divergent = |state: usize| found.divergent[found.component[state] as usize];
        assert_eq!([0, 1, 2, 3].map(divergent), [false, true, true, true]);
    }
}
