//! Fuzzes [`trueline_fuzz::sglang`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::sglang(data);
});
