//! The fixed parts of a space: the length of its rows, the classes of its actions, its atoms and its caps.

use crate::{ActionClass, ClassId, Role, SpaceQuery};

/// The index of an atom in [`Shape::atoms`].
pub type AtomId = usize;

/// The parts of a space that do not change from state to state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// The names of the slots of a row.
    pub slots: Vec<String>,
    /// The classes of actions, at most 256.
    pub classes: Vec<ActionClass>,
    /// The atomic propositions.
    pub atoms: Vec<Atom>,
    /// Whether faults count as progress. In a world they do not: a fault need not happen, so a state that
    /// only a fault can leave is stuck. In published models a crash is often a step like any other.
    pub faults_are_progress: bool,
    /// The slot whose ids stand for zones (sets of clock valuations), if there is one: see [`Zones`](crate::Zones).
    pub zone: Option<usize>,
    /// The class of the steps in which time passes, if time does and there are such steps. Only runs in which
    /// it never stops passing are runs at all: see [`ActionLabels::idles`](crate::ActionLabels::idles).
    pub time: Option<ClassId>,
    /// Justice (weak fairness): classes whose steps no run puts off for ever, such as the stabilisation of a network. In
    /// every run, no action of these classes, told apart by its [`ActionLabel`](crate::ActionLabel), stays possible for
    /// ever and is never taken.
    pub justice: Vec<ClassId>,
    /// Whether the space has only some of the runs, each of which stands for others: a counterexample is then real, but a
    /// shorter one may exist among the others.
    pub some_runs: bool,
    /// The limits of the model itself, which a search may reach.
    pub caps: Vec<Cap>,
    /// The assumptions behind a verdict about this space, one sentence each.
    pub assumptions: Vec<String>,
}

impl Shape {
    /// For each class, whether a step of it is progress.
    pub fn progress(&self) -> Vec<bool> {
        let moves = |class: &ActionClass| self.faults_are_progress || class.role != Role::Fault;
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
    /// Whether it has the same value in every renaming of a state, so that symmetry reduction preserves it.
    pub symmetric: bool,
}

/// A limit inside the model, such as the longest list or the fullest channel that it can hold. A step
/// beyond it is cut, and a search that cut one cannot say `holds`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cap {
    /// The limited quantity, and how to raise the limit.
    pub name: String,
    /// The atoms that hold in every state that the cap leaves out, if they held before: a search that hits the cap still
    /// decides an invariant of these alone.
    pub spares: Vec<AtomId>,
}

impl Cap {
    /// A cap that spares nothing.
    pub fn new(name: impl Into<String>) -> Cap {
        Cap { name: name.into(), spares: Vec::new() }
    }

    /// Whether the states that it leaves out can matter to a query.
    pub fn limits(&self, query: &SpaceQuery) -> bool {
        query.deadlock || !query.is_of_states() || query.atoms().any(|atom| !self.spares.contains(&atom))
    }
}
