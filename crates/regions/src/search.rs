//! The search for the parameters of which a property holds. A symbolic state is a discrete state and a polyhedron over
//! the parameters and the remaining times. Whatever leads to a violation gives its parameters to the bad region, and
//! every other state is cut to the parameters that are not yet known to be bad: for the rest it has nothing to show.

use crate::config::DiscreteState;
use crate::decisions::Trouble;
use crate::edge::{Edge, Ending};
use crate::model::Model;
use crate::symmetry::{orbit, to_representative};
use crate::widening::widened;
use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron};

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RegionProgress {
    /// Symbolic states that are stored.
    pub states: usize,
    /// Discrete states among them.
    pub discrete: usize,
    /// Symbolic states that are still to be expanded.
    pub queue: usize,
    /// The depth of the search.
    pub depth: usize,
    /// Pieces of the bad region.
    pub bad: usize,
}

/// Called many times; may stop the search.
pub type RegionCallback<'a> = dyn FnMut(&RegionProgress) -> ControlFlow<()> + 'a;

/// A part of the parameters for which the property is violated.
#[derive(Clone, Debug)]
pub struct FailingPiece {
    /// The parameters.
    pub region: Polyhedron,
    /// What is wrong.
    pub reason: String,
    /// The steps of the run that showed it.
    pub steps: Vec<String>,
}

/// How a search treats long chains of states that differ only in their remaining times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chains {
    /// As they are: what is found to be bad is bad.
    Exact,
    /// Widened where a path has come by one discrete state more often than this: what is found to be good is good.
    Widened(usize),
}

/// What a search found.
pub(crate) struct Explored {
    pub(crate) failing: Vec<FailingPiece>,
    /// Parameters for which the model met a limit of its own, with the limit.
    pub(crate) cut: Vec<(Polyhedron, String)>,
    /// Whether every state was expanded.
    pub(crate) ended: bool,
    /// The limit that ended it, if it was not its size or the callback.
    pub(crate) limit: Option<String>,
    pub(crate) progress: RegionProgress,
    /// The discrete states with their polyhedra.
    pub(crate) stored: Vec<(DiscreteState, Vec<Polyhedron>)>,
}

/// The edges of a discrete state, with the numbers of their targets.
type KnownEdges = Arc<Vec<(Edge, usize)>>;

/// One symbolic state.
struct Node {
    config: usize,
    zone: Polyhedron,
    /// The state and the edge that it came by.
    parent: Option<(usize, String)>,
    depth: usize,
    /// Whether no larger one has taken its place.
    live: bool,
}

pub(crate) struct RegionSearch<'a> {
    model: &'a Model,
    /// The parameters that are searched.
    within: Polyhedron,
    chains: Chains,
    most: usize,
    ids: HashMap<Arc<DiscreteState>, usize>,
    configs: Vec<Arc<DiscreteState>>,
    edges: Vec<Option<KnownEdges>>,
    /// The live nodes of each discrete state.
    stored: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    queue: VecDeque<usize>,
    bad: Vec<Polyhedron>,
    failing: Vec<FailingPiece>,
    cut: Vec<(Polyhedron, String)>,
    limit: Option<String>,
    live: usize,
}

