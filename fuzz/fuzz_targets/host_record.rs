//! Fuzzes [`trueline_fuzz::host::host_record`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::host::host_record(data);
});
