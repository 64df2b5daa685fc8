//! Fuzzes [`trueline_fuzz::host::captured_tree`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::host::captured_tree(data);
});
