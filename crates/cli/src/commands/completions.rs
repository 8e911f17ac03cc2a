//! `completions`: a script with which a shell completes the commands and flags of this program.

use crate::outputs::print;
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use watchkeeper::Problem;
use watchkeeper_logic::ExitCode;

/// All arguments of `completions`.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell that will read the script
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script for a command line.
pub(crate) fn run(mut command: Command, args: &CompletionsArgs) -> Result<ExitCode, Problem> {
    let name = command.get_name().to_string();
    let mut script = Vec::new();
    generate(args.shell, &mut command, name, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::HOLDS)
}
