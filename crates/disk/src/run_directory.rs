//! The files of one search, which it needs until its end: they are written once, read many times, and removed when nobody
//! holds them any more. Nothing here promises to survive a crash, so nothing waits for the disk; what a disk loses or
//! changes is noticed by the checksums when it is read.

use crate::DiskError;
use crate::directory::ClaimedDirectory;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of the files end.
const EXTENSION: &str = ".run";

/// A directory for the files of one search.
#[derive(Clone, Debug)]
pub struct RunDirectory(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    directory: ClaimedDirectory,
    quota: DiskQuota,
    /// The number of the next file, and of the next segment.
    next: AtomicU64,
}

/// The share of the disk that may be used, and is used.
#[derive(Debug)]
struct DiskQuota {
    most: Option<u64>,
    used: AtomicU64,
    peak: AtomicU64,
    written: AtomicU64,
}

impl RunDirectory {
    /// Takes a directory, which must be empty or new, and at most so many bytes of it. Files that a search left there when it
    /// was killed are removed: nobody has the lock, so nobody needs them.
    pub fn open(path: &Path, most: Option<u64>) -> Result<RunDirectory, DiskError> {
        let directory = ClaimedDirectory::borrow(path)?;
        let left = directory.names()?;
        if let Some(found) = left.iter().find(|name| !is_run_file(name)) {
            return Err(DiskError::NotEmpty { path: path.to_path_buf(), found: found.clone() });
        }
        for name in left {
            let file = path.join(name);
            fs::remove_file(&file).map_err(|why| DiskError::of(&file, why))?;
        }
        let [used, peak, written, next] = std::array::from_fn(|_| AtomicU64::new(0));
        let quota = DiskQuota { most, used, peak, written };
        Ok(RunDirectory(Arc::new(Shared { directory, quota, next })))
    }

    /// Takes a fresh directory among the temporary files of the system.
    pub fn temporary(most: Option<u64>) -> Result<RunDirectory, DiskError> {
        RunDirectory::fresh(&std::env::temp_dir(), most)
    }

    /// Takes a fresh directory in another one, which is made if it is not there.
    pub fn fresh(above: &Path, most: Option<u64>) -> Result<RunDirectory, DiskError> {
        fs::create_dir_all(above).map_err(|why| DiskError::of(above, why))?;
        for number in 0.. {
            let path = above.join(format!("watchkeeper-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {
                    let mut directory = RunDirectory::open(&path, most)?;
                    if let Some(shared) = Arc::get_mut(&mut directory.0) {
                        shared.directory.made_here();
                    }
                    return Ok(directory);
                }
                Err(taken) if taken.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => return Err(DiskError::of(&path, source)),
            }
        }
        unreachable!("numbers do not end")
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.0.directory.path()
    }

    /// The bytes of all files now.
    pub fn used(&self) -> u64 {
        self.0.quota.used.load(Ordering::Relaxed)
    }

    /// The most bytes of all files at any time.
    pub fn peak(&self) -> u64 {
        self.0.quota.peak.load(Ordering::Relaxed)
    }

    /// The bytes written, those of removed files included.
    pub fn written(&self) -> u64 {
        self.0.quota.written.load(Ordering::Relaxed)
    }

    /// Begins a file.
    pub fn create(&self, kind: &str) -> Result<RunFile, DiskError> {
        let path = self.path().join(format!("{kind}-{}{EXTENSION}", self.number()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.map_err(|why| DiskError::of(&path, why))?;
        Ok(RunFile { path, file, bytes: AtomicU64::new(0), directory: self.clone() })
    }

    /// A number that this search has not used yet.
    pub(crate) fn number(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// Whether a file of this name is one of a search: a word, a number and the ending.
fn is_run_file(name: &str) -> bool {
    let parts = name.strip_suffix(EXTENSION).and_then(|stem| stem.split_once('-'));
    parts.is_some_and(|(kind, number)| {
        let word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
        word && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A file that only grows. It is removed when its last owner lets it go.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    file: File,
    bytes: AtomicU64,
    directory: RunDirectory,
}

impl RunFile {
    /// Appends bytes; where they begin. One thread at a time writes to a file.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, DiskError> {
        let (quota, more) = (&self.directory.0.quota, bytes.len() as u64);
        let used = quota.used.fetch_add(more, Ordering::Relaxed) + more;
        if let Some(most) = quota.most.filter(|&most| used > most) {
            quota.used.fetch_sub(more, Ordering::Relaxed);
            let what = format!("the limit of {most} bytes for the files of this search is reached");
            return Err(DiskError::Full { path: self.path.clone(), what });
        }
        quota.peak.fetch_max(used, Ordering::Relaxed);
        let at = self.bytes.fetch_add(more, Ordering::Relaxed);
        write_at(&self.file, bytes, at).map_err(|why| DiskError::of(&self.path, why))?;
        quota.written.fetch_add(more, Ordering::Relaxed);
        Ok(at)
    }

    /// Fills a buffer with the bytes from a place on.
    pub(crate) fn read(&self, buffer: &mut [u8], at: u64) -> Result<(), DiskError> {
        read_at(&self.file, buffer, at).map_err(|source| match source.kind() {
            ErrorKind::UnexpectedEof => self.damaged(at, "the file ends here"),
            _ => DiskError::of(&self.path, source),
        })
    }

    /// The number of bytes, and the place of the next one.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The error that something at this place is not what was written.
    pub(crate) fn damaged(&self, at: u64, what: &str) -> DiskError {
        DiskError::Damaged { path: self.path.clone(), at, what: what.to_string() }
    }
}

impl Drop for RunFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        self.directory.0.quota.used.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if written == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        (bytes, at) = (&bytes[written..], at + written as u64);
    }
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, at)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => (buffer, at) = (&mut buffer[read..], at + read as u64),
        }
    }
    Ok(())
}
