//! One state for all its renamings. The wrapper keeps the smallest renamed row of each, so a search sees
//! every set of states that differ only in names once; a counterexample is told in real names again.

use crate::ExploreError;
use crate::partial::least_by_bytes;
use std::collections::HashSet;
use watchkeeper_space::{
    Action, Asked, AtomId, ClassId, Edit, Given, Id, Mismatch, Shape, Sink, Space, Stuck, Trace, Trail,
    Unreduced, View, successors,
};

/// Renamed states looked at by an audit.
const AUDITED: usize = 4000;

/// A space up to renaming.
pub struct Symmetric<'a, S: Space> {
    inner: &'a S,
    shape: Shape,
}

impl<'a, S: Space> Symmetric<'a, S> {
    /// The space up to all its renamings.
    pub fn new(inner: &'a S) -> Symmetric<'a, S> {
        let mut shape = inner.shape().clone();
        shape.assumptions.push(format!(
            "States that differ only in the names of processes are searched once ({} renamings).",
            inner.symmetries()
        ));
        Symmetric { inner, shape }
    }

    /// Looks at some states near the start: whether each of them and its renamings lead to the same states
    /// up to renaming. A protocol promises that; this finds out most of those that promise too much.
    pub fn audit(&self) -> Result<(), ExploreError> {
        let mut queue = self.initial();
        let mut known: HashSet<Vec<Id>> = queue.iter().cloned().collect();
        let mut effort = AUDITED;
        let mut at = 0;
        while at < queue.len() && effort > 0 {
            let row = queue[at].clone();
            let expected = self.leads_to(&row);
            let mut other = Vec::new();
            for symmetry in 1..self.inner.symmetries() {
                self.inner.renamed(symmetry, &row, &mut other);
                if self.leads_to(&other) != expected {
                    let why = "a state and its renaming do not behave alike; the protocol sees the names of \
                               processes (the order in which it sends, for example), so its `symmetry` \
                               promises too much. Search without it";
                    return Err(ExploreError::Asymmetric(why.to_string()));
                }
                effort = effort.saturating_sub(1);
            }
            for row in expected {
                if known.insert(row.clone()) {
                    queue.push(row);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Where the steps of a row lead, up to renaming, in a fixed order.
    fn leads_to(&self, row: &[Id]) -> Vec<Vec<Id>> {
        let steps = successors(self.inner, row);
        let mut rows: Vec<Vec<Id>> = steps.iter().map(|(_, row)| self.canonical(row)).collect();
        rows.sort();
        rows
    }

    fn canonical(&self, row: &[Id]) -> Vec<Id> {
        let mut least = Vec::new();
        self.inner.least(row, &mut least);
        least
    }

    fn bytes_of(&self, row: &[Id]) -> Vec<u8> {
        let mut out = Vec::new();
        self.inner.pack(row, &mut out);
        out
    }
}

/// Passes steps on to the smallest renaming of where they lead.
struct Rename<'a, 's, S: Space, K> {
    space: &'a Symmetric<'s, S>,
    /// The row whose steps these are, and the one that edits are told of; renamings of each other.
    leaving: &'a [Id],
    before: &'a [Id],
    after: Vec<Id>,
    least: Vec<Id>,
    edits: Vec<Edit>,
    sink: &'a mut K,
}

impl<S: Space, K: Sink> Sink for Rename<'_, '_, S, K> {
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.after.clear();
        self.after.extend_from_slice(self.leaving);
        for edit in edits {
            self.after[edit.slot as usize] = edit.id;
        }
        self.space.inner.least(&self.after, &mut self.least);
        let changed = self.least.iter().zip(self.before).enumerate();
        self.edits.clear();
        self.edits.extend(
            changed.filter(|(_, (new, old))| new != old).map(|(slot, (new, _))| Edit::new(slot, *new)),
        );
        self.sink.step(action, &self.edits);
    }

    fn tally(&mut self, class: ClassId) {
        self.sink.tally(class);
    }

    fn cut(&mut self, cap: usize) {
        self.sink.cut(cap);
    }
}

impl<S: Space> Space for Symmetric<'_, S> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut rows: Vec<Vec<Id>> = self.inner.initial().iter().map(|row| self.canonical(row)).collect();
        rows.sort();
        rows.dedup();
        rows
    }

    fn expand(&self, row: &[Id], sink: &mut impl Sink) {
        let (after, least, edits) = (Vec::new(), Vec::new(), Vec::new());
        let mut rename = Rename { space: self, leaving: row, before: row, after, least, edits, sink };
        self.inner.expand(row, &mut rename);
    }

    fn unreduced(&self, asked: &Asked) -> Option<Unreduced> {
        self.inner.unreduced(asked)
    }

    /// Which row stands for its renamings depends on the ids of the run, and which steps are given may depend on the
    /// names of processes: so the choice is made for the renaming that has the smallest bytes.
    fn expand_some(&self, row: &[Id], asked: &Asked, sink: &mut impl Sink) -> Given {
        let (after, least, edits) = (Vec::new(), Vec::new(), Vec::new());
        let chosen = least_by_bytes(self.inner, row);
        let mut rename = Rename { space: self, leaving: &chosen, before: row, after, least, edits, sink };
        self.inner.expand_some(&chosen, asked, &mut rename)
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, row)
    }

    /// The smallest bytes of all renamings, where the row that stands for them depends on the ids of the
    /// run. With zones it does not, and to rename is to make zones that nobody needs.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        if self.shape.zone.is_some() {
            return self.inner.pack(&self.canonical(row), out);
        }
        let mut least = self.bytes_of(row);
        let mut other = Vec::new();
        for symmetry in 1..self.inner.symmetries() {
            self.inner.renamed(symmetry, row, &mut other);
            least = least.min(self.bytes_of(&other));
        }
        out.extend_from_slice(&least);
    }

    fn view(&self, row: &[Id]) -> View {
        self.inner.view(row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(row, action)
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        self.inner.replay(trail)
    }

    /// Walks along the path in the inner space: at each step to a real state that is a renaming of the
    /// next row of the path, the smallest by bytes if there are several.
    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        let lost =
            |step: usize| Mismatch { step, why: "no real state is a renaming of the one stored".into() };
        let starts = self.inner.initial().into_iter().filter(|row| self.canonical(row) == path[0]);
        let start = starts.min_by_key(|row| self.bytes_of(row)).ok_or_else(|| lost(0))?;
        let mut trail = Trail { rows: vec![start], actions: Vec::new() };
        for (i, stored) in path.iter().enumerate().skip(1) {
            let steps = successors(self.inner, &trail.rows[i - 1]).into_iter();
            let fits = steps.filter(|(_, row)| self.canonical(row) == *stored);
            let (action, row) = fits.min_by_key(|(_, row)| self.bytes_of(row)).ok_or_else(|| lost(i))?;
            trail.actions.push(action);
            trail.rows.push(row);
        }
        Ok(trail)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.inner.guide(row)
    }

    fn covers(&self, large: Id, small: Id) -> bool {
        self.inner.covers(large, small)
    }

    fn extent(&self, zone: Id) -> i64 {
        self.inner.extent(zone)
    }

    fn outline(&self, zone: Id) -> u64 {
        self.inner.outline(zone)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
