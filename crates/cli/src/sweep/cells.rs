//! The cells of a sweep, searched side by side: each search has one thread, and each thread takes the next
//! cell that nobody has. Whoever watches the time ends them all, and what is done is kept.

use super::grid::Grid;
use crate::again;
use crate::clock::Showing;
use crate::interrupt;
use crate::outputs::to_stderr;
use crate::registry::Entry;
use crate::texts::Texts;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use watchkeeper::Together;
use watchkeeper::ask::known_bounds;
use watchkeeper::effort::Effort;
use watchkeeper::problem::Problem;
use watchkeeper::quantities::Span;
use watchkeeper_explore::{Flow, Progress, Watch};
use watchkeeper_logic::{Limit, Verdict};
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
pub(crate) struct Watchman<'a> {
    start: Instant,
    timeout: Option<&'a Span>,
    showing: Showing,
    total: usize,
    done: AtomicUsize,
    shown: Mutex<(Instant, bool)>,
}

impl<'a> Watchman<'a> {
    /// A watchman over so many cells, from now on.
    pub(crate) fn over(total: usize, timeout: Option<&'a Span>, showing: Showing) -> Watchman<'a> {
        let start = Instant::now();
        let done = AtomicUsize::new(0);
        Watchman { start, timeout, showing, total, done, shown: Mutex::new((start, false)) }
    }

    /// The seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Wipes the line of progress away, so that a report can begin at its place.
    pub(crate) fn finish(&self) {
        if let (Showing::InPlace, Ok(shown)) = (self.showing, self.shown.lock())
            && shown.1
        {
            to_stderr("\r\x1b[K");
        }
    }

    fn is_over(&self) -> Option<Limit> {
        if interrupt::asked() {
            return Some(Limit::Interrupted);
        }
        let timeout = self.timeout.filter(|timeout| self.start.elapsed() >= timeout.0)?;
        Some(Limit::Time(timeout.to_string()))
    }

    fn show(&self) {
        if self.showing == Showing::Nothing {
            return;
        }
        // Whoever comes while another thread is drawing has nothing to add.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let pause = match self.showing {
            Showing::InPlace => Duration::from_millis(200),
            _ => Duration::from_secs(10),
        };
        if shown.0.elapsed() < pause {
            return;
        }
        let line = format!(
            "{} of {} cells after {}",
            self.done.load(Ordering::Relaxed),
            self.total,
            duration(self.seconds())
        );
        match self.showing {
            Showing::InPlace => to_stderr(&format!("\r\x1b[K{line}")),
            _ => to_stderr(&format!("{line}\n")),
        }
        *shown = (Instant::now(), true);
    }
}

impl Watch for Watchman<'_> {
    fn look(&self, _: &Progress) -> Flow {
        self.show();
        self.is_over().map_or(Flow::Continue, Flow::Stop)
    }
}

/// Searches one cell, property by property.
fn searched(
    entry: &Entry,
    program: &str,
    texts: &Texts,
    effort: &Effort,
    watchman: &Watchman<'_>,
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
    watchman: &Watchman<'_>,
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
            if cell >= grid.len() || ended || watchman.is_over().is_some() {
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
    watchman.finish();
    match broken.into_inner() {
        Ok(Some(problem)) => Err(problem),
        _ => Ok(found.into_inner().unwrap_or_default()),
    }
}
