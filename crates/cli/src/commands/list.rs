//! `list`: the protocols with their parameters and properties.

use crate::outputs::print;
use crate::program::Program;
use crate::registry::{self, ProtocolEntry};
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// Prints what the program knows.
pub(crate) fn run(program: &Program) -> Result<ExitCode, Problem> {
    let entries: Vec<&ProtocolEntry> = program.entries.iter().collect();
    print(&registry::details(&entries))?;
    Ok(ExitCode::HOLDS)
}
