//! Fuzzes [`trueline_fuzz::own_jsonl`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::own_jsonl(data);
});
