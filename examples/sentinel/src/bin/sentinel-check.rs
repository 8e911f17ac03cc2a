//! The command line of the detector: check it, find its bound and its class, run a cluster of it.

fn main() -> std::process::ExitCode {
    watchkeeper_cli::main_with::<sentinel::Sentinel>()
}
