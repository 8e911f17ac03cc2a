//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::{Program, Ring};

fn main() -> std::process::ExitCode {
    Program::new().subject::<Ring>().casebook().main()
}
