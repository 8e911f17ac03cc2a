//! The command line of the example.

use stop_and_wait::StopAndWait;

fn main() -> std::process::ExitCode {
    watchkeeper_cli::main_with::<StopAndWait>()
}
