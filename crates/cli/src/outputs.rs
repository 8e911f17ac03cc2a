//! Files that a run leaves behind. Each is tried before the search begins, written whole to a fresh file beside
//! it and then renamed, so that no reader ever sees half of one; one failure does not lose the others. A symbolic
//! link is never written through: whoever made it could choose which file is lost.

use crate::interrupt;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use watchkeeper::Problem;

/// How long it takes at most until it is seen that somebody reads from a pipe, or that the user has had enough.
const PAUSE: Duration = Duration::from_millis(50);

/// How often a name that nobody has is looked for. One is enough, unless somebody makes them on purpose.
const TRIES: usize = 16;

/// The files that are being written, to be removed if the process has to end.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where something goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OutputTarget {
    /// Standard output, written `-` or by one of its names.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl OutputTarget {
    /// The target that an argument names.
    pub(crate) fn new(argument: &Path) -> OutputTarget {
        let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        match names.iter().any(|name| argument == Path::new(name)) {
            true => OutputTarget::Stdout,
            false => OutputTarget::File(argument.to_path_buf()),
        }
    }

    /// Finds out now whether it can be written later.
    pub(crate) fn probe(&self) -> Result<(), Problem> {
        match self {
            OutputTarget::Stdout => Ok(()),
            OutputTarget::File(path) => try_out(path).map_err(|why| {
                Problem::Usage(format!(
                    "cannot write {}: {why}\n  Nothing was searched. Choose another file and try again.",
                    path.display()
                ))
            }),
        }
    }

    /// Writes the whole content.
    pub(crate) fn write(&self, content: &str) -> io::Result<()> {
        match self {
            OutputTarget::Stdout => to_stdout(content),
            OutputTarget::File(_) => self.stream(&mut |out| out.write_all(content.as_bytes())),
        }
    }

    /// Writes a content that is too large to be held as a whole.
    pub(crate) fn stream(&self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut buffered = |file: &mut dyn Write| {
            let mut out = io::BufWriter::with_capacity(1 << 16, file);
            content(&mut out)?;
            out.flush()
        };
        match self {
            OutputTarget::Stdout => match buffered(&mut io::stdout().lock()) {
                Err(gone) if gone.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                other => other,
            },
            OutputTarget::File(path) => match place(path)? {
                Place::Through => buffered(&mut through(path)?),
                Place::New(mode) => {
                    let mut fresh = Fresh::beside(path, mode)?;
                    if let Ok(known) = fs::metadata(path) {
                        // Only the superuser can give files away, and only he has to.
                        let _ = fchown(&fresh.file, Some(known.uid()), Some(known.gid()));
                    }
                    buffered(&mut fresh.file)?;
                    fresh.file.sync_all()?;
                    fresh.becomes(path)
                }
            },
        }
    }
}

/// Removes what is not finished, for a process that ends now: nothing can be begun from then on.
pub(crate) fn abandon() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

impl std::fmt::Display for OutputTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OutputTarget::Stdout => f.write_str("standard output"),
            OutputTarget::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Prints what a command has to say.
pub(crate) fn print(text: &str) -> Result<(), Problem> {
    to_stdout(text).map_err(|why| unwritten(&[format!("standard output: {why}")]))
}

/// The problem that outputs failed after the search; each with its reason. All others have been written.
pub(crate) fn unwritten(failures: &[String]) -> Problem {
    Problem::Usage(format!("not every output was written:\n  {}", failures.join("\n  ")))
}

