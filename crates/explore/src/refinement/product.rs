//! The implementation beside what is known of the specification, breadth-first and depth by depth, so that
//! the first thing found wrong is shown by the fewest steps of the implementation. One thread: the sets of a
//! specification are shared by everything.

use super::budget::Comparing;
use super::events::{BagId, EventSet};
use super::labelled::{Labelled, LabelledEdge};
use super::rows::Rows;
use super::tracker::{ImplementationStep, Tracker};
use watchkeeper_logic::{Ledger, Limit, Semantics};
use watchkeeper_space::{Action, Id, StatePath};

/// How a comparison ended.
pub(crate) enum ComparisonEnd {
    /// Nothing wrong was seen; the ledger says whether everything was looked at.
    Nothing(Ledger),
    /// Something is wrong.
    Wrong(Discrepancy),
}

/// Something that the specification does not allow.
pub(crate) struct Discrepancy {
    /// The run of the implementation, with the step that is wrong if one is.
    pub trail: StatePath,
    pub kind: DiscrepancyKind,
    /// What the specification allows there, and where it rests, if all of that is known.
    pub allows: Option<(EventSet, Vec<EventSet>)>,
}

/// What is wrong.
#[derive(Clone, Copy)]
pub(crate) enum DiscrepancyKind {
    /// Nothing stands for the initial state.
    Start,
    /// The last step.
    Step(BagId),
    /// That this is all that is offered.
    Refusal(EventSet),
}

/// A comparison that has ended.
pub(crate) struct Comparison {
    pub end: ComparisonEnd,
    pub level_sizes: Vec<u64>,
    pub transitions: u64,
    pub pairs: u64,
    /// All events that were seen.
    pub seen: EventSet,
    /// Whether it came to its end without a fault or a limit.
    pub is_whole: bool,
}

/// A comparison under way.
pub(crate) struct RefinementProduct<'p, 'a> {
    implementation: &'p mut Labelled<'a>,
    tracker: &'p mut (dyn Tracker + 'p),
    cx: &'p mut Comparing<'a>,
    semantics: Semantics,
    max_depth: Option<u64>,
    pairs: Rows,
    /// For each pair, the pair before it and the action between them; the first ones have themselves.
    parents: Vec<(u32, Action)>,
    transitions: u64,
    /// Pairs of which all steps were matched, and the steps that were.
    expanded: u64,
    matched: u64,
    seen: EventSet,
}

