//! Fuzzes [`trueline_fuzz::models::safetensors`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::models::safetensors(data);
});
