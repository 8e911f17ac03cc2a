//! The graph that a formula is about: states and labels by number. A space is explored as far as a formula asks; a stored
//! graph is there as a whole.

use crate::formula::{DEADLOCKED, RESTS};
use crate::tables::NumberRows;
use std::collections::{HashMap, HashSet};
use watchkeeper_space::{Action, AtomId, DataLabel, DataLabels, Id, Space, Stuck, Successors};

/// A labelled graph whose states are expanded one by one.
pub trait LabelledGraph {
    /// The initial states. A formula holds if it holds in all of them.
    fn initial(&self) -> &[u32];

    /// Finds the steps of a state, unless they are known.
    fn expand(&mut self, state: u32);

    /// The steps of a state that was expanded: label and target, each once.
    fn steps(&self, state: u32) -> &[(u32, u32)];

    /// Whether a cap of the model cut steps of this state away, so that what is known of it is not all.
    fn is_cut(&self, state: u32) -> bool;

    /// The labels that are known so far.
    fn labels(&self) -> &[DataLabel];

    /// Whether the actions of a formula mean every label that has them among its actions, and not only the label that has
    /// them and no others.
    fn any_of_several(&self) -> bool {
        false
    }

    /// Whether a proposition holds in a state; [`RESTS`] and [`DEADLOCKED`] may be asked of states that were expanded.
    fn atom(&self, state: u32, atom: AtomId) -> bool;

    /// The number of states that are known so far.
    fn states(&self) -> usize;

    /// The number of steps that are known so far.
    fn transitions(&self) -> usize;

    /// The bytes that it holds.
    fn bytes(&self) -> usize;
}

/// Labels, each with a number.
#[derive(Clone, Debug, Default)]
struct LabelTable {
    labels: Vec<DataLabel>,
    numbers: HashMap<DataLabel, u32>,
}

impl LabelTable {
    fn intern(&mut self, label: DataLabel) -> u32 {
        if let Some(&number) = self.numbers.get(&label) {
            return number;
        }
        let number = self.labels.len() as u32;
        self.labels.push(label.clone());
        self.numbers.insert(label, number);
        number
    }
}

/// A space, explored on demand. Its rows are stored once each.
pub struct SpaceGraph<'s> {
    space: &'s dyn Space,
    rows: NumberRows,
    initial: Vec<u32>,
    labels: LabelTable,
    /// For each state where its steps begin and end; nothing until it is expanded.
    places: Vec<(u64, u32)>,
    steps: Vec<(u32, u32)>,
    /// The states of which a cap cut steps away.
    cut: HashSet<u32>,
    /// Of the expanded states those in which nothing but faults can happen, and whether each is a deadlock.
    resting: HashMap<u32, bool>,
    progress: Vec<bool>,
    found: Successors,
}

/// The length of the steps of a state that was not expanded.
const UNEXPANDED: u32 = u32::MAX;

/// The class of the steps that this crate adds where time passes and changes nothing.
const IDLE: &str = "time";

impl<'s> SpaceGraph<'s> {
    /// The graph of a space. Where the space has no labels with data, all steps are alike.
    pub fn new(space: &'s dyn Space) -> SpaceGraph<'s> {
        let mut graph = SpaceGraph {
            space,
            rows: NumberRows::new(space.shape().slots.len()),
            initial: Vec::new(),
            labels: LabelTable::default(),
            places: Vec::new(),
            steps: Vec::new(),
            cut: HashSet::new(),
            resting: HashMap::new(),
            progress: space.shape().progress(),
            found: Successors::new(),
        };
        for row in space.initial() {
            let state = graph.intern(&row);
            if !graph.initial.contains(&state) {
                graph.initial.push(state);
            }
        }
        graph
    }

    /// The row of a state.
    pub fn row(&self, state: u32) -> &[Id] {
        self.rows.row(state)
    }

    /// An action of the space that is this step; `None` where time passes and changes nothing, which no action does.
    pub fn action(&self, state: u32, label: u32, target: u32) -> Option<Action> {
        let row = self.row(state);
        let mut found = Successors::new();
        self.space.expand(row, &mut found);
        let target = self.row(target);
        let mut after = Vec::new();
        found.iter().find_map(|(action, edits)| {
            after.clear();
            after.extend_from_slice(row);
            edits.iter().for_each(|edit| after[edit.slot as usize] = edit.id);
            let same = after == target && self.label(row, action) == self.labels.labels[label as usize];
            same.then_some(action)
        })
    }

    fn label(&self, row: &[Id], action: Action) -> DataLabel {
        self.space.data_labels().map_or(DataLabel::TAU, |labels| labels.data_label(row, action))
    }

    fn intern(&mut self, row: &[Id]) -> u32 {
        let (state, new) = self.rows.intern(row);
        if new {
            self.places.push((0, UNEXPANDED));
        }
        state
    }
}

impl LabelledGraph for SpaceGraph<'_> {
    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn expand(&mut self, state: u32) {
        if self.places[state as usize].1 != UNEXPANDED {
            return;
        }
        let row = self.rows.row(state).to_vec();
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.space.expand(&row, &mut found);
        let begin = self.steps.len();
        let mut after = row.clone();
        let mut moves = !found.cuts().is_empty();
        for (action, edits) in found.iter() {
            moves |= self.progress[action.class() as usize];
            after.copy_from_slice(&row);
            edits.iter().for_each(|edit| after[edit.slot as usize] = edit.id);
            let label = self.label(&row, action);
            let label = self.labels.intern(label);
            let target = self.intern(&after);
            self.steps.push((label, target));
        }
        if self.space.shape().time.is_some()
            && self.space.action_labels().is_some_and(|labels| labels.idles(&row))
        {
            let label = self.labels.intern(DataLabel::new(IDLE, [""; 0]));
            self.steps.push((label, state));
        }
        if !moves {
            self.resting.insert(state, self.space.stuck(&row) == Stuck::Deadlock);
        }
        if !found.cuts().is_empty() {
            self.cut.insert(state);
        }
        self.found = found;
        // Parallel steps with equal labels are one step.
        self.steps[begin..].sort_unstable();
        let mut kept = begin;
        for at in begin..self.steps.len() {
            if kept == begin || self.steps[kept - 1] != self.steps[at] {
                self.steps[kept] = self.steps[at];
                kept += 1;
            }
        }
        self.steps.truncate(kept);
        self.places[state as usize] = (begin as u64, (kept - begin) as u32);
    }

