//! Fuzzes [`trueline_fuzz::host::gpu_log`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::host::gpu_log(data);
});
