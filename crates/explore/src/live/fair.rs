//! Which components of a graph hold a fair run: one that visits every set it should, and takes again and again
//! what its constraints say it must. Weak constraints can only reject a component; a strong one may be met by
//! a part of it that stays away from where it would apply.

use super::bits::Bits;
use super::cancellation::Cancellation;
use super::components::{ComponentList, Components};
use super::graph_view::GraphView;
use super::narrowing::narrowed;
use super::state_graph::{Cursor, in_parallel};
use crate::store::Key;
use std::collections::HashSet;
use watchkeeper_logic::{Fairness, FairnessStrength, FairnessUnit};
use watchkeeper_space::{Action, ActionLabel, ClassId, Id, Shape, Space};

/// One instance of a constraint: the constraint, and what it treats as one.
pub(crate) type FairnessInstance = (usize, (Option<ClassId>, ActionLabel));

/// The constraints that every run must meet, those of the space among them.
pub(crate) struct FairnessConstraints {
    rules: Vec<Fairness>,
    /// For each class, the constraints that may select it.
    of_class: Vec<Vec<usize>>,
    /// The constraint that time passes, if there is one: a run that is still meets it too.
    time: Option<usize>,
    shape: Shape,
}

impl FairnessConstraints {
    /// These constraints, and those that belong to the space.
    pub fn new(shape: &Shape, fairness: &[Fairness]) -> FairnessConstraints {
        let mut rules = fairness.to_vec();
        rules.extend(Fairness::of_space(shape));
        // The passing of time comes last.
        let time = shape.time.map(|_| rules.len() - 1);
        let selects = |rule: &Fairness, id: usize| {
            rule.of.classes.is_empty() || rule.of.classes.contains(&(id as ClassId))
        };
        let of = |id: usize| (0..rules.len()).filter(|&rule| selects(&rules[rule], id)).collect();
        let of_class = (0..shape.classes.len()).map(of).collect();
        FairnessConstraints { of_class, time, shape: shape.clone(), rules }
    }

    /// Whether every run meets them.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether some finite runs may have no fair continuation: something must happen that may be impossible.
    pub fn demand(&self) -> bool {
        self.rules.iter().any(|rule| rule.strength == FairnessStrength::Always)
    }

    pub fn has_strong(&self) -> bool {
        self.rules.iter().any(|rule| rule.strength == FairnessStrength::Strong)
    }

    /// The strength of an instance.
    pub fn strength(&self, instance: &FairnessInstance) -> FairnessStrength {
        self.rules[instance.0].strength
    }

    /// The constraints that something must be taken again and again, whatever is possible.
    pub fn always(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rules.len()).filter(|&rule| self.rules[rule].strength == FairnessStrength::Always)
    }

    /// The constraint that a run meets by being still, if there is one.
    pub fn time(&self) -> Option<usize> {
        self.time
    }

    /// The instances that an action belongs to.
    pub fn instances(
        &self,
        space: &dyn Space,
        row: &[Id],
        action: Action,
        mut each: impl FnMut(FairnessInstance),
    ) {
        let class = action.class();
        let rules = &self.of_class[usize::from(class)];
        if rules.is_empty() {
            return;
        }
        let label = space.action_label(row, action);
        for &at in rules {
            let rule = &self.rules[at];
            if rule.of.has(&self.shape, class, &label) {
                let key = if rule.strength == FairnessStrength::Always {
                    FairnessUnit::Together
                } else {
                    rule.each
                };
                each((at, key.key(class, &label)));
            }
        }
    }
}

/// What is possible and what is taken in a part of a graph.
#[derive(Default)]
pub(crate) struct FairnessTally {
    /// Possible in every node so far; `None` before the first.
    always: Option<HashSet<FairnessInstance>>,
    /// Possible in some node; kept for strong constraints only.
    somewhere: HashSet<FairnessInstance>,
    taken: HashSet<FairnessInstance>,
    still: bool,
}

impl FairnessTally {
    /// Takes a node into account: what is possible there, and what is taken from there.
    pub fn node(&mut self, rules: &FairnessConstraints, possible: &HashSet<FairnessInstance>, still: bool) {
        self.still |= still;
        let weak = |instance: &&FairnessInstance| rules.strength(instance) == FairnessStrength::Weak;
        match &mut self.always {
            None => self.always = Some(possible.iter().filter(weak).copied().collect()),
            Some(always) => always.retain(|instance| possible.contains(instance)),
        }
        let strong = |instance: &&FairnessInstance| rules.strength(instance) == FairnessStrength::Strong;
        self.somewhere.extend(possible.iter().filter(strong));
    }

    pub fn take(&mut self, instance: FairnessInstance) {
        self.taken.insert(instance);
    }

    /// The demands that are not met: instances to be taken or, for weak ones, not possible somewhere.
    pub fn missing(&self, rules: &FairnessConstraints) -> Vec<FairnessInstance> {
        let open = self.always.iter().flatten().chain(&self.somewhere);
        let mut missing: Vec<FairnessInstance> =
            open.filter(|instance| !self.taken.contains(*instance)).copied().collect();
        for rule in rules.always() {
            let instance = (rule, FairnessUnit::Together.key(0, &ActionLabel::default()));
            let passes = rules.time() == Some(rule) && self.still;
            if !passes && !self.taken.contains(&instance) {
                missing.push(instance);
            }
        }
        missing.sort_unstable();
        missing
    }
}

