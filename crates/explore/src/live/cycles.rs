//! A short closed walk through a component that is a fair run when repeated for ever: it begins as a shortest
//! cycle, and takes detours to the nearest witness of whatever it still misses.

use super::bits::Bits;
use super::cancellation::Cancellation;
use super::fair::{FairnessConstraints, FairnessInstance, FairnessTally};
use super::graph_view::GraphView;
use super::state_graph::Cursor;
use crate::store::Key;
use std::collections::{HashMap, HashSet, VecDeque};
use watchkeeper_logic::FairnessStrength;
use watchkeeper_space::Action;

/// How a leg is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Via {
    /// By whatever action leads there.
    Any,
    /// By this one.
    Action(Action),
    /// The run rests, or time passes and changes nothing.
    Still,
}

/// The most detours of a walk. Each settles at least one thing for good, so that only a fault of this program or a
/// space with as many messages needs more.
const DETOURS: usize = 100_000;

/// A node, and how the walk leaves it for the next one; after the last comes the first.
pub(crate) type LassoEdge = (u32, Via);

/// Builds closed walks in one component.
pub(crate) struct CycleBuilder<'l, 's, 'a, K> {
    graph: &'l GraphView<'s, 'a, K>,
    rules: &'l FairnessConstraints,
    visits: &'l [Bits],
    inside: &'l Bits,
    cancellation: &'l Cancellation<'l>,
    cursor: Cursor<'s, 'a, K>,
}

/// A witness of something missing, and how it is got.
enum Witness {
    /// To be at a node is enough.
    Here,
    /// A step from it.
    Step(Via, u32),
}

