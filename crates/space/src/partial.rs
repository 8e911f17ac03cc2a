//! Words for expanding a state in part: what is asked, so that a space can tell which of its steps may be left out,
//! how much of a state it gave, and why it will not leave out anything. Which steps those are is the space's to know;
//! when a search may go without them is in [`Space::expand_some`](crate::Space::expand_some).

use crate::AtomId;
use std::fmt;

/// What is asked of the states of a space: whatever is not here may change unseen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Whether a state in which nothing but faults can happen is wrong.
    pub deadlock: bool,
    /// For each invariant the atom that says of which states it speaks, if not of all, and the one that must hold.
    pub invariants: Vec<(Option<AtomId>, AtomId)>,
}

/// How many of the successors of a state were given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// All.
    All,
    /// Some, which are enough as long as [`Space::expand_some`](crate::Space::expand_some) is kept to.
    Some,
}

/// Why no state can be expanded in part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreduced {
    /// The space does not know which of its steps are independent.
    Space,
    /// Time passes in it, and every step has to do with every other through the moment at which it happens.
    Time,
    /// Processes recover any number of times, so that a recovery makes room for a crash elsewhere.
    Recoveries,
    /// Messages are duplicated any number of times.
    Duplications,
    /// This atom may look at anything.
    Atom(String),
    /// A monitor sees every step.
    Monitor,
    /// Something is asked of infinite runs, or of the order of events.
    Runs,
    /// The search sees only some of the states by design.
    Strategy,
}

impl fmt::Display for Unreduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreduced::Space => f.write_str(
                "this model does not know which of its steps are independent; choose a world in which all \
                 interleavings are searched, or search without it",
            ),
            Unreduced::Time => f.write_str(
                "where time passes, no two steps are independent; choose an untimed world, or search without it",
            ),
            Unreduced::Recoveries => f.write_str(
                "where processes recover any number of times, a recovery makes room for a crash elsewhere; limit the \
                 recoveries, or search without it",
            ),
            Unreduced::Duplications => f.write_str(
                "where messages are duplicated any number of times, channels fill up by themselves; limit the \
                 duplications, or search without it",
            ),
            Unreduced::Atom(name) => write!(
                f,
                "the property speaks of {name}, which may look at anything; say what it looks at, or that it stays \
                 false once it is, or search without it"
            ),
            Unreduced::Monitor => {
                f.write_str("a monitor sees every step; ask for an observer instead, or search without it")
            }
            Unreduced::Runs => f.write_str(
                "claims about infinite runs and refinement need every interleaving; search without it",
            ),
            Unreduced::Strategy => f.write_str(
                "it is for searches of all states; search breadth-first, or search without it",
            ),
        }
    }
}
