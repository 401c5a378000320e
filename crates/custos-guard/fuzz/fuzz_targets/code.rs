//! The readers of other languages on any bytes.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| custos_guard::fuzz::code(data));