impl<'a> RegionSearch<'a> {
    /// A search of these parameters that stores so many symbolic states at most.
    pub(crate) fn new(model: &'a Model, within: Polyhedron, chains: Chains, most: usize) -> RegionSearch<'a> {
        RegionSearch {
            model,
            within,
            chains,
            most,
            ids: HashMap::new(),
            configs: Vec::new(),
            edges: Vec::new(),
            stored: Vec::new(),
            nodes: Vec::new(),
            queue: VecDeque::new(),
            bad: Vec::new(),
            failing: Vec::new(),
            cut: Vec::new(),
            limit: None,
            live: 0,
        }
    }

    /// Searches until every state is expanded, or a limit is met.
    pub(crate) fn run(mut self, callback: &mut RegionCallback<'_>) -> Result<Explored, Trouble> {
        let ended = match self.explore(callback) {
            Ok(ended) => ended,
            // What was found before numbers became too large is exact.
            Err(Trouble::Overflow) => {
                self.limit = Some(Trouble::Overflow.to_string());
                false
            }
            Err(trouble) => return Err(trouble),
        };
        let progress = self.progress(self.nodes.len().saturating_sub(1));
        let mut stored = Vec::new();
        for (config, nodes) in self.configs.iter().zip(&self.stored).filter(|(_, nodes)| !nodes.is_empty()) {
            let zones: Vec<Polyhedron> = nodes.iter().map(|&node| self.nodes[node].zone.clone()).collect();
            match self.model.perms.len() {
                0 | 1 => stored.push((DiscreteState::clone(config), zones)),
                _ => stored.extend(orbit(self.model, &self.model.perms, config, &zones)?),
            }
        }
        Ok(Explored { failing: self.failing, cut: self.cut, ended, limit: self.limit, progress, stored })
    }

    /// Expands states until there are none, which it tells, or a limit is met.
    fn explore(&mut self, callback: &mut RegionCallback<'_>) -> Result<bool, Trouble> {
        for edge in self.model.starts()? {
            let edge = self.canonical(edge);
            let target = self.number(&edge.target);
            let zone = edge.image(&self.within)?;
            self.reached(&edge, target, zone, None, 0)?;
        }
        while let Some(node) = self.queue.pop_front() {
            if !self.nodes[node].live {
                continue;
            }
            if self.nodes.len() > self.most || callback(&self.progress(node)).is_break() {
                return Ok(false);
            }
            let (config, depth) = (self.nodes[node].config, self.nodes[node].depth);
            let edges = self.edges(config)?;
            for piece in self.not_bad(vec![self.nodes[node].zone.clone()])? {
                for (edge, target) in edges.iter() {
                    let zone = edge.image(&piece)?;
                    self.reached(edge, *target, zone, Some(node), depth + 1)?;
                }
            }
        }
        Ok(true)
    }

    /// The edge to the representative of its target, where states are searched up to renaming.
    fn canonical(&self, edge: Edge) -> Edge {
        match self.model.perms.len() {
            0 | 1 => edge,
            _ => to_representative(self.model, &self.model.perms, edge),
        }
    }

    fn progress(&self, node: usize) -> RegionProgress {
        RegionProgress {
            states: self.live,
            discrete: self.configs.len(),
            queue: self.queue.len(),
            depth: self.nodes.get(node).map_or(0, |node| node.depth),
            bad: self.bad.len(),
        }
    }

    fn number(&mut self, config: &DiscreteState) -> usize {
        if let Some(&id) = self.ids.get(config) {
            return id;
        }
        let config = Arc::new(config.clone());
        self.ids.insert(Arc::clone(&config), self.configs.len());
        self.configs.push(config);
        self.edges.push(None);
        self.stored.push(Vec::new());
        self.configs.len() - 1
    }

    /// The steps from a discrete state, violations first.
    fn edges(&mut self, config: usize) -> Result<KnownEdges, Trouble> {
        if let Some(known) = &self.edges[config] {
            return Ok(Arc::clone(known));
        }
        let source = Arc::clone(&self.configs[config]);
        let mut found = Vec::new();
        for edge in self.model.edges(&source)? {
            let edge = self.canonical(edge);
            let target = if edge.ending == Ending::Open { self.number(&edge.target) } else { usize::MAX };
            found.push((edge, target));
        }
        found.sort_by_key(|(edge, _)| !matches!(edge.ending, Ending::Violated(_)));
        let found = Arc::new(found);
        self.edges[config] = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Takes in what an edge leads to.
    fn reached(
        &mut self,
        edge: &Edge,
        target: usize,
        zone: Polyhedron,
        from: Option<usize>,
        depth: usize,
    ) -> Result<(), Trouble> {
        if zone.is_empty() {
            return Ok(());
        }
        match &edge.ending {
            Ending::Settled => Ok(()),
            Ending::Violated(reason) => self.violated(zone, reason, from, edge),
            Ending::Cut(limit) => {
                for piece in self.not_bad(vec![zone])? {
                    if !self.cut.iter().any(|(known, _)| known.includes(&piece).unwrap_or(false)) {
                        self.cut.push((piece, limit.clone()));
                    }
                }
                Ok(())
            }
            Ending::Open => {
                for piece in self.not_bad(vec![zone])? {
                    self.store(target, piece, from.map(|from| (from, edge.label.clone())), depth)?;
                }
                Ok(())
            }
        }
    }

    /// Stores a symbolic state unless another includes it, and lets go of those that it includes.
    fn store(
        &mut self,
        config: usize,
        mut zone: Polyhedron,
        parent: Option<(usize, String)>,
        depth: usize,
    ) -> Result<(), Trouble> {
        for &known in &self.stored[config] {
            if self.nodes[known].zone.includes(&zone)? {
                return Ok(());
            }
        }
        if let Chains::Widened(after) = self.chains
            && let (length, Some(nearest)) = self.chain(config, parent.as_ref().map(|(parent, _)| *parent))
            && length > after
        {
            zone = widened(&self.nodes[nearest].zone, &zone, self.model.parameters.len())?;
        }
        let mut kept = Vec::new();
        for &known in &self.stored[config] {
            if zone.includes(&self.nodes[known].zone)? {
                self.nodes[known].live = false;
                self.live -= 1;
            } else {
                kept.push(known);
            }
        }
        let node = self.nodes.len();
        kept.push(node);
        self.stored[config] = kept;
        self.nodes.push(Node { config, zone, parent, depth, live: true });
        self.live += 1;
        self.queue.push_back(node);
        Ok(())
    }

    /// How many states on the way to a node have this discrete state, and the nearest of them.
    fn chain(&self, config: usize, from: Option<usize>) -> (usize, Option<usize>) {
        let (mut length, mut nearest, mut at) = (0, None, from);
        while let Some(node) = at {
            if self.nodes[node].config == config {
                length += 1;
                nearest = nearest.or(Some(node));
            }
            at = self.nodes[node].parent.as_ref().map(|(parent, _)| *parent);
        }
        (length, nearest)
    }

    /// Adds parameters to the bad region.
    fn violated(
        &mut self,
        region: Polyhedron,
        reason: &str,
        from: Option<usize>,
        edge: &Edge,
    ) -> Result<(), Trouble> {
        if self.not_bad(vec![region.clone()])?.is_empty() {
            return Ok(());
        }
        let mut steps = vec![edge.label.clone()];
        let mut at = from;
        while let Some(node) = at {
            at = self.nodes[node].parent.as_ref().map(|(parent, label)| {
                steps.push(label.clone());
                *parent
            });
        }
        steps.reverse();
        self.failing.push(FailingPiece { region: region.clone(), reason: reason.to_string(), steps });
        let mut pieces = std::mem::take(&mut self.bad);
        pieces.push(region);
        let pieces = Polyhedron::coalesced(pieces)?;
        self.bad = pieces.iter().map(|piece| gist(piece, &self.within)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// These polyhedra without the parameters that are known to be bad.
    fn not_bad(&self, mut pieces: Vec<Polyhedron>) -> Result<Vec<Polyhedron>, Trouble> {
        for bad in &self.bad {
            let mut left = Vec::new();
            for piece in pieces {
                left.extend(without(piece, bad)?);
            }
            pieces = left;
        }
        Ok(pieces)
    }
}

/// A polyhedron without those of its points whose first coordinates are in `bad`, which may have fewer dimensions.
pub(crate) fn without(piece: Polyhedron, bad: &Polyhedron) -> Result<Vec<Polyhedron>, Overflow> {
    let lifted = bad.with_dimensions(piece.dimension() - bad.dimension());
    if piece.intersection(&lifted)?.is_empty() {
        return Ok(vec![piece]);
    }
    piece.minus(&lifted)
}

/// A polyhedron that is `piece` within `context`, by as few constraints as possible.
pub(crate) fn gist(piece: &Polyhedron, context: &Polyhedron) -> Result<Polyhedron, Overflow> {
    let mut kept: Vec<Constraint> = piece.constraints().to_vec();
    let mut at = kept.len();
    while at > 0 {
        at -= 1;
        let mut rest = kept.clone();
        let constraint = rest.remove(at);
        if context.and(&rest)?.entails(&constraint)? {
            kept = rest;
        }
    }
    Polyhedron::of(piece.dimension(), &kept)
}
