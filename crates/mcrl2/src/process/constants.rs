//! Parameters that keep one value for ever, such as the number of a component. Known before the search, they tell which
//! components can never act together, and which summands can never happen.

use super::branches::PointId;
use super::expression::PartialRow;
use super::local_state::ComponentState;
use super::summand::{Precondition, Summand};
use super::values::DataSide;
use std::collections::BTreeMap;

/// For each point that a component may come to, the values of its parameters that are always the same.
pub(crate) type Constants = BTreeMap<PointId, PartialRow>;

/// What is constant in a component that begins here.
pub(crate) fn constants(data: &DataSide, initial: &ComponentState, summands: &[Vec<Summand>]) -> Constants {
    let mut known = Constants::new();
    let mut waiting: Vec<PointId> = Vec::new();
    for frame in &initial.frames {
        let values = frame.values.iter().copied().map(Some).collect();
        come_to(frame.point, values, &mut known, &mut waiting);
    }
    while let Some(point) = waiting.pop() {
        for summand in &summands[point as usize] {
            let Some(row) = row_of(data, summand, &known[&point]) else { continue };
            for (next, arguments) in &summand.next {
                let values = arguments.iter().map(|argument| argument.known_value(data, &row)).collect();
                come_to(*next, values, &mut known, &mut waiting);
            }
        }
    }
    known
}

/// The row of a summand as far as it is constant; none if it never happens.
pub(crate) fn row_of(data: &DataSide, summand: &Summand, parameters: &PartialRow) -> Option<PartialRow> {
    let mut row = parameters.clone();
    row.resize(summand.slots, None);
    for precondition in &summand.preconditions {
        if let Precondition::If(condition, expected) = precondition {
            let truth = condition.known_value(data, &row).and_then(|value| value.as_truth());
            if truth.is_some_and(|truth| truth != *expected) {
                return None;
            }
        }
    }
    Some(row)
}

fn come_to(point: PointId, values: PartialRow, known: &mut Constants, waiting: &mut Vec<PointId>) {
    let Some(before) = known.get_mut(&point) else {
        known.insert(point, values);
        waiting.push(point);
        return;
    };
    let mut moved = false;
    for (before, value) in before.iter_mut().zip(values) {
        if before.is_some() && *before != value {
            *before = None;
            moved = true;
        }
    }
    if moved {
        waiting.push(point);
    }
}
