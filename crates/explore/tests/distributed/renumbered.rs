//! A space whose ids are others for every worker, so that nothing is right by chance.

use std::collections::HashMap;
use std::sync::Mutex;
use watchkeeper_space::{
    Action, AtomId, Edit, Id, Mismatch, Narration, Parts, Shape, Space, StatePath, Stuck, Successors, Trace,
    View,
};

/// A space under other ids: a slot numbers its contents as it meets them, and each worker begins elsewhere.
pub struct Renumbered<S> {
    inner: S,
    slots: Vec<Mutex<Numbers>>,
}

struct Numbers {
    ids: HashMap<Id, Id>,
    contents: HashMap<Id, Id>,
    next: Id,
}

impl<S: Space> Renumbered<S> {
    pub fn new(inner: S, salt: usize) -> Renumbered<S> {
        let numbers = |slot: usize| {
            let next = (7 * salt + slot * salt % 5) as Id;
            Mutex::new(Numbers { ids: HashMap::new(), contents: HashMap::new(), next })
        };
        let slots = (0..inner.shape().slots.len()).map(numbers).collect();
        Renumbered { inner, slots }
    }

    fn number(&self, slot: usize, content: Id) -> Id {
        let mut numbers = self.slots[slot].lock().expect("no panic");
        if let Some(&id) = numbers.ids.get(&content) {
            return id;
        }
        let id = numbers.next;
        numbers.next += 1;
        numbers.ids.insert(content, id);
        numbers.contents.insert(id, content);
        id
    }

    fn content(&self, slot: usize, id: Id) -> Id {
        self.slots[slot].lock().expect("no panic").contents[&id]
    }

    fn inside(&self, row: &[Id]) -> Vec<Id> {
        row.iter().enumerate().map(|(slot, &id)| self.content(slot, id)).collect()
    }

    fn outside(&self, row: &[Id]) -> Vec<Id> {
        row.iter().enumerate().map(|(slot, &content)| self.number(slot, content)).collect()
    }
}

impl<S: Space> Space for Renumbered<S> {
    fn shape(&self) -> &Shape {
        self.inner.shape()
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.inner.initial().iter().map(|row| self.outside(row)).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let row = self.inside(row);
        let renumbered = |edit: &Edit| Edit { id: self.number(edit.slot as usize, edit.id), ..*edit };
        out.through(
            |inner| self.inner.expand(&row, inner),
            |out, action, edits| out.step(action, &edits.iter().map(renumbered).collect::<Vec<_>>()),
        );
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.inner.stuck(&self.inside(row))
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.inner.atom(atom, &self.inside(row))
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.inner.pack(&self.inside(row), out);
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl<S: Space> Narration for Renumbered<S> {
    fn view(&self, row: &[Id]) -> View {
        self.inner.view(&self.inside(row))
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.inner.label(&self.inside(row), action)
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        let rows = path.rows.iter().map(|row| self.inside(row)).collect();
        self.inner.replay(&StatePath { rows, actions: path.actions.clone() })
    }
}

impl<S: Space> Parts for Renumbered<S> {
    fn part(&self, _: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.content(slot, id).to_le_bytes());
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        Some(self.number(slot, Id::from_le_bytes(bytes.try_into().ok()?)))
    }
}
