//! Fuzzes [`trueline_fuzz::probe::words`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::probe::words(data);
});
