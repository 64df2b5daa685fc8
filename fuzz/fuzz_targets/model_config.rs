//! Fuzzes [`trueline_fuzz::models::config`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::models::config(data);
});
