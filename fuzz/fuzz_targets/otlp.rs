//! Fuzzes [`trueline_fuzz::otlp`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::otlp(data);
});
