//! The fixed parts of a space: how long its rows are, and what can be counted and asked of them.

use crate::{Asked, Class, ClassId, Role};

/// The place of an atom in [`Shape::atoms`].
pub type AtomId = usize;

/// What does not change from state to state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// The names of the slots of a row.
    pub slots: Vec<String>,
    /// The classes of actions, at most 256.
    pub classes: Vec<Class>,
    /// The propositions that can be asked of a state.
    pub atoms: Vec<Atom>,
    /// Whether faults count as progress. In a world they do not: a fault need not happen, so a state that
    /// only a fault can leave is stuck. In published models a crash is often a step like any other.
    pub faults_are_progress: bool,
    /// The slot whose ids stand for zones, sets of moments, if there is one: see
    /// [`Zones`](crate::Zones).
    pub zone: Option<usize>,
    /// The class of the steps in which time passes, if time does and there are such steps. Only runs in which
    /// it never stops passing are runs at all: see [`ActionLabels::idles`](crate::ActionLabels::idles).
    pub time: Option<ClassId>,
    /// Justice (weak fairness) of the model itself: in no run an action ([`Doing`](crate::Doing)) of one of these classes
    /// stays enabled for ever and is never taken. The stabilisation of a network is an example.
    pub justice: Vec<ClassId>,
    /// Whether only some of the runs are in the space, each standing for others: a run that is found to be wrong is
    /// then real, but a shorter one may exist among the others.
    pub some_runs: bool,
    /// The limits that the model itself has, which a search may reach.
    pub caps: Vec<Cap>,
    /// What a verdict about this space rests on, one sentence each.
    pub assumptions: Vec<String>,
}

impl Shape {
    /// For each class, whether a step of it is progress.
    pub fn progress(&self) -> Vec<bool> {
        let moves = |class: &Class| self.faults_are_progress || class.role != Role::Fault;
        self.classes.iter().map(moves).collect()
    }

    /// The atom of this name.
    pub fn atom(&self, name: &str) -> Option<AtomId> {
        self.atoms.iter().position(|atom| atom.name == name)
    }
}

/// A proposition about one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// Its name on the command line and in reports, for example `suspects(p0,p1)`.
    pub name: String,
    /// Whether it says the same of every renamed state, so that a symmetry reduction may keep it.
    pub symmetric: bool,
}

/// A limit inside the model, such as the longest list or the fullest channel that it can hold. A step
/// beyond it is cut, and a search that cut one cannot say `holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cap {
    /// What is limited, and how to raise it.
    pub name: String,
    /// The atoms of which it is known that they hold in all that is left out, if they held before: an invariant of
    /// these alone is answered all the same.
    pub spares: Vec<AtomId>,
}

impl Cap {
    /// A cap that spares nothing.
    pub fn new(name: impl Into<String>) -> Cap {
        Cap { name: name.into(), spares: Vec::new() }
    }

    /// Whether what it leaves out can matter to a question.
    pub fn limits(&self, asked: &Asked) -> bool {
        asked.deadlock || !asked.is_of_states() || asked.atoms().any(|atom| !self.spares.contains(&atom))
    }
}
