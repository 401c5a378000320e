//! The whole guard on any bytes, as a command and as a path.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| custos_guard::fuzz::judge(data));
