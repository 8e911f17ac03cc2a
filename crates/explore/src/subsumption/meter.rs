//! The progress and the memory of a search, shared by its workers, and the one place where its stop signal is set.

use crate::search::{Progress, ProgressCallback};
use crate::stop_signal::StopSignal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_logic::Limit;

/// Counters of a search.
pub(super) struct Meter<'a> {
    callback: &'a dyn ProgressCallback,
    max_bytes: Option<u64>,
    /// Bytes of the store, the nodes and the batches.
    held: AtomicU64,
    peak: AtomicU64,
    /// Zones stored.
    pub stored: AtomicU64,
    pub transitions: AtomicU64,
    /// Zones that are still to be expanded at this depth.
    pub queue: AtomicU64,
    pub depth: AtomicU64,
    pub stop: StopSignal<Limit>,
}

impl<'a> Meter<'a> {
    /// Nothing done.
    pub fn new(callback: &'a dyn ProgressCallback, max_bytes: Option<u64>) -> Meter<'a> {
        let zero = || AtomicU64::new(0);
        Meter {
            callback,
            max_bytes,
            held: zero(),
            peak: zero(),
            stored: zero(),
            transitions: zero(),
            queue: zero(),
            depth: zero(),
            stop: StopSignal::new(),
        }
    }

    /// The most bytes held at any time.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Reports that a part of the search holds `after` bytes and no longer `before`.
    pub fn holds(&self, before: usize, after: usize) {
        // Two steps of a sum that wraps and comes back.
        self.held.fetch_add((after as u64).wrapping_sub(before as u64), Ordering::Relaxed);
    }

    /// Checks whether there is memory for `more` bytes beside the held ones and the `space`, and calls the callback; stops the
    /// search if either says so.
    pub fn look(&self, space: usize, more: usize) {
        let bytes = self.held.load(Ordering::Relaxed) + space as u64;
        self.peak.fetch_max(bytes, Ordering::Relaxed);
        if let Some(most) = self.max_bytes.filter(|&most| bytes + more as u64 > most) {
            self.stop.set(Limit::Memory(most));
        }
        let progress = Progress {
            distinct_states: self.stored.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            queue: self.queue.load(Ordering::Relaxed),
            bytes,
        };
        if let ControlFlow::Break(limit) = self.callback.on_progress(&progress) {
            self.stop.set(limit);
        }
    }
}
