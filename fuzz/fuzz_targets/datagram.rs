//! Hostile datagrams against the decoder: see the library of this crate for what is asserted.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    watchkeeper_fuzz::Attack::begin().play(input);
});
