//! Requests to a node's endpoint, and answers of what should be one: see the crate `hostile` for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| watchkeeper_hostile::attack("http", input));
