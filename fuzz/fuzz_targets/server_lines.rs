//! Fuzzes [`trueline_fuzz::server_lines`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::server_lines(data);
});
