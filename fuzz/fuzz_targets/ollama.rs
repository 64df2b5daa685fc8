//! Fuzzes [`trueline_fuzz::ollama`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::ollama(data);
});
