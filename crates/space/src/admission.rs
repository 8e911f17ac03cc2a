//! Whether a space admits a query: the query, in the terms that a space knows, and the reason why a space refuses it. A
//! space that leaves out states or runs preserves the answers to some queries only. The space itself decides which ones
//! ([`Space::admits`](crate::Space::admits)), and every engine asks it before it begins.

use crate::AtomId;
use thiserror::Error;

/// The properties that a search checks, and the reductions that it applies, as a space has to know them. A reduction may
/// change everything that the query does not mention.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpaceQuery {
    /// Whether a state in which nothing but faults can happen is a violation.
    pub deadlock: bool,
    /// For each invariant its condition, if it is not about all states, and the atom that must hold.
    pub invariants: Vec<(Option<AtomId>, AtomId)>,
    /// The atoms that a monitor reads after every step, if there is a monitor.
    pub monitor: Option<Vec<AtomId>>,
    /// The claims about infinite runs.
    pub claims: Vec<QueriedClaim>,
    /// Whether only those runs count in which every step that stays possible is taken.
    pub fair_steps: bool,
    /// Whether the order of all visible events matters, as in a refinement.
    pub events: bool,
    /// Whether the search uses partial-order reduction ([`AmpleSets`](crate::AmpleSets)).
    pub partial_order: bool,
    /// Whether the search uses symmetry reduction ([`Symmetries`](crate::Symmetries)).
    pub symmetry: bool,
}

/// A claim about infinite runs, as a space has to know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueriedClaim {
    /// Its name.
    pub name: String,
    /// The atoms in it.
    pub atoms: Vec<AtomId>,
    /// Whether it only says that some atoms become true at some time: conjunctions and disjunctions of `F p`, where p
    /// has neither a negation nor a temporal operator.
    pub becomes_true: bool,
}

impl SpaceQuery {
    /// Whether the query is about single states alone.
    pub fn is_of_states(&self) -> bool {
        self.monitor.is_none() && self.claims.is_empty() && !self.events
    }

    /// All atoms of the query.
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> {
        let invariants = self.invariants.iter().flat_map(|&(when, then)| when.into_iter().chain([then]));
        let monitor = self.monitor.iter().flatten().copied();
        invariants.chain(monitor).chain(self.claims.iter().flat_map(|claim| claim.atoms.iter().copied()))
    }
}

/// Why a space does not admit a query: the answer could be wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Partial-order reduction is not possible.
    #[error("partial-order reduction is not possible: {0}")]
    FullyExpanded(FullyExpanded),
    /// Symmetry reduction is not possible; says why.
    #[error("symmetry reduction is not possible: {0}")]
    Asymmetric(String),
    /// The space has only some of the runs, and they do not decide this part of the query; says why.
    #[error(
        "{what} cannot be asked of this space, which has only some of the runs: {why}; ask it of the space with all \
         interleavings"
    )]
    SomeRuns {
        /// The part of the query.
        what: String,
        /// Why the runs of the space do not decide it.
        why: String,
    },
    /// The query asks for deadlocks where an observer may watch the time: no state is stuck while a watch runs.
    #[error(
        "where an observer watches the time something happens as long as a watch runs, so that a deadlock may never \
         show; ask for deadlocks in a world without observers"
    )]
    Watched,
    /// A claim about infinite runs, or a refinement, of a space with zones.
    #[error("claims about infinite runs are checked in ticks, not in zones; use --time ticks")]
    Dense,
    /// The query has an atom that the space does not have.
    #[error(
        "the question speaks of proposition number {0}, which the space does not have; pose it with the propositions of \
         this space"
    )]
    NoAtom(AtomId),
}

/// How a state was expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// Fully: all successors.
    Full,
    /// To an ample set, which stands for all as long as the search keeps to [`AmpleSets`](crate::AmpleSets).
    Ample,
}

/// Why every state is fully expanded: the space has no ample sets for this query.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FullyExpanded {
    /// The space does not know which of its steps are independent.
    #[error(
        "this model does not know which of its steps are independent; choose a world in which all interleavings are \
         searched, or search without it"
    )]
    Space,
    /// Time passes, and the moment at which a step happens makes it dependent on every other step.
    #[error("where time passes, no two steps are independent; choose an untimed world, or search without it")]
    Time,
    /// Processes recover any number of times, so that a recovery makes room for a crash elsewhere.
    #[error(
        "where processes recover any number of times, a recovery makes room for a crash elsewhere; limit the \
         recoveries, or search without it"
    )]
    Recoveries,
    /// Messages are duplicated any number of times.
    #[error(
        "where messages are duplicated any number of times, channels fill up by themselves; limit the duplications, or \
         search without it"
    )]
    Duplications,
    /// This atom may read the whole state.
    #[error(
        "the property speaks of {0}, which may look at anything; say what it looks at, or that it stays false once it \
         is, or search without it"
    )]
    Atom(String),
    /// A monitor sees every step.
    #[error("a monitor sees every step; ask for an observer instead, or search without it")]
    Monitor,
    /// The query is about infinite runs, or about the order of events.
    #[error("claims about infinite runs and refinement need every interleaving; search without it")]
    Runs,
    /// The search visits only some of the states by design.
    #[error("it is for searches of all states; search breadth-first, or search without it")]
    Strategy,
}
