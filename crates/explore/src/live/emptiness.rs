//! The emptiness check: from a claim about runs to a fair run that breaks it. Claims of a simple form are checked on the
//! state graph itself; any other claim on its product with the automaton of the negated claim.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::cancellation::Cancellation;
use super::cycles::{CycleBuilder, LassoEdge, Via};
use super::fair::{FairSearch, FairnessConstraints};
use super::graph_view::GraphView;
use super::product_graph::ProductGraph;
use super::reach::Reach;
use super::state_graph::StateGraph;
use crate::store::Key;
use watchkeeper_logic::{Automaton, AutomatonError, Formula, Limit, Shortcut, recurrences, shortcuts};

/// How many anchors of a fair cycle are tried, the nearest first.
const ANCHORS: usize = 24;

/// One conjunct of a claim, with propositions by their indices.
pub(crate) enum Goal {
    /// G p.
    Always(usize),
    /// F G p.
    EventuallyAlways(usize),
    /// G F p.
    AlwaysEventually(usize),
    /// G (p -> F q).
    LeadsTo(usize, usize),
    /// Any formula: the automaton of a part of its negation with the indices of its propositions, and the propositions that
    /// beside that must be true infinitely often.
    General { automaton: Automaton, truths: Vec<usize>, recurring: Vec<usize> },
}

/// A run that breaks a claim, in node numbers: the stem to a state, and the cycle that begins and ends there, unless the stem
/// already breaks the claim.
pub(crate) struct NodeLasso {
    /// The states of the stem, each with the edge that leaves it.
    pub stem: Vec<LassoEdge>,
    /// The state at its end.
    pub end: u32,
    /// The states of the cycle from there, each with the edge that leaves it.
    pub cycle: Option<Vec<LassoEdge>>,
}

impl NodeLasso {
    /// The number of steps of both.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.as_ref().map_or(0, Vec::len)
    }
}

/// The goals of a claim. Propositions that are not in the list yet are added.
pub(crate) fn goals(
    claim: &Formula,
    general: bool,
    propositions: &mut Vec<Formula>,
) -> Result<Vec<Goal>, AutomatonError> {
    let mut place = |formula: &Formula| {
        let known = propositions.iter().position(|other| other == formula);
        known.unwrap_or_else(|| {
            propositions.push(formula.clone());
            propositions.len() - 1
        })
    };
    let parts = if general { vec![Shortcut::General(claim.clone())] } else { shortcuts(claim) };
    let mut goals = Vec::new();
    for part in parts {
        goals.push(match part {
            Shortcut::Always(p) => Goal::Always(place(&p)),
            Shortcut::EventuallyAlways(p) => Goal::EventuallyAlways(place(&p)),
            Shortcut::AlwaysEventually(p) => Goal::AlwaysEventually(place(&p)),
            Shortcut::LeadsTo(p, q) => Goal::LeadsTo(place(&p), place(&q)),
            Shortcut::General(formula) => {
                let (recurring, rest) = recurrences(&formula.not());
                let automaton = Automaton::of(&rest)?;
                let truths = automaton.propositions.iter().map(&mut place).collect();
                Goal::General { automaton, truths, recurring: recurring.iter().map(&mut place).collect() }
            }
        });
    }
    Ok(goals)
}

/// An emptiness check on one graph.
pub(crate) struct EmptinessCheck<'c, 'a, K> {
    pub state_graph: &'c StateGraph<'a, K>,
    pub rules: &'c FairnessConstraints,
    pub workers: usize,
    /// The bytes that a product may take, if there is a limit.
    pub room: Option<u64>,
    pub cancellation: &'c Cancellation<'c>,
}

