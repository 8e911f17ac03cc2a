//! Key files: one line of 64 hexadecimal digits, and remarks. A file is made for its owner alone, and no text of a key
//! outlives its use.

use crate::inputs;
use std::fs::{Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::Path;
use watchkeeper::Problem;
use watchkeeper_runtime::wire::ClusterKey;
use zeroize::Zeroizing;

/// The longest key file that is read: a key and some remarks.
const LONGEST: u64 = 4096;

/// A new key.
pub(crate) fn fresh() -> Result<ClusterKey, Problem> {
    watchkeeper_runtime::generate_key().map_err(|why| Problem::Usage(why.to_string()))
}

/// The line of a key.
pub(crate) fn line(key: &ClusterKey) -> Zeroizing<String> {
    let digits = Zeroizing::new(key.to_hex());
    Zeroizing::new(format!("{}\n", *digits))
}

/// Writes a key to a new file that only its owner can read.
pub(crate) fn write(path: &Path, key: &ClusterKey) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(line(key).as_bytes())?;
    file.sync_all()
}

/// The same, for whoever can read another file: its owner, and its group if that can, but never all users.
pub(crate) fn write_like(path: &Path, key: &ClusterKey, like: Option<&Metadata>) -> io::Result<()> {
    write(path, key)?;
    let Some(like) = like else { return Ok(()) };
    // Only the superuser can give files away, and only he has to.
    let _ = chown(path, Some(like.uid()), Some(like.gid()));
    std::fs::set_permissions(path, Permissions::from_mode(0o600 | like.mode() & 0o040))
}

/// The digits in a key file: its only line that is no remark.
pub(crate) fn digits(path: &Path) -> Result<Zeroizing<String>, String> {
    let about = std::fs::metadata(path).map_err(|why| why.to_string())?;
    // A device has no size and no end, and a pipe may have nobody who writes.
    if !about.is_file() {
        return Err("it is no file".to_string());
    }
    if about.len() > LONGEST {
        return Err(format!("it has {} bytes, and a key has 64 digits", about.len()));
    }
    let text = Zeroizing::new(inputs::ordinary_text(path, LONGEST).map_err(|why| why.to_string())?);
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    match lines.as_slice() {
        [] => Err("it is empty; make one with `watchkeeper key --out FILE`".to_string()),
        [one] => Ok(Zeroizing::new(one.to_string())),
        lines => Err(format!("it has {} lines, and a key file has one", lines.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/dev/zero` would be read until there is no memory; this one is as little a file.
    #[test]
    fn a_device_is_no_key() {
        assert_eq!(digits(Path::new("/dev/null")), Err("it is no file".to_string()));
    }
}
