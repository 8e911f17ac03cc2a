//! What is tried where nothing follows any more: the values that conditions leave to some variables, or those of a finite sort.

use super::expression::Expression;
use super::model_error::ProcessError;
use super::solver::{Open, Puzzle, PuzzleConstraint, Summed};
use super::values::{AskedCondition, AskedKey, DataSide, ValueId};
use crate::typing::{DataTerm, DataTermKind, Operation, SortId, VariableId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Some slots of participants, and the values that they may have together.
type Choices = (Vec<(usize, usize)>, Vec<Vec<ValueId>>);

impl Puzzle {
    /// The fewest choices for some of the open variables, if there is an end to those of any.
    pub(super) fn choices(&self, data: &DataSide, open: &[Summed]) -> Result<Option<Choices>, ProcessError> {
        let mut best: Option<Choices> = None;
        let better = |best: &Option<Choices>, tuples: &Vec<Vec<ValueId>>| {
            best.as_ref().is_none_or(|(_, known)| tuples.len() < known.len())
        };
        for at in 0..self.rows.len() {
            let own: Vec<&Summed> = open.iter().filter(|summed| summed.at == at).collect();
            if let Some((slots, tuples)) = self.by_conditions(data, at, &own)?
                && better(&best, &tuples)
            {
                best = Some((slots, tuples));
            }
        }
        if best.is_some() {
            return Ok(best);
        }
        for summed in open {
            if let Some(values) = data.elements(summed.sort) {
                let tuples: Vec<Vec<ValueId>> = values.into_iter().map(|value| vec![value]).collect();
                if better(&best, &tuples) {
                    best = Some((vec![(summed.at, summed.slot)], tuples));
                }
            }
        }
        Ok(best)
    }

    /// The values that the conditions of a participant leave to its open variables.
    fn by_conditions(
        &self,
        data: &DataSide,
        at: usize,
        open: &[&Summed],
    ) -> Result<Option<Choices>, ProcessError> {
        let mut conditions: Vec<Condition> = Vec::new();
        for constraint in &self.constraints {
            if let PuzzleConstraint::If(condition, expected) = constraint
                && condition.at == at
            {
                conditions.push(Condition::new(condition, *expected));
            }
        }
        let asked: Vec<&Summed> = (open.iter().copied())
            .filter(|summed| {
                conditions.iter().any(|known| known.reads.values().any(|slot| *slot == summed.slot))
            })
            .collect();
        if asked.is_empty() {
            return Ok(None);
        }
        // A condition that waits for something else says nothing yet.
        let answerable = |condition: &Condition| {
            condition
                .reads
                .values()
                .all(|slot| self.rows[at][*slot].is_some() || asked.iter().any(|summed| summed.slot == *slot))
        };
        conditions.retain(answerable);
        let Some(whole) = Condition::all(&conditions) else { return Ok(None) };
        let slots: Vec<usize> = (asked.iter().map(|summed| summed.slot))
            .filter(|slot| whole.reads.values().any(|other| other == slot))
            .collect();
        if slots.is_empty() {
            return Ok(None);
        }
        let (variables, parameters): (Vec<_>, Vec<_>) = whole
            .reads
            .iter()
            .map(|(variable, slot)| (*variable, *slot))
            .partition(|(_, slot)| slots.contains(slot));
        let arguments: Vec<ValueId> =
            parameters.iter().filter_map(|(_, slot)| self.rows[at][*slot]).collect();
        let key: AskedKey = (
            conditions
                .iter()
                .map(|known| (Arc::as_ptr(&known.expression) as usize, known.expected))
                .collect(),
            parameters.iter().chain(&variables).map(|(_, slot)| *slot).collect(),
        );
        let asked = || {
            Some(AskedCondition {
                condition: whole.term.clone(),
                parameters: parameters.iter().map(|(variable, _)| *variable).collect(),
                variables: variables.iter().map(|(variable, _)| *variable).collect(),
            })
        };
        let tuples = data.solutions(key, &asked, &arguments)?;
        let slots = variables.iter().map(|(_, slot)| (at, *slot)).collect();
        Ok(tuples.map(|tuples| (slots, tuples)))
    }
}

/// A condition over the slots of a row.
#[derive(Clone)]
struct Condition {
    expression: Arc<Expression>,
    expected: bool,
    term: DataTerm,
    reads: BTreeMap<VariableId, usize>,
}

impl Condition {
    fn new(open: &Open, expected: bool) -> Condition {
        let expression = Arc::clone(&open.expression);
        let term = match expected {
            true => expression.term.clone(),
            false => operation(Operation::Not, vec![expression.term.clone()]),
        };
        Condition { expected, term, reads: expression.reads.iter().copied().collect(), expression }
    }

    /// That all of these hold; none if a name would then mean two things.
    fn all(conditions: &[Condition]) -> Option<Condition> {
        let (first, rest) = conditions.split_first()?;
        let mut all = first.clone();
        for condition in rest {
            for (variable, slot) in &condition.reads {
                if all.reads.insert(*variable, *slot).is_some_and(|other| other != *slot) {
                    return None;
                }
            }
            all.term = operation(Operation::And, vec![all.term, condition.term.clone()]);
        }
        Some(all)
    }
}

fn operation(operation: Operation, operands: Vec<DataTerm>) -> DataTerm {
    let span = operands[0].span;
    DataTerm { kind: DataTermKind::Operation(operation, SortId::BOOL, operands), sort: SortId::BOOL, span }
}
