//! A path of a search, executed again by a second account of the model. Every row is compared, and a path that the
//! second account cannot follow is refused; nothing is repaired. No code of the search is used.

use watchkeeper_space::{Action, Id, Mismatch, StatePath, Step};

/// The steps of a path. `start` is the row in which the second account begins; `follow` takes the step that an action
/// names, if it is possible, and gives the row after it.
pub(crate) fn retell(
    path: &StatePath,
    start: &[Id],
    mut follow: impl FnMut(Action) -> Option<(Vec<Id>, Step)>,
) -> Result<Vec<Step>, Mismatch> {
    let differs = |step, why: &str| Err(Mismatch { step, why: why.to_string() });
    if path.rows.len() != path.actions.len() + 1 {
        return differs(0, "a path needs one state more than actions");
    }
    if path.rows[0] != start {
        return differs(0, "the model begins in another state");
    }
    let mut steps = Vec::with_capacity(path.actions.len());
    for (i, (&action, expected)) in path.actions.iter().zip(&path.rows[1..]).enumerate() {
        let Some((row, step)) = follow(action) else {
            return differs(i + 1, "the action is not possible in the state before");
        };
        if row != *expected {
            return differs(i + 1, "the action leads to another state");
        }
        steps.push(step);
    }
    Ok(steps)
}
