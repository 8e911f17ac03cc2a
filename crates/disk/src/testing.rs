//! For tests of crates that open no files themselves: a directory for a while, and damage to what is in it.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static MADE: AtomicU64 = AtomicU64::new(0);

/// A directory that is gone when the value is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// The name of a directory that is not there yet.
    pub fn new(name: &str) -> Scratch {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("watchkeeper-disk-{}-{number}-{name}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A copy of the files and directories in another one.
    pub fn copy_of(dir: &Path) -> Scratch {
        let copy = Scratch::new("copy");
        copy_all(dir, &copy.0);
        copy
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory for the test");
    for entry in fs::read_dir(from).expect("a directory of the test") {
        let entry = entry.expect("an entry").path();
        let copy = to.join(entry.file_name().expect("a name"));
        match entry.is_dir() {
            true => copy_all(&entry, &copy),
            false => drop(fs::copy(&entry, &copy).expect("copied")),
        }
    }
}

/// All files in a directory and those in it, in the order of their names.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory of the test") {
        let entry = entry.expect("an entry").path();
        match entry.is_dir() {
            true => all.extend(files(&entry)),
            false => all.push(entry),
        }
    }
    all.sort();
    all
}

/// The bytes of a file.
pub fn len(path: &Path) -> u64 {
    fs::metadata(path).expect("a file of the test").len()
}

/// Flips one bit of a file.
pub fn flip(path: &Path, at: u64, bit: u8) {
    let mut bytes = fs::read(path).expect("a file of the test");
    bytes[at as usize] ^= 1 << bit;
    fs::write(path, bytes).expect("written");
}

/// Cuts a file off.
pub fn cut(path: &Path, len: u64) {
    let file = OpenOptions::new().write(true).open(path).expect("a file of the test");
    file.set_len(len).expect("cut");
}
