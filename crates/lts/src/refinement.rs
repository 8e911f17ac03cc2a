//! Refinement between two systems, in traces, in stable failures, or in failures and divergences. The specification is reduced in a
//! way that keeps all three, and its sets of states are made on the fly; the implementation is searched beside them as it is, so
//! that the run which shows a violation is one of its own, with the fewest steps.

use crate::determinise::{SubsetLimit, Subsets};
use crate::labels::TAU;
use crate::lts::Lts;
use crate::reduction::{Equivalence, reduce};
use crate::tau::tau_components;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use watchkeeper_explore::Progress;
use watchkeeper_logic::{
    Exhausted, Ledger, Limit, RefinementFailure, RefinementSizes, RefinementViolation, Semantics, Shortfall,
};

/// How many pairs are looked at between two looks at the progress.
const LOOK: usize = 1 << 12;

/// What is known of a refinement.
#[derive(Clone, Debug)]
pub struct LtsRefinement {
    /// How it ended.
    pub end: RefinementEnd,
    /// How much was looked at.
    pub sizes: RefinementSizes,
    /// The number of pairs at each depth.
    pub level_sizes: Vec<u64>,
    /// The steps between pairs.
    pub transitions: u64,
}

/// How a search for a violation ended.
#[derive(Clone, Debug)]
pub enum RefinementEnd {
    /// There is none, and all pairs were seen.
    Refines(Exhausted),
    /// There is one.
    Fails {
        /// The states of the implementation on the way to it, the initial one first.
        way: Vec<WayStep>,
        /// What is wrong at its end.
        violation: RefinementViolation,
    },
    /// A limit ended the search.
    Stopped(Limit),
}

/// A state of a run, after the label of the step that leads to it; that of the initial state is empty.
pub type WayStep = (u32, String);

/// What the specification can do next after a trace.
struct Known {
    /// The labels, and the sets that they lead to.
    next: HashMap<u32, u32>,
    /// What it offers in each of its states that are stable, as far as none is more than another.
    required: Vec<BTreeSet<u32>>,
    /// Whether its internal steps can go on for ever.
    diverges: bool,
}

struct Product<'a> {
    implementation: &'a Lts,
    specification: &'a Lts,
    semantics: Semantics,
    limit: SubsetLimit<'a>,
    sets: Subsets<'a>,
    known: Vec<Option<Known>>,
    /// The number of each label of the implementation in the specification.
    number: Vec<Option<u32>>,
    /// The states of each from which internal steps can go on for ever, if that matters.
    diverging: [Vec<bool>; 2],
    pairs: Vec<(u32, u32)>,
    /// The pair before each, and the label between them.
    before: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    seen: Vec<bool>,
    ledger: Ledger,
}

/// Whether every behaviour of the implementation is one of the specification; exact, if no limit ends it. Labels are compared by
/// their texts, and `tau` is internal.
pub fn refines(
    implementation: &Lts,
    specification: &Lts,
    semantics: Semantics,
    limit: SubsetLimit<'_>,
) -> Result<LtsRefinement, Shortfall> {
    let stopped = |limit| LtsRefinement {
        end: RefinementEnd::Stopped(limit),
        sizes: RefinementSizes::default(),
        level_sizes: Vec::new(),
        transitions: 0,
    };
    let least = match reduce(specification, Equivalence::DivergencePreservingBranching, limit) {
        Ok(least) => least,
        Err(limit) => return Ok(stopped(limit)),
    };
    let sets = match Subsets::new(&least, true, limit) {
        Ok(sets) => sets,
        Err(limit) => return Ok(stopped(limit)),
    };
    let number = implementation.labels().iter().map(|text| least.labels().find(text)).collect();
    let divergences = semantics == Semantics::FailuresDivergences;
    let diverging = |lts| if divergences { diverging(lts) } else { Vec::new() };
    let mut product = Product {
        implementation,
        specification: &least,
        semantics,
        limit,
        sets,
        known: Vec::new(),
        number,
        diverging: [diverging(implementation), diverging(&least)],
        pairs: Vec::new(),
        before: Vec::new(),
        numbers: HashMap::new(),
        seen: vec![false; implementation.states()],
        ledger: Ledger::open(),
    };
    let (mut level_sizes, mut transitions) = (Vec::new(), 0);
    let end = product.search(&mut level_sizes, &mut transitions);
    let sizes = RefinementSizes {
        implementation: product.seen.iter().filter(|&&seen| seen).count() as u64,
        specification: least.states() as u64,
        sets: product.sets.len() as u64,
        pairs: product.pairs.len() as u64,
    };
    let end = match end {
        Ok(Some((pair, wrong))) => product.told(pair, wrong),
        Ok(None) => match product.ledger.close() {
            Ok(evidence) => RefinementEnd::Refines(evidence),
            Err(Shortfall::Limit(limit)) => RefinementEnd::Stopped(limit),
            Err(lost) => return Err(lost),
        },
        Err(limit) => RefinementEnd::Stopped(limit),
    };
    Ok(LtsRefinement { end, sizes, level_sizes, transitions })
}

