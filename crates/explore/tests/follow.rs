//! Runs that are told step by step, in a space without any structure: what was walked is found again, and who gives up is
//! told what was found until then.

mod toy;

use std::cell::Cell;
use toy::Toy;
use watchkeeper_explore::{ToldRun, follow};
use watchkeeper_space::{Action, Id, Space, StatePath, name_steps, successors};

/// A run of which the rows are told, or nothing but how many steps it has.
struct Told {
    rows: Vec<Vec<Id>>,
    exact: bool,
    /// How often it may still be asked whether to go on.
    patience: Cell<usize>,
}

impl ToldRun for Told {
    fn steps(&self) -> usize {
        self.rows.len() - 1
    }

    fn begins(&self, row: &[Id]) -> bool {
        row == self.rows[0]
    }

    fn takes(&self, step: usize, _: &[Id], _: Action, to: &[Id]) -> bool {
        !self.exact || to == self.rows[step + 1]
    }

    fn goes_on(&self) -> bool {
        self.patience.replace(self.patience.get().saturating_sub(1)) > 0
    }
}

/// A walk of so many steps that takes another way each time.
fn walked(space: &dyn Space, steps: usize) -> Vec<Vec<Id>> {
    let mut rows = vec![space.initial().remove(0)];
    for step in 0..steps {
        let mut next = successors(space, &rows[step]);
        let way = step % next.len();
        rows.push(next.swap_remove(way).1);
    }
    rows
}

fn told(space: &dyn Space, exact: bool, patience: usize) -> Told {
    Told { rows: walked(space, 30), exact, patience: Cell::new(patience) }
}

fn is_a_run(space: &dyn Space, path: &StatePath) {
    assert!(space.initial().contains(&path.rows[0]));
    name_steps(space, &path.rows).expect("a run of the space");
}

#[test]
fn a_walk_is_found_again() {
    let space = Toy::new(4, 9, 5, 7);
    let run = told(&space, true, usize::MAX);
    let found = follow(&space, &run);
    let path = found.path.expect("a run");
    is_a_run(&space, &path);
    assert_eq!((path.rows, found.found, found.whole), (run.rows, 30, true));
}

#[test]
fn who_gives_up_is_told_what_was_found_until_then() {
    let space = Toy::new(4, 9, 5, 7);
    let mut last = 0;
    for patience in [0, 1, 10, 100, 1000] {
        let found = follow(&space, &told(&space, false, patience));
        let path = found.path.expect("the beginning at least");
        is_a_run(&space, &path);
        assert_eq!(path.rows.len(), found.found + 1);
        assert!(!found.whole && (last..30).contains(&found.found), "{} of 30 steps", found.found);
        last = found.found;
    }
    assert!(last > 0, "a thousand questions are worth a step");
}
