//! Fuzzes [`trueline_fuzz::gateway_logs`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::gateway_logs(data);
});
