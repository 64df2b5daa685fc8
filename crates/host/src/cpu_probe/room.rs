//! How much memory a probe may take, and how large the caches are that it has to exceed.

use trueline_core::{By, Known, Why};

use crate::root::{Root, known};

/// The memory that can be taken without anything being given up: the least of what the system and
/// each control group above this process leave.
pub(super) fn free_bytes(root: &Root) -> Known<u64> {
    let system = known(
        root.text("proc/meminfo").and_then(|text| parse_available(&text).ok_or(Why::Unreadable)),
    );
    let groups = root.text("proc/self/cgroup").unwrap_or_default();
    let left = groups.lines().flat_map(|line| left_of_groups(root, line)).min();
    match (system.value(), left) {
        (Some(system), Some(left)) => Known::is(system.min(left), By::Derived),
        _ => system,
    }
}

/// The largest cache of the first processor.
pub(super) fn last_level_cache_bytes(root: &Root) -> Known<u64> {
    let base = "sys/devices/system/cpu/cpu0/cache";
    let sizes = root.names(base).map(|names| {
        let size = |name: &String| parse_size(&root.text(&format!("{base}/{name}/size")).ok()?);
        names.iter().filter(|name| name.starts_with("index")).filter_map(size).max()
    });
    known(sizes.and_then(|largest| largest.ok_or(Why::Absent)))
}

/// What each group on the way up leaves of its limit, for a line of `/proc/self/cgroup`.
fn left_of_groups(root: &Root, line: &str) -> Vec<u64> {
    let mut parts = line.splitn(3, ':');
    let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
    else {
        return Vec::new();
    };
    let (mount, limit, used) = match controllers {
        "" => ("sys/fs/cgroup", "memory.max", "memory.current"),
        _ if controllers.split(',').any(|c| c == "memory") => {
            ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        }
        _ => return Vec::new(),
    };
    let mut left = Vec::new();
    let mut path = path.trim_end_matches('/');
    loop {
        let of = |file: &str| root.value::<u64>(&format!("{mount}{path}/{file}")).value();
        if let (Some(limit), Some(used)) = (of(limit), of(used)) {
            left.push(limit.saturating_sub(used));
        }
        match path.rsplit_once('/') {
            Some((above, _)) => path = above,
            None => return left,
        }
    }
}

fn parse_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A size as the kernel writes it for caches, `32768K`.
fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let unit: u64 = match unit {
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn tree(name: &str, files: &[(&str, &str)]) -> Root {
        let base =
            std::env::temp_dir().join(format!("trueline-room-{name}-{}", std::process::id()));
        for (path, text) in files {
            let to = base.join(path);
            fs::create_dir_all(to.parent().unwrap_or(Path::new("."))).unwrap();
            fs::write(to, text).unwrap();
        }
        Root::at(base)
    }

    #[test]
    fn the_closest_limit_decides() {
        // 8 GiB free, the group leaves 1 GiB - 256 MiB, the one above it has no limit.
        let root = tree(
            "limits",
            &[
                ("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8388608 kB\n"),
                ("proc/self/cgroup", "0::/job.slice/run\n"),
                ("sys/fs/cgroup/job.slice/run/memory.max", "1073741824\n"),
                ("sys/fs/cgroup/job.slice/run/memory.current", "268435456\n"),
                ("sys/fs/cgroup/job.slice/memory.max", "max\n"),
                ("sys/fs/cgroup/job.slice/memory.current", "268435456\n"),
            ],
        );
        assert_eq!(free_bytes(&root).value(), Some(805_306_368));
    }

    #[test]
    fn the_first_version_of_groups_is_read_too() {
        let root = tree(
            "first",
            &[
                ("proc/meminfo", "MemAvailable: 8388608 kB"),
                ("proc/self/cgroup", "9:memory:/\n3:cpu,cpuacct:/\n0::/\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
                ("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096"),
            ],
        );
        assert_eq!(free_bytes(&root).value(), Some(8_589_934_592));
    }

    #[test]
    fn what_is_not_said_is_not_known() {
        let root = Root::at("no/such/folder");
        assert_eq!(free_bytes(&root), Known::Not(Why::Absent));
        assert_eq!(last_level_cache_bytes(&root), Known::Not(Why::Absent));
    }

    #[test]
    fn the_largest_cache_is_the_last_level() {
        let base = "sys/devices/system/cpu/cpu0/cache";
        let sizes = [("index0", "48K"), ("index2", "2048K"), ("index3", "491520K")];
        let paths: Vec<_> = sizes.map(|(i, s)| (format!("{base}/{i}/size"), s)).to_vec();
        let files: Vec<_> = paths.iter().map(|(path, size)| (path.as_str(), *size)).collect();
        assert_eq!(last_level_cache_bytes(&tree("cache", &files)).value(), Some(480 << 20));
        assert_eq!(parse_size("32M"), Some(32 << 20));
        assert_eq!(parse_size("32"), None);
    }
}
