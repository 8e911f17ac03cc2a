//! From a claim about runs to a run that breaks it. Claims of a simple form are looked for in the graph of
//! states itself; any other claim in its product with the automaton of the opposite claim.

use super::arena::Arena;
use super::bits::Bits;
use super::fair::{FairSearch, Rules};
use super::lap::{Laps, Leg, Via};
use super::product::Product;
use super::pulse::Pulse;
use super::reach::Reach;
use super::steps::Steps;
use super::web::Web;
use crate::store::Key;
use watchkeeper_logic::{Automaton, AutomatonError, Formula, Limit, Shortcut, recurrences, shortcuts};

/// How many anchors of a closed walk are tried, the nearest first.
const ANCHORS: usize = 24;

/// One thing that a claim says, with propositions by their places.
pub(crate) enum Aim {
    /// G p.
    Always(usize),
    /// F G p.
    EventuallyAlways(usize),
    /// G F p.
    AlwaysEventually(usize),
    /// G (p -> F q).
    LeadsTo(usize, usize),
    /// Anything: the opposite, as the automaton of a part of it with the places of its propositions, and what
    /// beside that must be true again and again.
    General { automaton: Automaton, truths: Vec<usize>, recurring: Vec<usize> },
}

/// A run that breaks a claim: the way to a state, and the closed walk that begins and ends there, if the claim
/// is not broken before.
pub(crate) struct Catch {
    /// The states on the way, each with how it is left.
    pub stem: Vec<Leg>,
    /// The state at its end.
    pub end: u32,
    /// The states of the closed walk from there, each with how it is left.
    pub lap: Option<Vec<Leg>>,
}

impl Catch {
    /// The number of steps of both.
    pub fn len(&self) -> usize {
        self.stem.len() + self.lap.as_ref().map_or(0, Vec::len)
    }
}

/// The aims of a claim. Propositions that are not known yet are added.
pub(crate) fn aims(
    claim: &Formula,
    general: bool,
    propositions: &mut Vec<Formula>,
) -> Result<Vec<Aim>, AutomatonError> {
    let mut place = |formula: &Formula| {
        let known = propositions.iter().position(|other| other == formula);
        known.unwrap_or_else(|| {
            propositions.push(formula.clone());
            propositions.len() - 1
        })
    };
    let parts = if general { vec![Shortcut::General(claim.clone())] } else { shortcuts(claim) };
    let mut aims = Vec::new();
    for part in parts {
        aims.push(match part {
            Shortcut::Always(p) => Aim::Always(place(&p)),
            Shortcut::EventuallyAlways(p) => Aim::EventuallyAlways(place(&p)),
            Shortcut::AlwaysEventually(p) => Aim::AlwaysEventually(place(&p)),
            Shortcut::LeadsTo(p, q) => Aim::LeadsTo(place(&p), place(&q)),
            Shortcut::General(formula) => {
                let (recurring, rest) = recurrences(&formula.not());
                let automaton = Automaton::of(&rest)?;
                let truths = automaton.propositions.iter().map(&mut place).collect();
                Aim::General { automaton, truths, recurring: recurring.iter().map(&mut place).collect() }
            }
        });
    }
    Ok(aims)
}

/// Looks for runs in one graph.
pub(crate) struct Chase<'c, 'a, K> {
    pub web: &'c Web<'a, K>,
    pub rules: &'c Rules,
    pub workers: usize,
    /// The bytes that a product may take, if there is a limit.
    pub room: Option<u64>,
    pub pulse: &'c Pulse<'c>,
}

