//! Fuzzes [`trueline_fuzz::weka`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::weka(data);
});
