//! Files that a run leaves behind. Each is tried before the search begins, written whole to a file beside
//! it and then renamed, so that no reader ever sees half of one; one failure does not lose the others.

use crate::problem::Problem;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where something goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Standard output, written `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// The target that an argument names.
    pub(crate) fn new(argument: &Path) -> Target {
        if argument == Path::new("-") { Target::Stdout } else { Target::File(argument.to_path_buf()) }
    }

    /// Finds out now whether it can be written later.
    pub(crate) fn probe(&self) -> Result<(), Problem> {
        match self {
            Target::Stdout => Ok(()),
            Target::File(path) => {
                try_out(path).map_err(|why| Problem::Unwritable { path: path.clone(), why: why.to_string() })
            }
        }
    }

    /// Writes the whole content.
    pub(crate) fn write(&self, content: &str) -> io::Result<()> {
        match self {
            Target::Stdout => to_stdout(content),
            Target::File(path) => {
                let path = resolved(path)?;
                if !replaceable(&path)? {
                    return OpenOptions::new().write(true).open(&path)?.write_all(content.as_bytes());
                }
                let beside = beside(&path)?;
                let written = fill(&beside, content).and_then(|()| fs::rename(&beside, &path));
                if written.is_err() {
                    // The content is lost either way; a remnant beside it would only puzzle.
                    let _ = fs::remove_file(&beside);
                }
                written
            }
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Stdout => f.write_str("standard output"),
            Target::File(path) => write!(f, "{}", path.display()),
        }
    }
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

fn try_out(path: &Path) -> io::Result<()> {
    let path = resolved(path)?;
    if !replaceable(&path)? {
        return OpenOptions::new().write(true).open(&path).map(drop);
    }
    let beside = beside(&path)?;
    File::create(&beside)?;
    fs::remove_file(&beside)
}

/// The file behind a symbolic link, so that the link survives the renaming.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(path.to_path_buf()),
        other => other,
    }
}

/// Whether the file is, or will be, an ordinary one that another may take the place of. A device or a
/// pipe must be written as it is.
fn replaceable(path: &Path) -> io::Result<bool> {
    let known = match fs::metadata(path) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(true),
        other => other?,
    };
    if known.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if known.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is there already and read-only"));
    }
    Ok(known.is_file())
}

/// A name in the same directory that only this process uses.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::other("this names no file"))?;
    let hidden = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    Ok(path.with_file_name(hidden))
}

fn fill(path: &Path, content: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
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
        let target = Target::new(&dir.join("verdict.json"));
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
            assert!(matches!(Target::new(&path).probe(), Err(Problem::Unwritable { .. })), "{path:?}");
        }
        fs::remove_dir_all(dir).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_as_they_are_and_links_survive() {
        let null = Target::new(Path::new("/dev/null"));
        null.probe()
            .and_then(|()| null.write("nothing").map_err(|e| Problem::Usage(e.to_string())))
            .expect("written");
        assert!(!fs::metadata("/dev/null").expect("the device").is_file());

        let dir = room("three");
        fs::write(dir.join("real"), "old").expect("written");
        std::os::unix::fs::symlink("real", dir.join("link")).expect("linked");
        Target::new(&dir.join("link")).write("new").expect("written");
        assert_eq!(fs::read_to_string(dir.join("real")).ok().as_deref(), Some("new"));
        assert!(fs::symlink_metadata(dir.join("link")).expect("the link").is_symlink());
        fs::remove_dir_all(dir).expect("removed");
    }
}
