//! The program `watchkeeper`: the built-in protocols and the casebook.

use watchkeeper::protocols::ring::{StrongAccuracy, StrongCompleteness, WeakAccuracy};
use watchkeeper::{ChandraToueg, Heartbeat, Program, Ring};

fn main() -> std::process::ExitCode {
    Program::new()
        .subject::<Ring>()
        .subject::<Ring<WeakAccuracy>>()
        .subject::<Ring<StrongAccuracy>>()
        .subject::<Ring<StrongCompleteness>>()
        .subject::<ChandraToueg>()
        .subject::<Heartbeat>()
        .casebook()
        .main()
}
