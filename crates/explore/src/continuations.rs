//! A space whose runs all begin with a given path: what could still happen after it. A counter beside each row says how much
//! of the path has been taken; until its end the next step of the path is the only one. A claim about whole runs thus means
//! here what it means in the space itself, and a counterexample is a run of the space from its first state on.

use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, AtomId, DataLabel, DataLabels, Edit, FixedIds, Id, Mismatch,
    Narration, Parts, Refusal, Shape, Space, SpaceQuery, StatePath, StatePicture, Stuck, Successors, Trace,
    View, Vocabulary, Zones, admits_by_default,
};

/// A space, and the path with which its runs begin.
pub struct Continuations<'a> {
    inner: &'a dyn Space,
    path: &'a StatePath,
    shape: Shape,
}

impl<'a> Continuations<'a> {
    /// The runs of a space that begin with a path of it.
    pub fn new(inner: &'a dyn Space, path: &'a StatePath) -> Continuations<'a> {
        let mut shape = inner.shape().clone();
        shape.slots.push("steps of the path".to_string());
        Continuations { inner, path, shape }
    }

    /// The row of the inner space, and how many steps of the path have been taken.
    fn split<'r>(&self, row: &'r [Id]) -> (&'r [Id], usize) {
        let (taken, inner) = row.split_last().expect("a row has the slot of the path");
        (inner, *taken as usize)
    }

    fn inner_parts(&self) -> &dyn Parts {
        self.inner.parts().expect("offered only where the inner space offers them")
    }

    fn is_on_path(&self, taken: usize) -> bool {
        taken < self.path.actions.len()
    }
}

impl Space for Continuations<'_> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut first = self.path.rows[0].clone();
        first.push(0);
        vec![first]
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let (inner, taken) = self.split(row);
        if !self.is_on_path(taken) {
            return self.inner.expand(inner, out);
        }
        let next = &self.path.rows[taken + 1];
        let changed = inner.iter().zip(next).enumerate().filter(|(_, (before, after))| before != after);
        let mut edits: Vec<Edit> = changed.map(|(slot, (_, after))| Edit::new(slot, *after)).collect();
        edits.push(Edit::new(inner.len(), taken as Id + 1));
        out.step(self.path.actions[taken], &edits);
    }

    /// Reductions would leave out the path.
    fn admits(&self, query: &SpaceQuery) -> Result<(), Refusal> {
        admits_by_default(&self.shape, None, query)?;
        self.inner.admits(query)
    }

    /// On the path something happens, though it may be a fault alone.
    fn stuck(&self, row: &[Id]) -> Stuck {
        let (inner, taken) = self.split(row);
        if self.is_on_path(taken) { Stuck::Finished } else { self.inner.stuck(inner) }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, self.split(row).0)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        let (inner, taken) = self.split(row);
        out.extend_from_slice(&(taken as u32).to_be_bytes());
        self.inner.pack(inner, out);
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.inner.guide(self.split(row).0)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn zones(&self) -> Option<&dyn Zones> {
        self.inner.zones()
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        self.inner.data_labels().map(|_| self as &dyn DataLabels)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        self.inner.parts().map(|_| self as &dyn Parts)
    }
}

impl Narration for Continuations<'_> {
    fn view(&self, row: &[Id]) -> View {
        self.inner.view(self.split(row).0)
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        self.inner.picture(self.split(row).0)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(self.split(row).0, action)
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        let rows = path.rows.iter().map(|row| self.split(row).0.to_vec()).collect();
        self.inner.replay(&StatePath { rows, actions: path.actions.clone() })
    }
}

/// The steps are those of the inner space.
impl DataLabels for Continuations<'_> {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        self.inner.data_labels().map_or(DataLabel::TAU, |labels| labels.data_label(self.split(row).0, action))
    }

    fn vocabulary(&self) -> Vocabulary {
        self.inner.data_labels().map(DataLabels::vocabulary).unwrap_or_default()
    }

    fn any_of_several(&self) -> bool {
        self.inner.data_labels().is_some_and(DataLabels::any_of_several)
    }
}

impl ActionLabels for Continuations<'_> {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        self.inner.action_label(self.split(row).0, action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        let (inner, taken) = self.split(row);
        !self.is_on_path(taken) && self.inner.idles(inner)
    }
}

/// A row of the path is the one that this run has there; else its next step would lead elsewhere.
impl Parts for Continuations<'_> {
    fn table(&self, row: &[Id]) -> Id {
        self.inner_parts().table(self.split(row).0)
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match slot + 1 == self.shape.slots.len() {
            true => FixedIds.part(table, slot, id, out),
            false => self.inner_parts().part(table, slot, id, out),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        match slot + 1 == self.shape.slots.len() {
            true => FixedIds::up_to(self.path.actions.len() as Id, bytes),
            false => self.inner_parts().part_id(table, slot, bytes),
        }
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        let Some((&mut taken, inner)) = row.split_last_mut() else { return false };
        let taken = taken as usize;
        self.inner_parts().settle(inner) && (!self.is_on_path(taken) || self.path.rows[taken] == *inner)
    }

    fn is_settled(&self) -> bool {
        self.inner_parts().is_settled()
    }
}
