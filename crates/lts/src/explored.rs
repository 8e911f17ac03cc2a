//! The labelled transition system of a space: all its states and steps, with the labels of the steps.

use crate::labels::{LabelTable, LabelView};
use crate::lts::{Lts, LtsEdge};
use thiserror::Error;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, StateList, list};
use watchkeeper_logic::Limit;
use watchkeeper_space::{Action, Id, Mismatch, Pid, Space, StatePath, Trace, successors};

/// The label of the steps to several initial states, from a state before them all.
pub const INIT: &str = "init";

/// A space that has no such system.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExplorationError {
    /// It could not be searched.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// It does not say whose steps are whose.
    #[error("this model does not say which process takes a step, so no process can be looked at alone")]
    Nobody,
}

/// Explores a space, with the steps of one process alone visible if one is named; or says which limit it is larger than. The states
/// have the numbers of the list; a state before several initial ones comes behind them.
pub fn explore(
    space: &dyn Space,
    only: Option<Pid>,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Result<(Lts, StateList), Limit>, ExplorationError> {
    if only.is_some() && space.action_labels().is_none() {
        return Err(ExplorationError::Nobody);
    }
    let (mut labels, mut starts, mut edges) = (LabelTable::new(), vec![0usize], Vec::<LtsEdge>::new());
    let mut tell = |row: &[Id], steps: &[(Action, u32)]| {
        let first = edges.len();
        for &(action, to) in steps {
            edges.push(LtsEdge { label: labels.number(&label(space, only, row, action)), to });
        }
        edges[first..].sort_unstable();
        // What is left once of parallel steps stays where it is.
        let mut kept = first;
        for at in first..edges.len() {
            if kept == first || edges[kept - 1] != edges[at] {
                edges[kept] = edges[at];
                kept += 1;
            }
        }
        edges.truncate(kept);
        starts.push(kept);
    };
    let states = match list(space, search, callback, &mut tell)? {
        Ok(states) => states,
        Err(limit) => return Ok(Err(limit)),
    };
    let mut initial = 0;
    if states.initial() != 1 {
        let init = labels.number(INIT);
        initial = states.states();
        edges.extend((0..states.initial()).map(|to| LtsEdge { label: init, to }));
        starts.push(edges.len());
    }
    Ok(Ok((Lts::of_rows(initial, labels, starts, edges), states)))
}

/// The run of a space along some states of its system, each after the label that leads to it as it is seen; it is executed again by
/// the model.
pub fn replay(
    (space, states): (&dyn Space, &StateList),
    (only, view): (Option<Pid>, &LabelView),
    way: &[(u32, String)],
) -> Result<Trace, Mismatch> {
    let (mut path, mut before) = (StatePath::default(), None);
    // A state before several initial ones is none of the space.
    let own = way.iter().filter(|(state, _)| *state < states.states());
    for (step, (state, wanted)) in own.enumerate() {
        let row = states.row(*state);
        if let Some(before) = before.replace(row.clone()) {
            let action = successors(space, &before).into_iter().find_map(|(action, after)| {
                let seen = || view.of(&label(space, only, &before, action));
                (after == row && seen() == *wanted).then_some(action)
            });
            let missing = || Mismatch { step, why: format!("no step {wanted} leads to the next state") };
            path.actions.push(action.ok_or_else(missing)?);
        }
        path.rows.push(row);
    }
    space.replay(&path)
}

/// The label of a step, as data if the space has that, and else as a sentence.
fn label(space: &dyn Space, only: Option<Pid>, row: &[Id], action: Action) -> String {
    if only.is_some_and(|only| space.action_label(row, action).process != Some(only)) {
        return crate::TAU_TEXT.to_string();
    }
    match space.data_labels() {
        Some(labels) => labels.data_label(row, action).to_string(),
        None => space.label(row, action),
    }
}
