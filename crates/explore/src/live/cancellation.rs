//! Whoever watches a search also watches what is done with the graph afterwards, and may stop that too.

use crate::search::{Progress, ProgressCallback};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_logic::Limit;

/// The callback, and what it has said.
pub(crate) struct Cancellation<'a> {
    callback: &'a dyn ProgressCallback,
    progress: Progress,
    stop: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl<'a> Cancellation<'a> {
    pub fn new(callback: &'a dyn ProgressCallback, progress: Progress) -> Cancellation<'a> {
        Cancellation { callback, progress, stop: AtomicBool::new(false), limit: Mutex::new(None) }
    }

    /// Asks whether to stop; to be called every few thousand nodes.
    pub fn stopped(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        match self.callback.on_progress(&self.progress) {
            ControlFlow::Continue(()) => false,
            ControlFlow::Break(limit) => {
                self.limit.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(limit);
                self.stop.store(true, Ordering::Relaxed);
                true
            }
        }
    }

    /// Stops everything, for a reason that the watch does not know.
    pub fn give_up(&self, why: Limit) {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why it was stopped, if it was.
    pub fn limit(&self) -> Option<Limit> {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
