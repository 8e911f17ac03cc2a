//! Files that are read. A pipe or a terminal is waited for without being deaf to signals, and never for longer than
//! there is room; what must be an ordinary file is refused if it is anything else, before it can be waited for.

use crate::interrupt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use watchkeeper::Problem;

/// How long it takes at most until it is seen that the user has had enough.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The whole of a file, or of what comes through a pipe, of at most so many bytes. An error of the kind
/// [`io::ErrorKind::Interrupted`] says that the user did not want to wait.
pub(crate) fn whole(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, known) = open(path)?;
    if known.is_file() { ordinary(file, most) } else { coming(file, most) }
}

/// The same as text.
pub(crate) fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(whole(path, most)?).map_err(|_| io::Error::other("it is not text in UTF-8"))
}

/// The whole of an ordinary file as text; of anything else it is said what it is.
pub(crate) fn ordinary_text(path: &Path, most: u64) -> io::Result<String> {
    let file = ordinary_file(path)?;
    String::from_utf8(ordinary(file, most)?).map_err(|_| io::Error::other("it is not text in UTF-8"))
}

/// An ordinary file, open.
pub(crate) fn ordinary_file(path: &Path) -> io::Result<File> {
    // Asked before it is opened too: to open a device can do something.
    let refused = |known: &Metadata| match other_than_a_file(known.file_type()) {
        None => Ok(()),
        Some(what) => Err(io::Error::other(format!("it is {what}, and must be an ordinary file"))),
    };
    refused(&path.metadata()?)?;
    let (file, known) = open(path)?;
    refused(&known)?;
    Ok(file)
}

/// What something is that is no ordinary file.
pub(crate) fn other_than_a_file(kind: FileType) -> Option<&'static str> {
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a directory"),
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () if kind.is_block_device() || kind.is_char_device() => Some("a device"),
        () => Some("no file"),
    }
}

/// Opens without waiting for anyone at the other end.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let file = File::options().read(true).custom_flags(flags.cast_signed()).open(path)?;
    let known = file.metadata()?;
    if known.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    Ok((file, known))
}

fn ordinary(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    within(bytes, most)
}

/// What comes from someone who may not have begun yet, until there is no more.
fn coming(mut file: File, most: u64) -> io::Result<Vec<u8>> {
    let (mut bytes, mut some) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        if interrupt::asked() {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted before it came to its end"));
        }
        match poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&PAUSE)) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(why) => return Err(why.into()),
        }
        match file.read(&mut some) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend(&some[..count]),
            Err(why) if matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(why) => return Err(why),
        }
        bytes = within(bytes, most)?;
    }
}

fn within(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    match bytes.len() as u64 > most {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// The problem that the user had enough before a file was there.
pub(crate) fn interrupted(path: &Path) -> Problem {
    Problem::Undecided(format!("interrupted while waiting for {}; nothing was searched", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::process::Command;

    fn room(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("watchkeeper-inputs-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory for the test");
        dir
    }

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }

    #[test]
    fn what_is_no_ordinary_file_is_refused_and_named() {
        let dir = room("refused");
        let (fifo, socket) = (dir.join("pipe"), dir.join("socket"));
        pipe(&fifo);
        let _open = UnixListener::bind(&socket).expect("a socket");
        let told = |path: &Path| ordinary_text(path, 9).expect_err("refused").to_string();
        for (path, what) in [
            (fifo.as_path(), "a pipe"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a device"),
            (&dir, "a directory"),
        ] {
            assert_eq!(told(path), format!("it is {what}, and must be an ordinary file"));
        }
        std::fs::write(dir.join("file"), "123456789").expect("written");
        assert_eq!(ordinary_text(&dir.join("file"), 9).ok().as_deref(), Some("123456789"));
        assert_eq!(
            whole(&dir.join("file"), 8).expect_err("too much").to_string(),
            "it has more than 8 bytes"
        );
        std::fs::remove_dir_all(dir).expect("removed");
    }

    /// The writer comes after the reader, writes more than a pipe holds, and goes.
    #[test]
    fn a_pipe_is_read_to_its_end_and_a_device_without_end_is_not() {
        let dir = room("pipe");
        let fifo = dir.join("pipe");
        pipe(&fifo);
        let long = "x".repeat(300_000);
        let writer = {
            let (fifo, long) = (fifo.clone(), long.clone());
            std::thread::spawn(move || std::fs::write(fifo, long))
        };
        assert_eq!(text(&fifo, 1 << 20).expect("text"), long);
        writer.join().expect("no panic").expect("written");
        assert_eq!(whole(Path::new("/dev/null"), 1).expect("nothing"), b"");
        assert!(whole(Path::new("/dev/zero"), 1000).is_err());
        std::fs::remove_dir_all(dir).expect("removed");
    }
}
