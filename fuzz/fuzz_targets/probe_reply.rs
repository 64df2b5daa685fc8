//! Fuzzes [`trueline_fuzz::probe::reply`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    trueline_fuzz::probe::reply(data);
});

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    trueline_fuzz::mutate(data, size, most, seed)
        .unwrap_or_else(|| libfuzzer_sys::fuzzer_mutate(data, size, most))
});
