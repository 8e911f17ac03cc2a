//! `list`: the protocols with their parameters and properties.

use crate::outputs::to_stdout;
use crate::problem::Problem;
use crate::program::Program;
use watchkeeper_logic::ExitCode;

/// Prints what the program knows.
pub(crate) fn run(program: &Program) -> Result<ExitCode, Problem> {
    let texts: Vec<String> = program.entries.iter().map(|entry| entry.text()).collect();
    let failed = |why: std::io::Error| Problem::Unwritten(vec![format!("standard output: {why}")]);
    to_stdout(&texts.join("\n")).map_err(failed)?;
    Ok(ExitCode::HOLDS)
}
