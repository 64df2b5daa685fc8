//! Fuzzes [`trueline_fuzz::trace_logs`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::trace_logs(data);
});
