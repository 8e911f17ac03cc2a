//! Heads of requests to the page: see the crate `hostile` for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| watchkeeper_hostile::attack("page-head", input));
