//! Fuzzes [`trueline_fuzz::llama_cpp`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::llama_cpp(data);
});
