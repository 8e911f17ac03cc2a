//! A space as a graph whose steps carry what can be seen of them, expanded on demand. Steps are
//! computed once and kept, because a state occurs in many pairs.

use super::budget::Comparing;
use super::events::{BagId, EventSet, EventTable, Seer, TAU};
use super::rows::Rows;
use watchkeeper_logic::{Alphabet, Limit};
use watchkeeper_space::{Action, Space, Successors, apply};

/// A step that leaves a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelledEdge {
    pub action: Action,
    /// What is seen.
    pub bag: BagId,
    /// Where it leads.
    pub to: u32,
}

/// What is known of a state that has been expanded.
#[derive(Clone, Copy, Debug)]
struct Known {
    first: u32,
    count: u32,
}

/// The part of a space that has been expanded.
pub(crate) struct Labelled<'a> {
    pub space: &'a dyn Space,
    seer: Seer,
    pub rows: Rows,
    known: Vec<Option<Known>>,
    edges: Vec<LabelledEdge>,
    /// How often each class of action was met.
    pub counts: Vec<u64>,
    /// How often each cap cut a step away.
    pub cuts: Vec<u64>,
}

impl<'a> Labelled<'a> {
    /// Nothing of the space yet.
    pub fn new(space: &'a dyn Space, alphabet: &Alphabet, events: &EventTable) -> Labelled<'a> {
        let shape = space.shape();
        Labelled {
            seer: Seer::new(alphabet, events),
            rows: Rows::new(shape.slots.len()),
            known: Vec::new(),
            edges: Vec::new(),
            counts: vec![0; shape.classes.len()],
            cuts: vec![0; shape.caps.len()],
            space,
        }
    }

    /// The initial states, each once.
    pub fn initial_states(&mut self) -> Vec<u32> {
        let mut found = Vec::new();
        for row in self.space.initial() {
            let (number, _) = self.rows.intern(&row);
            if !found.contains(&number) {
                found.push(number);
            }
        }
        found
    }

    /// The steps of a state.
    pub fn edges(&mut self, state: u32, cx: &mut Comparing<'_>) -> Result<&[LabelledEdge], Limit> {
        let known = match self.known.get(state as usize).copied().flatten() {
            Some(known) => known,
            None => {
                cx.budget.expands(self.rows.len(), self.bytes())?;
                self.expand(state, &mut cx.events)
            }
        };
        Ok(&self.edges[known.first as usize..][..known.count as usize])
    }

    /// The events that can come next in a state, and whether it is stable: no step of it is internal.
    pub fn offers(&mut self, state: u32, cx: &mut Comparing<'_>) -> Result<(EventSet, bool), Limit> {
        let (mut offered, mut stable) = (0, true);
        for edge in self.edges(state, cx)? {
            stable &= edge.bag != TAU;
            offered |= cx.events.set(edge.bag);
        }
        Ok((offered, stable))
    }

    /// The bytes that are held.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
            + self.known.capacity() * size_of::<Option<Known>>()
            + self.edges.capacity() * size_of::<LabelledEdge>()
    }

    fn expand(&mut self, state: u32, events: &mut EventTable) -> Known {
        let row = self.rows.row(state).to_vec();
        let mut found = Successors::new();
        self.space.expand(&row, &mut found);
        found.tallies().iter().for_each(|&(_, class)| self.counts[usize::from(class)] += 1);
        found.cuts().iter().for_each(|&cap| self.cuts[cap] += 1);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.seer.look(self.space, &row, &mut before);
        let first = self.edges.len() as u32;
        for (action, edits) in found.iter() {
            self.counts[usize::from(action.class())] += 1;
            let next = apply(&row, edits);
            self.seer.look(self.space, &next, &mut after);
            let bag = self.seer.seen(action, &before, &after, events);
            let (to, _) = self.rows.intern(&next);
            self.edges.push(LabelledEdge { action, bag, to });
        }
        let known = Known { first, count: self.edges.len() as u32 - first };
        if self.known.len() < self.rows.len() {
            self.known.resize(self.rows.len(), None);
        }
        self.known[state as usize] = Some(known);
        known
    }
}
