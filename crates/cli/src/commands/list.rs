//! `list`: the protocols with their parameters and properties.

use crate::outputs::to_stdout;
use crate::program::Program;
use crate::registry::{self, Entry};
use watchkeeper::problem::Problem;
use watchkeeper_logic::ExitCode;

/// Prints what the program knows.
pub(crate) fn run(program: &Program) -> Result<ExitCode, Problem> {
    let entries: Vec<&Entry> = program.entries.iter().collect();
    let failed = |why: std::io::Error| Problem::Unwritten(vec![format!("standard output: {why}")]);
    to_stdout(&registry::texts(&entries)).map_err(failed)?;
    Ok(ExitCode::HOLDS)
}