impl<K: Key> Chase<'_, '_, K> {
    /// A run that breaks a claim of this form, if there is one; `None` if it was stopped.
    pub fn after(&self, aim: &Aim) -> Option<Option<Catch>> {
        let len = self.web.len();
        let not = |p: usize| self.web.truths[p].complement(len);
        match aim {
            Aim::Always(p) => self.reaching(not(*p)),
            Aim::EventuallyAlways(p) => self.staying(Bits::all(len), &[not(*p)]),
            Aim::AlwaysEventually(p) => self.staying(not(*p), &[]),
            Aim::LeadsTo(p, q) => self.leading(*p, &not(*q)),
            Aim::General { automaton, recurring, .. } if is_everything(automaton) => {
                let again: Vec<Bits> = recurring.iter().map(|&p| self.web.truths[p].clone()).collect();
                self.staying(Bits::all(len), &again)
            }
            Aim::General { automaton, truths, recurring } => {
                let mut product = Product::new(self.web, automaton, truths, self.room, self.pulse)?;
                let again: Vec<Bits> =
                    recurring.iter().map(|&p| product.nodes_of(&self.web.truths[p])).collect();
                product.visits.extend(again);
                let arena = Arena { web: self.web, steps: &product.steps, states: Some(&product.states) };
                let fair = self.search(&arena, &product.visits).within(Bits::all(product.steps.nodes()))?;
                if fair.is_empty() {
                    return Some(None);
                }
                let starts: Vec<(u32, u32)> = product.starts.iter().map(|&node| (node, 0)).collect();
                let reach = Reach::new(&product.steps, None, &starts);
                let found = self.closed(&arena, &fair, &product.visits, &reach.costs)?;
                let state = |(node, via): Leg| (arena.state(node), via);
                Some(found.map(|(anchor, lap)| Catch {
                    stem: stem(&reach.path(anchor)).into_iter().map(state).collect(),
                    end: arena.state(anchor),
                    lap: Some(lap.into_iter().map(state).collect()),
                }))
            }
        }
    }

    /// How many states have no fair run from them, and whether any has one; `None` if it was stopped.
    pub fn unable(&self) -> Option<(usize, bool)> {
        let able = self.able()?.iter().count();
        Some((self.web.len() - able, able > 0))
    }

    /// Whether a state is ever reached of which a proposition is true.
    pub fn occurs(&self, p: usize) -> bool {
        !self.web.truths[p].is_empty()
    }

    fn arena(&self) -> Arena<'_, '_, K> {
        Arena { web: self.web, steps: &self.web.steps, states: None }
    }

    fn fair(&self, arena: &Arena<'_, '_, K>, visits: &[Bits]) -> Option<Vec<Vec<u32>>> {
        self.search(arena, visits).within(Bits::all(arena.steps.nodes()))
    }

    fn search<'s, 'a>(&'s self, arena: &'s Arena<'s, 'a, K>, visits: &'s [Bits]) -> FairSearch<'s, 'a, K> {
        FairSearch { arena, rules: self.rules, visits, workers: self.workers, pulse: self.pulse }
    }

    /// A run that stays in a region and visits sets again and again.
    fn staying(&self, region: Bits, visits: &[Bits]) -> Option<Option<Catch>> {
        let fair = self.search(&self.arena(), visits).within(region)?;
        let found = self.closed(&self.arena(), &fair, visits, &self.web.depths)?;
        Some(found.map(|(anchor, lap)| Catch { stem: self.way_to(anchor), end: anchor, lap: Some(lap) }))
    }

    /// A run that comes to where `p` is true and never leaves the region from then on.
    fn leading(&self, p: usize, region: &Bits) -> Option<Option<Catch>> {
        let begins = self.web.truths[p].iter().filter(|&state| region.has(state));
        let seeds: Vec<(u32, u32)> = begins.map(|state| (state, self.web.depths[state as usize])).collect();
        if seeds.is_empty() {
            return Some(None);
        }
        let reach = Reach::new(&self.web.steps, Some(region), &seeds);
        let mut reached = Bits::none(self.web.len());
        (0..self.web.len()).filter(|&at| reach.costs[at] != Reach::FAR).for_each(|at| reached.add(at as u32));
        let fair = self.search(&self.arena(), &[]).within(reached)?;
        let found = self.closed(&self.arena(), &fair, &[], &reach.costs)?;
        Some(found.map(|(anchor, lap)| {
            let path = reach.path(anchor);
            let mut whole = self.way_to(path[0]);
            whole.extend(stem(&path));
            Catch { stem: whole, end: anchor, lap: Some(lap) }
        }))
    }

