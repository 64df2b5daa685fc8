//! Environment variables that slow a program down, by name.

/// A variable, the values that do nothing, and what it does otherwise.
type Slowing = (&'static str, &'static [&'static str], &'static str);

/// What is off.
const OFF: &[&str] = &["", "0", "false", "False", "no", "off"];

/// Variables that slow a program down.
///
/// # Source
/// The documentation of CUDA (environment variables), `ROCm`, NCCL, `PyTorch`,
/// vLLM, Python and glibc, as named; how much each costs is not measured here.
const SLOWING: &[Slowing] = &[
    ("CUDA_LAUNCH_BLOCKING", OFF, "every launch waits for its kernel"),
    ("CUDA_DISABLE_PERF_BOOST", OFF, "the driver leaves the clocks low"),
    ("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", &["", "100"], "a part of the GPU is left out"),
    ("CUDA_INJECTION64_PATH", &[""], "a profiler is loaded"),
    ("NVTX_INJECTION64_PATH", &[""], "a profiler is loaded"),
    ("HIP_LAUNCH_BLOCKING", OFF, "every launch waits for its kernel"),
    ("AMD_SERIALIZE_KERNEL", OFF, "kernels run one by one"),
    ("AMD_SERIALIZE_COPY", OFF, "copies run one by one"),
    ("NCCL_P2P_DISABLE", OFF, "GPUs talk through memory"),
    ("NCCL_SHM_DISABLE", OFF, "processes talk through sockets"),
    ("TORCH_COMPILE_DISABLE", OFF, "nothing is compiled"),
    ("TORCHDYNAMO_DISABLE", OFF, "nothing is compiled"),
    ("VLLM_TRACE_FUNCTION", OFF, "every call is written down"),
    ("PYTHONDEVMODE", &[""], "Python checks itself"),
    ("PYTHONASYNCIODEBUG", &[""], "Python checks itself"),
    ("PYTHONMALLOC", &["", "default", "pymalloc", "malloc", "mimalloc"], "Python checks itself"),
    ("MALLOC_CHECK_", &["", "0"], "the allocator checks itself"),
    ("LD_DEBUG", &[""], "the loader writes down what it does"),
    ("ASAN_OPTIONS", &[""], "a sanitizer is set up"),
    ("TSAN_OPTIONS", &[""], "a sanitizer is set up"),
    ("MSAN_OPTIONS", &[""], "a sanitizer is set up"),
];

/// What a variable does.
pub(crate) fn effect_of(name: &str) -> Option<&'static str> {
    SLOWING.iter().find(|(known, ..)| *known == name).map(|(.., effect)| *effect)
}

/// The names of those that are set so that they slow something, one a line: all that is ever kept
/// of `/proc/<pid>/environ`.
///
/// # Shape
/// What it returns reads as the same again: a name alone counts as set.
pub(crate) fn keep_slowing(environ: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&str> = environ
        .split(|byte| matches!(byte, 0 | b'\n'))
        .filter_map(|entry| std::str::from_utf8(entry).ok())
        .filter_map(|entry| {
            let (name, value) = match entry.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (entry, None),
            };
            let (known, harmless, _) = SLOWING.iter().find(|(known, ..)| *known == name)?;
            let slows = value.is_none_or(|value| !harmless.contains(&value));
            slows.then_some(*known)
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept.join("\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(environ: &str) -> String {
        String::from_utf8(keep_slowing(environ.as_bytes())).unwrap()
    }

    #[test]
    fn names_are_kept_and_nothing_else() {
        let environ = "HOME=/root\0API_KEY=secret\0CUDA_LAUNCH_BLOCKING=1\0PATH=/bin\0\
            ASAN_OPTIONS=log_path=/home/me/x\0";
        assert_eq!(kept(environ), "ASAN_OPTIONS\nCUDA_LAUNCH_BLOCKING");
        assert_eq!(kept(&kept(environ)), kept(environ));
    }

    #[test]
    fn a_variable_that_is_off_slows_nothing() {
        assert_eq!(kept("CUDA_LAUNCH_BLOCKING=0\0CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=100\0"), "");
        assert_eq!(
            kept("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50\0PYTHONMALLOC=malloc\0"),
            "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
        );
        assert_eq!(kept("MY_CUDA_LAUNCH_BLOCKING=1\0"), "");
        assert!(effect_of("CUDA_LAUNCH_BLOCKING").is_some());
    }
}
