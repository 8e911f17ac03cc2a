//! `key`: a fresh key for a cluster.

use crate::outputs::print;
use clap::Args;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All flags of `key`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KeyArgs {
    /// Write it to a new file that only you can read, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes a key.
pub(crate) fn run(args: &KeyArgs) -> Result<ExitCode, Problem> {
    let key = watchkeeper_runtime::generate_key().map_err(|why| Problem::Usage(why.to_string()))?;
    let line = format!("{}\n", key.to_hex());
    let Some(path) = &args.out else {
        print(&line)?;
        return Ok(ExitCode::HOLDS);
    };
    match write(path, &line) {
        Ok(()) => Ok(ExitCode::HOLDS),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Err(Problem::Usage(format!(
            "{} is there already, and a key that is in use must not be lost; choose another name",
            path.display()
        ))),
        Err(why) => Err(Problem::Usage(format!("cannot write the key to {}: {why}", path.display()))),
    }
}

fn write(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}
