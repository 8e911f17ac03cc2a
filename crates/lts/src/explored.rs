//! The labelled transition system of a space: all its states and steps, with the labels of the steps.

use crate::labels::{LabelTable, LabelView};
use crate::lts::{Edge, Lts};
use thiserror::Error;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, StateList, list};
use watchkeeper_logic::Limit;
use watchkeeper_space::{Action, Id, Mismatch, Pid, Space, StatePath, Trace, successors};

/// The label of the steps to several initial states, from a state before them all.
pub const INIT: &str = "init";

/// A system with the space that it was made from.
pub struct ExploredLts {
    /// The system. State 0 is the initial one.
    pub lts: Lts,
    /// A cap of the model that cut steps away, if one did.
    pub cut: Option<Limit>,
    space: Box<dyn Space>,
    only: Option<Pid>,
    states: StateList,
}

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

impl ExploredLts {
    /// Explores a space, with the steps of one process alone visible if one is named; or says which limit it is larger than.
    pub fn of(
        space: Box<dyn Space>,
        only: Option<Pid>,
        search: &Search,
        callback: &dyn ProgressCallback,
    ) -> Result<Result<ExploredLts, Limit>, ExplorationError> {
        if only.is_some() && space.action_labels().is_none() {
            return Err(ExplorationError::Nobody);
        }
        let (mut labels, mut starts, mut edges) = (LabelTable::new(), vec![0usize], Vec::<Edge>::new());
        let mut tell = |row: &[Id], steps: &[(Action, u32)]| {
            let first = edges.len();
            for &(action, to) in steps {
                edges.push(Edge { label: labels.number(&label(&*space, only, row, action)), to });
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
        let states = match list(&*space, search, callback, &mut tell)? {
            Ok(states) => states,
            Err(limit) => return Ok(Err(limit)),
        };
        let mut initial = 0;
        if states.initial() != 1 {
            // One state before all of them. It comes last here, so that states keep their numbers, and first below.
            let init = labels.number(INIT);
            initial = states.states();
            edges.extend((0..states.initial()).map(|to| Edge { label: init, to }));
            starts.push(edges.len());
        }
        let lts = Lts::of_rows(initial, labels, starts, edges);
        let cut = states.cut.clone();
        Ok(Ok(ExploredLts { lts, cut, space, only, states }))
    }

    /// The space.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// The run of the space along some states of the system, each after the label that leads to it as it is seen; it is executed
    /// again by the model.
    pub fn replay(&self, way: &[(u32, String)], view: &LabelView) -> Result<Trace, Mismatch> {
        let (mut path, mut before) = (StatePath::default(), None);
        // A state before several initial ones is none of the space.
        let own = way.iter().filter(|(state, _)| *state < self.states.states());
        for (step, (state, wanted)) in own.enumerate() {
            let row = self.states.row(*state);
            if let Some(before) = before.replace(row.clone()) {
                let action = successors(&*self.space, &before).into_iter().find_map(|(action, after)| {
                    let seen = || view.of(&label(&*self.space, self.only, &before, action));
                    (after == row && seen() == *wanted).then_some(action)
                });
                let missing = || Mismatch { step, why: format!("no step {wanted} leads to the next state") };
                path.actions.push(action.ok_or_else(missing)?);
            }
            path.rows.push(row);
        }
        self.space.replay(&path)
    }
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
