//! Fuzzes [`trueline_fuzz::mapped`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::mapped(data);
});
