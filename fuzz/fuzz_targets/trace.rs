//! Texts that should be traces of delays, or words for a network: see the crate `hostile` for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| watchkeeper_hostile::attack("trace", input));
