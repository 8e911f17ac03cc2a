//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::{Heartbeat, Program, Ring};

fn main() -> std::process::ExitCode {
    Program::new().subject::<Ring>().subject::<Heartbeat>().casebook().main()
}
