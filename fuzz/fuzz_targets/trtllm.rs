//! Fuzzes [`trueline_fuzz::trtllm`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::trtllm(data);
});
