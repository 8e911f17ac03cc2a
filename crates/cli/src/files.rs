//! Files and the machine: whether there is room for more open ones, what to do if there is not, and new directories among
//! the temporary files.

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// How often a name for a new directory is looked for. One is enough, unless somebody makes them on purpose.
const TRIES: usize = 16;

/// Whether so many more files can be open at once. Much that runs on top of the system does not ask, and breaks.
pub(crate) fn has_room_for_files(count: usize) -> io::Result<()> {
    (0..count).map(|_| File::open("/dev/null")).collect::<io::Result<Vec<File>>>().map(drop)
}

/// What is to be said beside an error, where the limit on open files is behind it.
pub(crate) fn about_files(error: &str) -> Option<String> {
    let limit = getrlimit(Resource::Nofile).current.map_or("none".to_string(), |limit| limit.to_string());
    let told =
        format!("\n  The limit on open files (ulimit -n) is {limit}; raise it, as with `ulimit -n 1024`.");
    error.contains(&format!("(os error {})", Errno::MFILE.raw_os_error())).then_some(told)
}

/// A new directory that is only this user's, among the temporary files of all users. Nobody can have made it before
/// under a name that nobody knew.
pub(crate) fn fresh_directory(among: &Path, name: &str) -> io::Result<PathBuf> {
    let mut taken = io::Error::other("no name could be found");
    for _ in 0..TRIES {
        let random = RandomState::new().hash_one(std::process::id());
        let dir = among.join(format!("watchkeeper-{name}-{random:016x}"));
        match fs::DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return dir.canonicalize(),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => taken = why,
            Err(why) => return Err(why),
        }
    }
    Err(taken)
}