    fn steps(&self, state: u32) -> &[(u32, u32)] {
        match self.places[state as usize] {
            (_, UNEXPANDED) => &[],
            (begin, length) => &self.steps[begin as usize..begin as usize + length as usize],
        }
    }

    fn is_cut(&self, state: u32) -> bool {
        !self.cut.is_empty() && self.cut.contains(&state)
    }

    fn labels(&self) -> &[DataLabel] {
        &self.labels.labels
    }

    fn any_of_several(&self) -> bool {
        self.space.data_labels().is_some_and(DataLabels::any_of_several)
    }

    fn atom(&self, state: u32, atom: AtomId) -> bool {
        match atom {
            RESTS => self.resting.contains_key(&state),
            DEADLOCKED => self.resting.get(&state) == Some(&true),
            atom => self.space.atom(atom, self.row(state)),
        }
    }

    fn states(&self) -> usize {
        self.rows.len()
    }

    fn transitions(&self) -> usize {
        self.steps.len()
    }

    fn bytes(&self) -> usize {
        self.rows.bytes()
            + 16 * self.places.capacity()
            + 8 * self.steps.capacity()
            + 128 * self.labels.labels.len()
    }
}

/// A graph that is stored as a whole, such as one that was read from a file.
#[derive(Clone, Debug, Default)]
pub struct StoredGraph {
    initial: Vec<u32>,
    labels: LabelTable,
    first: Vec<u64>,
    steps: Vec<(u32, u32)>,
    /// For each proposition the states in which it holds.
    atoms: Vec<Vec<bool>>,
    any_of_several: bool,
}

impl StoredGraph {
    /// A graph of so many states. A step is the state that it leaves, its label and the state that it leads to; states
    /// beyond the last are no states, and steps of them are left out.
    pub fn new(
        states: usize,
        initial: u32,
        steps: impl IntoIterator<Item = (u32, DataLabel, u32)>,
    ) -> StoredGraph {
        let mut labels = LabelTable::default();
        let within = |state: u32| (state as usize) < states;
        let mut all: Vec<(u32, u32, u32)> = Vec::new();
        for (from, label, to) in steps {
            if within(from) && within(to) {
                all.push((from, labels.intern(label), to));
            }
        }
        all.sort_unstable();
        all.dedup();
        let mut first = vec![0u64; states + 1];
        all.iter().for_each(|&(from, ..)| first[from as usize + 1] += 1);
        (0..states).for_each(|state| first[state + 1] += first[state]);
        let steps = all.into_iter().map(|(_, label, to)| (label, to)).collect();
        let initial = if within(initial) { vec![initial] } else { Vec::new() };
        StoredGraph { initial, labels, first, steps, atoms: Vec::new(), any_of_several: false }
    }

    /// The same where the actions of a formula mean every label that has them among its actions.
    #[must_use]
    pub fn with_any_of_several(mut self) -> StoredGraph {
        self.any_of_several = true;
        self
    }

    /// The same with one more proposition, which holds in these states.
    #[must_use]
    pub fn with_atom(mut self, holds: Vec<bool>) -> StoredGraph {
        self.atoms.push(holds);
        self
    }
}

impl LabelledGraph for StoredGraph {
    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn expand(&mut self, _: u32) {}

    fn steps(&self, state: u32) -> &[(u32, u32)] {
        &self.steps[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    fn is_cut(&self, _: u32) -> bool {
        false
    }

    fn labels(&self) -> &[DataLabel] {
        &self.labels.labels
    }

    fn any_of_several(&self) -> bool {
        self.any_of_several
    }

    fn atom(&self, state: u32, atom: AtomId) -> bool {
        if atom == RESTS || atom == DEADLOCKED {
            return self.steps(state).is_empty();
        }
        let holds = self.atoms.get(atom).and_then(|atom| atom.get(state as usize));
        holds.copied().unwrap_or(false)
    }

    fn states(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    fn transitions(&self) -> usize {
        self.steps.len()
    }

    fn bytes(&self) -> usize {
        8 * (self.first.capacity() + self.steps.capacity())
    }
}
