//! The work of a thread, of a depth or of a whole breadth-first search: what it saw and what it counted.

use crate::search_result::add;
use crate::state_checker::{BadState, StateChecker};
use watchkeeper_logic::{PartialExpansion, Question};
use watchkeeper_space::Space;

/// What was seen and counted.
pub(crate) struct LevelReport {
    /// The smallest violation.
    pub violation: Option<BadState>,
    /// For each invariant, the number of states that it is about.
    pub spoke: Vec<u64>,
    /// For each class of actions, the number of steps.
    pub counts: Box<[u64; 256]>,
    pub steps: u64,
    /// For each cap, the number of steps that it cut away.
    pub cuts: Vec<u64>,
    /// States expanded.
    pub expanded: u64,
    /// Steps whose target is certainly stored, subsumed, or the candidate of another step.
    pub settled: u64,
    /// States expanded to an ample set and fully, under partial-order reduction.
    pub partial: PartialExpansion,
}

impl LevelReport {
    /// Nothing yet.
    pub fn new(space: &dyn Space, question: &Question) -> LevelReport {
        LevelReport {
            violation: None,
            spoke: vec![0; question.invariants.len()],
            counts: Box::new([0; 256]),
            steps: 0,
            cuts: vec![0; space.shape().caps.len()],
            expanded: 0,
            settled: 0,
            partial: PartialExpansion::default(),
        }
    }

    /// This report with the results of a thread's checker.
    pub fn checked_by(self, checker: StateChecker<'_>) -> LevelReport {
        LevelReport { violation: checker.violation, spoke: checker.spoke, ..self }
    }

    /// Both reports together.
    pub fn join(mut self, other: LevelReport) -> LevelReport {
        self.violation = [self.violation, other.violation].into_iter().flatten().min();
        add(&mut self.spoke, &other.spoke);
        add(&mut self.counts[..], &other.counts[..]);
        add(&mut self.cuts, &other.cuts);
        self.steps += other.steps;
        self.expanded += other.expanded;
        self.settled += other.settled;
        self.partial.in_part += other.partial.in_part;
        self.partial.whole += other.partial.whole;
        self
    }

    /// The report on a depth with a violation: the steps from this depth are not counted, because how many were taken
    /// depends on the threads.
    pub fn without_steps(self) -> LevelReport {
        LevelReport { counts: Box::new([0; 256]), steps: 0, partial: PartialExpansion::default(), ..self }
    }
}
