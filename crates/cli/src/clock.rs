//! The one who looks at the clock while an engine searches: ends a search whose time is up or whose user
//! has had enough, and shows how far it is. A search without a watcher would never learn what time it is.

use crate::interrupt;
use crate::outputs::to_stderr;
use crate::page::child::PROGRESS;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use watchkeeper::quantities::TimeSpan;
use watchkeeper::search_options::Deadline;
use watchkeeper_explore::{Progress, ProgressCallback};
use watchkeeper_logic::Limit;
use watchkeeper_report::{ProgressFigures, progress_line};

/// How progress is shown on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Showing {
    /// Not at all.
    Nothing,
    /// As a line that is drawn again in its place.
    InPlace,
    /// As a line every ten seconds, for a log.
    Lines,
    /// As a marked line several times a second, for a page.
    Often,
}

impl Showing {
    /// What suits standard error.
    pub(crate) fn fitting(quiet: bool) -> Showing {
        match quiet {
            true => Showing::Nothing,
            false if std::env::var_os(PROGRESS).is_some() => Showing::Often,
            false if std::io::stderr().is_terminal() => Showing::InPlace,
            false => Showing::Lines,
        }
    }
}

/// The line of progress on standard error.
pub(crate) struct ProgressScreen {
    showing: Showing,
    /// When it was drawn last, and whether it ever was.
    shown: Mutex<(Instant, bool)>,
}

impl ProgressScreen {
    pub(crate) fn new(showing: Showing) -> ProgressScreen {
        ProgressScreen { showing, shown: Mutex::new((Instant::now(), false)) }
    }

    /// Draws a line, made of the time since the last one, unless that is too short a time ago.
    pub(crate) fn draw(&self, in_place: Duration, line: impl FnOnce(Duration) -> String) {
        let pause = match self.showing {
            Showing::Nothing => return,
            Showing::InPlace => in_place,
            Showing::Lines => Duration::from_secs(10),
            Showing::Often => Duration::from_millis(200),
        };
        // Whoever comes while another thread is drawing has nothing to add.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let passed = shown.0.elapsed();
        if passed < pause {
            return;
        }
        let line = line(passed);
        match self.showing {
            Showing::InPlace => to_stderr(&format!("\r\x1b[K{line}")),
            Showing::Often => to_stderr(&format!("progress: {line}\n")),
            _ => to_stderr(&format!("{line}\n")),
        }
        *shown = (Instant::now(), true);
    }

    /// Wipes the line away, so that a report can begin at its place.
    pub(crate) fn finish(&self) {
        if let (Showing::InPlace, Ok(shown)) = (self.showing, self.shown.lock())
            && shown.1
        {
            to_stderr("\r\x1b[K");
        }
    }
}

/// Why a search has to end now, if it has to.
pub(crate) fn is_over(deadline: &Deadline) -> Option<Limit> {
    if interrupt::asked() { Some(Limit::Interrupted) } else { deadline.passed() }
}

/// Watches a search.
pub(crate) struct Clock {
    deadline: Deadline,
    screen: ProgressScreen,
    /// How many states there were when progress was shown last.
    states: AtomicU64,
    /// The time between two checkpoints, and when the last one was due, in nanoseconds since the start.
    every: Option<TimeSpan>,
    checkpointed: AtomicU64,
}

impl Clock {
    /// A clock that starts now.
    pub(crate) fn start(timeout: Option<TimeSpan>, showing: Showing) -> Clock {
        Clock {
            deadline: Deadline::new(timeout),
            screen: ProgressScreen::new(showing),
            states: AtomicU64::new(0),
            every: None,
            checkpointed: AtomicU64::new(0),
        }
    }

    /// The same clock, by which a checkpoint is due every so often.
    pub(crate) fn with_checkpoints(self, every: Option<TimeSpan>) -> Clock {
        Clock { every, ..self }
    }

    /// The seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.deadline.seconds()
    }

    /// Wipes the line of progress away, so that a report can begin at its place.
    pub(crate) fn finish(&self) {
        self.screen.finish();
    }
}

impl ProgressCallback for Clock {
    fn on_progress(&self, progress: &Progress) -> ControlFlow<Limit> {
        if let Some(limit) = is_over(&self.deadline) {
            return ControlFlow::Break(limit);
        }
        self.screen.draw(Duration::from_millis(500), |passed| {
            let Progress { distinct_states, transitions, depth, queue, bytes } = *progress;
            let before = self.states.swap(distinct_states, Ordering::Relaxed);
            let rate = distinct_states.saturating_sub(before) as f64 / passed.as_secs_f64();
            let seconds = self.seconds();
            progress_line(&ProgressFigures {
                distinct_states,
                transitions,
                depth,
                queue,
                bytes,
                seconds,
                rate,
            })
        });
        ControlFlow::Continue(())
    }

    fn checkpoint_due(&self) -> bool {
        let Some(every) = self.every else { return false };
        let (now, last) = ((self.seconds() * 1e9) as u64, self.checkpointed.load(Ordering::Relaxed));
        let due = u128::from(now.saturating_sub(last)) >= every.0.as_nanos();
        // Of several threads one is told.
        due && self.checkpointed.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_whose_time_is_up_is_stopped_with_the_time_as_it_was_written() {
        let flow = |timeout| Clock::start(timeout, Showing::Nothing).on_progress(&Progress::default());
        assert_eq!(flow(None), ControlFlow::Continue(()));
        assert_eq!(flow(Some(TimeSpan(Duration::ZERO))), ControlFlow::Break(Limit::Time("0h".to_string())));
        assert_eq!(flow(Some(TimeSpan(Duration::from_secs(3600)))), ControlFlow::Continue(()));
    }
}
