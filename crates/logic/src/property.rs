//! Questions about all reachable states, and about all infinite runs.

use crate::{Fairness, Monitor, TemporalProperty};
use watchkeeper_space::{AtomId, QueriedClaim, SpaceQuery};

/// A claim that every reachable state is as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Its name on the command line and in reports.
    pub name: String,
    /// If given, only states in which this atom holds are spoken of; if none is, the verdict warns.
    pub when: Option<AtomId>,
    /// The atom that must hold.
    pub then: AtomId,
}

/// All that is asked in one search. The first thing found wrong, at the smallest depth, is the answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
    /// Whether a state without successors, in which not everyone has crashed, is wrong.
    pub deadlock: bool,
    /// The atom that is false where time cannot pass and nothing can happen, if that is asked.
    pub timelock: Option<AtomId>,
    /// What must hold in every state.
    pub invariants: Vec<Invariant>,
    /// An observer that must never reach an error.
    pub monitor: Option<Monitor>,
    /// What must hold of every fair infinite run.
    pub temporal: Vec<TemporalProperty>,
    /// Which infinite runs are fair.
    pub fairness: Vec<Fairness>,
}

impl Question {
    /// The name of a question that asks nothing: a space is only counted.
    pub const NOTHING: &str = "nothing asked";

    /// Whether there is no deadlock.
    pub fn no_deadlock() -> Question {
        Question { deadlock: true, ..Question::default() }
    }

    /// What is asked, in one line.
    pub fn name(&self) -> String {
        let mut names = Vec::new();
        if self.deadlock {
            names.push("no deadlock".to_string());
        }
        if self.timelock.is_some() {
            names.push("no time-lock".to_string());
        }
        names.extend(self.invariants.iter().map(|invariant| invariant.name.clone()));
        names.extend(self.monitor.iter().map(|monitor| monitor.name.clone()));
        names.extend(self.temporal.iter().map(|claim| claim.name.clone()));
        if names.is_empty() { Question::NOTHING.to_string() } else { names.join(", ") }
    }

    /// What a space has to know to say whether this may be asked of it.
    pub fn query(&self) -> SpaceQuery {
        let invariants = self.invariants.iter().map(|invariant| (invariant.when, invariant.then));
        let monitor = self.monitor.as_ref();
        SpaceQuery {
            deadlock: self.deadlock,
            invariants: invariants.chain(self.timelock.map(|atom| (None, atom))).collect(),
            monitor: monitor.map(|it| it.edges.iter().flat_map(|edge| edge.guard.atoms()).collect()),
            claims: self.temporal.iter().map(TemporalProperty::query).collect(),
            fair_steps: Fairness::is_steps(&self.fairness),
            ..SpaceQuery::default()
        }
    }
}

impl TemporalProperty {
    /// What a space has to know about the claim.
    pub fn query(&self) -> QueriedClaim {
        let mut atoms = self.formula.atoms();
        atoms.extend(self.premise.iter().flat_map(|premise| premise.atoms()));
        let becomes_true = self.premise.is_none() && self.formula.becomes_true();
        QueriedClaim { name: self.name.clone(), atoms, becomes_true }
    }
}
