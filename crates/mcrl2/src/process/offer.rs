//! What one component offers in a local state: its summands, as far as they can be decided alone. A variable that only a
//! partner can bind stays open.

use super::constants::{Constants, row_of};
use super::expression::{Expression, PartialRow};
use super::local_state::ComponentState;
use super::model::ResolvedModel;
use super::model_error::ProcessError;
use super::solver::{Open, Puzzle, PuzzleConstraint, Summed};
use super::summand::{Precondition, Summand};
use super::synchronisation::{ActionSignature, MultiSignature};
use super::values::{DataSide, ValueId};
use std::collections::HashMap;
use std::sync::Arc;

/// A summand of a local state that may happen.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// The number of the summand at its point.
    pub(crate) summand: usize,
    /// The multi-action as it is known before the search.
    pub(crate) signature: usize,
    /// What is known of it, and what has to hold.
    pub(crate) puzzle: Puzzle,
}

/// The multi-actions of a component, as far as they are known before the search.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    pub(crate) all: Vec<MultiSignature>,
    /// The number of that of each summand of each point; summands that never happen have none.
    of_summand: HashMap<(u32, usize), usize>,
}

impl Signatures {
    pub(crate) fn new(
        model: &ResolvedModel,
        constants: &Constants,
        summands: &[Vec<Summand>],
        numbers: &mut HashMap<ValueId, u32>,
    ) -> Signatures {
        let mut found = Signatures::default();
        for (&point, parameters) in constants {
            for (number, summand) in summands[point as usize].iter().enumerate() {
                let Some(row) = row_of(&model.data, summand, parameters) else { continue };
                let mut constant = |argument: &Arc<Expression>| {
                    let value = argument.known_value(&model.data, &row)?;
                    let next = numbers.len() as u32;
                    Some(*numbers.entry(value).or_insert(next))
                };
                let signature: MultiSignature = (summand.actions.iter())
                    .map(|(action, arguments)| ActionSignature {
                        name: model.actions[*action].name_id,
                        sorts: model.actions[*action].sorts_id,
                        constants: arguments.iter().map(&mut constant).collect(),
                    })
                    .collect();
                let known = found.all.iter().position(|other| *other == signature);
                let signature = known.unwrap_or_else(|| {
                    found.all.push(signature);
                    found.all.len() - 1
                });
                found.of_summand.insert((point, number), signature);
            }
        }
        found
    }

    /// What a local state offers.
    pub(crate) fn offers(
        &self,
        data: &DataSide,
        state: &ComponentState,
        summands: &[Vec<Summand>],
    ) -> Result<Vec<Offer>, ProcessError> {
        let Some(frame) = state.frames.first() else { return Ok(Vec::new()) };
        let mut offers = Vec::new();
        for (number, summand) in summands[frame.point as usize].iter().enumerate() {
            let Some(&signature) = self.of_summand.get(&(frame.point, number)) else { continue };
            let mut puzzle = puzzle(summand, frame.values.iter().copied().map(Some).collect());
            if puzzle.propagate(data)? {
                offers.push(Offer { summand: number, signature, puzzle });
            }
        }
        Ok(offers)
    }
}

/// A summand with values for its parameters, as the puzzle of one participant.
fn puzzle(summand: &Summand, mut row: PartialRow) -> Puzzle {
    row.resize(summand.slots, None);
    let mut puzzle = Puzzle { rows: vec![row], ..Puzzle::default() };
    for precondition in &summand.preconditions {
        match precondition {
            Precondition::If(condition, expected) => {
                puzzle.constraints.push(PuzzleConstraint::If(Open::new(0, condition), *expected));
            }
            Precondition::Sum { slot, sort, name, span } => puzzle.summed.push(Summed {
                at: 0,
                slot: *slot,
                sort: *sort,
                name: name.clone(),
                span: *span,
            }),
        }
    }
    let arguments = summand.actions.iter().flat_map(|(_, arguments)| arguments);
    let behind = summand.next.iter().flat_map(|(_, arguments)| arguments);
    puzzle.wanted = arguments.chain(behind).map(|expression| Open::new(0, expression)).collect();
    puzzle
}
