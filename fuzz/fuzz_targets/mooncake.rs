//! Fuzzes [`trueline_fuzz::mooncake`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::mooncake(data);
});
