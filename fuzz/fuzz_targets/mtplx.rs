//! Fuzzes [`trueline_fuzz::mtplx`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::mtplx(data);
});
