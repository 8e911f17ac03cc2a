//! The check of single states: invariants, deadlocks and time-locks, and the choice among several violations.

use watchkeeper_logic::{Question, ViolationKind};
use watchkeeper_space::{Id, Space, Stuck};

/// A state that violates a property.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct BadState {
    /// The kind of violation.
    pub finding: ViolationKind,
    /// The index of the invariant in the question.
    pub invariant: usize,
    /// The state, as bytes that are the same in every run; of several violations the smallest is reported.
    pub bytes: Vec<u8>,
    /// The state.
    pub row: Vec<Id>,
}

impl BadState {
    /// Whether another state violates the same property.
    pub fn is_like(&self, other: &BadState) -> bool {
        (self.finding, self.invariant) == (other.finding, other.invariant)
    }

    /// The name of the violated property.
    pub fn name(&self, question: &Question) -> String {
        match self.finding {
            ViolationKind::Deadlock => "no deadlock".to_string(),
            ViolationKind::Timelock => "no time-lock".to_string(),
            ViolationKind::Liveness => question.temporal[self.invariant].name.clone(),
            ViolationKind::Safety => question.invariants[self.invariant].name.clone(),
        }
    }
}

/// Checks states, one after the other, and keeps the violation to report.
pub(crate) struct StateChecker<'a> {
    space: &'a dyn Space,
    question: &'a Question,
    /// The smallest violation so far.
    pub violation: Option<BadState>,
    /// For each invariant, the number of states that it is about.
    pub spoke: Vec<u64>,
}

impl<'a> StateChecker<'a> {
    /// A checker that has seen nothing.
    pub fn new(space: &'a dyn Space, question: &'a Question) -> StateChecker<'a> {
        StateChecker { space, question, violation: None, spoke: vec![0; question.invariants.len()] }
    }

    /// Checks a state before it is expanded; whether it is without a violation.
    #[inline]
    pub fn state(&mut self, row: &[Id]) -> bool {
        let mut fine = true;
        for (i, invariant) in self.question.invariants.iter().enumerate() {
            if invariant.when.is_none_or(|when| self.space.atom(when, row)) {
                self.spoke[i] += 1;
                if !self.space.atom(invariant.then, row) {
                    self.blame(ViolationKind::Safety, i, row);
                    fine = false;
                    break;
                }
            }
        }
        if self.question.timelock.is_some_and(|atom| !self.space.atom(atom, row)) {
            self.blame(ViolationKind::Timelock, 0, row);
            fine = false;
        }
        fine
    }

    /// Checks a state without a successor that is progress; whether it is without a violation.
    #[cold]
    pub fn stuck(&mut self, row: &[Id]) -> bool {
        if !self.question.deadlock {
            return true;
        }
        match self.space.stuck(row) {
            Stuck::Finished => return true,
            Stuck::Deadlock => self.blame(ViolationKind::Deadlock, 0, row),
            Stuck::Timelock => self.blame(ViolationKind::Timelock, 0, row),
        }
        false
    }

    #[cold]
    fn blame(&mut self, finding: ViolationKind, invariant: usize, row: &[Id]) {
        let mut bytes = Vec::new();
        self.space.pack(row, &mut bytes);
        let bad = BadState { finding, invariant, bytes, row: row.to_vec() };
        self.violation = [self.violation.take(), Some(bad)].into_iter().flatten().min();
    }
}
