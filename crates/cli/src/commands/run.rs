//! `run`: one node of a protocol, as a node file describes it, until it is told to end.

use crate::daemon::{Setup, configuration};
use crate::node_file::{self, Loaded, proposal};
use crate::outputs::{print, to_stderr};
use crate::program::Program;
use clap::Args;
use std::path::PathBuf;
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::ExitCode;

/// All flags of `run`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunArgs {
    /// The node file
    #[arg(long, short, value_name = "NODE.toml")]
    config: PathBuf,

    /// Look at the whole file, say what would run and what that rests on, and run nothing
    #[arg(long)]
    check_config: bool,

    /// Record every step: into a file that ends in .ndjson, or into a directory, a new file for each start
    #[arg(long, value_name = "PATH")]
    record: Option<PathBuf>,

    /// What to propose, where the protocol decides on values; goes over the key `propose`
    #[arg(long, value_name = "VALUE")]
    propose: Option<String>,
}

/// Runs the node of a file.
pub(crate) fn run(program: &Program, args: &RunArgs) -> Result<ExitCode, Problem> {
    let Loaded { mut file, entry, node_plan } = match node_file::read(&args.config, program) {
        Ok(loaded) => loaded,
        Err(problems) => return Ok(refused(&problems)),
    };
    if let Some(text) = &args.propose {
        let refused = |why| Problem::Value { origin: SettingOrigin::Argument("--propose".to_string()), why };
        let value = proposal(text).map_err(refused)?;
        file.node.propose = node_plan.proposal(Some(file.node.process), Some(value)).map_err(refused)?;
    }
    let record = args.record.clone().or_else(|| file.node.record.clone());
    if args.check_config {
        let loaded = Loaded { file, entry, node_plan };
        let text = configuration(&program.name, &loaded, record.as_deref());
        print(&text)?;
        return Ok(ExitCode::HOLDS);
    }
    let path = file.path.clone();
    let again = || node_file::read(&path, program).map(|loaded| loaded.file);
    let plan = node_plan.plan.clone();
    entry.serve(&plan, Setup { file, node_plan, record, again: &again })
}

/// Tells all that is wrong with a file.
fn refused(problems: &[Problem]) -> ExitCode {
    let told: Vec<String> = problems.iter().map(|problem| format!("error: {problem}\n")).collect();
    to_stderr(&told.join("\n"));
    if problems.len() > 1 {
        to_stderr(&format!("\n{} problems; nothing was started\n", problems.len()));
    }
    ExitCode::BAD_INPUT
}
