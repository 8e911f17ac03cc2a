//! The one who looks at the clock while an engine searches: ends a search whose time is up or whose user
//! has had enough, and shows how far it is. A search without a watcher would never learn what time it is.

use crate::interrupt;
use crate::outputs::to_stderr;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use watchkeeper::quantities::Span;
use watchkeeper_explore::{Flow, Progress, Watch};
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
}

impl Showing {
    /// What suits standard error.
    pub(crate) fn fitting(quiet: bool) -> Showing {
        match quiet {
            true => Showing::Nothing,
            false if std::io::stderr().is_terminal() => Showing::InPlace,
            false => Showing::Lines,
        }
    }

    fn pause(self) -> Duration {
        match self {
            Showing::InPlace => Duration::from_millis(500),
            _ => Duration::from_secs(10),
        }
    }
}

/// Watches a search.
pub(crate) struct Clock {
    start: Instant,
    timeout: Option<Span>,
    showing: Showing,
    shown: Mutex<Shown>,
}

/// What was shown last.
struct Shown {
    at: Instant,
    states: u64,
    anything: bool,
}

impl Clock {
    /// A clock that starts now.
    pub(crate) fn start(timeout: Option<Span>, showing: Showing) -> Clock {
        let start = Instant::now();
        Clock { start, timeout, showing, shown: Mutex::new(Shown { at: start, states: 0, anything: false }) }
    }

    /// The seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Wipes the line of progress away, so that a report can begin at its place.
    pub(crate) fn finish(&self) {
        if let (Showing::InPlace, Ok(shown)) = (self.showing, self.shown.lock())
            && shown.anything
        {
            to_stderr("\r\x1b[K");
        }
    }

    fn show(&self, progress: &Progress) {
        // Whoever comes while another thread is drawing has nothing to add.
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let now = Instant::now();
        let passed = now.duration_since(shown.at);
        if passed < self.showing.pause() {
            return;
        }
        let line = progress_line(&ProgressFigures {
            distinct_states: progress.distinct_states,
            transitions: progress.transitions,
            depth: progress.depth,
            queue: progress.queue,
            bytes: progress.bytes,
            seconds: now.duration_since(self.start).as_secs_f64(),
            rate: progress.distinct_states.saturating_sub(shown.states) as f64 / passed.as_secs_f64(),
        });
        match self.showing {
            Showing::InPlace => to_stderr(&format!("\r\x1b[K{line}")),
            _ => to_stderr(&format!("{line}\n")),
        }
        *shown = Shown { at: now, states: progress.distinct_states, anything: true };
    }
}

impl Watch for Clock {
    fn look(&self, progress: &Progress) -> Flow {
        if interrupt::asked() {
            return Flow::Stop(Limit::Interrupted);
        }
        if let Some(timeout) = self.timeout
            && self.start.elapsed() >= timeout.0
        {
            return Flow::Stop(Limit::Time(timeout.to_string()));
        }
        if self.showing != Showing::Nothing {
            self.show(progress);
        }
        Flow::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_whose_time_is_up_is_stopped_with_the_time_as_it_was_written() {
        let flow = |timeout| Clock::start(timeout, Showing::Nothing).look(&Progress::default());
        assert_eq!(flow(None), Flow::Continue);
        assert_eq!(flow(Some(Span(Duration::ZERO))), Flow::Stop(Limit::Time("0h".to_string())));
        assert_eq!(flow(Some(Span(Duration::from_secs(3600)))), Flow::Continue);
    }
}