/// Writes to standard output. A reader that has gone away, as `head` does, is no failure.
pub(crate) fn to_stdout(content: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(content.as_bytes()).and_then(|()| out.flush()) {
        Err(gone) if gone.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard error, where nobody can be told of a failure.
pub(crate) fn to_stderr(content: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(content.as_bytes()).and_then(|()| err.flush());
}

/// A file under a name that nobody else can have known. It is removed with this value, unless it became what it
/// was made for.
struct Fresh {
    file: File,
    path: PathBuf,
}

impl Fresh {
    /// A new file in the directory of another one, with the permissions of that one if it is there.
    fn beside(other: &Path, mode: Option<u32>) -> io::Result<Fresh> {
        let name = other.file_name().ok_or_else(|| io::Error::other("this names no file"))?;
        // A long name is cut, so that there is a file system that takes this one if it takes the other.
        let name: String = name.to_string_lossy().chars().take(40).collect();
        let mut taken = io::Error::other("no name could be found");
        for _ in 0..TRIES {
            let random = RandomState::new().hash_one(std::process::id());
            let path = other.with_file_name(format!(".{name}.{random:016x}.part"));
            let mut all = unfinished();
            match OpenOptions::new().write(true).create_new(true).mode(mode.unwrap_or(0o666)).open(&path) {
                Ok(file) => {
                    all.insert(path.clone());
                    drop(all);
                    let fresh = Fresh { file, path };
                    if let Some(mode) = mode {
                        fresh.file.set_permissions(fs::Permissions::from_mode(mode))?;
                    }
                    return Ok(fresh);
                }
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => taken = why,
                Err(why) => return Err(why),
            }
        }
        Err(taken)
    }

    /// Takes the place of another file. A link that has come to be there is replaced, not followed.
    fn becomes(self, other: &Path) -> io::Result<()> {
        fs::rename(&self.path, other)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // Nothing has this name any more if it took another one.
        let _ = fs::remove_file(&self.path);
        unfinished().remove(&self.path);
    }
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a file comes to be.
enum Place {
    /// As a new one, in the place of an ordinary one with these permissions if there is one.
    New(Option<u32>),
    /// A device or a pipe, which is written as it is.
    Through,
}

fn try_out(path: &Path) -> io::Result<()> {
    match place(path)? {
        // To open a pipe and close it again would tell its reader that all has come.
        Place::Through if is_pipe(path) => Ok(()),
        Place::Through => through(path).map(drop),
        Place::New(mode) => Fresh::beside(path, mode).map(drop),
    }
}

fn place(path: &Path) -> io::Result<Place> {
    let there = |known: io::Result<Metadata>| match known {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    };
    let Some(itself) = there(fs::symlink_metadata(path))? else { return Ok(Place::New(None)) };
    let known = there(fs::metadata(path))?;
    if itself.is_symlink() && !is_open(path) && known.as_ref().is_none_or(Metadata::is_file) {
        let to = fs::read_link(path).unwrap_or_default();
        let why =
            format!("it is a symbolic link to {}; name that file itself, or remove the link", to.display());
        return Err(io::Error::other(why));
    }
    let known = known.unwrap_or(itself);
    if known.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    let mode = known.permissions().mode() & 0o777;
    if known.is_file() && mode & 0o222 == 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is there already and read-only"));
    }
    Ok(if known.is_file() && !is_open(path) { Place::New(Some(mode)) } else { Place::Through })
}

/// Whether this is the name of a file that this process has open, as a shell gives it with `3>file`.
fn is_open(path: &Path) -> bool {
    let dir = path.parent().and_then(|dir| fs::canonicalize(dir).ok());
    dir.is_some_and(|dir| dir.starts_with("/proc") && dir.ends_with("fd") || dir == Path::new("/dev/fd"))
}

fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|known| known.file_type().is_fifo())
}

