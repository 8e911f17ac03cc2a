//! The limits of a comparison. Each piece of work is counted here, and the count says when to stop.

use super::events::EventTable;
use crate::{Progress, ProgressCallback, Search};
use std::ops::ControlFlow;
use watchkeeper_logic::Limit;

/// Pieces of work between two calls of the callback.
const PATIENCE: u64 = 1024;

/// The data that all parts of a comparison share.
pub(crate) struct Comparing<'a> {
    pub events: EventTable,
    pub budget: Budget<'a>,
}

/// Limits, and how near they are.
pub(crate) struct Budget<'a> {
    callback: &'a dyn ProgressCallback,
    max_states: Option<u64>,
    max_bytes: Option<u64>,
    /// What the watch is shown.
    pub progress: Progress,
    /// The most bytes that were held.
    pub peak: u64,
    work: u64,
}

impl<'a> Budget<'a> {
    /// The limits of a search.
    pub fn new(search: &Search, callback: &'a dyn ProgressCallback) -> Budget<'a> {
        let (max_states, max_bytes) = (search.max_states, search.max_bytes);
        Budget { callback, max_states, max_bytes, progress: Progress::default(), peak: 0, work: 0 }
    }

    /// One state more of a space is expanded, of which so many are known and held in so many bytes.
    pub fn expands(&mut self, states: usize, bytes: usize) -> Result<(), Limit> {
        self.work += 1;
        if !self.work.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        self.within(states as u64, self.progress.bytes.max(bytes as u64))?;
        match self.callback.on_progress(&self.progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(limit) => Err(limit),
        }
    }

    /// So many pairs are kept, and everything is held in so many bytes.
    pub fn keeps(&mut self, pairs: u64, bytes: u64) -> Result<(), Limit> {
        self.progress.distinct_states = pairs;
        self.progress.bytes = bytes;
        self.within(pairs, bytes)
    }

    fn within(&mut self, states: u64, bytes: u64) -> Result<(), Limit> {
        self.peak = self.peak.max(bytes);
        if let Some(most) = self.max_states.filter(|&most| states > most) {
            return Err(Limit::States(most));
        }
        match self.max_bytes {
            Some(most) if bytes > most => Err(Limit::Memory(most)),
            _ => Ok(()),
        }
    }
}
