//! The checkpoints of one command: a directory, and in it one for each search, in the order in which they begin.

use crate::ExploreError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_disk::{ClaimHandle, ClaimedDirectory, DiskError};

/// Where searches leave checkpoints. Searches that begin with a directory in which others like them have left theirs go
/// on from there, each as far as its predecessor had come, and each in its turn: the same command begins the same searches
/// in the same order.
#[derive(Debug)]
pub struct Checkpoints {
    path: PathBuf,
    /// As long as it is this process that uses the directory.
    claim: Option<ClaimedDirectory>,
    identity: String,
    begun: AtomicUsize,
    warnings: Mutex<Vec<String>>,
    most: Option<u64>,
}

impl Checkpoints {
    /// Checkpoints in this directory. The identity names all that must be the same when they are used again: the program
    /// with its version, and what it was told to search. Searches add to it what they are asked.
    pub fn new(directory: ClaimedDirectory, identity: &str) -> Checkpoints {
        let within = Checkpoints::within(directory.path(), identity);
        Checkpoints { claim: Some(directory), ..within }
    }

    /// The same for one of several workers, in a directory that was claimed for all of them. Each worker has its own value.
    pub fn within(path: &Path, identity: &str) -> Checkpoints {
        let (path, identity, warnings) = (path.to_path_buf(), identity.to_string(), Mutex::default());
        Checkpoints { path, claim: None, identity, begun: AtomicUsize::new(0), warnings, most: None }
    }

    /// The same, with so many bytes at most for the checkpoint of one search.
    #[must_use]
    pub fn limited(self, most: Option<u64>) -> Checkpoints {
        Checkpoints { most, ..self }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Another handle on the claim to the directory, if this process has it: it holds until that is closed too.
    pub fn lock(&self) -> Result<Option<ClaimHandle>, DiskError> {
        self.claim.as_ref().map_or(Ok(None), ClaimedDirectory::lock)
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
    pub(crate) fn warn(&self, warning: String) {
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
