//! The cells of a sweep, searched side by side: each search has one thread, and each thread takes the next
//! cell that nobody has. The timeout callback stops every worker, and the finished cells are kept.

use super::grid::SweepGrid;
use crate::again;
use crate::clock::{ProgressScreen, Showing, is_over};
use crate::raw_settings::RawSettings;
use crate::registry::ProtocolEntry;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use watchkeeper::ask::known_bounds;
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::{Deadline, SearchOptions};
use watchkeeper::{JointSearch, Problem};
use watchkeeper_explore::{Progress, ProgressCallback};
use watchkeeper_logic::{Limit, Verdict};
use watchkeeper_report::duration;

/// A cell that was searched: a verdict for each property, and the command that checks all of them.
#[derive(Clone, Debug)]
pub(crate) struct SweepCell {
    pub(crate) command: String,
    pub(crate) verdicts: Vec<(Verdict, f64)>,
}

/// What became of a cell.
#[derive(Clone, Debug)]
pub(crate) enum CellOutcome {
    /// There is no such configuration.
    Impossible(Problem),
    /// It was searched, perhaps not to the end.
    Searched(SweepCell),
    /// The sweep ended before its turn came.
    Left,
}

/// Looks at the clock for all searches of a sweep.
pub(crate) struct SweepProgress {
    deadline: Deadline,
    screen: ProgressScreen,
    total: usize,
    done: AtomicUsize,
}

impl SweepProgress {
    /// A progress over so many cells, from now on.
    pub(crate) fn over(total: usize, timeout: Option<TimeSpan>, showing: Showing) -> SweepProgress {
        let (deadline, screen) = (Deadline::new(timeout), ProgressScreen::new(showing));
        SweepProgress { deadline, screen, total, done: AtomicUsize::new(0) }
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

impl ProgressCallback for SweepProgress {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        self.show();
        is_over(&self.deadline).map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}

/// Searches one cell, property by property.
fn searched(
    entry: &ProtocolEntry,
    program: &str,
    texts: &RawSettings,
    options: &SearchOptions,
    progress: &SweepProgress,
) -> Result<SweepCell, Problem> {
    let plan = entry.protocol.plan(&texts.read()?)?;
    known_bounds(&plan, "sweep")?;
    let command = again::check(program, entry.outline(), &plan, options);
    let mut cell = SweepCell { command, verdicts: Vec::new() };
    for query in entry.protocol.pose(&plan, JointSearch::Never)? {
        let began = progress.seconds();
        let verdict = query.answer(&plan.report_options, options, progress)?;
        cell.verdicts.push((verdict, progress.seconds() - began));
    }
    Ok(cell)
}

/// Searches all cells of a grid. A mistake of this program ends the sweep; a cell that is no configuration
/// does not.
pub(crate) fn search(
    entry: &ProtocolEntry,
    program: &str,
    grid: &SweepGrid,
    options: &SearchOptions,
    progress: &SweepProgress,
) -> Result<Vec<CellOutcome>, Problem> {
    let threads = options.search.workers.clamp(1, grid.len().max(1));
    let share = options.share(threads);
    let next = AtomicUsize::new(0);
    let broken = Mutex::new(None);
    let found: Mutex<Vec<CellOutcome>> = Mutex::new(vec![CellOutcome::Left; grid.len()]);
    let work = || {
        loop {
            let cell = next.fetch_add(1, Ordering::Relaxed);
            let ended = broken.lock().is_ok_and(|broken| broken.is_some());
            if cell >= grid.len() || ended || is_over(&progress.deadline).is_some() {
                return;
            }
            let fate = match searched(entry, program, &grid.settings(cell), &share, progress) {
                Ok(searched) => CellOutcome::Searched(searched),
                Err(problem @ Problem::Explore(_)) => {
                    if let Ok(mut broken) = broken.lock() {
                        broken.get_or_insert(problem);
                    }
                    return;
                }
                Err(problem) => CellOutcome::Impossible(problem),
            };
            if let Ok(mut found) = found.lock() {
                found[cell] = fate;
            }
            progress.done.fetch_add(1, Ordering::Relaxed);
            progress.show();
        }
    };
    std::thread::scope(|scope| {
        // Where the system gives no thread, fewer do the work, and if need be this one.
        let begun = (0..threads).filter(|_| std::thread::Builder::new().spawn_scoped(scope, work).is_ok());
        if begun.count() == 0 {
            work();
        }
    });
    progress.screen.finish();
    match broken.into_inner() {
        Ok(Some(problem)) => Err(problem),
        _ => Ok(found.into_inner().unwrap_or_default()),
    }
}
