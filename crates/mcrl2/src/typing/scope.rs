//! Which variables can be seen from an expression.

use super::{Signature, SortId};

/// A variable. Each declaration is another one, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub(crate) u32);

/// The variables that can be seen from a place, the innermost last. An inner one hides an outer one of the same name.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    visible: Vec<(String, VariableId)>,
}

impl Scope {
    /// No variable.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a new variable visible.
    pub fn declare(&mut self, signature: &mut Signature, name: &str, sort: SortId) -> VariableId {
        let variable = signature.new_variable(name, sort);
        self.show(signature, variable);
        variable
    }

    /// Makes a variable that exists visible under its name.
    pub fn show(&mut self, signature: &Signature, variable: VariableId) {
        self.visible.push((signature.variable_name(variable).to_owned(), variable));
    }

    /// How many are visible, to come back to with [`Self::leave`].
    pub fn depth(&self) -> usize {
        self.visible.len()
    }

    /// Hides what was declared since.
    pub fn leave(&mut self, depth: usize) {
        self.visible.truncate(depth);
    }

    /// The variable of this name.
    pub fn find(&self, name: &str) -> Option<VariableId> {
        self.visible.iter().rev().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }

    /// The names of all visible variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().map(|(name, _)| name.as_str())
    }
}
