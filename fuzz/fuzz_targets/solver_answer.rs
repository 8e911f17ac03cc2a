//! What a program says that should be a solver: see the crate `hostile` for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| watchkeeper_hostile::attack("solver-answer", input));