/// What becomes of a component.
enum Fate {
    Fair,
    Unfair,
    /// Without these nodes it may have a fair part.
    Without(Vec<u32>),
}

/// The fair components of a region.
pub(crate) struct FairSearch<'s, 'a, K> {
    pub graph: &'s GraphView<'s, 'a, K>,
    pub rules: &'s FairnessConstraints,
    /// Sets that a run must visit again and again.
    pub visits: &'s [Bits],
    pub workers: usize,
    pub cancellation: &'s Cancellation<'s>,
}

impl<K: Key> FairSearch<'_, '_, K> {
    /// All components of the region, or parts of them, in which a fair run stays; `None` if the callback stopped it.
    pub fn within(&self, region: Bits) -> Option<Vec<Vec<u32>>> {
        let region = narrowed(self.graph.steps, region, self.visits, self.cancellation)?;
        if region.is_empty() {
            return Some(Vec::new());
        }
        let mut components = Components::new(self.graph.steps);
        let mut fair = Vec::new();
        let mut piles = vec![components.within(&region, region.iter(), self.cancellation)?];
        drop(region);
        while let Some(found) = piles.pop() {
            for (nodes, fate) in self.fates(&components, &found)? {
                match fate {
                    Fate::Unfair => {}
                    Fate::Fair => fair.push(found.nodes(nodes).to_vec()),
                    Fate::Without(bad) => {
                        let mut part = Bits::none(self.graph.steps.nodes());
                        found.nodes(nodes).iter().for_each(|&node| part.add(node));
                        bad.iter().for_each(|&node| part.remove(node));
                        let roots: Vec<u32> =
                            found.nodes(nodes).iter().copied().filter(|&node| part.has(node)).collect();
                        piles.push(components.within(&part, roots.iter().copied(), self.cancellation)?);
                    }
                }
            }
        }
        Some(fair)
    }

    /// What becomes of each component; large ones are looked at one after the other, small ones side by side.
    fn fates(&self, components: &Components<'_>, found: &ComponentList) -> Option<Vec<(usize, Fate)>> {
        const TOGETHER: usize = 64;
        let chunks = found.len().div_ceil(TOGETHER);
        let fates = in_parallel(chunks, self.workers, |chunk| {
            let mut cursor = Cursor::new(self.graph.state_graph);
            let range = chunk * TOGETHER..found.len().min((chunk + 1) * TOGETHER);
            range
                .map(|at| Some((at, self.fate(components, found.nodes(at), &mut cursor)?)))
                .collect::<Option<Vec<_>>>()
        })?;
        Some(fates.into_iter().flatten().collect())
    }

    fn fate(
        &self,
        components: &Components<'_>,
        nodes: &[u32],
        cursor: &mut Cursor<'_, '_, K>,
    ) -> Option<Fate> {
        if self.visits.iter().any(|set| !nodes.iter().any(|&node| set.has(node))) {
            return Some(Fate::Unfair);
        }
        if self.rules.is_empty() {
            return Some(Fate::Fair);
        }
        let number = components.number(nodes[0]);
        let inside = |target: u32| components.number(target) == number;
        let mut tally = FairnessTally::default();
        let mut possible = HashSet::new();
        for (i, &node) in nodes.iter().enumerate() {
            self.look(node, cursor, &mut possible, &mut tally, &inside);
            if i & 0xfff == 0xfff && self.cancellation.stopped() {
                return None;
            }
            // What is missing of weak constraints only becomes less; strong ones need all nodes.
            let settled = i % 16 == 0 && !self.rules.has_strong();
            if settled && tally.missing(self.rules).is_empty() {
                return Some(Fate::Fair);
            }
        }
        let missing = tally.missing(self.rules);
        if missing.is_empty() {
            return Some(Fate::Fair);
        }
        let strong = |instance: &FairnessInstance| self.rules.strength(instance) == FairnessStrength::Strong;
        if !missing.iter().all(strong) {
            return Some(Fate::Unfair);
        }
        let missing: HashSet<FairnessInstance> = missing.into_iter().collect();
        let applies = |&node: &u32| {
            self.look(node, cursor, &mut possible, &mut FairnessTally::default(), &inside);
            !possible.is_disjoint(&missing)
        };
        Some(Fate::Without(nodes.iter().copied().filter(applies).collect()))
    }

    /// What is possible in a node, and what is taken from there to nodes inside.
    fn look(
        &self,
        node: u32,
        cursor: &mut Cursor<'_, '_, K>,
        possible: &mut HashSet<FairnessInstance>,
        tally: &mut FairnessTally,
        inside: &impl Fn(u32) -> bool,
    ) {
        let state = self.graph.state(node);
        let still = cursor.go(state);
        possible.clear();
        for (action, target) in &cursor.moves {
            let stays = target.is_some_and(|target| self.graph.leads(node, target, inside).is_some());
            self.rules.instances(self.graph.state_graph.space, &cursor.row, *action, |instance| {
                possible.insert(instance);
                if stays {
                    tally.take(instance);
                }
            });
        }
        let still = still && self.graph.leads(node, state, inside).is_some();
        tally.node(self.rules, possible, still);
    }
}
