//! A run that somebody tells step by step, found in a space: a counterexample read from a file, a recorded run, a list
//! of actions in a test. What is told may fit several steps, so all states that it may have led to are kept, and a run
//! departs where none of them goes on.

use std::collections::HashSet;
use watchkeeper_space::{Action, Id, Space, StatePath, successors};

/// What is told of a run, as tests on states and steps.
pub trait ToldRun {
    /// The number of its steps.
    fn steps(&self) -> usize;

    /// Whether it may begin in this initial row.
    fn begins(&self, row: &[Id]) -> bool;

    /// Whether this may be its step of this number, counted from 0.
    fn takes(&self, step: usize, from: &[Id], action: Action, to: &[Id]) -> bool;

    /// Whether this may be its step, where no step is one for certain: what is told of an action may say more than a
    /// single state knows.
    fn may_take(&self, _step: usize, _from: &[Id], _action: Action, _to: &[Id]) -> bool {
        false
    }

    /// Whether to go on: the space of a run that a stranger tells may be too large for anybody to wait. A run that was given
    /// up is told up to there, as one that departs.
    fn goes_on(&self) -> bool {
        true
    }
}

/// A run in the space that is what was told, or the longest beginning of it that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedRun {
    /// The run, as far as the space has it; `None` if no initial row is the one that was told.
    pub path: Option<StatePath>,
    /// The number of steps that were found.
    pub found: usize,
    /// Whether that is all of them.
    pub whole: bool,
}

/// A row that a told run may have reached: the place of its predecessor among those of the step before, and the action.
struct Reached {
    row: Vec<Id>,
    from: usize,
    action: Option<Action>,
}

/// Finds a told run in a space.
pub fn follow(space: &dyn Space, told: &dyn ToldRun) -> FollowedRun {
    let begin = |row: Vec<Id>| Reached { row, from: 0, action: None };
    let starts: Vec<Reached> =
        space.initial().into_iter().filter(|row| told.begins(row)).map(begin).collect();
    if starts.is_empty() {
        return FollowedRun { path: None, found: 0, whole: false };
    }
    let mut layers = vec![starts];
    for step in 0..told.steps() {
        let layer = &layers[step];
        let mut next = reached(space, told, layer, |from, action, to| told.takes(step, from, action, to));
        if next.is_empty() {
            next = reached(space, told, layer, |from, action, to| told.may_take(step, from, action, to));
        }
        if next.is_empty() || !told.goes_on() {
            return FollowedRun { path: Some(path(&layers)), found: step, whole: false };
        }
        layers.push(next);
    }
    FollowedRun { path: Some(path(&layers)), found: told.steps(), whole: true }
}

/// The rows that some steps lead to, each once.
fn reached(
    space: &dyn Space,
    told: &dyn ToldRun,
    layer: &[Reached],
    takes: impl Fn(&[Id], Action, &[Id]) -> bool,
) -> Vec<Reached> {
    let (mut next, mut known) = (Vec::new(), HashSet::new());
    for (from, before) in layer.iter().enumerate().take_while(|_| told.goes_on()) {
        for (action, row) in successors(space, &before.row) {
            if takes(&before.row, action, &row) && known.insert(row.clone()) {
                next.push(Reached { row, from, action: Some(action) });
            }
        }
    }
    next
}

/// A path through the layers, from its end.
fn path(layers: &[Vec<Reached>]) -> StatePath {
    let (mut rows, mut actions, mut at) = (Vec::new(), Vec::new(), 0);
    for layer in layers.iter().rev() {
        let reached = &layer[at];
        rows.push(reached.row.clone());
        actions.extend(reached.action);
        at = reached.from;
    }
    rows.reverse();
    actions.reverse();
    StatePath { rows, actions }
}
