//! Whether a question may be asked of a space: what is asked, in the terms that a space knows, and why a space
//! refuses. A space that leaves states or runs out preserves the answers to some questions only; which ones is the
//! space's to know ([`Space::admits`](crate::Space::admits)), and every engine asks before it begins.

use crate::AtomId;
use std::fmt;

/// What is asked of a space, and what a search would leave out to answer it. Whatever is not here may change
/// unseen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Whether a state in which nothing but faults can happen is wrong.
    pub deadlock: bool,
    /// For each invariant the atom that says of which states it speaks, if not of all, and the one that must hold.
    pub invariants: Vec<(Option<AtomId>, AtomId)>,
    /// The atoms that a monitor looks at after every step, if there is a monitor.
    pub monitor: Option<Vec<AtomId>>,
    /// The claims about infinite runs.
    pub claims: Vec<AskedClaim>,
    /// Whether the runs that count are those in which every step that stays possible is taken, and no others.
    pub fair_steps: bool,
    /// Whether the order of all visible events matters, as in a refinement.
    pub events: bool,
    /// Whether states are to be expanded in part ([`AmpleSets`](crate::AmpleSets)).
    pub in_part: bool,
    /// Whether states that are renamings of each other are to be searched once.
    pub renamed: bool,
}

/// A claim about infinite runs, as far as a space has to know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedClaim {
    /// Its name.
    pub name: String,
    /// The atoms that it speaks of.
    pub atoms: Vec<AtomId>,
    /// Whether it says no more than that some atoms become true at some time: conjunctions and disjunctions of
    /// `F p`, where p has neither a negation nor a temporal operator.
    pub becomes_true: bool,
}

impl Asked {
    /// Whether nothing is asked but what is true of single states.
    pub fn is_of_states(&self) -> bool {
        self.monitor.is_none() && self.claims.is_empty() && !self.events
    }

    /// All atoms that the question speaks of.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        let invariants = self.invariants.iter().flat_map(|&(when, then)| when.into_iter().chain([then]));
        let monitor = self.monitor.iter().flatten().copied();
        invariants.chain(monitor).chain(self.claims.iter().flat_map(|claim| claim.atoms.iter().copied()))
    }
}

/// Why a space does not admit a question: its answer could be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// States cannot be expanded in part.
    Unreduced(Unreduced),
    /// States cannot be searched up to renaming; says why.
    Asymmetric(String),
    /// The space has only some of the runs, and they do not decide this question; says which part of it, and why.
    SomeRuns {
        /// The part of the question.
        what: String,
        /// Why the runs of the space do not decide it.
        why: String,
    },
    /// A deadlock is asked for where an observer may watch the time: while a watch runs no state is stuck.
    Watched,
    /// A claim about infinite runs, or a refinement, of a space with zones.
    Dense,
    /// The question speaks of an atom that the space does not have.
    NoAtom(AtomId),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unreduced(why) => write!(f, "partial-order reduction is not possible: {why}"),
            Refusal::Asymmetric(why) => write!(f, "symmetry reduction is not possible: {why}"),
            Refusal::SomeRuns { what, why } => write!(
                f,
                "{what} cannot be asked of this space, which has only some of the runs: {why}; ask it of the space \
                 with all interleavings"
            ),
            Refusal::Watched => f.write_str(
                "where an observer watches the time something happens as long as a watch runs, so that a deadlock may \
                 never show; ask for deadlocks in a world without observers",
            ),
            Refusal::Dense => {
                f.write_str("claims about infinite runs are checked in ticks, not in zones; use --time ticks")
            }
            Refusal::NoAtom(atom) => write!(
                f,
                "the question speaks of proposition number {atom}, which the space does not have; pose it with the \
                 propositions of this space"
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// How many of the successors of a state were given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// All.
    All,
    /// Some, which are enough as long as [`AmpleSets`](crate::AmpleSets) is kept to.
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
