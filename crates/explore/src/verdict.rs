//! From the result of a search to its verdict.

use crate::ExploreError;
use crate::search_result::{SearchEnd, SearchResult};
use crate::state_checker::BadState;
use watchkeeper_logic::{
    Coverage, Limit, Outcome, PartialExpansion, Question, Shortfall, StateUnit, Stats, Verdict, Violation,
    ViolationKind,
};
use watchkeeper_space::{Id, Mismatch, Shape, Space, Stuck, steps};

/// The verdict. A counterexample is replayed here; one that does not replay is an error, not a verdict.
pub(crate) fn verdict(
    space: &dyn Space,
    question: &Question,
    found: SearchResult,
    shortest: bool,
) -> Result<Verdict, ExploreError> {
    let outcome = match found.end {
        SearchEnd::Violation(bad, path) => {
            ends_in(space, question, &bad, &path)?;
            let trace = space.replay(&space.lift(&path)?)?;
            let (finding, what) = (bad.finding, bad.name(question));
            Outcome::Violated(Box::new(Violation { finding, what, trace, shortest }))
        }
        SearchEnd::Whole(exhausted) => Outcome::Holds(exhausted),
        SearchEnd::Short(shortfall) => unknown(shortfall)?,
        SearchEnd::Enough => Outcome::Unknown(Limit::Interrupted),
    };
    Ok(found.figures.verdict(space, question, outcome))
}

/// The outcome of a search that did not see everything. One that cannot say why has lost something.
pub(crate) fn unknown(shortfall: Shortfall) -> Result<Outcome, ExploreError> {
    match shortfall {
        Shortfall::Limit(limit) => Ok(Outcome::Unknown(limit)),
        lost => Err(ExploreError::Lost(lost)),
    }
}

/// What a search counted.
#[derive(Default)]
pub(crate) struct Figures {
    /// For each class of actions, the number of steps.
    pub counts: Vec<u64>,
    /// For each invariant, the number of states that it is about.
    pub spoke: Vec<u64>,
    pub stats: Stats,
}

impl Figures {
    /// The verdict with these figures.
    pub fn verdict(self, space: &dyn Space, question: &Question, outcome: Outcome) -> Verdict {
        let (found, shape) = (self, space.shape());
        let mut warnings = Vec::new();
        for (invariant, &spoke) in question.invariants.iter().zip(&found.spoke) {
            if let (Some(when), 0) = (invariant.when, spoke) {
                let condition = &shape.atoms[when].name;
                warnings.push(format!(
                    "{}: its condition {condition} was never true, so nothing was checked",
                    invariant.name
                ));
            }
        }
        let mut assumptions = shape.assumptions.clone();
        let left_out = |PartialExpansion { in_part, .. }| {
            format!(
                "of steps that do not concern each other one order is searched instead of all, which is enough for \
                 what is asked: so in {in_part} states some steps were left out"
            )
        };
        assumptions.extend(found.stats.partial.map(left_out));
        Verdict {
            outcome,
            property: question.name(),
            assumptions,
            warnings,
            coverage: coverage(shape, &found.counts),
            stats: Stats {
                unit: if shape.zone.is_some() { StateUnit::Zones } else { StateUnit::States },
                ..found.stats
            },
        }
    }
}

/// How often each class of actions happened.
pub(crate) fn coverage(shape: &Shape, counts: &[u64]) -> Vec<Coverage> {
    let classes = shape.classes.iter().zip(counts);
    classes.map(|(class, &count)| Coverage { name: class.name.clone(), role: class.role, count }).collect()
}

/// Looks once more, and by other means than the search, whether the path ends in the violation.
fn ends_in(space: &dyn Space, question: &Question, bad: &BadState, path: &[Vec<Id>]) -> Result<(), Mismatch> {
    let row = path.last().map(Vec::as_slice).unwrap_or_default();
    let wrong = match bad.finding {
        ViolationKind::Deadlock => steps(space, row).stuck && space.stuck(row) == Stuck::Deadlock,
        ViolationKind::Timelock => {
            question.timelock.is_some_and(|atom| !space.atom(atom, row))
                || steps(space, row).stuck && space.stuck(row) == Stuck::Timelock
        }
        // A lasso is looked at where it is made.
        ViolationKind::Liveness => false,
        ViolationKind::Safety => {
            let invariant = &question.invariants[bad.invariant];
            invariant.when.is_none_or(|when| space.atom(when, row)) && !space.atom(invariant.then, row)
        }
    };
    let why = || format!("the last state does not violate `{}`", bad.name(question));
    if wrong { Ok(()) } else { Err(Mismatch { step: path.len() - 1, why: why() }) }
}
