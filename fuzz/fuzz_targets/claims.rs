//! Fuzzes [`trueline_fuzz::claims`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::claims(data);
});
