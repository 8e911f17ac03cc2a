//! The progress callback of a search may also stop the work on the graph that follows the search.

use crate::search::{Progress, ProgressCallback};
use crate::stop_signal::StopSignal;
use std::ops::ControlFlow;
use watchkeeper_logic::Limit;

/// The callback, and the signal that it or a limit has set.
pub(crate) struct Cancellation<'a> {
    callback: &'a dyn ProgressCallback,
    progress: Progress,
    stop: StopSignal<Limit>,
}

impl<'a> Cancellation<'a> {
    pub fn new(callback: &'a dyn ProgressCallback, progress: Progress) -> Cancellation<'a> {
        Cancellation { callback, progress, stop: StopSignal::new() }
    }

    /// Asks whether to stop; to be called every few thousand nodes.
    pub fn stopped(&self) -> bool {
        if !self.stop.is_set()
            && let ControlFlow::Break(limit) = self.callback.on_progress(&self.progress)
        {
            self.stop.set(limit);
        }
        self.stop.is_set()
    }

    /// Stops the work for a reason that the callback does not know.
    pub fn give_up(&self, reason: Limit) {
        self.stop.set(reason);
    }

    /// The reason, if the work was stopped.
    pub fn limit(&self) -> Option<Limit> {
        self.stop.reason()
    }
}
