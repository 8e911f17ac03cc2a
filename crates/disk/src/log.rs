//! An append-only log of blocks. What was committed is there after a crash, after a kill and after a loss of power; what
//! came later is cut off. Each block has a checksum, and a damaged one before the end that was committed is an error,
//! never another content.
//!
//! A block is its length (4 bytes), its kind (1), the CRC-32 of kind and payload (4), and the payload. The file beside the
//! log says up to which byte the log counts, with a note of the writer, and is replaced whole after the log is on disk.

use crate::DiskError;
use crate::directory::{read, replace, sync_directory};
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const LOG: &str = "log";
const COMMITTED: &str = "committed";
/// The first bytes of the file beside the log; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"wk-log1\n";
/// Length, kind and checksum.
const HEAD: usize = 9;
/// Bytes that wait in memory until they are written.
const BUFFER: usize = 1 << 20;

/// A log that is written.
#[derive(Debug)]
pub struct Log {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// Where the next block begins, the buffer included.
    end: u64,
    committed: u64,
    note: Vec<u8>,
    most: Option<u64>,
    failed: bool,
}

impl Log {
    /// Opens the log in a directory, or begins one. What was not committed is cut off. It may have `most` bytes, if that
    /// is said. The caller has claimed the directory, or one around it.
    pub fn open(dir: &Path, most: Option<u64>) -> Result<Log, DiskError> {
        fs::create_dir_all(dir).map_err(|why| DiskError::of(dir, why))?;
        let path = dir.join(LOG);
        let known = read_committed(&dir.join(COMMITTED))?;
        let (committed, note) = known.unwrap_or_default();
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|why| DiskError::of(&path, why))?;
        let len = file.metadata().map_err(|why| DiskError::of(&path, why))?.len();
        if len < committed {
            let what = format!("the file ends here, and {committed} bytes were written");
            return Err(DiskError::Damaged { path, at: len, what });
        }
        let (dir, buffer) = (dir.to_path_buf(), Vec::new());
        let mut log = Log { dir, path, file, buffer, end: 0, committed, note, most, failed: false };
        log.rewind()?;
        Ok(log)
    }

    /// The note of the last commit of the log in a directory, which nobody need have claimed; none if nothing was ever
    /// committed there.
    pub fn look(dir: &Path) -> Result<Option<Vec<u8>>, DiskError> {
        let known = read_committed(&dir.join(COMMITTED))?;
        Ok(known.filter(|(committed, _)| *committed > 0).map(|(_, note)| note))
    }

    /// The note of the last commit; none if nothing was ever committed.
    pub fn note(&self) -> Option<&[u8]> {
        (self.committed > 0).then_some(&self.note[..])
    }

    /// The bytes that count.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// The bytes so far, committed or not.
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// The file of the blocks.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a block. After an error nothing can be appended or committed any more; what was committed stays.
    pub fn append(&mut self, kind: u8, payload: &[u8]) -> Result<(), DiskError> {
        let len = u32::try_from(payload.len()).map_err(|_| self.full("a block has 4 GiB at most".into()))?;
        self.usable()?;
        let end = self.end + (HEAD + payload.len()) as u64;
        if let Some(most) = self.most.filter(|&most| end > most) {
            self.failed = true;
            return Err(self.full(format!("it may have {most} bytes")));
        }
        self.buffer.extend_from_slice(&len.to_le_bytes());
        self.buffer.push(kind);
        self.buffer.extend_from_slice(&checksum(kind, payload).to_le_bytes());
        self.buffer.extend_from_slice(payload);
        self.end = end;
        if self.buffer.len() >= BUFFER { self.write_out() } else { Ok(()) }
    }

    /// Makes all that was appended count, and last.
    pub fn commit(&mut self, note: &[u8]) -> Result<(), DiskError> {
        self.usable()?;
        self.write_out()?;
        let done = self.file.sync_data().map_err(|why| DiskError::of(&self.path, why));
        let done = done.and_then(|()| replace(&self.dir, COMMITTED, &committed(self.end, note)));
        self.failed |= done.is_err();
        done?;
        (self.committed, self.note) = (self.end, note.to_vec());
        Ok(())
    }

    /// Forgets what was appended since the last commit.
    pub fn rewind(&mut self) -> Result<(), DiskError> {
        self.buffer.clear();
        self.end = self.committed;
        let to_end = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        self.failed = to_end.is_err();
        to_end.map(drop).map_err(|why| DiskError::of(&self.path, why))
    }

    /// Forgets everything.
    pub fn restart(&mut self) -> Result<(), DiskError> {
        match fs::remove_file(self.dir.join(COMMITTED)) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(DiskError::of(&self.dir.join(COMMITTED), why));
            }
            _ => sync_directory(&self.dir)?,
        }
        (self.committed, self.note) = (0, Vec::new());
        self.rewind()
    }

    /// The blocks that were committed.
    pub fn read(&self) -> Result<LogReader, DiskError> {
        let file = File::open(&self.path).map_err(|why| DiskError::of(&self.path, why))?;
        let file = BufReader::with_capacity(BUFFER, file);
        Ok(LogReader { path: self.path.clone(), file, at: 0, end: self.committed })
    }

    fn usable(&self) -> Result<(), DiskError> {
        let what = || "an earlier block was not written".to_string();
        if self.failed { Err(self.full(what())) } else { Ok(()) }
    }

    fn full(&self, what: String) -> DiskError {
        DiskError::Full { path: self.path.clone(), what }
    }

    fn write_out(&mut self) -> Result<(), DiskError> {
        let done = self.file.write_all(&self.buffer).map_err(|why| DiskError::of(&self.path, why));
        self.buffer.clear();
        self.failed |= done.is_err();
        done
    }
}

