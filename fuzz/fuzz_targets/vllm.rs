//! Fuzzes [`trueline_fuzz::vllm`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::vllm(data);
});
