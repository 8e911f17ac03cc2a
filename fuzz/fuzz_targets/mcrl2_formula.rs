//! Texts that should be a formula of mCRL2: see the crate `hostile` for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| watchkeeper_hostile::attack("mcrl2-formula", input));
