//! How often processors were slowed down because they were too hot.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use crate::root::{Root, known};

/// How often a processor was slowed down since boot because it was too hot.
///
/// # Source
/// Kernel, `thermal_throttle` of each processor; Intel alone, and not in virtual machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Throttled {
    /// The processor.
    pub cpu: u32,
    /// Times that its core was too hot.
    pub core_events: u64,
    /// Times that its package was too hot, where the kernel counts it; the same for all processors of
    /// a package.
    pub package_events: Option<u64>,
    /// How long its core was, where the kernel counts it.
    pub core_ms: Option<u64>,
    /// How long its package was, where the kernel counts it.
    pub package_ms: Option<u64>,
}

/// Reads the counters of all processors, rising by number.
pub(super) fn read_throttled(root: &Root) -> Known<Vec<Throttled>> {
    const FOLDER: &str = "sys/devices/system/cpu";
    let names = match root.names(FOLDER) {
        Ok(names) => names,
        Err(why) => return Known::Not(why),
    };
    let mut cpus: Vec<u32> =
        names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect();
    cpus.sort_unstable();
    let mut last = Why::Absent;
    let mut all = Vec::new();
    for cpu in cpus {
        let path = |file: &str| format!("{FOLDER}/cpu{cpu}/thermal_throttle/{file}");
        let count = |file: &str| root.value::<u64>(&path(file));
        let (core, package) = (count("core_throttle_count"), count("package_throttle_count"));
        match (core, package) {
            (Known::Is { value: core_events, .. }, package) => all.push(Throttled {
                cpu,
                core_events,
                package_events: package.value(),
                core_ms: count("core_throttle_total_time_ms").value(),
                package_ms: count("package_throttle_total_time_ms").value(),
            }),
            // A processor that is switched off has no counters; a machine without them has none.
            (Known::Not(why), _) => last = why,
        }
    }
    known(if all.is_empty() { Err(last) } else { Ok(all) })
}
