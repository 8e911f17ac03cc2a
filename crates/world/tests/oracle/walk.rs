//! The plainest search over rows.

use std::collections::{BTreeMap, HashSet};
use watchkeeper_space::{Action, Id, Space, successors};

/// A step between two rows.
pub type Edge = (Vec<Id>, Action, Vec<Id>);

/// All rows that can be reached, and all steps between them.
pub fn whole<S: Space>(space: &S) -> (Vec<Vec<Id>>, Vec<Edge>) {
    let mut rows = space.initial();
    let mut known: HashSet<Vec<Id>> = rows.iter().cloned().collect();
    let (mut edges, mut at) = (Vec::new(), 0);
    while at < rows.len() {
        let row = rows[at].clone();
        for (action, next) in successors(space, &row) {
            if known.insert(next.clone()) {
                rows.push(next.clone());
            }
            edges.push((row.clone(), action, next));
        }
        at += 1;
    }
    (rows, edges)
}

/// How many states there are, and how many steps of each class.
pub fn counted<S: Space>(space: &S) -> (usize, BTreeMap<String, usize>) {
    let (rows, edges) = whole(space);
    let mut classes = BTreeMap::new();
    for (_, action, _) in &edges {
        *classes.entry(class(space, *action).to_string()).or_default() += 1;
    }
    (rows.len(), classes)
}

/// The name of the class of an action.
pub fn class<S: Space>(space: &S, action: Action) -> &str {
    &space.shape().classes[usize::from(action.class())].name
}

/// The steps of these labels, one after the other, from the first initial row on.
pub fn follow<S: Space>(space: &S, labels: &[&str]) -> watchkeeper_space::StatePath {
    let mut trail =
        watchkeeper_space::StatePath { rows: vec![space.initial().remove(0)], actions: Vec::new() };
    for label in labels {
        let row = trail.rows.last().expect("there is a start").clone();
        let next = successors(space, &row);
        let offered: Vec<String> = next.iter().map(|(action, _)| space.label(&row, *action)).collect();
        let at = offered.iter().position(|offer| offer == label);
        let (action, after) = &next[at.unwrap_or_else(|| panic!("no `{label}` among {offered:?}"))];
        trail.actions.push(*action);
        trail.rows.push(after.clone());
    }
    trail
}
