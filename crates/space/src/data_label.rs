//! Labels with data: what a step does, as actions with arguments. Formulas of the modal µ-calculus, comparisons and refinements
//! read these; engines that ask about states never do.

use std::fmt;
use watchkeeper_core::identifier;

/// The label of a step: the actions that happen together, each with its arguments. A step that nobody can see has none of
/// them, and is written `tau`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DataLabel {
    /// The actions, sorted: a multi-action has no order.
    pub actions: Vec<DataAction>,
}

impl DataLabel {
    /// The label of a step that cannot be seen.
    pub const TAU: DataLabel = DataLabel { actions: Vec::new() };

    /// The label of a single action.
    pub fn new(name: impl Into<String>, arguments: impl IntoIterator<Item = impl Into<String>>) -> DataLabel {
        DataLabel { actions: vec![DataAction::new(name, arguments)] }
    }

    /// The label of a step that reports call by this name: its identifier, without arguments.
    pub fn named(name: &str) -> DataLabel {
        DataLabel::new(identifier(name), [""; 0])
    }

    /// Whether nobody can see the step.
    pub fn is_tau(&self) -> bool {
        self.actions.is_empty()
    }
}

impl fmt::Display for DataLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.actions.split_first() else { return f.write_str("tau") };
        write!(f, "{first}")?;
        others.iter().try_for_each(|action| write!(f, "|{action}"))
    }
}

/// One action of a label: `suspect(p0,p1)`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DataAction {
    /// Its name.
    pub name: String,
    /// Its arguments, as terms of the sorts that [`Vocabulary`] declares.
    pub arguments: Vec<String>,
}

impl DataAction {
    /// An action with its arguments.
    pub fn new(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> DataAction {
        DataAction { name: name.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }
}

impl fmt::Display for DataAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        write!(f, "({})", self.arguments.join(","))
    }
}

/// The names and sorts that the labels of a space use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vocabulary {
    /// The sorts of the space's own, each with its definition: `Process` is `struct p0 | p1`. `Bool`, `Pos`, `Nat` and `Int`
    /// need none.
    pub sorts: Vec<(String, String)>,
    /// The actions, each with the sorts of its arguments. One name may have several.
    pub actions: Vec<(String, Vec<String>)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_written_as_terms() {
        let suspect = DataAction::new("suspect", ["p0", "p1"]);
        let tick = DataAction::new("time", [""; 0]);
        assert_eq!(DataLabel::TAU.to_string(), "tau");
        assert_eq!(DataLabel { actions: vec![suspect, tick] }.to_string(), "suspect(p0,p1)|time");
    }
}
