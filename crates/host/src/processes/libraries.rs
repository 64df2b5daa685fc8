//! Signs of a debug build or a profiler in the files that a process has mapped.

/// Parts of a library's file name that are a sanitizer's.
///
/// # Source
/// The file names of GCC's and LLVM's shared run-time libraries.
const SANITIZERS: [&str; 5] = ["libasan", "libtsan", "libmsan", "libhwasan", "libclang_rt."];

/// Parts of a library's file name that are a profiler's, and the profiler.
///
/// # Source
/// The file names in the packages of Nsight Systems, Nsight Compute, Compute Sanitizer and
/// rocprofiler; not verified on a GPU. CUPTI is not among them: every process that imports
/// `PyTorch` maps it (pytorch/pytorch#157381).
const PROFILERS: [(&str, &str); 7] = [
    ("libToolsInjection", "Nsight Systems"),
    ("libcuda-injection", "Nsight Compute"),
    ("libInterceptorInjection", "Nsight"),
    ("libsanitizer-collection", "Compute Sanitizer"),
    ("librocprofiler-sdk-tool", "rocprofiler"),
    ("libvtune", "VTune"),
    ("libittnotify_collector", "VTune"),
];

/// What a process has mapped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Mapped {
    /// Sanitizers, by file name.
    pub(crate) sanitizers: Vec<String>,
    /// Profilers, by name.
    pub(crate) profilers: Vec<String>,
}

/// What is kept of `/proc/<pid>/maps`: the lines of libraries that are a sign of something.
pub(crate) fn keep_signs(maps: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(maps);
    let mut names: Vec<&str> = text.lines().filter_map(file_name).filter(|n| is_sign(n)).collect();
    names.sort_unstable();
    names.dedup();
    names.iter().flat_map(|name| format!("/{name}\n").into_bytes()).collect()
}

/// Reads what `keep_signs` kept.
pub(crate) fn parse_mapped(maps: &[u8]) -> Mapped {
    let text = String::from_utf8_lossy(maps);
    let mut mapped = Mapped::default();
    for name in text.lines().filter_map(file_name) {
        if SANITIZERS.iter().any(|part| name.starts_with(part)) {
            mapped.sanitizers.push(name.to_owned());
        }
        for (part, profiler) in PROFILERS {
            if name.starts_with(part) && !mapped.profilers.iter().any(|known| known == profiler) {
                mapped.profilers.push(profiler.to_owned());
            }
        }
    }
    mapped
}

/// Whether a program was built for debugging, by where its file lies.
pub(crate) fn is_debug_path(exe: &str) -> bool {
    let mut parts = exe.rsplit('/').skip(1);
    // Cargo puts a target's name between the two: target/x86_64-unknown-linux-gnu/debug.
    let debug = |part: Option<&str>| part == Some("debug");
    match parts.next() {
        Some("deps" | "examples") => debug(parts.next()) && below_target(parts),
        part => debug(part) && below_target(parts),
    }
}

fn below_target<'a>(mut parts: impl Iterator<Item = &'a str>) -> bool {
    parts.next() == Some("target") || parts.next() == Some("target")
}

fn file_name(line: &str) -> Option<&str> {
    line.rsplit_once('/').map(|(_, name)| name)
}

fn is_sign(name: &str) -> bool {
    SANITIZERS.iter().any(|part| name.starts_with(part))
        || PROFILERS.iter().any(|(part, _)| name.starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines in the form of `proc_pid_maps(5)`.
    const MAPS: &str = "\
        7f0 r-xp 0 fe:00 1 /usr/lib/x86_64-linux-gnu/libc.so.6\n\
        7f1 r-xp 0 fe:00 2 /usr/lib/x86_64-linux-gnu/libasan.so.8.0.0\n\
        7f2 r--p 0 fe:00 2 /usr/lib/x86_64-linux-gnu/libasan.so.8.0.0\n\
        7f3 r-xp 0 fe:00 3 /x/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12\n\
        7f4 r-xp 0 fe:00 4 /opt/nvidia/nsight-systems/libToolsInjection64.so\n\
        7f5 rw-p 0 00:00 0 [heap]\n";

    #[test]
    fn sanitizers_and_profilers_show_and_cupti_alone_does_not() {
        let kept = keep_signs(MAPS.as_bytes());
        assert_eq!(kept, b"/libToolsInjection64.so\n/libasan.so.8.0.0\n");
        assert_eq!(keep_signs(&kept), kept);
        let mapped = parse_mapped(&kept);
        assert_eq!(mapped.sanitizers, ["libasan.so.8.0.0"]);
        assert_eq!(mapped.profilers, ["Nsight Systems"]);
        assert_eq!(parse_mapped(b"/libcupti.so.12\n"), Mapped::default());
    }

    #[test]
    fn a_debug_build_lies_where_cargo_puts_it() {
        for debug in [
            "/home/me/x/target/debug/server",
            "/x/target/debug/deps/it-0a1b",
            "/x/target/x86_64-unknown-linux-gnu/debug/server",
            "/x/target/debug/examples/serve",
        ] {
            assert!(is_debug_path(debug), "{debug}");
        }
        for other in ["/x/target/release/server", "/x/debug/server", "/usr/bin/debug", "debug"] {
            assert!(!is_debug_path(other), "{other}");
        }
    }
}
