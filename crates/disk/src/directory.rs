//! A directory that one process at a time may use, and small files in it that are always whole.

use crate::DiskError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The file that is locked while a process uses the directory. The system takes the lock back when the process ends.
const LOCK: &str = "lock";
/// The most bytes of a small file. What is longer was not written here.
const SMALL: u64 = 64 << 20;

/// A directory that belongs to this process until the value is dropped.
#[derive(Debug)]
pub struct ClaimedDirectory {
    path: PathBuf,
    /// Open as long as the claim holds.
    lock: Option<File>,
    /// Whether the lock goes with the claim, and the directory too if it was made for it and is empty.
    passing: Option<Passing>,
}

/// Another handle on the lock of a claimed directory, which processes can inherit.
#[derive(Debug)]
pub struct ClaimHandle(File);

#[cfg(unix)]
impl std::os::fd::AsFd for ClaimHandle {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What does not outlive a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Passing {
    Lock,
    Directory,
}

impl ClaimedDirectory {
    /// Makes the directory unless it is there, and claims it.
    pub fn claim(path: &Path) -> Result<ClaimedDirectory, DiskError> {
        fs::create_dir_all(path).map_err(|why| DiskError::of(path, why))?;
        let lock = path.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&lock);
        let file = file.map_err(|why| DiskError::of(&lock, why))?;
        match file.try_lock() {
            Ok(()) => Ok(ClaimedDirectory { path: path.to_path_buf(), lock: Some(file), passing: None }),
            Err(TryLockError::WouldBlock) => Err(DiskError::InUse { path: path.to_path_buf() }),
            Err(TryLockError::Error(why)) => Err(DiskError::of(&lock, why)),
        }
    }

    /// The same for as long as the claim holds: nothing is left behind that was made for it.
    pub(crate) fn borrow(path: &Path) -> Result<ClaimedDirectory, DiskError> {
        let passing = if path.exists() { Passing::Lock } else { Passing::Directory };
        let mut directory = ClaimedDirectory::claim(path)?;
        directory.passing = Some(passing);
        Ok(directory)
    }

    /// Says that the directory was made for this claim.
    pub(crate) fn made_here(&mut self) {
        self.passing = Some(Passing::Directory);
    }

    /// Another handle on the lock. The directory stays claimed until that is closed too, by whichever process has it then.
    pub fn lock(&self) -> Result<Option<ClaimHandle>, DiskError> {
        let failed = |why| DiskError::of(&self.path.join(LOCK), why);
        self.lock.as_ref().map(|lock| lock.try_clone().map(ClaimHandle).map_err(failed)).transpose()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing is in it but the lock.
    pub fn is_empty(&self) -> Result<bool, DiskError> {
        Ok(self.names()?.is_empty())
    }

    /// The names of the files in it, other than the lock, in order.
    pub(crate) fn names(&self) -> Result<Vec<String>, DiskError> {
        let failed = |why| DiskError::of(&self.path, why);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name != LOCK);
        names.sort();
        Ok(names)
    }

    /// Whether there is a file of this name in it.
    pub fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// The text of a small file, if it is there.
    pub fn read(&self, name: &str) -> Result<Option<String>, DiskError> {
        let path = self.path.join(name);
        let Some(bytes) = read(&path)? else { return Ok(None) };
        let text = String::from_utf8(bytes).map_err(|bad| DiskError::Damaged {
            path,
            at: bad.utf8_error().valid_up_to() as u64,
            what: "it is no text".to_string(),
        });
        text.map(Some)
    }

    /// Writes a small file, whole or not at all.
    pub fn write(&self, name: &str, text: &str) -> Result<(), DiskError> {
        replace(&self.path, name, text.as_bytes())
    }
}

impl Drop for ClaimedDirectory {
    fn drop(&mut self) {
        let Some(passing) = self.passing else { return };
        // Removed before it is unlocked, so that nobody locks a file that is about to go.
        let _ = fs::remove_file(self.path.join(LOCK));
        self.lock = None;
        if passing == Passing::Directory {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// The directories in one whose names are these letters and a number, in the order of the numbers.
pub fn numbered_directories(dir: &Path, letters: &str) -> Result<Vec<(u64, PathBuf)>, DiskError> {
    let failed = |why| DiskError::of(dir, why);
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(failed(why)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(number) = name.strip_prefix(letters).and_then(|number| number.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The content of a small file, if it is there.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    let failed = |why| DiskError::of(path, why);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(failed(why)),
    };
    let mut bytes = Vec::new();
    file.take(SMALL + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > SMALL {
        let what = "it is longer than any such file".to_string();
        return Err(DiskError::Damaged { path: path.to_path_buf(), at: SMALL, what });
    }
    Ok(Some(bytes))
}

/// Puts a file in the place of another one. After a loss of power there is the old one or the new one.
pub(crate) fn replace(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
    let (path, fresh) = (dir.join(name), dir.join(format!("{name}.new")));
    let failed = |why| DiskError::of(&fresh, why);
    let mut file = File::create(&fresh).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    fs::rename(&fresh, &path).map_err(|why| DiskError::of(&path, why))?;
    sync_directory(dir)
}

/// Makes the names in a directory last.
pub(crate) fn sync_directory(dir: &Path) -> Result<(), DiskError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|why| DiskError::of(dir, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn a_directory_is_claimed_once_and_is_free_again_afterwards() {
        let scratch = Scratch::new("claimed");
        let first = ClaimedDirectory::claim(scratch.path()).expect("free");
        let told = ClaimedDirectory::claim(scratch.path()).expect_err("taken");
        assert!(matches!(told, DiskError::InUse { .. }), "{told}");
        let handle = first.lock().expect("it is open");
        drop(first);
        ClaimedDirectory::claim(scratch.path()).expect_err("somebody still has the lock");
        drop(handle);
        ClaimedDirectory::claim(scratch.path()).expect("free again");
    }

    #[test]
    fn a_small_file_is_read_as_it_was_written_last() {
        let scratch = Scratch::new("small");
        let directory = ClaimedDirectory::claim(scratch.path()).expect("free");
        assert!(directory.is_empty().expect("readable"));
        assert_eq!(directory.read("one").expect("readable"), None);
        directory.write("one", "first").expect("written");
        directory.write("one", "second").expect("written");
        assert_eq!(directory.read("one").expect("readable").as_deref(), Some("second"));
        assert!(!directory.is_empty().expect("readable"));
        fs::write(scratch.path().join("two"), b"ab\xff").expect("written");
        assert!(matches!(directory.read("two"), Err(DiskError::Damaged { at: 2, .. })));
    }
}
