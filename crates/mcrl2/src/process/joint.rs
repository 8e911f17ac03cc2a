//! What some components do together in their local states. It is computed once for each combination of local states, and
//! shares nothing with the naive interpreter that tells counterexamples again.

use super::composition::Happening;
use super::expression::{Expression, PartialRow};
use super::local_state::{ComponentState, StackFrame};
use super::model_error::ProcessError;
use super::offer::Offer;
use super::solver::{Open, Puzzle, PuzzleConstraint};
use super::summand::Summand;
use super::synchronisation::{ActionOrigin, Synchronisation};
use super::system::ComposedSystem;
use super::values::{DataSide, ValueId};
use std::collections::HashSet;
use std::sync::Arc;

/// What the participants see and become.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct JointStep {
    /// The multi-action, in no order.
    pub(crate) actions: Vec<Happening<Vec<ValueId>>>,
    /// The local state of each participant after it.
    pub(crate) next: Vec<ComponentState>,
}

/// A participant: its component, its local state, and what it offers there.
#[derive(Clone, Copy)]
pub(crate) struct Participant<'a> {
    pub(crate) component: usize,
    pub(crate) state: &'a ComponentState,
    pub(crate) offers: &'a [Offer],
}

/// The steps that these participants take together, in the order of their summands.
pub(crate) fn joint_steps(
    system: &ComposedSystem,
    synchronisation: &Synchronisation,
    participants: &[Participant<'_>],
) -> Result<Vec<JointStep>, ProcessError> {
    let mut found = Vec::new();
    let fitting: Vec<Vec<&Offer>> = (participants.iter().zip(&synchronisation.participants))
        .map(|(participant, &(_, signature))| {
            participant.offers.iter().filter(|offer| offer.signature == signature).collect()
        })
        .collect();
    if fitting.iter().any(Vec::is_empty) {
        return Ok(found);
    }
    let mut chosen = vec![0; participants.len()];
    loop {
        let offers: Vec<&Offer> = fitting.iter().zip(&chosen).map(|(offers, &i)| offers[i]).collect();
        Joint { system, participants, offers: &offers }.steps(synchronisation, &mut found)?;
        let Some(place) = (0..chosen.len()).rev().find(|&i| chosen[i] + 1 < fitting[i].len()) else {
            return Ok(found);
        };
        chosen[place] += 1;
        chosen[place + 1..].fill(0);
    }
}

struct Joint<'a> {
    system: &'a ComposedSystem,
    participants: &'a [Participant<'a>],
    offers: &'a [&'a Offer],
}

impl Joint<'_> {
    fn steps(
        &self,
        synchronisation: &Synchronisation,
        found: &mut Vec<JointStep>,
    ) -> Result<(), ProcessError> {
        let mut puzzle = Puzzle::default();
        for (at, offer) in self.offers.iter().enumerate() {
            puzzle.join(at, &offer.puzzle);
        }
        // Different values of variables that conditions read are different summands of the specification written out.
        let mut seen: HashSet<(JointStep, Vec<Option<ValueId>>)> = HashSet::new();
        for matching in &synchronisation.matchings {
            let mut puzzle = puzzle.clone();
            for &(left, right) in matching {
                puzzle.constraints.extend(self.equal(left, right));
            }
            puzzle.solve(&self.system.model.data, &mut |rows| {
                if let Some(step) = self.step(rows)? {
                    let read = self.read(rows);
                    if seen.insert((step.clone(), read)) {
                        found.push(step);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// That two actions have equal arguments.
    fn equal(&self, left: ActionOrigin, right: ActionOrigin) -> Vec<PuzzleConstraint> {
        let of = |(component, action): ActionOrigin| {
            let at = self.participants.iter().position(|participant| participant.component == component);
            at.map(|at| (at, &self.summand(at).actions[action].1)).unwrap_or((0, EMPTY))
        };
        let ((left, mine), (right, theirs)) = (of(left), of(right));
        (mine.iter().zip(theirs))
            .map(|(mine, theirs)| PuzzleConstraint::Equal(Open::new(left, mine), Open::new(right, theirs)))
            .collect()
    }

    fn summand(&self, at: usize) -> &Summand {
        let point = self.participants[at].state.frames[0].point;
        &self.system.summands[point as usize][self.offers[at].summand]
    }

    /// The values of the variables of sums that conditions read.
    fn read(&self, rows: &[PartialRow]) -> Vec<Option<ValueId>> {
        let mut values = Vec::new();
        for (at, offer) in self.offers.iter().enumerate() {
            for summed in &offer.puzzle.summed {
                let reads = |constraint: &PuzzleConstraint| match constraint {
                    PuzzleConstraint::If(open, _) => open.reads(0, summed.slot),
                    _ => false,
                };
                if offer.puzzle.constraints.iter().any(reads) {
                    values.push(rows[at][summed.slot]);
                }
            }
        }
        values
    }

    /// The step of a solution, if the operators let it happen.
    fn step(&self, rows: &[PartialRow]) -> Result<Option<JointStep>, ProcessError> {
        let mut happens = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let mut own = Vec::new();
            for (action, arguments) in &self.summand(at).actions {
                let declared = &self.system.model.actions[*action];
                let arguments = evaluated(&self.system.model.data, arguments, row)?;
                own.push(Happening { name: declared.name_id, sorts: declared.sorts_id, arguments });
            }
            happens.push(own);
        }
        let does = |component: usize| {
            let at = self.participants.iter().position(|participant| participant.component == component)?;
            Some(happens[at].clone())
        };
        let Some(actions) = self.system.composition.outcome(&does) else { return Ok(None) };
        let mut next = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let mut frames = Vec::new();
            for (point, arguments) in &self.summand(at).next {
                frames.push(StackFrame {
                    point: *point,
                    values: evaluated(&self.system.model.data, arguments, row)?.into(),
                });
            }
            next.push(self.participants[at].state.after(&self.system.points, frames));
        }
        Ok(Some(JointStep { actions, next }))
    }
}

const EMPTY: &Vec<Arc<Expression>> = &Vec::new();

fn evaluated(
    data: &DataSide,
    expressions: &[Arc<Expression>],
    row: &PartialRow,
) -> Result<Vec<ValueId>, ProcessError> {
    expressions.iter().map(|expression| expression.value(data, row)).collect()
}
