//! Fuzzes [`trueline_fuzz::runs`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::runs(data);
});
