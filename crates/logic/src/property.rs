//! Questions about all reachable states, and about all infinite runs.

use crate::{Fairness, Monitor, Temporal};
use watchkeeper_space::{AtomId, Shape};

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
    pub temporal: Vec<Temporal>,
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

    /// The name of an atom it speaks of that does not say the same of renamed states, if there is one.
    pub fn asymmetric_atom<'a>(&self, shape: &'a Shape) -> Option<&'a str> {
        let mut atoms: Vec<AtomId> = self.timelock.into_iter().collect();
        for invariant in &self.invariants {
            atoms.extend(invariant.when);
            atoms.push(invariant.then);
        }
        if let Some(monitor) = &self.monitor {
            atoms.extend(monitor.edges.iter().flat_map(|edge| edge.guard.atoms()));
        }
        atoms.extend(self.temporal.iter().flat_map(|claim| claim.formula.atoms()));
        atoms
            .into_iter()
            .map(|atom| &shape.atoms[atom])
            .find(|atom| !atom.symmetric)
            .map(|atom| atom.name.as_str())
    }
}
