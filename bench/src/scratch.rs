//! A directory for generated files that disappears with its owner.

use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A fresh directory among the system's temporary files.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the directory.
    pub fn create() -> Result<Scratch, Failure> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("watchkeeper-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).map_err(|e| Failure::file(&path, e))?;
        Ok(Scratch(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    /// What cannot be removed is left to the system's own cleaning.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
