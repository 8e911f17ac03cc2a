//! What a search looks for in each state, and which of several things found it tells.

use watchkeeper_logic::{Question, ViolationKind};
use watchkeeper_space::{Id, Space, Stuck};

/// Something wrong with a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct BadState {
    /// What kind of thing.
    pub finding: ViolationKind,
    /// The place of the invariant in the question.
    pub invariant: usize,
    /// The state, as bytes that are the same in every run; of several faults the smallest is told.
    pub bytes: Vec<u8>,
    /// The state.
    pub row: Vec<Id>,
}

impl BadState {
    /// Whether another fault is of the same property.
    pub fn is_like(&self, other: &BadState) -> bool {
        (self.finding, self.invariant) == (other.finding, other.invariant)
    }

    /// The name of what is violated.
    pub fn name(&self, question: &Question) -> String {
        match self.finding {
            ViolationKind::Deadlock => "no deadlock".to_string(),
            ViolationKind::Timelock => "no time-lock".to_string(),
            ViolationKind::Liveness => question.temporal[self.invariant].name.clone(),
            ViolationKind::Safety => question.invariants[self.invariant].name.clone(),
        }
    }
}

/// Looks at states, one after the other, and keeps the fault to tell.
pub(crate) struct StateChecker<'a> {
    space: &'a dyn Space,
    question: &'a Question,
    /// The smallest fault so far.
    pub fault: Option<BadState>,
    /// For each invariant, how many states it spoke of.
    pub spoke: Vec<u64>,
}

impl<'a> StateChecker<'a> {
    /// A judge that has seen nothing.
    pub fn new(space: &'a dyn Space, question: &'a Question) -> StateChecker<'a> {
        StateChecker { space, question, fault: None, spoke: vec![0; question.invariants.len()] }
    }

    /// Looks at a state before it is expanded; whether it is as it should be.
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

    /// Looks at a state that turned out to have no successor; whether it is as it should be.
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

    /// Takes over what another judge has seen.
    pub fn join(&mut self, other: StateChecker<'_>) {
        for (mine, theirs) in self.spoke.iter_mut().zip(other.spoke) {
            *mine += theirs;
        }
        self.fault = [self.fault.take(), other.fault].into_iter().flatten().min();
    }

    #[cold]
    fn blame(&mut self, finding: ViolationKind, invariant: usize, row: &[Id]) {
        let mut bytes = Vec::new();
        self.space.pack(row, &mut bytes);
        let fault = BadState { finding, invariant, bytes, row: row.to_vec() };
        if self.fault.as_ref().is_none_or(|known| fault < *known) {
            self.fault = Some(fault);
        }
    }
}