impl<'p, 'a> RefinementProduct<'p, 'a> {
    /// Nothing compared yet.
    pub fn new(
        implementation: &'p mut Labelled<'a>,
        tracker: &'p mut (dyn Tracker + 'p),
        cx: &'p mut Comparing<'a>,
        (semantics, max_depth): (Semantics, Option<u64>),
    ) -> RefinementProduct<'p, 'a> {
        let (pairs, parents) = (Rows::new(2), Vec::new());
        RefinementProduct {
            implementation,
            tracker,
            cx,
            semantics,
            max_depth,
            pairs,
            parents,
            transitions: 0,
            expanded: 0,
            matched: 0,
            seen: 0,
        }
    }

    /// Compares everything.
    pub fn run(mut self) -> Comparison {
        let mut level_sizes = Vec::new();
        let fault = self.levels(&mut level_sizes);
        let is_whole = matches!(fault, Ok(None));
        let mut ledger = Ledger::open();
        ledger.stores(self.pairs.len() as u64);
        ledger.expands(self.expanded, self.transitions, self.matched);
        let end = match fault {
            Ok(Some(fault)) => ComparisonEnd::Wrong(fault),
            Ok(None) => ComparisonEnd::Nothing(ledger),
            Err(limit) => {
                ledger.limits(limit);
                ComparisonEnd::Nothing(ledger)
            }
        };
        let (transitions, seen) = (self.transitions, self.seen);
        Comparison { end, level_sizes, transitions, pairs: self.pairs.len() as u64, seen, is_whole }
    }

    /// Compares depth by depth; what is wrong, if anything is.
    fn levels(&mut self, level_sizes: &mut Vec<u64>) -> Result<Option<Discrepancy>, Limit> {
        for state in self.implementation.initial_states() {
            let row = self.implementation.rows.row(state).to_vec();
            let Some(known) = self.tracker.start(state, &row, self.cx)? else {
                let trail = StatePath { rows: vec![row], actions: Vec::new() };
                return Ok(Some(Discrepancy { trail, kind: DiscrepancyKind::Start, allows: None }));
            };
            let (pair, new) = self.pairs.intern(&[state, known]);
            if new {
                self.parents.push((pair, Action::new(0, 0)));
            }
        }
        let mut level = 0..self.pairs.len() as u32;
        while !level.is_empty() {
            let depth = level_sizes.len() as u64;
            level_sizes.push(level.len() as u64);
            self.cx.budget.progress.depth = depth;
            if self.semantics == Semantics::StableFailures {
                for pair in level.clone() {
                    if let Some(fault) = self.refuses(pair)? {
                        return Ok(Some(fault));
                    }
                }
            }
            if let Some(most) = self.max_depth.filter(|&most| depth >= most) {
                return Err(Limit::Depth(most));
            }
            for pair in level.clone() {
                if let Some(fault) = self.expand(pair)? {
                    return Ok(Some(fault));
                }
                self.cx.budget.progress.queue = self.pairs.len() as u64 - u64::from(pair) - 1;
                self.cx.budget.progress.transitions = self.transitions;
                self.cx.budget.keeps(self.pairs.len() as u64, self.bytes())?;
            }
            level = level.end..self.pairs.len() as u32;
        }
        Ok(None)
    }

    /// Whether the implementation rests in a pair with less on offer than it owes.
    fn refuses(&mut self, pair: u32) -> Result<Option<Discrepancy>, Limit> {
        let &[state, known] = self.pairs.row(pair) else { unreachable!("a pair has two parts") };
        let (offered, stable) = self.implementation.offers(state, self.cx)?;
        if !stable || self.tracker.accepts(known, offered, self.cx)? {
            return Ok(None);
        }
        let (trail, kind) = (self.trail(pair), DiscrepancyKind::Refusal(offered));
        Ok(Some(Discrepancy { trail, kind, allows: self.tracker.allows(known) }))
    }

    /// Takes the steps of a pair.
    fn expand(&mut self, pair: u32) -> Result<Option<Discrepancy>, Limit> {
        let &[state, known] = self.pairs.row(pair) else { unreachable!("a pair has two parts") };
        for at in 0..self.implementation.edges(state, self.cx)?.len() {
            let LabelledEdge { action, bag, to } = self.implementation.edges(state, self.cx)?[at];
            self.transitions += 1;
            self.seen |= self.cx.events.set(bag);
            let row = self.implementation.rows.row(to);
            let step = ImplementationStep { bag, to, row };
            match self.tracker.advance(known, step, self.cx)? {
                Some(after) => {
                    self.matched += 1;
                    let (_, new) = self.pairs.intern(&[to, after]);
                    if new {
                        self.parents.push((pair, action));
                    }
                }
                None => {
                    let row = row.to_vec();
                    let mut trail = self.trail(pair);
                    trail.rows.push(row);
                    trail.actions.push(action);
                    let allows = self.tracker.allows(known);
                    return Ok(Some(Discrepancy { trail, kind: DiscrepancyKind::Step(bag), allows }));
                }
            }
        }
        self.expanded += 1;
        Ok(None)
    }

    /// The run of the implementation to a pair.
    fn trail(&self, pair: u32) -> StatePath {
        let row = |pair: u32| -> Vec<Id> { self.implementation.rows.row(self.pairs.row(pair)[0]).to_vec() };
        let mut trail = StatePath { rows: vec![row(pair)], actions: Vec::new() };
        let mut at = pair;
        while self.parents[at as usize].0 != at {
            let (before, action) = self.parents[at as usize];
            trail.rows.push(row(before));
            trail.actions.push(action);
            at = before;
        }
        trail.rows.reverse();
        trail.actions.reverse();
        trail
    }

    fn bytes(&self) -> u64 {
        let parents = self.parents.capacity() * size_of::<(u32, Action)>();
        (self.implementation.bytes() + self.tracker.bytes() + self.pairs.bytes() + parents) as u64
    }
}
