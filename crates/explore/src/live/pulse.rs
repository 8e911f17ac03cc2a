//! Whoever watches a search also watches what is done with the graph afterwards, and may stop that too.

use crate::search::{Flow, Progress, Watch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_logic::Limit;

/// The watch, and what it has said.
pub(crate) struct Pulse<'a> {
    watch: &'a dyn Watch,
    progress: Progress,
    stop: AtomicBool,
    limit: Mutex<Option<Limit>>,
}

impl<'a> Pulse<'a> {
    pub fn new(watch: &'a dyn Watch, progress: Progress) -> Pulse<'a> {
        Pulse { watch, progress, stop: AtomicBool::new(false), limit: Mutex::new(None) }
    }

    /// Asks whether to stop; to be called every few thousand nodes.
    pub fn stopped(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        match self.watch.look(&self.progress) {
            Flow::Continue => false,
            Flow::Stop(limit) => {
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
