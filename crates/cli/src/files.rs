//! What the machine says about open files: whether there is room for more, and what to do if there is not.

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io;

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
