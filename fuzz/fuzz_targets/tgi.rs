//! Fuzzes [`trueline_fuzz::tgi`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::tgi(data);
});
