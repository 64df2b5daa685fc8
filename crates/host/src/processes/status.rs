//! What `/proc/<pid>/status` and its neighbours say in words.

use super::cpu_list::CpuList;

/// What is read of `/proc/<pid>/status`; `None` where a line is missing or unclear.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Status {
    /// The process that traces it; zero for none.
    pub(crate) tracer: Option<u32>,
    pub(crate) allowed_cpus: Option<CpuList>,
    pub(crate) swapped_bytes: Option<u64>,
    pub(crate) nonvoluntary_switches: Option<u64>,
}

/// Reads `/proc/<pid>/status`.
///
/// # Source
/// `proc_pid_status(5)`.
pub(crate) fn parse_status(text: &str) -> Status {
    let mut status = Status::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match key {
            "TracerPid" => status.tracer = value.parse().ok(),
            "Cpus_allowed_list" => status.allowed_cpus = value.parse().ok(),
            "VmSwap" => status.swapped_bytes = kibibytes(value),
            "nonvoluntary_ctxt_switches" => status.nonvoluntary_switches = value.parse().ok(),
            _ => {}
        }
    }
    status
}

fn kibibytes(value: &str) -> Option<u64> {
    value.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The group of sessions that the scheduler takes for one, and its nice, from
/// `/proc/<pid>/autogroup`.
///
/// # Source
/// `sched(7)`: `/autogroup-25 nice 0`.
pub(crate) fn parse_autogroup(text: &str) -> Option<(u64, i32)> {
    let (id, nice) = text.trim().strip_prefix("/autogroup-")?.split_once(" nice ")?;
    Some((id.parse().ok()?, nice.trim().parse().ok()?))
}

/// How many files a process may open, from `/proc/<pid>/limits`.
///
/// # Shape
/// The soft limit; `None` where it is `unlimited` or the line is missing.
pub(crate) fn parse_open_files_limit(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_by_name() {
        // Captured from Linux 6.18, the swap set to 12 KiB.
        let text = "Name:\tsleep\nTracerPid:\t0\nFDSize:\t256\nVmSwap:\t      12 kB\n\
            Cpus_allowed_list:\t0-1\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t3\n";
        let status = parse_status(text);
        assert_eq!((status.tracer, status.swapped_bytes), (Some(0), Some(12_288)));
        assert_eq!(status.nonvoluntary_switches, Some(3));
        assert_eq!(status.allowed_cpus.unwrap().to_string(), "0-1");
        assert_eq!(parse_status(""), Status::default());
    }

    #[test]
    fn autogroups_and_limits_are_read() {
        // Captured from Linux 6.18.
        assert_eq!(parse_autogroup("/autogroup-167 nice 0\n"), Some((167, 0)));
        assert_eq!(parse_autogroup("/autogroup-2 nice -5"), Some((2, -5)));
        assert_eq!(parse_autogroup("/"), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
            Max open files            20000                30000                files     \n";
        assert_eq!(parse_open_files_limit(limits), Some(20_000));
        assert_eq!(parse_open_files_limit(&limits.replace("20000", "unlimited")), None);
        assert_eq!(parse_open_files_limit(""), None);
    }
}
