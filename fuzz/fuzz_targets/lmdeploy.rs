//! Fuzzes [`trueline_fuzz::lmdeploy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::lmdeploy(data);
});
