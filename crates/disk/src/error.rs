//! What can go wrong with a file, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a directory of blocks cannot be written, or not be read back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiskError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk, or the share of it that was allowed, is full.
    #[error("{}: no room: {what}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The disk, or the limit.
        what: String,
    },
    /// What is read is not what was written.
    #[error("{}: damaged at byte {at}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the block begins.
        at: u64,
        /// How it was noticed.
        what: String,
    },
    /// Another process uses this directory.
    #[error("{}: another search uses this directory; wait for its end, or name another directory", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The directory of a search that begins holds something.
    #[error("{}: the directory of a search must be empty or new, and this one holds `{found}`; name another directory, or empty this one", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
        /// A file in it.
        found: String,
    },
}

impl DiskError {
    /// What the system said of a file; a disk without room is told as such.
    pub fn of(path: &Path, source: io::Error) -> DiskError {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                DiskError::Full { path, what: source.to_string() }
            }
            _ => DiskError::Io { path, source },
        }
    }
}
