//! Expanding states in part: the steps that a space gives are held back until it is known whether they do for all.
//! Nothing here knows which steps those are; it only keeps what a search owes
//! ([`Space::expand_some`](watchkeeper_space::Space::expand_some)).

use watchkeeper_space::{Action, ClassId, Edit, Id, Sink, Space};

/// Which steps a search may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// None.
    #[default]
    None,
    /// Of steps that do not concern each other, all orders but one. A run that is found to be wrong is real, but
    /// need not be the shortest.
    PartialOrder,
}

/// Steps that were given and not yet taken.
#[derive(Default)]
pub(crate) struct Held {
    steps: Vec<Step>,
    edits: Vec<Edit>,
    cuts: Vec<usize>,
}

/// One step, and what else happened in it.
struct Step {
    action: Action,
    /// Its edits end here, and begin where those of the step before end.
    end: usize,
    tallies: Vec<ClassId>,
}

impl Held {
    pub fn clear(&mut self) {
        self.steps.clear();
        self.edits.clear();
        self.cuts.clear();
    }

    /// The steps, first to last.
    pub fn steps(&self) -> impl Iterator<Item = (Action, &[Edit])> {
        let starts = std::iter::once(0).chain(self.steps.iter().map(|step| step.end));
        self.steps.iter().zip(starts).map(|(step, start)| (step.action, &self.edits[start..step.end]))
    }

    /// Hands everything on.
    pub fn pass_on(&self, sink: &mut impl Sink) {
        for (step, (action, edits)) in self.steps.iter().zip(self.steps()) {
            sink.step(action, edits);
            step.tallies.iter().for_each(|&class| sink.tally(class));
        }
        self.cuts.iter().for_each(|&cap| sink.cut(cap));
    }
}

impl Sink for Held {
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.edits.extend_from_slice(edits);
        self.steps.push(Step { action, end: self.edits.len(), tallies: Vec::new() });
    }

    fn tally(&mut self, class: ClassId) {
        if let Some(step) = self.steps.last_mut() {
            step.tallies.push(class);
        }
    }

    fn cut(&mut self, cap: usize) {
        self.cuts.push(cap);
    }
}

/// A row that stands for others, as a renaming does: the one of the smallest bytes among them, so that a choice made
/// there is the same in every run.
pub(crate) fn least_by_bytes<S: Space>(space: &S, row: &[Id]) -> Vec<Id> {
    let (mut least, mut least_bytes) = (row.to_vec(), Vec::new());
    space.pack(row, &mut least_bytes);
    let (mut other, mut bytes) = (Vec::new(), Vec::new());
    for symmetry in 1..space.symmetries() {
        space.renamed(symmetry, row, &mut other);
        bytes.clear();
        space.pack(&other, &mut bytes);
        if bytes < least_bytes {
            std::mem::swap(&mut least, &mut other);
            std::mem::swap(&mut least_bytes, &mut bytes);
        }
    }
    least
}
