//! A space with an observer beside it: the product with a monitor, as a space of its own. The observer
//! lives in one more slot at the end of every row, and never disables a step.

use watchkeeper_logic::Monitor;
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, Atom, AtomId, ClassId, DataLabel, DataLabels, Edit, Event, FixedIds,
    FullyExpanded, Id, Mismatch, Narration, Parts, Refusal, Shape, Space, SpaceQuery, StatePath,
    StatePicture, Stuck, Successors, Symmetries, Trace, Value, View, Vocabulary, Zones,
};

/// A space and the monitor that watches it.
pub struct Monitored<'a> {
    inner: &'a dyn Space,
    monitor: &'a Monitor,
    shape: Shape,
}

impl<'a> Monitored<'a> {
    /// The product. Its last atom is true while the monitor is in no error.
    pub fn new(inner: &'a dyn Space, monitor: &'a Monitor) -> Monitored<'a> {
        let mut shape = inner.shape().clone();
        shape.slots.push(format!("monitor {}", monitor.name));
        let atoms = monitor.edges.iter().flat_map(|edge| edge.guard.atoms());
        let symmetric = atoms.into_iter().all(|atom| shape.atoms[atom].symmetric);
        shape.atoms.push(Atom { name: monitor.name.clone(), symmetric });
        Monitored { inner, monitor, shape }
    }

    /// The atom that is true while the monitor is in no error.
    pub fn ok(&self) -> AtomId {
        self.shape.atoms.len() - 1
    }

    fn renaming(&self) -> &dyn Symmetries {
        self.inner.symmetry().expect("a product has symmetries only where the inner space has")
    }

    fn split<'r>(&self, row: &'r [Id]) -> (&'r [Id], Id) {
        let (state, inner) = row.split_last().expect("a row of a product has the monitor's slot");
        (inner, *state)
    }

    fn variable(&self, state: Id) -> (String, Value) {
        ("monitor".to_string(), Value::str(&self.monitor.states[state as usize]))
    }

    fn inner_parts(&self) -> &dyn Parts {
        self.inner.parts().expect("a product has parts only where the inner space has")
    }

    fn is_monitor(&self, slot: usize) -> bool {
        slot + 1 == self.shape.slots.len()
    }

    fn observe(&self, state: Id, row: &[Id], class: Option<ClassId>) -> Id {
        self.monitor.next(state, &|atom| self.inner.atom(atom, row), class)
    }
}

