//! The labels of the steps of a system.

use super::SystemSpace;
use watchkeeper_space::{Action, DataLabel, DataLabels, Id, Vocabulary};

/// A transition of a system has a name and no arguments.
impl DataLabels for SystemSpace {
    fn data_label(&self, _: &[Id], action: Action) -> DataLabel {
        let path = self.paths.get(usize::from(action.class()));
        path.map_or(DataLabel::TAU, |path| DataLabel::named(&path.name))
    }

    fn vocabulary(&self) -> Vocabulary {
        let labels = self.paths.iter().flat_map(|path| DataLabel::named(&path.name).actions);
        let mut actions: Vec<(String, Vec<String>)> =
            labels.map(|action| (action.name, Vec::new())).collect();
        actions.sort();
        actions.dedup();
        Vocabulary { sorts: Vec::new(), actions }
    }
}