/// What is wrong: in a pair, or in a step that leaves it.
enum WrongPair {
    Step(u32, u32),
    Refusal(BTreeSet<u32>),
    Divergence,
}

impl Product<'_> {
    /// The first pair in which something is wrong, breadth-first.
    fn search(
        &mut self,
        level_sizes: &mut Vec<u64>,
        transitions: &mut u64,
    ) -> Result<Option<(u32, WrongPair)>, Limit> {
        self.add((self.implementation.initial(), 0), (u32::MAX, TAU));
        let (mut next, mut end) = (0usize, 1usize);
        level_sizes.push(1);
        // A step that is not allowed is one step longer than what is wrong in a pair of the same depth.
        let mut step: Option<(u32, WrongPair)> = None;
        while next < self.pairs.len() {
            if next == end {
                if step.is_some() {
                    return Ok(step);
                }
                level_sizes.push((self.pairs.len() - end) as u64);
                end = self.pairs.len();
            }
            if next.is_multiple_of(LOOK) {
                self.look(next, *transitions, level_sizes.len())?;
            }
            let wrong = self.expand(next as u32, transitions)?;
            match wrong {
                Some(found @ WrongPair::Step(..)) => drop(step.get_or_insert((next as u32, found))),
                Some(found) => return Ok(Some((next as u32, found))),
                None => {}
            }
            next += 1;
        }
        Ok(step)
    }

    fn expand(&mut self, pair: u32, transitions: &mut u64) -> Result<Option<WrongPair>, Limit> {
        let (state, set) = self.pairs[pair as usize];
        self.seen[state as usize] = true;
        self.learn(set)?;
        let lts = self.implementation;
        let known = self.known(set);
        if self.semantics == Semantics::FailuresDivergences {
            if known.diverges {
                // Whoever may diverge has promised nothing of what comes then.
                self.ledger.expands(1, 0, 0);
                return Ok(None);
            }
            if self.diverging[0][state as usize] {
                return Ok(Some(WrongPair::Divergence));
            }
        }
        if self.semantics != Semantics::Traces && lts.silently(state).is_empty() {
            let offered: BTreeSet<u32> = lts.of(state).iter().map(|edge| edge.label).collect();
            let there: BTreeSet<u32> =
                offered.iter().filter_map(|&label| self.number[label as usize]).collect();
            if !known.required.iter().any(|required| required.is_subset(&there)) {
                return Ok(Some(WrongPair::Refusal(offered)));
            }
        }
        let mut wrong = None;
        let row = lts.of(state);
        for edge in row {
            let to = match edge.label {
                TAU => Some(set),
                label => {
                    self.number[label as usize].and_then(|label| self.known(set).next.get(&label).copied())
                }
            };
            match to {
                Some(set) => self.add((edge.to, set), (pair, edge.label)),
                None => drop(wrong.get_or_insert(WrongPair::Step(edge.label, edge.to))),
            }
        }
        *transitions += row.len() as u64;
        self.ledger.expands(1, row.len() as u64, row.len() as u64);
        Ok(wrong)
    }

    fn add(&mut self, pair: (u32, u32), before: (u32, u32)) {
        let number = self.pairs.len() as u32;
        if *self.numbers.entry(pair).or_insert(number) == number {
            self.pairs.push(pair);
            self.before.push(before);
            self.ledger.stores(1);
        }
    }

    fn known(&self, set: u32) -> &Known {
        self.known[set as usize].as_ref().expect("learnt before it is asked for")
    }

    /// Works out what the specification can do in a set.
    fn learn(&mut self, set: u32) -> Result<(), Limit> {
        if self.known.get(set as usize).is_some_and(Option::is_some) {
            return Ok(());
        }
        let next = self.sets.next(set)?.into_iter().collect();
        let (lts, states) = (self.specification, self.sets.get(set));
        let mut required: Vec<BTreeSet<u32>> = Vec::new();
        if self.semantics != Semantics::Traces {
            for &state in states.iter().filter(|&&state| lts.silently(state).is_empty()) {
                let offered: BTreeSet<u32> = lts.of(state).iter().map(|edge| edge.label).collect();
                if !required.iter().any(|less| less.is_subset(&offered)) {
                    required.retain(|more| !offered.is_subset(more));
                    required.push(offered);
                }
            }
            required.sort();
        }
        let diverges =
            states.iter().any(|&state| self.diverging[1].get(state as usize).is_some_and(|&yes| yes));
        while self.known.len() <= set as usize {
            self.known.push(None);
        }
        self.known[set as usize] = Some(Known { next, required, diverges });
        Ok(())
    }

    fn look(&self, done: usize, transitions: u64, depth: usize) -> Result<(), Limit> {
        let pairs = self.pairs.len() as u64;
        let SubsetLimit { max_sets, max_bytes, callback } = self.limit;
        if let Some(most) = max_sets.filter(|&most| pairs > most) {
            return Err(Limit::States(most));
        }
        let bytes = pairs * 40;
        if let Some(most) = max_bytes.filter(|&most| bytes > most) {
            return Err(Limit::Memory(most));
        }
        let queue = pairs - done as u64;
        let progress = Progress { distinct_states: pairs, transitions, depth: depth as u64, queue, bytes };
        match callback.on_progress(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(limit) => Err(limit),
        }
    }

    /// The run to what is wrong, and what is wrong with it.
    fn told(&self, pair: u32, wrong: WrongPair) -> RefinementEnd {
        let labels = self.implementation.labels();
        let mut way: Vec<WayStep> = Vec::new();
        let mut at = pair;
        loop {
            let (before, label) = self.before[at as usize];
            let label = if before == u32::MAX { "" } else { labels.text(label) };
            way.push((self.pairs[at as usize].0, label.to_string()));
            if before == u32::MAX {
                break;
            }
            at = before;
        }
        way.reverse();
        let seen = way.iter().skip(1).filter(|(_, label)| label != crate::TAU_TEXT);
        let trace = seen.map(|(_, label)| vec![label.clone()]).collect();
        let known = self.known(self.pairs[pair as usize].1);
        let texts = |lts: &Lts, of: &mut dyn Iterator<Item = u32>| -> Vec<String> {
            let mut texts: Vec<String> = of.map(|label| lts.labels().text(label).to_string()).collect();
            texts.sort();
            texts
        };
        let allowed = texts(self.specification, &mut known.next.keys().copied());
        let wrong = match wrong {
            WrongPair::Step(label, to) => {
                let text = labels.text(label).to_string();
                way.push((to, text.clone()));
                RefinementFailure::Events(vec![text])
            }
            WrongPair::Refusal(offered) => RefinementFailure::Refusal {
                offered: texts(self.implementation, &mut offered.into_iter()),
                required: known
                    .required
                    .iter()
                    .map(|set| texts(self.specification, &mut set.iter().copied()))
                    .collect(),
            },
            WrongPair::Divergence => RefinementFailure::Divergence,
        };
        RefinementEnd::Fails { way, violation: RefinementViolation { trace, wrong, allowed } }
    }
}

/// The states from which internal steps can go on for ever.
fn diverging(lts: &Lts) -> Vec<bool> {
    let (component, components) = tau_components(lts);
    let mut cyclic = vec![false; components];
    for (from, edge) in lts.all().filter(|(_, edge)| edge.label == TAU) {
        if component[from as usize] == component[edge.to as usize] {
            cyclic[component[from as usize] as usize] = true;
        }
    }
    let sources = lts.sources(|edge| edge.label == TAU);
    let mut diverges: Vec<bool> = component.iter().map(|&own| cyclic[own as usize]).collect();
    let mut found: Vec<u32> = (0..lts.states() as u32).filter(|&state| diverges[state as usize]).collect();
    while let Some(state) = found.pop() {
        for &from in sources.of(state) {
            if !std::mem::replace(&mut diverges[from as usize], true) {
                found.push(from);
            }
        }
    }
    diverges
}
