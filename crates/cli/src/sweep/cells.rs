//! The cells of a sweep, searched side by side: each search has one thread, and each thread takes the next
//! cell that nobody has. Whoever watches the time ends them all, and what is done is kept.

use super::grid::Grid;
use crate::again;
use crate::clock::{Screen, Showing, is_over};
use crate::registry::Entry;
use crate::texts::Texts;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use watchkeeper::ask::known_bounds;
use watchkeeper::effort::{Deadline, Effort};
use watchkeeper::quantities::Span;
use watchkeeper::{Problem, Together};
use watchkeeper_explore::{Flow, Progress, Watch};
use watchkeeper_logic::Verdict;
use watchkeeper_report::duration;

/// A cell that was searched: a verdict for each property, and the command that checks all of them.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) command: String,
    pub(crate) verdicts: Vec<(Verdict, f64)>,
}

/// What became of a cell.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    /// There is no such configuration.
    Impossible(Problem),
    /// It was searched, perhaps not to the end.
    Searched(Cell),
    /// The sweep ended before its turn came.
    Left,
}

/// Looks at the clock for all searches of a sweep.
pub(crate) struct Watchman {
    deadline: Deadline,
    screen: Screen,
    total: usize,
    done: AtomicUsize,
}

impl Watchman {
    /// A watchman over so many cells, from now on.
    pub(crate) fn over(total: usize, timeout: Option<Span>, showing: Showing) -> Watchman {
        let (deadline, screen) = (Deadline::new(timeout), Screen::new(showing));
        Watchman { deadline, screen, total, done: AtomicUsize::new(0) }
    }

    /// The seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.deadline.seconds()
    }

    fn show(&self) {
        self.screen.draw(Duration::from_millis(200), |_| {
            let done = self.done.load(Ordering::Relaxed);
            format!("{done} of {} cells after {}", self.total, duration(self.seconds()))
        });
    }
}

impl Watch for Watchman {
    fn look(&self, _: &Progress) -> Flow {
        self.show();
        is_over(&self.deadline).map_or(Flow::Continue, Flow::Stop)
    }
}

/// Searches one cell, property by property.
fn searched(
    entry: &Entry,
    program: &str,
    texts: &Texts,
    effort: &Effort,
    watchman: &Watchman,
) -> Result<Cell, Problem> {
    let plan = entry.subject.plan(&texts.read()?)?;
    known_bounds(&plan, "sweep")?;
    let command = again::check(program, entry.outline(), &plan, effort);
    let mut cell = Cell { command, verdicts: Vec::new() };
    for inquiry in entry.subject.pose(&plan, Together::Never)? {
        let began = watchman.seconds();
        let verdict = inquiry.answer(&plan.manner, effort, watchman)?;
        cell.verdicts.push((verdict, watchman.seconds() - began));
    }
    Ok(cell)
}

/// Searches all cells of a grid. A mistake of this program ends the sweep; a cell that is no configuration
/// does not.
pub(crate) fn search(
    entry: &Entry,
    program: &str,
    grid: &Grid,
    effort: &Effort,
    watchman: &Watchman,
) -> Result<Vec<Fate>, Problem> {
    let threads = effort.search.workers.clamp(1, grid.len().max(1));
    let share = effort.share(threads);
    let next = AtomicUsize::new(0);
    let broken = Mutex::new(None);
    let found: Mutex<Vec<Fate>> = Mutex::new(vec![Fate::Left; grid.len()]);
    let work = || {
        loop {
            let cell = next.fetch_add(1, Ordering::Relaxed);
            let ended = broken.lock().is_ok_and(|broken| broken.is_some());
            if cell >= grid.len() || ended || is_over(&watchman.deadline).is_some() {
                return;
            }
            let fate = match searched(entry, program, &grid.settings(cell), &share, watchman) {
                Ok(searched) => Fate::Searched(searched),
                Err(problem @ Problem::Explore(_)) => {
                    if let Ok(mut broken) = broken.lock() {
                        broken.get_or_insert(problem);
                    }
                    return;
                }
                Err(problem) => Fate::Impossible(problem),
            };
            if let Ok(mut found) = found.lock() {
                found[cell] = fate;
            }
            watchman.done.fetch_add(1, Ordering::Relaxed);
            watchman.show();
        }
    };
    std::thread::scope(|scope| {
        // Where the system gives no thread, fewer do the work, and if need be this one.
        let begun = (0..threads).filter(|_| std::thread::Builder::new().spawn_scoped(scope, work).is_ok());
        if begun.count() == 0 {
            work();
        }
    });
    watchman.screen.finish();
    match broken.into_inner() {
        Ok(Some(problem)) => Err(problem),
        _ => Ok(found.into_inner().unwrap_or_default()),
    }
}
