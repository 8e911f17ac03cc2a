//! The command line of the example.

use lease::Lease;

fn main() -> std::process::ExitCode {
    watchkeeper_cli::main_with::<Lease>()
}
