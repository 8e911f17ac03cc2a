//! Paths through a space: rows, and the actions between them.

use crate::{Action, Edit, Id, Space, Successors};
use thiserror::Error;

/// A path from an initial row: `rows` has one more element than `actions`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StatePath {
    /// The states, first to last.
    pub rows: Vec<Vec<Id>>,
    /// The actions between them.
    pub actions: Vec<Action>,
}

/// Where a path is not a path of the model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the trace does not replay at step {step}: {why}")]
pub struct Mismatch {
    /// The step, counted from 1; 0 is the initial state.
    pub step: usize,
    /// The difference.
    pub why: String,
}

/// The row after some edits.
pub fn apply(row: &[Id], edits: &[Edit]) -> Vec<Id> {
    let mut after = row.to_vec();
    for edit in edits {
        after[edit.slot as usize] = edit.id;
    }
    after
}

/// The steps that leave a row, with whole rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// The actions and their target rows.
    pub next: Vec<(Action, Vec<Id>)>,
    /// Whether nothing but faults can happen, and no cap cut a step away.
    pub stuck: bool,
    /// The caps that cut steps away, once for each step.
    pub cut: Vec<usize>,
}

/// All steps that leave a row. This allocates: the hot path of an engine reads [`Successors`] instead.
pub fn steps<S: Space + ?Sized>(space: &S, row: &[Id]) -> Steps {
    let mut found = Successors::new();
    space.expand(row, &mut found);
    let progress = space.shape().progress();
    let moves = !found.cuts().is_empty() || found.iter().any(|(action, _)| progress[action.class() as usize]);
    let next = found.iter().map(|(action, edits)| (action, apply(row, edits))).collect();
    Steps { next, stuck: !moves, cut: found.cuts().to_vec() }
}

/// All successors of a row as whole rows.
pub fn successors<S: Space + ?Sized>(space: &S, row: &[Id]) -> Vec<(Action, Vec<Id>)> {
    steps(space, row).next
}

/// The path along some rows: between each two rows the first action that leads from one to the other.
pub fn name_steps<S: Space + ?Sized>(space: &S, rows: &[Vec<Id>]) -> Result<StatePath, Mismatch> {
    let mut actions = Vec::with_capacity(rows.len().saturating_sub(1));
    for (i, pair) in rows.windows(2).enumerate() {
        let step = successors(space, &pair[0]).into_iter().find(|(_, row)| *row == pair[1]);
        let missing =
            || Mismatch { step: i + 1, why: "no action leads from the state before to this one".into() };
        actions.push(step.ok_or_else(missing)?.0);
    }
    Ok(StatePath { rows: rows.to_vec(), actions })
}
