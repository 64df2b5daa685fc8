//! Fuzzes [`trueline_fuzz::kept_logs`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::kept_logs(data);
});
