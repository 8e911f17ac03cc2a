//! The signal that stops all threads of a search. The first reason counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A signal that any thread may set, with its reason.
pub(crate) struct StopSignal<T> {
    set: AtomicBool,
    reason: Mutex<Option<T>>,
}

impl<T: Clone> StopSignal<T> {
    /// Not set.
    pub fn new() -> StopSignal<T> {
        StopSignal { set: AtomicBool::new(false), reason: Mutex::new(None) }
    }

    /// Stops all threads.
    #[cold]
    pub fn set(&self, reason: T) {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.set.store(true, Ordering::Relaxed);
    }

    /// Whether a thread has set it.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// The first reason, if it is set.
    pub fn reason(&self) -> Option<T> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