impl<'l, 's, 'a, K: Key> CycleBuilder<'l, 's, 'a, K> {
    pub fn new(
        graph: &'l GraphView<'s, 'a, K>,
        rules: &'l FairnessConstraints,
        visits: &'l [Bits],
        inside: &'l Bits,
        cancellation: &'l Cancellation<'l>,
    ) -> CycleBuilder<'l, 's, 'a, K> {
        CycleBuilder { graph, rules, visits, inside, cancellation, cursor: Cursor::new(graph.state_graph) }
    }

    /// A closed fair walk from a node of the component; `None` if none was put together, or if it was stopped.
    pub fn from(&mut self, anchor: u32) -> Option<Vec<LassoEdge>> {
        let mut cycle = self.cycle(anchor)?;
        for _ in 0..DETOURS {
            let (unvisited, missing) = self.missing(&mut cycle);
            if unvisited.is_empty() && missing.is_empty() {
                return Some(cycle);
            }
            self.detour(&mut cycle, &unvisited, &missing)?;
        }
        None
    }

    /// A shortest cycle through a node.
    fn cycle(&mut self, anchor: u32) -> Option<Vec<LassoEdge>> {
        if self.graph.steps.of(anchor).contains(&anchor) {
            return Some(vec![(anchor, Via::Any)]);
        }
        let (_, path, _) = self.walk(&[anchor], &mut |builder: &mut Self, node| {
            builder.graph.steps.of(node).contains(&anchor).then_some(Witness::Here)
        })?;
        Some(path.into_iter().map(|node| (node, Via::Any)).collect())
    }

    /// What a cycle does not do: the sets it does not visit, the demands it does not meet. Legs that may be gone
    /// in any way are settled here.
    fn missing(&mut self, cycle: &mut [LassoEdge]) -> (Vec<usize>, HashSet<FairnessInstance>) {
        let visited = |set: &Bits| cycle.iter().any(|(node, _)| set.has(*node));
        let unvisited = (0..self.visits.len()).filter(|&set| !visited(&self.visits[set])).collect();
        let mut tally = FairnessTally::default();
        for i in 0..cycle.len() {
            let (node, via) = cycle[i];
            let next = self.graph.state(cycle[(i + 1) % cycle.len()].0);
            self.cursor.go(self.graph.state(node));
            let taken = match via {
                Via::Any => {
                    self.cursor.moves.iter().find(|(_, target)| *target == Some(next)).map(|(a, _)| *a)
                }
                Via::Action(action) => Some(action),
                Via::Still => None,
            };
            cycle[i].1 = taken.map_or(Via::Still, Via::Action);
            let mut possible = HashSet::new();
            for (action, _) in &self.cursor.moves {
                self.rules.instances(self.graph.state_graph.space, &self.cursor.row, *action, |instance| {
                    possible.insert(instance);
                    if Some(*action) == taken {
                        tally.take(instance);
                    }
                });
            }
            tally.node(self.rules, &possible, taken.is_none());
        }
        (unvisited, tally.missing(self.rules).into_iter().collect())
    }

    /// Goes out of the way to the nearest witness of something missing.
    fn detour(
        &mut self,
        cycle: &mut Vec<LassoEdge>,
        unvisited: &[usize],
        missing: &HashSet<FairnessInstance>,
    ) -> Option<()> {
        let sources: Vec<u32> = cycle.iter().map(|(node, _)| *node).collect();
        let (from, path, witness) =
            self.walk(&sources, &mut |builder: &mut Self, node| builder.witness(node, unvisited, missing))?;
        let home = sources[from];
        let mut way: Vec<LassoEdge> = path.iter().map(|&node| (node, Via::Any)).collect();
        let mut end = *path.last()?;
        if let Witness::Step(via, target) = witness {
            way.last_mut()?.1 = via;
            end = target;
            if end != home {
                way.push((end, Via::Any));
            }
        }
        if end != home {
            // Back: the walk ends before home, whose leg of the cycle follows.
            let (_, back, _) = self.walk(&[end], &mut |builder: &mut Self, node| {
                builder.graph.steps.of(node).contains(&home).then_some(Witness::Here)
            })?;
            way.extend(back.into_iter().skip(1).map(|node| (node, Via::Any)));
        }
        cycle.splice(from..from, way);
        Some(())
    }

    /// Whether a node, or a step from it, has something that is missing.
    fn witness(
        &mut self,
        node: u32,
        unvisited: &[usize],
        missing: &HashSet<FairnessInstance>,
    ) -> Option<Witness> {
        if unvisited.iter().any(|&set| self.visits[set].has(node)) {
            return Some(Witness::Here);
        }
        if missing.is_empty() {
            return None;
        }
        let inside = |target: u32| self.inside.has(target);
        let state = self.graph.state(node);
        let still = self.cursor.go(state);
        let late = |instance: &FairnessInstance| Some(instance.0) == self.rules.time();
        if still
            && missing.iter().any(late)
            && let Some(same) = self.graph.leads(node, state, &inside)
        {
            return Some(Witness::Step(Via::Still, same));
        }
        let mut impossible: HashSet<&FairnessInstance> = missing
            .iter()
            .filter(|instance| self.rules.strength(instance) == FairnessStrength::Weak)
            .collect();
        let mut found = None;
        for (action, target) in &self.cursor.moves {
            let next = target.and_then(|target| self.graph.leads(node, target, &inside));
            self.rules.instances(self.graph.state_graph.space, &self.cursor.row, *action, |instance| {
                impossible.remove(&instance);
                if let (Some(next), true, None) = (next, missing.contains(&instance), &found) {
                    found = Some(Witness::Step(Via::Action(*action), next));
                }
            });
        }
        found.or((!impossible.is_empty()).then_some(Witness::Here))
    }

    /// A shortest walk inside from one of the sources to a node that will do: the place of the source, the nodes
    /// from it on, and why. Successors are tried in an order that does not depend on how states are numbered.
    fn walk(
        &mut self,
        sources: &[u32],
        goal: &mut dyn FnMut(&mut Self, u32) -> Option<Witness>,
    ) -> Option<(usize, Vec<u32>, Witness)> {
        let mut from: HashMap<u32, u32> = HashMap::new();
        let mut queue = VecDeque::new();
        for &source in sources {
            if from.insert(source, source).is_none() {
                queue.push_back(source);
            }
        }
        let (mut next, mut work) = (Vec::new(), 0u32);
        while let Some(node) = queue.pop_front() {
            work += 1;
            if work & 0xfff == 0 && self.cancellation.stopped() {
                return None;
            }
            if let Some(witness) = goal(self, node) {
                let mut path = vec![node];
                let mut at = node;
                while from[&at] != at {
                    at = from[&at];
                    path.push(at);
                }
                path.reverse();
                return Some((sources.iter().position(|&source| source == at)?, path, witness));
            }
            next.clear();
            for &target in self.graph.steps.of(node) {
                if self.inside.has(target) && !from.contains_key(&target) {
                    from.insert(target, node);
                    let mut bytes = Vec::new();
                    let state_graph = self.graph.state_graph;
                    state_graph.space.pack(&state_graph.row(self.graph.state(target)), &mut bytes);
                    next.push((bytes, target));
                }
            }
            next.sort();
            queue.extend(next.iter().map(|(_, target)| *target));
        }
        None
    }
}