    /// A run to a state of the set that can be continued fairly.
    fn reaching(&self, mut bad: Bits) -> Option<Option<Catch>> {
        if self.rules.demand() {
            let able = self.able()?;
            let unable: Vec<u32> = bad.iter().filter(|&state| !able.has(state)).collect();
            unable.into_iter().for_each(|state| bad.remove(state));
        }
        let anchor = self.nearest(&self.arena(), bad.iter(), &self.web.depths, 1).pop();
        Some(anchor.map(|state| Catch { stem: self.way_to(state), end: state, lap: None }))
    }

    /// The states from which there is a fair run.
    fn able(&self) -> Option<Bits> {
        let fair = self.fair(&self.arena(), &[])?;
        let seeds: Vec<(u32, u32)> = fair.iter().flatten().map(|&state| (state, 0)).collect();
        let back: Steps = self.web.steps.reversed();
        let reach = Reach::new(&back, None, &seeds);
        let mut able = Bits::none(self.web.len());
        (0..self.web.len()).filter(|&at| reach.costs[at] != Reach::FAR).for_each(|at| able.add(at as u32));
        Some(able)
    }

    /// The shortest closed walk that is found in fair components, and the node where it begins: counted with the
    /// way there.
    fn closed(
        &self,
        arena: &Arena<'_, '_, K>,
        fair: &[Vec<u32>],
        visits: &[Bits],
        costs: &[u32],
    ) -> Option<Option<(u32, Vec<Leg>)>> {
        let seen = |node: &u32| visits.first().is_none_or(|set| set.has(*node));
        let nodes = fair.iter().flatten().copied().filter(seen);
        let anchors = self.nearest(arena, nodes, costs, ANCHORS);
        let mut best: Option<(usize, u32, Vec<Leg>)> = None;
        for nodes in fair {
            if fair.len() > 1 && !anchors.iter().any(|anchor| nodes.contains(anchor)) {
                continue;
            }
            let mut inside = Bits::none(arena.steps.nodes());
            nodes.iter().for_each(|&node| inside.add(node));
            for anchor in anchors.iter().copied().filter(|&anchor| inside.has(anchor)) {
                let laps = Laps::new(arena, self.rules, visits, &inside, self.pulse).from(anchor);
                let Some(lap) = laps else { continue };
                let total = costs[anchor as usize] as usize + lap.len();
                if best.as_ref().is_none_or(|(least, ..)| total < *least) {
                    best = Some((total, anchor, lap));
                }
            }
        }
        if best.is_none() && !fair.is_empty() {
            // There is a run, and it was not put together: whatever is said, it must not be `holds`.
            let why = "a claim is broken by a fair run that was too long to be put together";
            self.pulse.give_up(Limit::Incomplete(why.to_string()));
            return None;
        }
        Some(best.map(|(_, anchor, lap)| (anchor, lap)))
    }

    /// The nodes of least cost, and of equals those whose states have the smallest bytes.
    fn nearest(
        &self,
        arena: &Arena<'_, '_, K>,
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
            self.web.space.pack(&self.web.row(arena.state(node)), &mut bytes);
            (costs[node as usize], bytes, node)
        });
        nodes.truncate(most);
        nodes
    }

    /// The shortest way to a state.
    fn way_to(&self, state: u32) -> Vec<Leg> {
        let seeds: Vec<(u32, u32)> = self.web.initial().into_iter().map(|state| (state, 0)).collect();
        stem(&Reach::new(&self.web.steps, None, &seeds).path(state))
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
fn stem(path: &[u32]) -> Vec<Leg> {
    path[..path.len() - 1].iter().map(|&node| (node, Via::Any)).collect()
}