/// A device or a pipe, open. Whoever reads from a pipe may come later, and whoever waits for that may be stopped.
fn through(path: &Path) -> io::Result<File> {
    if !is_pipe(path) {
        return OpenOptions::new().write(true).truncate(true).open(path);
    }
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    loop {
        match OpenOptions::new().write(true).custom_flags(flags).open(path) {
            Ok(file) => {
                fcntl_setfl(&file, OFlags::empty())?;
                return Ok(file);
            }
            Err(why) if why.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                if interrupt::asked() {
                    return Err(io::Error::other("nobody reads from this pipe"));
                }
                std::thread::sleep(PAUSE);
            }
            Err(why) => return Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("watchkeeper-outputs-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory for the test");
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("the directory").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn trying_leaves_nothing_and_writing_leaves_one_file() {
        let dir = room("one");
        let target = OutputTarget::new(&dir.join("verdict.json"));
        target.probe().expect("a writable place");
        assert!(names(&dir).is_empty());
        target.write("first").and_then(|()| target.write("second")).expect("written");
        assert_eq!(names(&dir), ["verdict.json"]);
        assert_eq!(fs::read_to_string(dir.join("verdict.json")).ok().as_deref(), Some("second"));
        fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn a_directory_and_a_missing_directory_are_refused() {
        let dir = room("two");
        for path in [dir.clone(), dir.join("missing/verdict.json"), PathBuf::from("/"), PathBuf::from("..")] {
            let problem = OutputTarget::new(&path).probe().expect_err("no place to write").to_string();
            assert!(problem.starts_with("cannot write "), "{path:?}: {problem}");
        }
        fs::remove_dir_all(dir).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_as_they_are_and_links_to_files_are_not() {
        let null = OutputTarget::new(Path::new("/dev/null"));
        null.probe()
            .and_then(|()| null.write("nothing").map_err(|e| Problem::Usage(e.to_string())))
            .expect("written");
        assert!(!fs::metadata("/dev/null").expect("the device").is_file());

        let dir = room("three");
        fs::write(dir.join("real"), "old").expect("written");
        for (link, to) in [("link", "real"), ("dangling", "nothing")] {
            std::os::unix::fs::symlink(to, dir.join(link)).expect("linked");
            let target = OutputTarget::new(&dir.join(link));
            let told = target.probe().expect_err("refused").to_string();
            assert!(
                told.contains(&format!("it is a symbolic link to {to}; name that file itself")),
                "{told}"
            );
            assert!(target.write("new").is_err());
        }
        assert_eq!(fs::read_to_string(dir.join("real")).ok().as_deref(), Some("old"));
        assert!(!dir.join("nothing").exists());
        // What leads to a device is no danger to a file.
        std::os::unix::fs::symlink("/dev/null", dir.join("null")).expect("linked");
        OutputTarget::new(&dir.join("null")).write("nothing").expect("written");
        assert!(fs::symlink_metadata(dir.join("null")).expect("the link").is_symlink());
        assert_eq!(names(&dir).len(), 4, "and no other file is left behind");
        fs::remove_dir_all(dir).expect("removed");
    }

    /// A link is put in the place of the file between the look and the writing.
    #[test]
    fn a_link_that_came_later_is_replaced_and_not_followed() {
        let dir = room("four");
        fs::write(dir.join("precious"), "precious").expect("written");
        let path = dir.join("verdict.json");
        let mut fresh = Fresh::beside(&path, None).expect("a fresh file");
        std::os::unix::fs::symlink("precious", &path).expect("linked");
        fresh.file.write_all(b"new").and_then(|()| fresh.becomes(&path)).expect("written");
        assert_eq!(fs::read_to_string(dir.join("precious")).ok().as_deref(), Some("precious"));
        assert!(fs::symlink_metadata(&path).expect("there").is_file());
        fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn a_fresh_file_has_a_name_of_its_own_and_is_not_left_behind() {
        let dir = room("five");
        let path = dir.join("v".repeat(250));
        let (one, other) =
            (Fresh::beside(&path, None).expect("one"), Fresh::beside(&path, None).expect("two"));
        assert_ne!(one.path, other.path);
        assert_eq!((names(&dir).len(), unfinished().contains(&one.path)), (2, true));
        drop((one, other));
        assert!(names(&dir).is_empty());
        fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn a_file_keeps_its_permissions() {
        let dir = room("six");
        let path = dir.join("secret");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        OutputTarget::new(&path).write("new").expect("written");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
        assert!(OutputTarget::new(&path).write("newer").is_err());
        fs::remove_dir_all(dir).expect("removed");
    }
}
