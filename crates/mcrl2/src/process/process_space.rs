//! A specification as a space: a row has the number of the local state of each sequential component.

use super::memory::Memory;
use super::model::ResolvedModel;
use super::model_error::ProcessError;
use super::retelling::retell;
use super::system::ComposedSystem;
use crate::syntax::Specification;
use std::sync::{Arc, OnceLock};
use watchkeeper_space::{
    Action, AtomId, DataLabel, DataLabels, Id, Mismatch, Narration, Parts, Shape, Space, StatePath, Stuck,
    Successors, Trace, Value, View, Vocabulary,
};

/// The space of a process specification.
pub struct ProcessSpace {
    memory: Memory,
}

/// What went wrong in a search of a [`ProcessSpace`]: data without a value, or a sum without a bound, in a state that nobody
/// could know before. Such a state counts as cut, so no search calls an answer `holds`; the error says why.
#[derive(Clone, Debug)]
pub struct SpaceFailure(Arc<OnceLock<ProcessError>>);

impl SpaceFailure {
    /// The error, if there is one.
    pub fn error(&self) -> Option<&ProcessError> {
        self.0.get()
    }
}

impl ProcessSpace {
    /// The space of a specification.
    ///
    /// # Errors
    /// The first name that is unknown, sort that does not fit, or process that is not supported, with its place.
    pub fn new(specification: &Specification) -> Result<ProcessSpace, ProcessError> {
        let system = ComposedSystem::new(ResolvedModel::new(specification)?)?;
        Ok(ProcessSpace { memory: Memory::new(Arc::new(system)) })
    }

    /// Where an error of a search will be found.
    pub fn failure(&self) -> SpaceFailure {
        SpaceFailure(self.memory.error())
    }

    /// How many components are side by side, and how many sets of them can act together.
    pub fn size(&self) -> (usize, usize) {
        (self.memory.system.components.len(), self.memory.system.synchronisations.len())
    }
}

impl Space for ProcessSpace {
    fn shape(&self) -> &Shape {
        &self.memory.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![self.memory.initial()]
    }

    #[inline]
    fn expand(&self, row: &[Id], out: &mut Successors) {
        self.memory.expand(row, out);
    }

    /// A system that has ended goes on as little as one that is stuck, and counts as such.
    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    fn atom(&self, _: AtomId, _: &[Id]) -> bool {
        false
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for (slot, &id) in row.iter().enumerate() {
            let key = self.memory.key(slot, id);
            out.extend_from_slice(&(key.len() as u32).to_be_bytes());
            out.extend_from_slice(key);
        }
    }

    fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Parts for ProcessSpace {
    fn part(&self, _: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        out.extend_from_slice(self.memory.key(slot, id));
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        self.memory.state_of_key(slot, bytes)
    }
}

impl DataLabels for ProcessSpace {
    fn data_label(&self, _: &[Id], action: Action) -> DataLabel {
        self.memory.label(action).map(|(_, label)| label.clone()).unwrap_or_default()
    }

    fn vocabulary(&self) -> Vocabulary {
        self.memory.system.model.vocabulary()
    }
}

impl Narration for ProcessSpace {
    fn view(&self, row: &[Id]) -> View {
        self.memory.view(row)
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        self.memory.label(action).map(|(_, label)| label.to_string()).unwrap_or_default()
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        retell(&self.memory, path)
    }
}

impl Memory {
    /// A row as the local states of the components.
    pub(crate) fn view(&self, row: &[Id]) -> View {
        let (points, data) = (&self.system.points, &self.system.model.data);
        (row.iter().enumerate())
            .map(|(slot, &id)| {
                let text = self.local(slot, id).text(points, data);
                (self.system.components[slot].name.clone(), Value::str(text))
            })
            .collect()
    }
}
