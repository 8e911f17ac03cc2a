//! The checkpoints of one command: a directory, and in it one for each search, in the order in which they begin.

use crate::ExploreError;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_disk::ClaimedDirectory;

/// Where searches leave checkpoints. Searches that begin with a directory in which others like them have left theirs go
/// on from there, each as far as its predecessor had come, and each in its turn: the same command begins the same searches
/// in the same order.
#[derive(Debug)]
pub struct Checkpoints {
    directory: ClaimedDirectory,
    identity: String,
    begun: AtomicUsize,
    warnings: Mutex<Vec<String>>,
    most: Option<u64>,
}

impl Checkpoints {
    /// Checkpoints in this directory. The identity names all that must be the same when they are used again: the program
    /// with its version, and what it was told to search. Searches add to it what they are asked.
    pub fn new(directory: ClaimedDirectory, identity: &str) -> Checkpoints {
        let (identity, warnings) = (identity.to_string(), Mutex::default());
        Checkpoints { directory, identity, begun: AtomicUsize::new(0), warnings, most: None }
    }

    /// The same, with so many bytes at most for the checkpoint of one search.
    #[must_use]
    pub fn limited(self, most: Option<u64>) -> Checkpoints {
        Checkpoints { most, ..self }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    pub(super) fn most(&self) -> Option<u64> {
        self.most
    }

    /// The number of the search that begins now, from 1.
    pub(super) fn begin(&self) -> usize {
        self.begun.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps a sentence for the verdict.
    pub(super) fn warn(&self, warning: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
    }

    /// What went wrong with checkpoints since the last call, while searches went on.
    pub(crate) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PartialEq for Checkpoints {
    /// A directory belongs to one value.
    fn eq(&self, other: &Checkpoints) -> bool {
        self.path() == other.path()
    }
}

/// That a checkpoint cannot be used, with what to do.
pub(super) fn unusable(why: impl std::fmt::Display) -> ExploreError {
    ExploreError::Checkpoint(format!(
        "{why}\n  Nothing was searched. Use another copy of the checkpoint if there is one, or begin anew with another \
         directory."
    ))
}
