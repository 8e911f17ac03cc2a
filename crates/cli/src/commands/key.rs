//! `key`: a fresh key for a cluster.

use crate::key_file;
use crate::outputs::print;
use clap::Args;
use std::io;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;
use watchkeeper_runtime::wire::ClusterKey;

/// All flags of `key`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KeyArgs {
    /// Write it to a new file that only you can read, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes a key.
pub(crate) fn run(args: &KeyArgs) -> Result<ExitCode, Problem> {
    let key = ClusterKey::generate().map_err(|why| Problem::Usage(why.to_string()))?;
    let Some(path) = &args.out else {
        print(&key_file::line(&key))?;
        return Ok(ExitCode::HOLDS);
    };
    match key_file::write(path, &key) {
        Ok(()) => Ok(ExitCode::HOLDS),
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => Err(Problem::Usage(format!(
            "{} is there already, and a key that is in use must not be lost; choose another name",
            path.display()
        ))),
        Err(why) => Err(Problem::Usage(format!("cannot write the key to {}: {why}", path.display()))),
    }
}