impl<K: Key> EmptinessCheck<'_, '_, K> {
    /// A run that breaks a claim of this form, if there is one; `None` if the callback stopped it.
    pub fn after(&self, goal: &Goal) -> Option<Option<NodeLasso>> {
        let len = self.state_graph.len();
        let not = |p: usize| self.state_graph.truths[p].complement(len);
        match goal {
            Goal::Always(p) => self.reaching(not(*p)),
            Goal::EventuallyAlways(p) => self.staying(Bits::all(len), &[not(*p)]),
            Goal::AlwaysEventually(p) => self.staying(not(*p), &[]),
            Goal::LeadsTo(p, q) => self.leading(*p, &not(*q)),
            Goal::General { automaton, recurring, .. } if is_everything(automaton) => {
                let again: Vec<Bits> =
                    recurring.iter().map(|&p| self.state_graph.truths[p].clone()).collect();
                self.staying(Bits::all(len), &again)
            }
            Goal::General { automaton, truths, recurring } => {
                let mut product =
                    ProductGraph::new(self.state_graph, automaton, truths, self.room, self.cancellation)?;
                let again: Vec<Bits> =
                    recurring.iter().map(|&p| product.nodes_of(&self.state_graph.truths[p])).collect();
                product.visits.extend(again);
                let graph = GraphView {
                    state_graph: self.state_graph,
                    steps: &product.steps,
                    states: Some(&product.states),
                };
                let fair = self.search(&graph, &product.visits).within(Bits::all(product.steps.nodes()))?;
                if fair.is_empty() {
                    return Some(None);
                }
                let starts: Vec<(u32, u32)> = product.starts.iter().map(|&node| (node, 0)).collect();
                let reach = Reach::new(&product.steps, None, &starts);
                let found = self.closed(&graph, &fair, &product.visits, &reach.costs)?;
                let state = |(node, via): LassoEdge| (graph.state(node), via);
                Some(found.map(|(anchor, cycle)| NodeLasso {
                    stem: stem(&reach.path(anchor)).into_iter().map(state).collect(),
                    end: graph.state(anchor),
                    cycle: Some(cycle.into_iter().map(state).collect()),
                }))
            }
        }
    }

    /// How many states have no fair run from them, and whether any has one; `None` if the callback stopped it.
    pub fn unable(&self) -> Option<(usize, bool)> {
        let able = self.able()?.iter().count();
        Some((self.state_graph.len() - able, able > 0))
    }

    /// Whether a state is ever reached of which a proposition is true.
    pub fn occurs(&self, p: usize) -> bool {
        !self.state_graph.truths[p].is_empty()
    }

    fn graph(&self) -> GraphView<'_, '_, K> {
        GraphView { state_graph: self.state_graph, steps: &self.state_graph.steps, states: None }
    }

    fn fair(&self, graph: &GraphView<'_, '_, K>, visits: &[Bits]) -> Option<Vec<Vec<u32>>> {
        self.search(graph, visits).within(Bits::all(graph.steps.nodes()))
    }

    fn search<'s, 'a>(
        &'s self,
        graph: &'s GraphView<'s, 'a, K>,
        visits: &'s [Bits],
    ) -> FairSearch<'s, 'a, K> {
        FairSearch {
            graph,
            rules: self.rules,
            visits,
            workers: self.workers,
            cancellation: self.cancellation,
        }
    }

    /// A run that stays in a region and visits sets again and again.
    fn staying(&self, region: Bits, visits: &[Bits]) -> Option<Option<NodeLasso>> {
        let fair = self.search(&self.graph(), visits).within(region)?;
        let found = self.closed(&self.graph(), &fair, visits, &self.state_graph.depths)?;
        Some(found.map(|(anchor, cycle)| NodeLasso {
            stem: self.way_to(anchor),
            end: anchor,
            cycle: Some(cycle),
        }))
    }

    /// A run that comes to where `p` is true and never leaves the region from then on.
    fn leading(&self, p: usize, region: &Bits) -> Option<Option<NodeLasso>> {
        let begins = self.state_graph.truths[p].iter().filter(|&state| region.has(state));
        let seeds: Vec<(u32, u32)> =
            begins.map(|state| (state, self.state_graph.depths[state as usize])).collect();
        if seeds.is_empty() {
            return Some(None);
        }
        let reach = Reach::new(&self.state_graph.steps, Some(region), &seeds);
        let mut reached = Bits::none(self.state_graph.len());
        (0..self.state_graph.len())
            .filter(|&at| reach.costs[at] != Reach::FAR)
            .for_each(|at| reached.add(at as u32));
        let fair = self.search(&self.graph(), &[]).within(reached)?;
        let found = self.closed(&self.graph(), &fair, &[], &reach.costs)?;
        Some(found.map(|(anchor, cycle)| {
            let path = reach.path(anchor);
            let mut whole = self.way_to(path[0]);
            whole.extend(stem(&path));
            NodeLasso { stem: whole, end: anchor, cycle: Some(cycle) }
        }))
    }