/// Reads a log from its beginning.
#[derive(Debug)]
pub struct LogReader {
    path: PathBuf,
    file: BufReader<File>,
    at: u64,
    end: u64,
}

impl LogReader {
    /// The kind of the next block, whose payload takes the place of what was in `payload`; `None` at the end.
    pub fn next(&mut self, payload: &mut Vec<u8>) -> Result<Option<u8>, DiskError> {
        payload.clear();
        if self.at == self.end {
            return Ok(None);
        }
        let mut head = [0; HEAD];
        if self.end - self.at < HEAD as u64 {
            return Err(self.damaged("a block is cut off"));
        }
        self.fill(&mut head)?;
        let [l0, l1, l2, l3, kind, c0, c1, c2, c3] = head;
        let len = u32::from_le_bytes([l0, l1, l2, l3]);
        if self.end - self.at - (HEAD as u64) < u64::from(len) {
            return Err(self.damaged("a block is longer than what was written"));
        }
        payload.resize(len as usize, 0);
        self.fill(payload)?;
        if checksum(kind, payload) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(self.damaged("a block does not have its checksum"));
        }
        self.at += HEAD as u64 + u64::from(len);
        Ok(Some(kind))
    }

    /// Where the next block begins.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// That the next block, or the one that was read last, is none that was written here.
    pub fn damaged(&self, what: &str) -> DiskError {
        DiskError::Damaged { path: self.path.clone(), at: self.at, what: what.to_string() }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), DiskError> {
        self.file.read_exact(bytes).map_err(|why| match why.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged("the file ends within a block"),
            _ => DiskError::of(&self.path, why),
        })
    }
}

fn checksum(kind: u8, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(payload);
    hasher.finalize()
}

/// The content of the file beside the log.
fn committed(end: u64, note: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&end.to_le_bytes());
    bytes.extend_from_slice(note);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn read_committed(path: &Path) -> Result<Option<(u64, Vec<u8>)>, DiskError> {
    let Some(bytes) = read(path)? else { return Ok(None) };
    let damaged = |what: &str| {
        let path = path.to_path_buf();
        Err(DiskError::Damaged { path, at: 0, what: what.to_string() })
    };
    let Some((rest, sum)) = bytes.split_last_chunk::<4>() else { return damaged("it is cut off") };
    if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
        return damaged("it does not have its checksum");
    }
    let Some(rest) = rest.strip_prefix(MAGIC) else {
        return damaged("it is of another version of this format");
    };
    let Some((end, note)) = rest.split_first_chunk::<8>() else { return damaged("it is cut off") };
    Ok(Some((u64::from_le_bytes(*end), note.to_vec())))
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
