//! All reachable states and the steps between them, nearest first, in a table.

use super::{NaiveActionOf, NaiveWorld, WholeOf};
use std::collections::HashMap;
use watchkeeper_core::Promises;
use watchkeeper_world::WorldTime;

/// The states that can be reached, of one world or of several of which one is picked before the first step.
pub struct NaiveGraph<'a, P: Promises> {
    /// The worlds.
    pub members: Vec<NaiveWorld<'a, P>>,
    /// The states, nearest first.
    pub states: Vec<WholeOf<P>>,
    /// Of which world each state is.
    pub of: Vec<usize>,
    /// How near each state is.
    pub depths: Vec<usize>,
    /// What leaves each state.
    pub steps: Vec<Vec<(NaiveActionOf<P>, usize)>>,
    /// Whether something that leaves it is left out.
    pub cuts: Vec<bool>,
    /// Whether time cannot pass there and nothing can happen.
    pub locked: Vec<bool>,
    /// Where time can pass and changes nothing.
    pub idle: Vec<bool>,
    /// So many states are initial, the first ones.
    pub starts: usize,
}

/// Why there is no graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoGraph {
    /// There are more states than there is patience for.
    Large,
    /// What is sent at the start is beyond the cap of a channel.
    Start,
}

impl<'a, P: Promises<Msg: Ord>> NaiveGraph<'a, P> {
    /// The graph, if it has no more than `most` states.
    pub fn of(members: Vec<NaiveWorld<'a, P>>, most: usize) -> Result<NaiveGraph<'a, P>, NoGraph> {
        let mut graph = NaiveGraph {
            members,
            states: Vec::new(),
            of: Vec::new(),
            depths: Vec::new(),
            steps: Vec::new(),
            cuts: Vec::new(),
            locked: Vec::new(),
            idle: Vec::new(),
            starts: 0,
        };
        let mut known: HashMap<(usize, WholeOf<P>), usize> = HashMap::new();
        for member in 0..graph.members.len() {
            for whole in graph.members[member].starts().ok_or(NoGraph::Start)? {
                graph.add(&mut known, member, whole, 0);
            }
        }
        graph.starts = graph.states.len();
        let mut at = 0;
        while at < graph.states.len() {
            if graph.states.len() > most {
                return Err(NoGraph::Large);
            }
            let (whole, member) = (graph.states[at].clone(), graph.of[at]);
            let next = graph.members[member].next(&whole);
            let depth = graph.depths[at] + 1;
            let moves = next.cut || next.steps.iter().any(|(action, _)| !action.sort.is_fault());
            let steps = next.steps.into_iter();
            let steps =
                steps.map(|(action, whole)| (action, graph.add(&mut known, member, whole, depth))).collect();
            graph.steps.push(steps);
            graph.cuts.push(next.cut);
            let naive = &graph.members[member];
            let over = whole.overflow.is_some() || naive.all_judged(&whole);
            let ticked = naive.ticked(&whole);
            let ticks = matches!(naive.scenario.time, WorldTime::Ticks(_));
            graph.locked.push(ticks && ticked.is_none() && !moves && !over);
            graph.idle.push(ticks && ticked.as_ref() == Some(&whole));
            at += 1;
        }
        Ok(graph)
    }

    /// The world of a state.
    pub fn member(&self, at: usize) -> &NaiveWorld<'a, P> {
        &self.members[self.of[at]]
    }

    /// Whether nothing but a fault can happen in a state, and nothing is left out.
    pub fn is_stuck(&self, at: usize) -> bool {
        !self.cuts[at] && self.steps[at].iter().all(|(action, _)| action.sort.is_fault())
    }

    /// Whether a run has come to its end there: everyone has crashed, a channel has overflowed, or there is nothing more
    /// to find out.
    pub fn is_over(&self, at: usize) -> bool {
        let whole = &self.states[at];
        whole.overflow.is_some()
            || self.member(at).all_judged(whole)
            || whole.processes.iter().all(super::NaiveProcess::is_crashed)
    }

    /// Whether runs end there only because all watchers have made up their minds, which hides what else is asked.
    pub fn is_judged(&self, at: usize) -> bool {
        let whole = &self.states[at];
        whole.overflow.is_none() && self.member(at).all_judged(whole)
    }

    /// Whether something is left out anywhere, or runs end early.
    pub fn is_cut(&self) -> bool {
        self.cuts.contains(&true) || (0..self.states.len()).any(|at| self.is_judged(at))
    }

    /// The number of states at each depth.
    pub fn levels(&self) -> Vec<u64> {
        let mut levels = Vec::new();
        for &depth in &self.depths {
            if depth == levels.len() {
                levels.push(0);
            }
            levels[depth] += 1;
        }
        levels
    }

    fn add(
        &mut self,
        known: &mut HashMap<(usize, WholeOf<P>), usize>,
        member: usize,
        whole: WholeOf<P>,
        depth: usize,
    ) -> usize {
        *known.entry((member, whole)).or_insert_with_key(|(_, whole)| {
            self.states.push(whole.clone());
            self.of.push(member);
            self.depths.push(depth);
            self.states.len() - 1
        })
    }
}