    /// A run to a state of the set that can be continued fairly.
    fn reaching(&self, mut bad: Bits) -> Option<Option<NodeLasso>> {
        if self.rules.demand() {
            let able = self.able()?;
            let unable: Vec<u32> = bad.iter().filter(|&state| !able.has(state)).collect();
            unable.into_iter().for_each(|state| bad.remove(state));
        }
        let anchor = self.nearest(&self.graph(), bad.iter(), &self.state_graph.depths, 1).pop();
        Some(anchor.map(|state| NodeLasso { stem: self.way_to(state), end: state, cycle: None }))
    }

    /// The states from which there is a fair run.
    fn able(&self) -> Option<Bits> {
        let fair = self.fair(&self.graph(), &[])?;
        let seeds: Vec<(u32, u32)> = fair.iter().flatten().map(|&state| (state, 0)).collect();
        let back: Adjacency = self.state_graph.steps.reversed();
        let reach = Reach::new(&back, None, &seeds);
        let mut able = Bits::none(self.state_graph.len());
        (0..self.state_graph.len())
            .filter(|&at| reach.costs[at] != Reach::FAR)
            .for_each(|at| able.add(at as u32));
        Some(able)
    }

    /// The shortest closed walk that is found in fair components, and the node where it begins: counted with the
    /// way there.
    fn closed(
        &self,
        graph: &GraphView<'_, '_, K>,
        fair: &[Vec<u32>],
        visits: &[Bits],
        costs: &[u32],
    ) -> Option<Option<(u32, Vec<LassoEdge>)>> {
        let seen = |node: &u32| visits.first().is_none_or(|set| set.has(*node));
        let nodes = fair.iter().flatten().copied().filter(seen);
        let anchors = self.nearest(graph, nodes, costs, ANCHORS);
        let mut best: Option<(usize, u32, Vec<LassoEdge>)> = None;
        for nodes in fair {
            if fair.len() > 1 && !anchors.iter().any(|anchor| nodes.contains(anchor)) {
                continue;
            }
            let mut inside = Bits::none(graph.steps.nodes());
            nodes.iter().for_each(|&node| inside.add(node));
            for anchor in anchors.iter().copied().filter(|&anchor| inside.has(anchor)) {
                let builder =
                    CycleBuilder::new(graph, self.rules, visits, &inside, self.cancellation).from(anchor);
                let Some(cycle) = builder else { continue };
                let total = costs[anchor as usize] as usize + cycle.len();
                if best.as_ref().is_none_or(|(least, ..)| total < *least) {
                    best = Some((total, anchor, cycle));
                }
            }
        }
        if best.is_none() && !fair.is_empty() {
            // There is a run, and it was not put together: whatever is said, it must not be `holds`.
            let why = "a claim is broken by a fair run that was too long to be put together";
            self.cancellation.give_up(Limit::Incomplete(why.to_string()));
            return None;
        }
        Some(best.map(|(_, anchor, cycle)| (anchor, cycle)))
    }

    /// The nodes of least cost, and of equals those whose states have the smallest bytes.
    fn nearest(
        &self,
        graph: &GraphView<'_, '_, K>,
        nodes: impl Iterator<Item = u32>,
        costs: &[u32],
        most: usize,
    ) -> Vec<u32> {
        let mut nodes: Vec<u32> = nodes.collect();
        nodes.sort_by_key(|&node| costs[node as usize]);
        if let Some(&last) = nodes.get(most) {
            let limit = costs[last as usize];
            nodes.truncate(nodes.partition_point(|&node| costs[node as usize] <= limit));
        }
        nodes.sort_by_cached_key(|&node| {
            let mut bytes = Vec::new();
            self.state_graph.space.pack(&self.state_graph.row(graph.state(node)), &mut bytes);
            (costs[node as usize], bytes, node)
        });
        nodes.truncate(most);
        nodes
    }

    /// The shortest way to a state.
    fn way_to(&self, state: u32) -> Vec<LassoEdge> {
        let seeds: Vec<(u32, u32)> = self.state_graph.initial().into_iter().map(|state| (state, 0)).collect();
        stem(&Reach::new(&self.state_graph.steps, None, &seeds).path(state))
    }
}

/// Whether an automaton accepts every run.
fn is_everything(automaton: &Automaton) -> bool {
    let [only] = automaton.states.as_slice() else { return false };
    only.label.allows(0)
        && only.label.allows(u64::MAX)
        && only.next == [0]
        && automaton.acceptance == 0
        && automaton.initial == [0]
}

/// The nodes of a path but the last, each left by whatever leads on. The last is where something else begins.
fn stem(path: &[u32]) -> Vec<LassoEdge> {
    path[..path.len() - 1].iter().map(|&node| (node, Via::Any)).collect()
}
