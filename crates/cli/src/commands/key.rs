//! `key`: a fresh key for a cluster; and `key rotate`, another one for a cluster that runs.

use crate::key_file;
use crate::key_rotation::{RotationRequest, RotationStep, rotate};
use crate::outputs::print;
use crate::program::Program;
use clap::{Args, Subcommand};
use std::io;
use std::path::PathBuf;
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All flags of `key`.
#[derive(Args, Clone, Debug, Default)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    command: Option<KeyCommand>,

    /// Write it to a new file that only you can read, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What else can be done with keys.
#[derive(Subcommand, Clone, Debug)]
enum KeyCommand {
    /// Replace the key of a cluster that runs: all nodes open with the new key too, then all seal with it, then the old
    /// one goes; every node is asked whether it has followed. Run it again to go on after it was stopped
    Rotate(RotateArgs),
}

/// All flags of `key rotate`.
#[derive(Args, Clone, Debug)]
struct RotateArgs {
    /// The node files of all nodes of the cluster, or directories with them, such as the one of `cluster --dir`
    #[arg(value_name = "NODE.toml|DIR", required = true)]
    nodes: Vec<PathBuf>,

    /// Take one step alone, where nodes are on several machines: each step on all machines before the next
    #[arg(long, value_enum, value_name = "STEP")]
    step: Option<RotationStep>,

    /// Change the files of nodes that do not run, too
    #[arg(long)]
    allow_stopped: bool,
}

/// Makes a key, or replaces one.
pub(crate) fn run(program: &Program, args: &KeyArgs) -> Result<ExitCode, Problem> {
    if let Some(KeyCommand::Rotate(RotateArgs { nodes, step, allow_stopped })) = &args.command {
        rotate(program, &RotationRequest { paths: nodes, step: *step, allow_stopped: *allow_stopped })?;
        return Ok(ExitCode::HOLDS);
    }
    let key = key_file::fresh()?;
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