impl Space for Monitored<'_> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut rows = self.inner.initial();
        for row in &mut rows {
            let state = self.observe(0, row, None);
            row.push(state);
        }
        rows
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let (before, state) = self.split(row);
        let (mut after, mut edited) = (before.to_vec(), Vec::new());
        let observe = |out: &mut Successors, action: Action, edits: &[Edit]| {
            after.copy_from_slice(before);
            edits.iter().for_each(|edit| after[edit.slot as usize] = edit.id);
            let next = self.observe(state, &after, Some(action.class()));
            if next == state {
                return out.step(action, edits);
            }
            edited.clear();
            edited.extend_from_slice(edits);
            edited.push(Edit::new(before.len(), next));
            out.step(action, &edited);
        };
        out.through(|inner| self.inner.expand(before, inner), observe);
    }

    /// Whatever is asked here is asked of the inner space with this monitor.
    fn admits(&self, asked: &SpaceQuery) -> Result<(), Refusal> {
        if asked.partial_order {
            return Err(Refusal::FullyExpanded(FullyExpanded::Monitor));
        }
        let (ok, mut inner) = (self.ok(), asked.clone());
        let atoms = self.monitor.edges.iter().flat_map(|edge| edge.guard.atoms());
        inner.monitor.get_or_insert_default().extend(atoms);
        inner.monitor.iter_mut().for_each(|atoms| atoms.retain(|&atom| atom != ok));
        inner.claims.iter_mut().for_each(|claim| claim.atoms.retain(|&atom| atom != ok));
        inner.invariants = (inner.invariants.into_iter())
            .map(|(when, then)| (when.filter(|&atom| atom != ok), then))
            .filter_map(
                |(when, then)| if then == ok { when.map(|when| (None, when)) } else { Some((when, then)) },
            )
            .collect();
        self.inner.admits(&inner)
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(self.split(row).0)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let (inner, state) = self.split(row);
        if atom == self.ok() { self.monitor.error(state).is_none() } else { self.inner.atom(atom, inner) }
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        let (inner, state) = self.split(row);
        out.extend_from_slice(&state.to_be_bytes());
        self.inner.pack(inner, out);
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.inner.guide(self.split(row).0)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    fn symmetry(&self) -> Option<&dyn Symmetries> {
        self.inner.symmetry().map(|_| self as &dyn Symmetries)
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

impl Narration for Monitored<'_> {
    fn view(&self, row: &[Id]) -> View {
        let (inner, state) = self.split(row);
        let mut view = self.inner.view(inner);
        view.push(self.variable(state));
        view
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        let (inner, state) = self.split(row);
        let mut picture = self.inner.picture(inner);
        picture.rest.push(self.variable(state));
        picture
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(self.split(row).0, action)
    }

    /// The inner space replays its part; the monitor is then run along it from its own start.
    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let rows: Vec<Vec<Id>> = trail.rows.iter().map(|row| self.split(row).0.to_vec()).collect();
        let mut trace =
            self.inner.replay(&StatePath { rows: rows.clone(), actions: trail.actions.clone() })?;
        let mut state = 0;
        for (i, row) in rows.iter().enumerate() {
            let class = (i > 0).then(|| trail.actions[i - 1].class());
            let next = self.observe(state, row, class);
            if next != self.split(&trail.rows[i]).1 {
                return Err(Mismatch { step: i, why: "the monitor would be in another state".to_string() });
            }
            let variable = self.variable(next);
            match i.checked_sub(1) {
                None => trace.start.push(variable),
                Some(step) => {
                    trace.steps[step].after.push(variable);
                    if next != state {
                        let text = match self.monitor.error(next) {
                            Some(what) => format!("{}: {what}", self.monitor.name),
                            None => format!("{}: {}", self.monitor.name, self.monitor.states[next as usize]),
                        };
                        trace.steps[step].events.push(Event::Remark { text });
                    }
                }
            }
            state = next;
        }
        Ok(trace)
    }
}

/// A monitor watches and does nothing.
impl DataLabels for Monitored<'_> {
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

impl ActionLabels for Monitored<'_> {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        self.inner.action_label(self.split(row).0, action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        self.inner.idles(self.split(row).0)
    }
}

impl Symmetries for Monitored<'_> {
    fn symmetries(&self) -> usize {
        self.renaming().symmetries()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        let (inner, state) = self.split(row);
        self.renaming().renamed(symmetry, inner, out);
        out.push(state);
    }

    /// The monitor says the same of all renamings, so its slot has no part in the choice.
    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        let (inner, state) = self.split(row);
        self.renaming().least(inner, out);
        out.push(state);
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        self.renaming().keeps_symmetry()
    }
}

/// The states of a monitor have the same numbers in every run.
impl Parts for Monitored<'_> {
    fn table(&self, row: &[Id]) -> Id {
        self.inner_parts().table(self.split(row).0)
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match self.is_monitor(slot) {
            true => FixedIds.part(table, slot, id, out),
            false => self.inner_parts().part(table, slot, id, out),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        match self.is_monitor(slot) {
            true => FixedIds::up_to(self.monitor.states.len().checked_sub(1)? as Id, bytes),
            false => self.inner_parts().part_id(table, slot, bytes),
        }
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        row.split_last_mut().is_some_and(|(_, inner)| self.inner_parts().settle(inner))
    }

    fn is_settled(&self) -> bool {
        self.inner_parts().is_settled()
    }
}
