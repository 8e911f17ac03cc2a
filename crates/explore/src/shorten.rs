//! Shorter counterexamples. A random run is long: this cuts out its loops, and then searches around each of its states,
//! within a budget, for a shorter way to a later state or to a violation of the same property.

use crate::state_checker::{BadState, StateChecker};
use std::collections::{HashMap, HashSet};
use watchkeeper_logic::Question;
use watchkeeper_space::{Id, Space, Steps, steps};

/// States looked at around one state of the path.
const AROUND: usize = 4000;
/// States looked at altogether.
const BUDGET: usize = 1_000_000;

/// A path that ends in a violation of the same property, and is not longer.
pub(crate) fn shorten(
    space: &dyn Space,
    question: &Question,
    bad: &BadState,
    path: Vec<Vec<Id>>,
) -> Vec<Vec<Id>> {
    let mut path = without_loops(path);
    let (mut budget, mut around) = (BUDGET, AROUND);
    while budget > 0 {
        let before = path.len();
        let mut from = 0;
        while from + 2 < path.len() && budget > 0 {
            let look = Look { space, question, bad, most: around.min(budget) };
            let (shorter, looked) = look.from(&path, from);
            budget -= looked.min(budget);
            if let Some(shorter) = shorter {
                path = without_loops(shorter);
            }
            from += 1;
        }
        if path.len() == before {
            if around >= budget {
                break;
            }
            around *= 4;
        }
    }
    path
}

fn without_loops(path: Vec<Vec<Id>>) -> Vec<Vec<Id>> {
    let mut last: HashMap<&[Id], usize> = HashMap::new();
    for (i, row) in path.iter().enumerate() {
        last.insert(row, i);
    }
    let mut kept = Vec::new();
    let mut i = 0;
    while i < path.len() {
        i = last[path[i].as_slice()];
        kept.push(i);
        i += 1;
    }
    kept.into_iter().map(|i| path[i].clone()).collect()
}

/// A look around one state of a path.
struct Look<'a> {
    space: &'a dyn Space,
    question: &'a Question,
    bad: &'a BadState,
    most: usize,
}

impl Look<'_> {
    /// A shorter path through a shortcut that begins at `path[from]`, and the number of states looked at.
    fn from(&self, path: &[Vec<Id>], from: usize) -> (Option<Vec<Vec<Id>>>, usize) {
        let ahead: HashMap<&[Id], usize> =
            path.iter().enumerate().skip(from + 1).map(|(i, row)| (row.as_slice(), i)).collect();
        let end = path.len() - 1;
        let mut rows = vec![path[from].clone()];
        let mut back = vec![(0usize, 0usize)];
        let mut known: HashSet<Vec<Id>> = HashSet::from([path[from].clone()]);
        // The best so far: steps saved, place in `rows`, and where the old path goes on.
        let mut best: Option<(usize, usize, usize)> = None;
        let mut at = 0;
        while at < rows.len() && at < self.most {
            let depth = back[at].1;
            if depth >= end - from {
                break;
            }
            let row = rows[at].clone();
            let mut checker = StateChecker::new(self.space, self.question);
            let Steps { next, stuck, .. } = steps(self.space, &row);
            checker.state(&row);
            if stuck {
                checker.stuck(&row);
            }
            if checker.violation.is_some_and(|bad| bad.is_like(self.bad)) {
                let saved = end - from - depth;
                if best.is_none_or(|(most, ..)| saved > most) {
                    best = Some((saved, at, end));
                }
                break;
            }
            for (_, next) in next {
                if known.contains(&next) {
                    continue;
                }
                if let Some(&j) = ahead.get(next.as_slice()) {
                    let saved = (j - from).saturating_sub(depth + 1);
                    if saved > 0 && best.is_none_or(|(most, ..)| saved > most) {
                        best = Some((saved, rows.len(), j));
                    }
                }
                known.insert(next.clone());
                rows.push(next);
                back.push((at, depth + 1));
            }
            at += 1;
        }
        let shorter = best.filter(|(saved, ..)| *saved > 0).map(|(_, mut place, goes_on)| {
            let mut detour = Vec::new();
            while place != 0 {
                detour.push(rows[place].clone());
                place = back[place].0;
            }
            detour.reverse();
            [&path[..=from], &detour, &path[goes_on + 1..]].concat()
        });
        (shorter, at.max(1))
    }
}
